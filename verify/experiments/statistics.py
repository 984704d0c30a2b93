"""Two small pieces of statistics, computed in rationals and balls.

Welch's test    means m_i, sample deviations s_i, n_i runs: with v_i = s_i²/n_i,
                t² = (m_1 - m_2)² / (v_1 + v_2), degrees of freedom
                ν = (v_1 + v_2)² / (v_1²/(n_1 - 1) + v_2²/(n_2 - 1)), and the two-sided p-value is
                the regularised incomplete beta function I_x(ν/2, 1/2) at x = ν / (ν + t²)
An elbow        of points (x_i, y_i): the inner x_k at which two joined line segments that meet
                above x_k leave the least sum of squares (least squares on 1, x and
                max(0, x - x_k))
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import flint

from constructions.core.exact import ball, rational, rational_matrix

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


def is_below(p: flint.arb, level: Fraction) -> bool | None:
    """Return whether a p-value is below a level; None if the ball does not decide."""
    if p < ball(level):
        return True
    return False if p >= ball(level) else None


def decimal(p: flint.arb) -> str:
    """A ball's middle, rounded to six decimals."""
    return f"{float(p.mid()):.{SHOWN}f}"


def residual(x: Sequence[int], y: Sequence[Any], bend: int) -> Any:
    """The sum of squares that two segments meeting above x[bend] leave.

    The values are flint's rationals or balls.
    """
    basis = rational_matrix([[1, at, max(0, at - x[bend])] for at in x])
    across = basis.transpose()
    right = [_dot(row, y) for row in across.tolist()]
    weights = [_dot(row, right) for row in (across * basis).inv().tolist()]
    rest = [value - _dot(row, weights) for row, value in zip(basis.tolist(), y, strict=True)]
    return _dot(rest, rest)


def _dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    return sum(a * b for a, b in zip(left, right, strict=True))


def elbow(x: Sequence[int], y: Sequence[Fraction], scale: str) -> int | None:
    """The x above which two joined segments bend; None if the balls do not separate the sums."""
    with flint.ctx.workprec(BITS):
        values = [rational(v) if scale == "linear" else ball(v).log() for v in y]
        sums = [(residual(x, values, bend), x[bend]) for bend in range(1, len(x) - 1)]
        return _least(sums)


def _least(sums: list[tuple[Any, int]]) -> int | None:
    """The place of the one sum that is below all others."""
    for value, place in sums:
        if all(bool(value < other) for other, elsewhere in sums if elsewhere != place):
            return place
    return None


def is_falling(values: Sequence[Fraction]) -> bool:
    """Return whether each value is below the one before."""
    return all(later < earlier for earlier, later in pairwise(values))
