"""Short decimals beside a ball, so that a comparison stays certain when it is written down.

`below` and `above` keep six significant digits and round away from the ball: what is stated to be
below a number is below it.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import flint

DIGITS = 6


def below(value: flint.arb) -> str:
    """A decimal at or below every number of a ball."""
    return _rounded(_exact(value.lower()))


def above(value: flint.arb) -> str:
    """A decimal at or above every number of a ball."""
    negative = _rounded(-_exact(value.upper()))
    return negative.removeprefix("-") if negative.startswith("-") else _minus(negative)


def _minus(text: str) -> str:
    return text if text == "0" else f"-{text}"


def _exact(value: flint.arb) -> Fraction:
    mantissa, exponent = value.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _rounded(value: Fraction) -> str:
    """The multiple of a power of ten with six digits at or below a number."""
    if value == 0:
        return "0"
    power = _magnitude(abs(value)) - DIGITS
    scaled = value * Fraction(10) ** -power
    return format(Decimal(scaled.numerator // scaled.denominator).scaleb(power).normalize(), "g")


def _magnitude(value: Fraction) -> int:
    """The k with 10^(k-1) ≤ value < 10^k."""
    k = len(str(value.numerator)) - len(str(value.denominator))
    return k + 1 if value >= Fraction(10) ** k else k
