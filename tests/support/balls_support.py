"""Balls and exact numbers in tests: working digits, comparisons, rationals as Python has them."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import flint
import pytest

from constructions.core import exact


def precision_fixture(bits: int) -> Callable[[], Iterator[None]]:
    """A fixture that runs every test of a module with so many bits."""

    @pytest.fixture(autouse=True)
    def working() -> Iterator[None]:
        with flint.ctx.workprec(bits):
            yield

    return working


def ball(value: Fraction | int | str) -> flint.arb:
    """A ball around a rational, or around one written as text."""
    return exact.ball(Fraction(value))


def check_agreement(found: flint.arb, wanted: flint.arb, bits: int = 100) -> None:
    """Two balls are alike but for so many bits."""
    assert found.is_finite() and abs(found - wanted) <= abs(wanted) / flint.arb(2) ** bits


def fraction_rows(states: Any) -> list[list[Fraction]]:
    """States in the rationals of flint as fractions."""
    return [[Fraction(int(w.p), int(w.q)) for w in row] for row in states]
