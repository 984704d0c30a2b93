"""Rigorous rational bounds for exp, cos and π, from series with their remainders.

Each function returns (low, high) with low ≤ value ≤ high; `bits` says how far apart they may be.
Intermediate rationals are rounded outwards to keep them short.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import isqrt

Interval = tuple[Fraction, Fraction]


def down(value: Fraction, bits: int) -> Fraction:
    """The multiple of 2^-bits at or below a number."""
    return Fraction((value.numerator << bits) // value.denominator, 1 << bits)


def up(value: Fraction, bits: int) -> Fraction:
    """The multiple of 2^-bits at or above a number."""
    return -down(-value, bits)


def exp(x: Fraction, bits: int = 128) -> Interval:
    """e^x: halve until |x| ≤ 1/2, sum the Taylor series, square back."""
    halvings = max(0, (abs(x.numerator) // x.denominator + 1).bit_length() + 1)
    work = bits + 2 * halvings + 16 + _magnitude(x)
    low, high = _small_exp(x / (1 << halvings), work)
    for _ in range(halvings):
        low, high = down(low * low, work), up(high * high, work)
    return low, high


def _magnitude(x: Fraction) -> int:
    """Bits that e^x may need before (x > 0) or after (x < 0) the binary point."""
    return 2 * (abs(x.numerator) // x.denominator + 1)


def _small_exp(x: Fraction, bits: int) -> Interval:
    """e^x for |x| ≤ 1/2; after the term x^k/k! the rest is at most twice the next term."""
    term, total, k = Fraction(1), Fraction(0), 0
    while abs(term) > Fraction(1, 1 << bits):
        total += term
        k += 1
        term = down(abs(term * x) / k, bits + 8) * (1 if term * x > 0 else -1)
    slack = 2 * abs(term) + Fraction(k + 2, 1 << (bits + 8))
    return down(total - slack, bits), up(total + slack, bits)


@cache
def pi(bits: int = 128) -> Interval:
    """π = 16 arctan(1/5) - 4 arctan(1/239)."""
    first, second = _arctan_inverse(5, bits + 8), _arctan_inverse(239, bits + 8)
    return 16 * first[0] - 4 * second[1], 16 * first[1] - 4 * second[0]


def _arctan_inverse(n: int, bits: int) -> Interval:
    """arctan(1/n): an alternating series lies between consecutive partial sums."""
    total, k, power = Fraction(0), 0, Fraction(1, n)
    while power / (2 * k + 1) > Fraction(1, 1 << bits):
        total += (-1) ** k * power / (2 * k + 1)
        power /= n * n
        k += 1
    rest = power / (2 * k + 1)
    return down(total - rest, bits + 4), up(total + rest, bits + 4)


def cos_pi(a: Fraction, bits: int = 128) -> Interval:
    """cos(πa)."""
    a = a % 2
    a = 2 - a if a > 1 else a
    if a > Fraction(1, 2):
        low, high = cos_pi(1 - a, bits)
        return -high, -low
    low, high = pi(bits + 8)
    return _cos(high * a, bits)[0], _cos(low * a, bits)[1]


def _cos(x: Fraction, bits: int) -> Interval:
    """cos x for 0 ≤ x ≤ 2: alternating terms that fall from x²/2 ≤ 2 on; the rest is below the next."""
    low = high = Fraction(0)
    least = most = Fraction(1)
    k = 0
    while most > Fraction(1, 1 << (bits + 8)):
        low, high = (low - most, high - least) if k % 2 else (low + least, high + most)
        k += 1
        ratio = x * x / ((2 * k - 1) * (2 * k))
        least, most = down(least * ratio, bits + 16), up(most * ratio, bits + 16)
    return down(low - most, bits), up(high + most, bits)


def sqrt(x: Fraction, bits: int = 128) -> Interval:
    """√x for x ≥ 0."""
    scaled = (x.numerator << (2 * bits)) // x.denominator
    low = isqrt(scaled)
    return Fraction(low, 1 << bits), Fraction(low + 1, 1 << bits)
