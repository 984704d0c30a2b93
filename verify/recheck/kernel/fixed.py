"""Interval arithmetic in fixed point: a number x is kept as (low, high) with low ≤ x · 2^bits ≤ high.

Integers alone, so that long sums of products are quick; every rounding goes outwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isqrt

from verify.recheck.kernel.interval import Interval, ceil, floor

Fixed = tuple[int, int]
Row = list[Fixed]
ZERO: Fixed = (0, 0)


def fixed(value: Fraction, bits: int) -> Fixed:
    """A rational between two neighbouring multiples of 2^-bits."""
    return floor(value, bits), ceil(value, bits)


def rational(value: Fixed, bits: int) -> Interval:
    """The same interval with rational ends."""
    return Fraction(value[0], 1 << bits), Fraction(value[1], 1 << bits)


def total(parts: Iterable[Fixed]) -> Fixed:
    """A sum."""
    low = high = 0
    for part in parts:
        low, high = low + part[0], high + part[1]
    return low, high


def minus(a: Fixed, b: Fixed) -> Fixed:
    """A difference."""
    return a[0] - b[1], a[1] - b[0]


def times(a: Fixed, b: Fixed, bits: int) -> Fixed:
    """A product."""
    if a[0] >= 0 and b[0] >= 0:
        return a[0] * b[0] >> bits, -(-a[1] * b[1] >> bits)
    products = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(products) >> bits, -(-max(products) >> bits)


def square(a: Fixed, bits: int) -> Fixed:
    """A square, not negative."""
    return least(a) ** 2 >> bits, -(-(most(a) ** 2) >> bits)


def least(x: Fixed) -> int:
    """The least absolute value in an interval."""
    return max(x[0], -x[1], 0)


def most(x: Fixed) -> int:
    """The largest absolute value in an interval."""
    return max(-x[0], x[1])


def euclidean(entries: Sequence[Fixed]) -> Fixed:
    """The Euclidean norm of a vector, or the Frobenius norm of a matrix."""
    return isqrt(sum(least(x) ** 2 for x in entries)), isqrt(sum(most(x) ** 2 for x in entries)) + 1


def shares(powers: Sequence[Fixed], bits: int) -> Row:
    """Positive numbers divided by their sum."""
    low, high = total(powers)
    return [((p[0] << bits) // high, -((-p[1] << bits) // low)) for p in powers]


def mean(weights: Sequence[Fixed], values: Sequence[Fixed], bits: int) -> Fixed:
    """Σ p_j x_j for weights that are not negative."""
    low = high = 0
    for (p, q), (below, above) in zip(weights, values, strict=True):
        low += below * (p if below >= 0 else q)
        high += above * (q if above >= 0 else p)
    return low >> bits, -(-high >> bits)
