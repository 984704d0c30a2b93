"""Rigorous rational bounds for exp, cos and π, from series with their remainders.

Each function returns (low, high) with low ≤ value ≤ high; `bits` says how far apart they may be, for
exp beside its size. Intermediate numbers are rounded outwards to keep them short.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import isqrt

Interval = tuple[Fraction, Fraction]


def floor(value: Fraction, bits: int) -> int:
    """A number in units of 2^-bits, rounded down."""
    return (value.numerator << bits) // value.denominator


def ceil(value: Fraction, bits: int) -> int:
    """A number in units of 2^-bits, rounded up."""
    return -floor(-value, bits)


def down(value: Fraction, bits: int) -> Fraction:
    """The multiple of 2^-bits at or below a number."""
    return Fraction(floor(value, bits), 1 << bits)


def up(value: Fraction, bits: int) -> Fraction:
    """The multiple of 2^-bits at or above a number."""
    return Fraction(ceil(value, bits), 1 << bits)


def exp(x: Fraction, bits: int) -> Interval:
    """e^x: halve until 0 ≤ x ≤ 1/2, sum the Taylor series, square back; 1/e^-x for x < 0."""
    if x < 0:
        least, most = exp(-x, bits)
        digits = bits + int(most).bit_length()
        return down(1 / most, digits), up(1 / least, digits)
    halvings = int(x).bit_length() + 1
    work = bits + halvings + 8  # every square loses a bit; some for the terms' roundings
    low, high = _small_exp(x / (1 << halvings), work)
    for _ in range(halvings):
        low, high = low * low >> work, -(-high * high >> work)
    return Fraction(low, 1 << work), Fraction(high, 1 << work)


def _small_exp(x: Fraction, bits: int) -> tuple[int, int]:
    """e^x for 0 ≤ x ≤ 1/2 in units of 2^-bits; what follows a term is at most that term."""
    below, above = floor(x, bits), ceil(x, bits)
    low = high = least = most = 1 << bits
    k = 0
    while most > 1:
        k += 1
        least, most = (least * below >> bits) // k, -((-most * above >> bits) // k)
        low, high = low + least, high + most
    return low, high + most


@cache
def pi(bits: int) -> Interval:
    """π = 16 arctan(1/5) - 4 arctan(1/239)."""
    work = bits + 6  # both arcs are off by one unit on each side, and times 16 and 4 by 20
    first, second = _arctan_inverse(5, work), _arctan_inverse(239, work)
    return down(16 * first[0] - 4 * second[1], work), up(16 * first[1] - 4 * second[0], work)


def _arctan_inverse(n: int, bits: int) -> Interval:
    """arctan(1/n): an alternating series lies between consecutive partial sums."""
    total, k, power = Fraction(0), 0, Fraction(1, n)
    while (rest := power / (2 * k + 1)) > Fraction(1, 1 << bits):
        total += (-1) ** k * rest
        power /= n * n
        k += 1
    return total - rest, total + rest


def cos_pi(a: Fraction, bits: int) -> Interval:
    """cos(πa), which falls from a = 0 to 1; a little beyond π it is rounded down to -1."""
    a = a % 2
    a = 2 - a if a > 1 else a
    low, high = pi(bits)
    return _cos(high * a, bits)[0], _cos(low * a, bits)[1]


def _cos(x: Fraction, bits: int) -> Interval:
    """cos x for 0 ≤ x < 3.4: alternating terms that fall from x²/2 on; the rest is below the next."""
    work, k = bits + 16, 0
    below, above = floor(x * x, work), ceil(x * x, work)
    low = high = 0
    least = most = 1 << work
    while most > 1:
        low, high = (low - most, high - least) if k % 2 else (low + least, high + most)
        k += 1
        factor = (2 * k - 1) * (2 * k)
        least, most = (least * below >> work) // factor, -((-most * above >> work) // factor)
    return Fraction(low - most >> 16, 1 << bits), Fraction(-(-(high + most) >> 16), 1 << bits)


def sqrt(x: Fraction, bits: int) -> Interval:
    """√x for x ≥ 0."""
    low = isqrt(floor(x, 2 * bits))
    return Fraction(low, 1 << bits), Fraction(low + 1, 1 << bits)


def log(x: Fraction, bits: int) -> Interval:
    """ln x for x > 0: x = 2^k m with m from 2/3 to 4/3, and ln m = 2 artanh((m-1)/(m+1))."""
    if x <= 0:
        raise ValueError(f"the logarithm of {x}")
    k = x.numerator.bit_length() - x.denominator.bit_length()
    m = x / Fraction(2) ** k
    while m > Fraction(4, 3):
        k, m = k + 1, m / 2
    while m < Fraction(2, 3):
        k, m = k - 1, m * 2
    low, high = _twice_artanh((m - 1) / (m + 1), bits)
    least, most = _twice_artanh(Fraction(1, 3), bits)  # ln 2
    ends = (k * least, k * most) if k >= 0 else (k * most, k * least)
    return low + ends[0], high + ends[1]


def _twice_artanh(y: Fraction, bits: int) -> Interval:
    """2 Σ y^(2j+1)/(2j+1) for |y| ≤ 1/3."""
    if y < 0:
        low, high = _twice_artanh(-y, bits)
        return -high, -low
    work = bits + 16
    below, above = floor(y, work), ceil(y, work)
    squares = below * below >> work, -(-above * above >> work)
    sums, least, most, j = (0, 0), below, above, 1
    while most > 1:
        sums = sums[0] + 2 * least // j, sums[1] - (-2 * most // j)
        least, most, j = least * squares[0] >> work, -(-most * squares[1] >> work), j + 2
    # The terms that are left add up to at most 2 · 9/8 of the next power.
    return Fraction(sums[0], 1 << work), Fraction(sums[1] + 3 * most, 1 << work)
