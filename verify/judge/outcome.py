"""Outcome of a fact: whether it holds, computed values, a witness; no prose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """Result of computing one fact.

    `holds` is None where the computation does not decide. `values` are what it computed, as plain
    data (numbers as integers or exact text, never floats). `witness` is the smallest data that
    show a failure, or None if the fact holds. `missing` names what was not at hand;
    `crash` is the message of an error in our own program.

    Examples:
        >>> Outcome(False, {"tried": 7}, {"n": 7}).witness
        {'n': 7}

    """

    holds: bool | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    witness: Mapping[str, Any] | None = None
    missing: str = ""
    crash: str = ""

    def __post_init__(self) -> None:
        """Refuse a fact that holds and fails at once."""
        if self.holds and self.witness is not None:
            raise ValueError(f"holds, with a witness of its failure: {dict(self.witness)}")


def comparison(holds: bool, **sides: Any) -> Outcome:
    """The outcome of comparing the values given; where it fails, these are the witness."""
    return Outcome(holds, sides, None if holds else sides)


def first_problem(problems: Iterable[Mapping[str, Any] | None]) -> Outcome:
    """The outcome that holds if there is no problem; else the first problem is the witness."""
    witness = next((problem for problem in problems if problem is not None), None)
    return Outcome(witness is None, {}, witness)


def curve(label: str, x: Iterable[object], y: Iterable[object]) -> dict[str, Any]:
    """A curve of a figure, as plain data: its numbers are text."""
    return {"label": label, "x": [str(value) for value in x], "y": [str(value) for value in y]}
