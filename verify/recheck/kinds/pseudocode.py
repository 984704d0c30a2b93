"""The scan's pseudocode again, by the set of inputs that each element has collected.

After the rounds with steps 1, 2, 4, … element j of the repaired scan holds the inputs of a window
that doubles; here windows are followed as lists of indices, never as words or sums.
"""

from __future__ import annotations

from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed


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
    """Text of an element that holds these inputs."""
    if operator == "words":
        return "".join(chr(97 + k) for k in indices)
    return str(sum(2**k for k in indices))


@confirms(
    "scan.pseudocode",
    "exhaustive",
    range_=("printed", "whole"),
    order=("printed", "repaired"),
    operator=("words", "sums"),
    most=(1, 64),
)
def pseudocode(range_: str, order: str, operator: str, most: int) -> Recomputed:
    """Every element must have collected 0 … j; for words in this order."""
    for n in range(1, most + 1):
        for j, indices in enumerate(collected(n, n - (range_ == "printed"), order == "printed")):
            right = list(range(j + 1))
            same = indices == right if operator == "words" else sorted(indices) == right
            if not same:
                got, expected = shown(operator, indices), shown(operator, right)
                return Recomputed(False, {}, {"n": n, "j": j, "got": got, "expected": expected})
    return Recomputed(True)


@confirms("scan.in-place", "exhaustive", direction=("descending", "ascending"), most=(1, 64))
def in_place(direction: str, most: int) -> Recomputed:
    """One list that every update changes at once, from its end or from its beginning."""
    for n in range(1, most + 1):
        held = [[j] for j in range(n + 1)]
        for step in (1 << i for i in range(n.bit_length())):
            order = range(step, n + 1)
            for j in reversed(order) if direction == "descending" else order:
                held[j] = held[j - step] + held[j]
        for j, indices in enumerate(held):
            if indices != list(range(j + 1)):
                got, expected = shown("words", indices), shown("words", list(range(j + 1)))
                return Recomputed(False, {}, {"n": n, "j": j, "got": got, "expected": expected})
    return Recomputed(True)


@confirms("scan.work", "exhaustive", most=(2, 1024))
def work(most: int) -> Recomputed:
    """sums ≤ 2 n log2 n, that is 2^sums ≤ n^(2n); the count by closed form."""
    for n in range(2, most + 1):
        if 1 << sums(n) > n ** (2 * n):
            return Recomputed(False, {}, {"n": n, "sums": sums(n)})
    return Recomputed(True)


def sums(n: int) -> int:
    """Number of sums in rounds with steps 1, 2, 4, … up to n: n + 1 less the step in each."""
    rounds = n.bit_length()
    return rounds * (n + 1) - ((1 << rounds) - 1)
