"""Two small pieces of statistics, computed in rationals and balls.

Welch's test    means m_i, sample deviations s_i, n_i runs: with v_i = s_i²/n_i,
                t² = (m_1 - m_2)² / (v_1 + v_2), degrees of freedom
                ν = (v_1 + v_2)² / (v_1²/(n_1 - 1) + v_2²/(n_2 - 1)), and the two-sided p-value is
                the regularised incomplete beta function I_x(ν/2, 1/2) at x = ν / (ν + t²)
An elbow        of points (x_i, y_i): the inner x_k at which two joined line segments that meet
                above x_k leave the least sum of squares (least squares on 1, x - x_k and
                max(0, x - x_k))
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import flint

from constructions.exact import ball, rational_matrix

BITS = 128
SHOWN = 6  # decimals of a p-value


@dataclass(frozen=True)
class Group:
    """Mean, variance (divisor n - 1) and number of runs."""

    mean: Fraction
    variance: Fraction
    runs: int


def group(values: Sequence[Fraction]) -> Group:
    """Mean and variance of some values, at least two."""
    count = len(values)
    mean = sum(values, Fraction(0)) / count
    squares = sum(((value - mean) ** 2 for value in values), Fraction(0))
    return Group(mean, squares / (count - 1), count)


def welch(one: Group, other: Group) -> flint.arb:
    """A ball around the two-sided p-value of Welch's test for equal means."""
    v, w = one.variance / one.runs, other.variance / other.runs
    square = (one.mean - other.mean) ** 2 / (v + w)
    freedom = (v + w) ** 2 / (v**2 / (one.runs - 1) + w**2 / (other.runs - 1))
    with flint.ctx.workprec(BITS):
        x = ball(freedom / (freedom + square))
        return x.beta_lower(ball(freedom / 2), flint.arb(0.5), regularized=True)


def below(p: flint.arb, level: Fraction) -> bool | None:
    """Whether a p-value is below a level; None if the ball does not decide."""
    if p < ball(level):
        return True
    return False if p >= ball(level) else None


def decimal(p: flint.arb) -> str:
    """A ball's middle, rounded to six decimals."""
    return f"{float(p.mid()):.{SHOWN}f}"


def residual(x: Sequence[Fraction], y: Sequence[Any], bend: int) -> Any:
    """The sum of squares that two segments meeting above x[bend] leave."""
    basis = [[Fraction(1), at - x[bend], max(Fraction(0), at - x[bend])] for at in x]
    normal = [[sum((r[i] * r[j] for r in basis), Fraction(0)) for j in range(3)] for i in range(3)]
    right = [_dot([r[i] for r in basis], y) for i in range(3)]
    weights = _solved(normal, right)
    return _dot_all([value - _dot(row, weights) for row, value in zip(basis, y, strict=True)])


def _dot(coefficients: Sequence[Fraction], values: Sequence[Any]) -> Any:
    """Σ c v for rational c and values that are rationals or balls."""
    total: Any = Fraction(0) if isinstance(values[0], Fraction) else flint.arb(0)
    for c, value in zip(coefficients, values, strict=True):
        total = total + (c * value if isinstance(value, Fraction) else ball(c) * value)
    return total


def _dot_all(values: Sequence[Any]) -> Any:
    total = values[0] * values[0]
    for value in values[1:]:
        total = total + value * value
    return total


def _solved(matrix: list[list[Fraction]], right: list[Any]) -> list[Any]:
    """The solution of a 3 × 3 system with a rational matrix, by its inverse."""
    rows = rational_matrix(matrix).inv().tolist()
    return [_dot([Fraction(int(e.p), int(e.q)) for e in row], right) for row in rows]


def elbow(x: Sequence[int], y: Sequence[Fraction], scale: str) -> int | None:
    """The x above which two joined segments bend; None if the balls do not separate the sums."""
    at = [Fraction(value) for value in x]
    with flint.ctx.workprec(BITS):
        values: list[Any] = list(y) if scale == "linear" else [ball(v).log() for v in y]
        sums = [(residual(at, values, bend), x[bend]) for bend in range(1, len(x) - 1)]
        return _least(sums)


def _least(sums: list[tuple[Any, int]]) -> int | None:
    """The place of the one sum that is below all others."""
    for value, place in sums:
        if all(bool(value < other) for other, elsewhere in sums if elsewhere != place):
            return place
    return None


def share_after(y: Sequence[Fraction], row: int) -> tuple[Fraction, Fraction]:
    """What a curve still falls after a row: as a share of its whole fall, and as a factor."""
    least = min(y)
    return (y[row] - least) / (y[0] - least), y[row] / min(y[row:])


def falling(values: Sequence[Fraction]) -> bool:
    """Whether each value is below the one before."""
    return all(later < earlier for earlier, later in pairwise(values))
