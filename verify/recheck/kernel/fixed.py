"""Interval arithmetic in fixed point: a number x is stored as (low, high) with low ≤ x · 2^bits ≤ high.

Integers alone, so that long sums of products are quick; every rounding goes outwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isqrt
from operator import mul

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


def means(rows: Sequence[Sequence[Fixed]], columns: Sequence[Row], bits: int) -> list[Row]:
    """Σ p_j x_j for each row of weights and each column; the weights are not negative.

    With weights from p to q, Σ p_j x_j changes by no more than Σ (q_j - p_j) max |x_j|.
    """
    weights = [([p for p, _ in row], sum(q - p for p, q in row)) for row in rows]
    values = [
        ([low for low, _ in column], [high for _, high in column], max(map(most, column)))
        for column in columns
    ]
    made: list[Row] = []
    for least_weights, slack in weights:
        made.append([])
        for below, above, size in values:
            low = sum(map(mul, least_weights, below)) - slack * size
            high = sum(map(mul, least_weights, above)) + slack * size
            made[-1].append((low >> bits, -(-high >> bits)))
    return made
