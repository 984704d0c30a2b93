"""Short decimals beside a ball, so that a comparison stays certain when it is written down.

`decimal_below` and `decimal_above` keep six significant digits and round away from the ball: what is
stated to be below a number is below it.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import flint

DIGITS = 6


def decimal_below(value: flint.arb) -> str:
    """A decimal at or below every number of a ball."""
    return format(rounded_down(value, DIGITS).normalize(), "g")


def decimal_above(value: flint.arb) -> str:
    """A decimal at or above every number of a ball."""
    return format(rounded_up(value, DIGITS).normalize(), "g")


def rounded_down(value: flint.arb, digits: int) -> Decimal:
    """The largest decimal of `digits` significant digits at or below every number of a ball."""
    return _rounded(value.lower(), digits, ROUND_FLOOR)


def rounded_up(value: flint.arb, digits: int) -> Decimal:
    """The least decimal of `digits` significant digits at or above every number of a ball."""
    return _rounded(value.upper(), digits, ROUND_CEILING)


def _rounded(end: flint.arb, digits: int, rounding: str) -> Decimal:
    """One end of a ball, which is an exact number, rounded once."""
    mantissa, exponent = end.man_exp()
    exact = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    context = Context(digits, rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
    return context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
