"""Formulas with indices: sums of indicators, and which indices a definition binds.

An index is a text such as "i'"; an equality is a pair of indices. An indicator is 1 where all its
equalities hold, and 0 elsewhere. All indices run over the same 1 … n.

    indices.sum     Σ indicator · A_{left} · B_{right} is the entry of AB, for every n
    indices.bound   a definition binds every index that its right side uses
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import sympy
from sympy.concrete.delta import deltasummation

from verify.facts.registry import fact
from verify.judge.outcome import Outcome

FIRST, SECOND = (
    ((2, 3), (5, 7)),
    ((11, 13), (17, 19)),
)  # for a witness: no two products of entries are equal


@fact("indices.sum", "symbolic")
def indicator_sum(
    equalities: Sequence[Sequence[str]],
    left: Sequence[str],
    right: Sequence[str],
    entry: Sequence[str],
) -> Outcome:
    """The sum over the indices of A and B, of indicator times A times B, is an entry of AB."""
    if _is_product(equalities, left, right, entry):
        return Outcome(True)
    for values in product(range(2), repeat=2):
        at = dict(zip(entry, values, strict=True))
        total, wanted = _sum_of_terms(equalities, left, right, at), _entry(*values)
        if total != wanted:
            indices = {name: value + 1 for name, value in at.items()}
            return Outcome(False, {}, {**indices, "sum": total, "product": wanted})
    return Outcome(None)


def _is_product(
    equalities: Sequence[Sequence[str]],
    left: Sequence[str],
    right: Sequence[str],
    entry: Sequence[str],
) -> bool:
    """Sum the Kronecker deltas with a symbol n and compare with (AB)_ij."""
    n = sympy.Symbol("n", integer=True, positive=True)
    a, b = sympy.MatrixSymbol("A", n, n), sympy.MatrixSymbol("B", n, n)
    names = {name for pair in (*equalities, left, right, entry) for name in pair}
    index = {name: sympy.Symbol(name, integer=True) for name in names}
    within = (0, n - 1)
    term = a[index[left[0]], index[left[1]]] * b[index[right[0]], index[right[1]]]
    for one, other in equalities:
        term *= sympy.KroneckerDelta(index[one], index[other], within)
    rest = [index[name] for name in (*left, *right)]
    while term.has(sympy.KroneckerDelta) and len(rest) > 1:
        bound = next(s for s in rest if any(s in d.args for d in term.atoms(sympy.KroneckerDelta)))
        rest.remove(bound)
        term = deltasummation(term, (bound, *within))
    total = sympy.Sum(term, *((bound, *within) for bound in rest))
    wanted = (a * b)[index[entry[0]], index[entry[1]]]
    return bool(total.dummy_eq(wanted))


def _sum_of_terms(
    equalities: Sequence[Sequence[str]],
    left: Sequence[str],
    right: Sequence[str],
    at: dict[str, int],
) -> int:
    """The sum for two fixed 2 × 2 matrices, term by term."""
    total = 0
    for values in product(range(2), repeat=4):
        index = at | dict(zip((*left, *right), values, strict=True))
        if all(index[one] == index[other] for one, other in equalities):
            total += FIRST[values[0]][values[1]] * SECOND[values[2]][values[3]]
    return total


def _entry(i: int, j: int) -> int:
    return sum(FIRST[i][k] * SECOND[k][j] for k in range(2))


@fact("indices.bound", "exact")
def indices_are_bound(left: Sequence[str], right: Sequence[Sequence[str]]) -> Outcome:
    """Every index in the equalities of a definition's right side is bound by its left side."""
    free = sorted({name for pair in right for name in pair} - set(left))
    return Outcome(not free, {}, {"free": free} if free else None)
