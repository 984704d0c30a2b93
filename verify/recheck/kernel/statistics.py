"""Welch's test and elbows in rational intervals.

p-value   I_x(a, b) with a = ν/2, b = 1/2, x = ν/(ν + t²). With
          S(a, b, x) = Σ_k (a + b)_k / (a + 1)_k x^k the function is
          I_x(a, b) = x^a (1 - x)^b S(a, b, x) / (a B(a, b)); since I_x(a, b) + I_{1-x}(b, a) = 1, it
          equals A / (A + B) with A = S(a, b, x)/a and B = S(b, a, 1 - x)/b: rational series alone
elbow     the residual of y is y minus its projections on 1, x, max(0, x - x_k), made orthogonal
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import lcm

from verify.recheck.errors import Refused
from verify.recheck.kernel.interval import Interval

BITS = 128
PRECISION = Fraction(1, 1 << 48)  # of a p-value that is stated with six decimals
MOST_TERMS = 20_000


def series(a: Fraction, b: Fraction, x: Fraction) -> Interval:
    """S(a, b, x) for 0 ≤ x < 1: terms, then a geometric bound on the rest.

    In whole multiples of 2^-BITS, rounded outwards: fractions would take ten times as long.
    """
    unit = lcm(a.denominator, b.denominator)
    above, below = int((a + b) * unit), int((a + 1) * unit)
    low = high = 0
    least = most = one = 1 << BITS
    for _ in range(MOST_TERMS):
        low, high = low + least, high + most
        # The ratio (a + b + k) / (a + 1 + k) · x of the next term to this one moves monotonically to x.
        ratio = above * x.numerator, below * x.denominator
        p, q = ratio if above > below else (x.numerator, x.denominator)
        if p < q and Fraction(most * p, q - p) < one * PRECISION:
            return Fraction(low, one), Fraction(high, one) + Fraction(most * p, (q - p) * one)
        least, most = least * ratio[0] // ratio[1], -(-most * ratio[0] // ratio[1])
        above, below = above + unit, below + unit
    raise Refused("a p-value needs too many terms")


def p_value(one: Sequence[Fraction], other: Sequence[Fraction], runs: tuple[int, int]) -> Interval:
    """Bounds on Welch's two-sided p-value; a group is (mean, variance)."""
    v, w = one[1] / runs[0], other[1] / runs[1]
    if v + w == 0:
        raise Refused("two groups without spread")
    square = (one[0] - other[0]) ** 2 / (v + w)
    freedom = (v + w) ** 2 / (v * v / (runs[0] - 1) + w * w / (runs[1] - 1))
    x, a, b = freedom / (freedom + square), freedom / 2, Fraction(1, 2)
    if x == 1:
        return Fraction(1), Fraction(1)
    first, second = series(a, b, x), series(b, a, 1 - x)
    low = (first[0] / a) / (first[0] / a + second[1] / b)
    high = (first[1] / a) / (first[1] / a + second[0] / b)
    return low, high


def moments(values: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Mean and variance with divisor n - 1, by sums of squares."""
    n = len(values)
    total, squares = sum(values, Fraction(0)), sum((v * v for v in values), Fraction(0))
    return total / n, (squares - total * total / n) / (n - 1)


def elbow(x: Sequence[int], y: Sequence[Interval]) -> int | None:
    """The inner x above which two joined segments leave the least sum of squares."""
    sums = {x[k]: _residual(x, y, x[k]) for k in range(1, len(x) - 1)}
    for place, (_, high) in sums.items():
        if all(high < low for other, (low, _) in sums.items() if other != place):
            return place
    return None


def _residual(x: Sequence[int], y: Sequence[Interval], bend: int) -> Interval:
    low = high = Fraction(0)
    for weights in _residuals(tuple(x), bend):
        bounds = _combined(weights, y)
        low += Fraction(0) if bounds[0] <= 0 <= bounds[1] else min(b * b for b in bounds)
        high += max(b * b for b in bounds)
    return low, high


@cache
def _residuals(x: tuple[int, ...], bend: int) -> list[list[Fraction]]:
    """For each x_i the weights of the y_j in its residual; one table has many columns."""
    ones = [Fraction(1)] * len(x)
    line = [Fraction(value) for value in x]
    hinge = [Fraction(max(0, value - bend)) for value in x]
    basis: list[list[Fraction]] = []
    for vector in (ones, line, hinge):
        basis.append(_orthogonal(vector, basis))
    found = []
    for i in range(len(x)):
        weights = [Fraction(int(i == j)) for j in range(len(x))]
        for b in basis:
            size = sum((e * e for e in b), Fraction(0))
            weights = [w - b[i] * e / size for w, e in zip(weights, b, strict=True)]
        found.append(weights)
    return found


def _orthogonal(vector: list[Fraction], basis: list[list[Fraction]]) -> list[Fraction]:
    for b in basis:
        share = sum((u * v for u, v in zip(vector, b, strict=True)), Fraction(0)) / sum(
            (e * e for e in b), Fraction(0)
        )
        vector = [v - share * e for v, e in zip(vector, b, strict=True)]
    return vector


def _combined(weights: Sequence[Fraction], y: Sequence[Interval]) -> Interval:
    parts = [sorted((w * a, w * b)) for w, (a, b) in zip(weights, y, strict=True)]
    low, high = (sum(ends, Fraction(0)) for ends in zip(*parts, strict=True))
    return low, high
