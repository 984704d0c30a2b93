"""Confirms what rotations do, by rational points of the circle and by the addition theorems.

A polynomial of degree 2 in cos θ and sin θ is a trigonometric polynomial of degree 2, so five
points of the circle decide it. Scores are compared as polynomials in the cosines and sines of
three angles, cos(t - s ∓ w) written out by the addition theorems.
"""

from __future__ import annotations

from fractions import Fraction

from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed, Refused
from verify.recheck.kernel.polynomial import Poly

Rows = list[list[str]]
ENTRIES = ("cos", "sin", "-cos", "-sin")


ROWS = [[ENTRIES, 2, 2], 2, 2]  # a 2 × 2 matrix of cosines and sines with signs


def at(rows: Rows, cosine: Fraction, sine: Fraction) -> list[Fraction]:
    """R Rᵀ, row by row, and det R at a point of the circle."""
    known = {"cos": cosine, "sin": sine, "-cos": -cosine, "-sin": -sine}
    (a, b), (c, d) = ([known[entry] for entry in row] for row in rows)
    return [a * a + b * b, a * c + b * d, a * c + b * d, c * c + d * d, a * d - b * c]


@confirms("rotation.proper", "symbolic", rows=ROWS)
def proper(rows: Rows) -> Recomputed:
    """Orthogonal with determinant 1 at five points of the circle, so everywhere."""
    wanted = [Fraction(value) for value in (1, 0, 0, 1, 1)]
    circle = [(Fraction(1 - m * m, 1 + m * m), Fraction(2 * m, 1 + m * m)) for m in range(-2, 3)]
    if all(at(rows, *point) == wanted for point in circle):
        return Recomputed(True)
    shown = [str(value) for value in at(rows, Fraction(4, 5), Fraction(3, 5))]
    return Recomputed(False, {}, {"product": shown[:4], "determinant": shown[4]})


@confirms(
    "rotation.score",
    "symbolic",
    rows=ROWS,
    transposed=bool,
    angle=("+", "-"),
    shift=("back", "ahead"),
)
def score(rows: Rows, transposed: bool, angle: str, shift: str) -> Recomputed:
    """The inner product of query and key against cos(t - s ∓ w)."""
    found = _score(rows, transposed, -1 if angle == "-" else 1)
    if found == _cosine(back=shift == "back"):
        return Recomputed(True)
    other = found == _cosine(back=shift != "back")
    if not other:
        raise Refused("the score is neither cos(t - s - w) nor cos(t - s + w)")
    # With T = 4, w = 1 and t = 0 the score is 1 at the one position -1 or 1 of -3 … 4.
    attended = [1 if shift == "back" else -1]
    return Recomputed(False, {}, {"T": 4, "w": 1, "t": 0, "attended": attended})


def _score(rows: Rows, transposed: bool, sign: int) -> Poly:
    cosine, sine, ct, st, cs, ss = map(Poly.symbol, ("cw", "sw", "ct", "st", "cs", "ss"))
    known = {"cos": cosine, "sin": sign * sine, "-cos": -cosine, "-sin": -sign * sine}
    block = [[known[entry] for entry in row] for row in rows]
    if transposed:
        block = [list(column) for column in zip(*block, strict=True)]
    one, other = (cs * block[0][j] + ss * block[1][j] for j in range(2))
    return ct * one + st * other


def _cosine(back: bool) -> Poly:
    """cos(t - (s + w)), or cos(t - (s - w))."""
    cw, sw, ct, st, cs, ss = map(Poly.symbol, ("cw", "sw", "ct", "st", "cs", "ss"))
    sine = sw if back else -sw
    return ct * (cs * cw - ss * sine) + st * (ss * cw + cs * sine)
