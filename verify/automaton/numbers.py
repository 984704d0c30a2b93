"""Text for balls: upper bounds are rounded up, lower bounds down."""

from decimal import Decimal
from fractions import Fraction

import flint

from constructions.core.activations import activation_by_name
from constructions.core.exact import ball
from verify.bounds.outward import rounded_down, rounded_up

BITS = 128
DIGITS = 3


def at_most(value: flint.arb) -> str:
    """Write an upper bound of a ball with three digits."""
    return _written(rounded_up(value, DIGITS)) if value.is_finite() else "unbounded"


def at_least(value: flint.arb) -> str:
    """Write a lower bound of a ball with three digits."""
    return _written(rounded_down(value, DIGITS))


def _written(value: Decimal) -> str:
    """Write three digits, with an exponent if the number is far from 1."""
    if not value:
        return "0"
    if not -4 <= value.adjusted() <= 5:
        return f"{value:.{DIGITS - 1}e}"
    return f"{value.quantize(Decimal(1).scaleb(value.adjusted() + 1 - DIGITS)):f}"


def count(number: int, thing: str) -> str:
    """A number with its noun, in the plural unless it is 1: 1 state, 2 states."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def shown(value: Fraction) -> str:
    """A rational number in few characters: itself, a power of ten, or its first digits."""
    text = str(value)
    power = len(text) - 3
    if power > 3 and text == f"1/1{'0' * power}":
        return f"1e-{power}"
    if len(text) <= 12:
        return text
    with flint.ctx.workprec(BITS):
        return f"about {ball(value).str(5, radius=False)}"


def named(activation: str) -> str:
    """Return the usual name of an activation."""
    return activation_by_name(activation).title
