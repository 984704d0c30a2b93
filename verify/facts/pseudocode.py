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

from collections.abc import Callable
from typing import Any

from verify.facts.registry import fact
from verify.judge.outcome import Outcome

Element = Any


def element(operator: str, j: int) -> Element:
    """The j-th input: a letter, or a number that no other sum of inputs equals."""
    if operator == "words":
        return chr(ord("a") + j)
    if operator == "sums":
        return 1 << j
    raise ValueError(f"operator {operator!r}, expected words or sums")


def combine(order: str) -> Callable[[Element, Element], Element]:
    """x_j and x_{j - 2^i} in the order in which they are combined."""
    if order not in ("printed", "repaired"):
        raise ValueError(f"order {order!r}, expected printed or repaired")
    return lambda own, before: own + before if order == "printed" else before + own


def run(values: list[Element], last: int, join: Callable[[Element, Element], Element]) -> list[Any]:
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
    if range_ not in ("printed", "whole"):
        raise ValueError(f"range {range_!r}, expected printed or whole")
    for n in range(1, most + 1):
        inputs = [element(operator, j) for j in range(n + 1)]
        got = run(inputs, n if range_ == "whole" else n - 1, combine(order))
        total: Element = inputs[0]
        for j, value in enumerate(got):
            total = inputs[0] if j == 0 else total + inputs[j]
            if value != total:
                witness = {"n": n, "j": j, "got": str(value), "expected": str(total)}
                return Outcome(False, {}, witness)
    return Outcome(True)


@fact("scan.in-place", "exhaustive")
def in_place(direction: str, most: int) -> Outcome:
    """For n = 1 … most one array, updated from one end, ends as all running sums."""
    for n in range(1, most + 1):
        array = [element("words", j) for j in range(n + 1)]
        for i in range(n.bit_length()):
            step = 1 << i
            places = range(step, n + 1)
            for j in reversed(places) if direction == "descending" else places:
                array[j] = array[j - step] + array[j]
        for j, value in enumerate(array):
            expected = "".join(element("words", k) for k in range(j + 1))
            if value != expected:
                return Outcome(False, {}, {"n": n, "j": j, "got": value, "expected": expected})
    return Outcome(True)


@fact("scan.work", "exhaustive")
def work(most: int) -> Outcome:
    """For n = 2 … most the rounds make at most 2 n log2 n sums."""
    for n in range(2, most + 1):
        sums = sum(n + 1 - (1 << i) for i in range(n.bit_length()))
        if 2**sums > n ** (2 * n):
            return Outcome(False, {}, {"n": n, "sums": sums})
    return Outcome(True)
