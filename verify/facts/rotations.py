"""The rotation of Theorem 1's keys: the matrix ρ_θ, and the direction of its shift.

A position t has the code (cos πt/T, sin πt/T), a row vector. The key of the left head is the code
times a 2 × 2 block, ρ_θ or its transpose; the score of a query and a key is their inner product.

    rotation.proper   a matrix of ± cos θ and ± sin θ is orthogonal with determinant 1, for every θ
    rotation.score    the score is cos(π(t - s - w)/T) or cos(π(t - s + w)/T), for all t, s, w, T
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from verify.facts.registry import fact
from verify.judge.outcome import Outcome

THETA = sympy.Symbol("theta", real=True)
ENTRIES = {
    "cos": sympy.cos(THETA),
    "sin": sympy.sin(THETA),
    "-cos": -sympy.cos(THETA),
    "-sin": -sympy.sin(THETA),
}
# A point of the circle for a witness: sin and cos differ in size, so that signs cannot cancel.
COSINE, SINE = sympy.Rational(4, 5), sympy.Rational(3, 5)
SHIFTS = {"back": 1, "ahead": -1}


def rotation(rows: Sequence[Sequence[str]]) -> sympy.Matrix:
    """A 2 × 2 matrix of cosines and sines of θ, with signs."""
    return sympy.Matrix([[ENTRIES[entry] for entry in row] for row in rows])


@fact("rotation.proper", "symbolic")
def is_rotation(rows: Sequence[Sequence[str]]) -> Outcome:
    """The matrix times its transpose is I and its determinant is 1, for every θ."""
    matrix = rotation(rows)
    wanted = [*sympy.eye(2), 1]
    entries = [*(matrix * matrix.T), matrix.det()]
    if all(sympy.simplify(one - other) == 0 for one, other in zip(entries, wanted, strict=True)):
        return Outcome(True)
    at = {sympy.cos(THETA): COSINE, sympy.sin(THETA): SINE}
    values = [str(value.subs(at)) for value in entries]
    return Outcome(False, {}, {"product": values[:4], "determinant": values[4]})


@fact("rotation.score", "symbolic")
def score(rows: Sequence[Sequence[str]], transposed: bool, angle: str, shift: str) -> Outcome:
    """With θ = ±πw/T (`angle` is the sign) the head at t scores highest at t - w ("back") or t + w."""
    t, s, w, length = sympy.symbols("t s w T", real=True)
    block = rotation(rows).T if transposed else rotation(rows)
    block = block.subs(THETA, (-1 if angle == "-" else 1) * sympy.pi * w / length)
    query, key = (
        sympy.Matrix([[sympy.cos(sympy.pi * p / length), sympy.sin(sympy.pi * p / length)]])
        for p in (t, s)
    )
    inner_product = (query * (key * block).T)[0, 0]
    if _equal(inner_product, sympy.cos(sympy.pi * (t - s - SHIFTS[shift] * w) / length)):
        return Outcome(True)
    # The smallest case in which back and ahead differ: four positions on half a circle.
    at = {t: 0, w: 1, length: 4}
    attended = [p for p in range(-3, 5) if sympy.simplify(inner_product.subs({**at, s: p})) == 1]
    return Outcome(False, {}, {"T": 4, "w": 1, "t": 0, "attended": attended})


def _equal(one: sympy.Expr, other: sympy.Expr) -> bool:
    difference = sympy.expand_trig(sympy.expand(one - other))
    return bool(sympy.simplify(difference) == 0)
