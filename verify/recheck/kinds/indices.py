"""Confirms formulas with indices by classes of equal indices, and by 2 × 2 matrices of primes."""

from __future__ import annotations

from itertools import product
from typing import Any

from verify.recheck.declarations import Different, confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate

Pairs = list[list[str]]
A, B = ((2, 3), (5, 7)), ((11, 13), (17, 19))


def index(value: Any) -> str:
    """The name of an index."""
    if not isinstance(value, str) or not 1 <= len(value) <= 8:
        raise Refused(f"{abbreviate(value)}, expected indices")
    return value


PAIR = Different(index, 2, 2)
PAIRS = [PAIR, 1, 12]


def classes(pairs: list[list[str]], every: set[str]) -> dict[str, frozenset[str]]:
    """Classes of indices that the equalities make equal."""
    found = {name: frozenset({name}) for name in every}
    for one, other in pairs:
        joined = found[one] | found[other]
        found |= dict.fromkeys(joined, joined)
    return found


@confirms(
    "indices.sum",
    "symbolic",
    equalities=PAIRS,
    left=PAIR,
    right=PAIR,
    entry=PAIR,
)
def indicator_sum(
    equalities: Pairs, left: list[str], right: list[str], entry: list[str]
) -> Recomputed:
    """After the equalities the sum is Σ_k A_ik B_kj: one class for i, one for j, one for k."""
    every = {*left, *right, *entry}
    if len(every) != 6 or not {name for pair in equalities for name in pair} <= every:
        raise Refused("expected six different indices, and no others in the equalities")
    equal = classes(equalities, every)
    inner = {equal[left[1]], equal[right[0]]}
    outer = {equal[entry[0]], equal[entry[1]]}
    rows = equal[left[0]] == equal[entry[0]] and equal[right[1]] == equal[entry[1]]
    if rows and len(inner) == 1 and len(outer) == 2 and not inner & outer:
        return Recomputed(True)
    for i, j in product(range(2), repeat=2):
        total = summed(equalities, (*left, *right), {entry[0]: i, entry[1]: j})
        wanted = sum(A[i][k] * B[k][j] for k in range(2))
        if total != wanted:
            shown = {entry[0]: i + 1, entry[1]: j + 1}
            return Recomputed(False, {}, {**shown, "sum": total, "product": wanted})
    raise Refused("neither the classes nor two matrices decide it")


def summed(pairs: list[list[str]], bound: tuple[str, ...], at: dict[str, int]) -> int:
    """The sum over the bound indices for the two matrices."""
    total = 0
    for values in product(range(2), repeat=4):
        index = {**at, **dict(zip(bound, values, strict=True))}
        if all(index[one] == index[other] for one, other in pairs):
            total += A[values[0]][values[1]] * B[values[2]][values[3]]
    return total


@confirms("indices.bound", "exact", left=Different(index, 1, 12), right=PAIRS)
def bound(left: list[str], right: Pairs) -> Recomputed:
    """No index of the right side is free."""
    free: list[str] = []
    for pair in right:
        free += [name for name in pair if name not in left and name not in free]
    return Recomputed(not free, {}, {"free": sorted(free)} if free else None)
