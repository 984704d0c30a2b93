"""Times of benchmarks: the least of a few runs, in CPU seconds or by the clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

V = TypeVar("V")


@dataclass(frozen=True)
class Goal:
    """A number that a ratio, or seconds, should not exceed, or should reach."""

    number: float
    at_least: bool = False
    unit: str = ""

    def beside(self, value: float) -> str:
        """The goal in words, and whether a value meets it."""
        meets = value >= self.number if self.at_least else value <= self.number
        sign = "≥" if self.at_least else "≤"
        return f"goal {sign} {self.number:g}{self.unit}: {'met' if meets else 'missed'}"


def best_time(
    function: Callable[[], V],
    repeats: int = 5,
    clock: Callable[[], float] = time.process_time,
) -> tuple[float, V]:
    """(least seconds, result) of a few runs."""
    seconds, result = [], None
    for _ in range(repeats):
        started = clock()
        result = function()
        seconds.append(clock() - started)
    if result is None:
        raise ValueError("a benchmark returns its result")
    return min(seconds), result


def best_times_by_turns(
    *functions: Callable[[], V],
    repeats: int = 9,
    clock: Callable[[], float] = time.process_time,
) -> list[tuple[float, V]]:
    """The same for several functions, run in turns, so that a busy machine slows them all equally."""
    results = [best_time(function, 1, clock) for function in functions]
    for _ in range(repeats - 1):
        again = [best_time(function, 1, clock) for function in functions]
        results = [min(pair, key=lambda run: run[0]) for pair in zip(results, again, strict=True)]
    return results
