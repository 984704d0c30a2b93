"""The scan's pseudocode again, by the set of inputs that each element has collected.

After the rounds with steps 1, 2, 4, … element j of the repaired scan holds the inputs of a window
that doubles; here windows are followed as lists of indices, never as words or sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.recheck.errors import Answer, one_of, only, whole


def collected(n: int, last: int, printed: bool) -> list[list[int]]:
    """The indices that each element holds at the end, in their order."""
    held = [[j] for j in range(n + 1)]
    step = 1
    while step <= n:
        before = held
        held = []
        for j in range(n + 1):
            if j < step or j > last:
                held.append(before[j])
            elif printed:
                held.append(before[j] + before[j - step])
            else:
                held.append(before[j - step] + before[j])
        step *= 2
    return held


def shown(operator: str, indices: list[int]) -> str:
    """What an element looks like that holds these inputs."""
    if operator == "words":
        return "".join(chr(97 + k) for k in indices)
    return str(sum(2**k for k in indices))


def pseudocode(p: Mapping[str, Any], _: Mapping[str, Any]) -> Answer:
    """Every element must have collected 0 … j; for words in this order."""
    only(p, {"range_", "order", "operator", "most"})
    most, operator = whole(p, "most", 1, 64), one_of(p, "operator", ("words", "sums"))
    printed = one_of(p, "order", ("printed", "repaired")) == "printed"
    short = one_of(p, "range_", ("printed", "whole")) == "printed"
    for n in range(1, most + 1):
        for j, indices in enumerate(collected(n, n - short, printed)):
            right = list(range(j + 1))
            same = indices == right if operator == "words" else sorted(indices) == right
            if not same:
                got, expected = shown(operator, indices), shown(operator, right)
                return Answer(False, {}, {"n": n, "j": j, "got": got, "expected": expected})
    return Answer(True)


def in_place(p: Mapping[str, Any], _: Mapping[str, Any]) -> Answer:
    """One list that every update changes at once, from its end or from its beginning."""
    only(p, {"direction", "most"})
    downwards = one_of(p, "direction", ("descending", "ascending")) == "descending"
    for n in range(1, whole(p, "most", 1, 64) + 1):
        held = [[j] for j in range(n + 1)]
        for step in (1 << i for i in range(n.bit_length())):
            order = range(step, n + 1)
            for j in reversed(order) if downwards else order:
                held[j] = held[j - step] + held[j]
        for j, indices in enumerate(held):
            if indices != list(range(j + 1)):
                got, expected = shown("words", indices), shown("words", list(range(j + 1)))
                return Answer(False, {}, {"n": n, "j": j, "got": got, "expected": expected})
    return Answer(True)


def work(p: Mapping[str, Any], _: Mapping[str, Any]) -> Answer:
    """sums ≤ 2 n log2 n, that is 2^sums ≤ n^(2n); the count by closed form."""
    only(p, {"most"})
    for n in range(2, whole(p, "most", 2, 1024) + 1):
        rounds = n.bit_length()
        sums = rounds * (n + 1) - (2**rounds - 1)
        if 1 << sums > n ** (2 * n):
            return Answer(False, {}, {"n": n, "sums": sums})
    return Answer(True)


CONFIRM = {
    "scan.pseudocode": ("exhaustive", pseudocode),
    "scan.in-place": ("exhaustive", in_place),
    "scan.work": ("exhaustive", work),
}
