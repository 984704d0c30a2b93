"""Many digits: each exact number is rounded to them, and every step of a pass is taken."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from constructions.arithmetic.multiprecision import Multiprecision
from constructions.core.activations import GateInverse
from constructions.core.exact import cos_pi, root

FEW, MANY = 30, 400
mp = mpmath.MPContext()
mp.dps = 2 * MANY
NUMBERS = [
    (3, mp.mpf(3)),
    (Fraction(-2, 7), mp.mpf(-2) / 7),
    (root(3) * Fraction(2, 3), 2 * mp.sqrt(3) / 3),
    (cos_pi(Fraction(1, 7)) * root(2), mp.sqrt(2) * mp.cospi(mp.mpf(1) / 7)),
    (cos_pi(Fraction(1, 5)) + 1, mp.cospi(mp.mpf(1) / 5) + 1),
    (GateInverse("silu", Fraction(5, 3)), 5 * (1 + mp.exp(-1)) / 3),
]


@pytest.mark.parametrize("digits", [FEW, MANY])
@pytest.mark.parametrize(("number", "value"), NUMBERS, ids=str)
def test_every_kind_of_number_has_the_requested_digits(digits, number, value):
    found = Multiprecision(digits).element(number)
    assert abs(mp.mpf(found) - value) < 10 * mp.mpf(10) ** -digits


@pytest.mark.parametrize(
    "arithmetic", [Multiprecision(FEW), *map(Multiprecision.of_bits, (8, 24, 53))]
)
def test_a_number_known_by_balls_is_rounded_to_the_digits(arithmetic):
    found = arithmetic.element(GateInverse("silu"))
    assert found == arithmetic.context.mpf(1 + mp.exp(-1))
    assert found.man_exp[0].bit_length() <= arithmetic.context.prec


def test_precision_belongs_to_an_instance():
    few, many = Multiprecision(FEW), Multiprecision(MANY)
    assert few.context.dps == FEW
    assert many.context.dps == MANY
    assert mpmath.mp.dps == 15


def test_24_bits_round_as_float32():
    single = Multiprecision.of_bits(24)
    for value in (Fraction(1, 3), Fraction(-2, 7), 2**24 + 1):
        assert float(single.element(value)) == np.float32(float(value))
    third = single.element(Fraction(1, 3))
    assert float(third * third) == np.float32(1 / 3) * np.float32(1 / 3)


def test_own_elements_are_returned_unchanged():
    arithmetic = Multiprecision(FEW)
    third = arithmetic.element(Fraction(1, 3))
    assert arithmetic.element(third) is third
