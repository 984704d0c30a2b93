"""Balls as text that never promises too much: upper bounds are rounded up, lower bounds down."""

from decimal import Decimal
from fractions import Fraction

import flint

from constructions.exact import ball

BITS = 128
DIGITS = 3


def at_most(value: flint.arb) -> str:
    """Few digits that are certainly not below the ball."""
    if not value.is_finite():
        return "unbounded"
    return _safe(value.upper(), 1)


def at_least(value: flint.arb) -> str:
    """Few digits that are certainly not above the ball."""
    return _safe(value.lower(), -1)


def _safe(value: flint.arb, side: int) -> str:
    """The first digits, moved by a unit of the last one where they are on the wrong side."""
    digits = Decimal(value.mid().str(DIGITS, radius=False))
    if not side * (flint.arb(str(digits)) - value) >= 0:
        digits += side * Decimal(1).scaleb(int(digits.as_tuple().exponent))
    near = -4 <= digits.adjusted() <= 5 or not digits
    return f"{digits:f}" if near else f"{digits:.{DIGITS - 1}e}"


def count(number: int, thing: str) -> str:
    """1 state, 2 states."""
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


NAMES = {"gelu": "GELU", "relu": "ReLU", "silu": "SiLU"}


def named(activation: str) -> str:
    """An activation as a reader writes it."""
    return NAMES.get(activation, activation)
