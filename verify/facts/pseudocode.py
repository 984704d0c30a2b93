"""The scan's pseudocode, run line by line: its ranges, its order of operands, its storage.

    for i = 0 … ⌊log2 n⌋:   for each j:   x_j ← x_j if j < 2^i, else x_j ⊕ x_{j - 2^i}

    scan.pseudocode   the rounds turn x_0 … x_n into all running sums
    scan.in-place     so they do where one array is updated from one end
    scan.work         the rounds make at most 2 n log2 n sums

Inputs are x_0 … x_n. `range` "printed" stops at j = n - 1, "whole" at j = n. `order` "printed"
puts x_j first, "repaired" puts x_{j - 2^i} first. `operator` "words" is concatenation, which does
not commute; "sums" adds whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Any, TypeVar

from verify.facts.registry import fact
from verify.judge.outcome import Outcome, first_problem

Element = Any
Chosen = TypeVar("Chosen")
Witness = dict[str, Any] | None
Join = Callable[[Element, Element], Element]
ELEMENTS: dict[str, Callable[[int], Element]] = {
    "words": lambda j: chr(ord("a") + j),
    "sums": lambda j: 1 << j,
}
ORDERS: dict[str, Join] = {
    "printed": lambda own, before: own + before,
    "repaired": lambda own, before: before + own,
}
LEFT_OUT = {"printed": 1, "whole": 0}  # how many of the last j a range does without
DIRECTIONS: dict[str, Callable[[range], Iterator[int]]] = {
    "descending": reversed,
    "ascending": iter,
}


def _choice(what: str, name: str, among: Mapping[str, Chosen]) -> Chosen:
    if name not in among:
        raise ValueError(f"{what} {name!r}, expected {' or '.join(among)}")
    return among[name]


def element(operator: str, j: int) -> Element:
    """The j-th input: a letter, or a number that no other sum of inputs equals."""
    return _choice("operator", operator, ELEMENTS)(j)


def combine(order: str) -> Join:
    """x_j and x_{j - 2^i} in the order in which they are combined."""
    return _choice("order", order, ORDERS)


def run(values: list[Element], last: int, join: Join) -> list[Element]:
    """The rounds i = 0 … ⌊log2 n⌋ on x_0 … x_n, with j up to `last`."""
    n = len(values) - 1
    for i in range(n.bit_length()):
        step = 1 << i
        values = [
            join(x, values[j - step]) if step <= j <= last else x for j, x in enumerate(values)
        ]
    return values


@fact("scan.pseudocode", "exhaustive")
def pseudocode(range_: str, order: str, operator: str, most: int) -> Outcome:
    """For n = 1 … most the pseudocode turns x_0 … x_n into all running sums."""
    left_out = _choice("range", range_, LEFT_OUT)
    lists = ([element(operator, j) for j in range(n + 1)] for n in range(1, most + 1))
    return first_problem(
        _difference(inputs, run(inputs, len(inputs) - 1 - left_out, combine(order)))
        for inputs in lists
    )


def _difference(inputs: list[Element], got: list[Element]) -> Witness:
    """The first of x_0 … x_n that is not the running sum of the inputs up to it."""
    for j, total in enumerate(accumulate(inputs)):
        if got[j] != total:
            return {"n": len(inputs) - 1, "j": j, "got": str(got[j]), "expected": str(total)}
    return None


def updated(array: list[str], direction: str) -> list[str]:
    """The repaired rounds on x_0 … x_n, each sum written over its x_j, from one end to the other."""
    n = len(array) - 1
    for i in range(n.bit_length()):
        step = 1 << i
        for j in DIRECTIONS[direction](range(step, n + 1)):
            array[j] = array[j - step] + array[j]
    return array


@fact("scan.in-place", "exhaustive")
def in_place(direction: str, most: int) -> Outcome:
    """For n = 1 … most one array, updated from one end, ends as all running sums."""
    lists = ([element("words", j) for j in range(n + 1)] for n in range(1, most + 1))
    return first_problem(_difference(inputs, updated([*inputs], direction)) for inputs in lists)


def number_of_sums(n: int) -> int:
    """Count the sums: in round i every j from 2^i to n takes one."""
    return sum(n + 1 - (1 << i) for i in range(n.bit_length()))


@fact("scan.work", "exhaustive")
def work(most: int) -> Outcome:
    """For n = 2 … most the rounds make at most 2 n log2 n sums."""
    for n in range(2, most + 1):
        sums = number_of_sums(n)
        if 2**sums > n ** (2 * n):
            return Outcome(False, {}, {"n": n, "sums": sums})
    return Outcome(True)
