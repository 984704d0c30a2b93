"""Digital units: AND with a certified residue, for entries that are not quite 0 or 1."""

from fractions import Fraction

import flint
import pytest

from constructions.blocks.digital import HALF_WIDTH, MARGIN, residue, slope_for
from constructions.core.activations import smooth_activation
from constructions.core.errors import InputError
from constructions.core.exact import ball

NAMES = ("gelu", "gelu_new", "silu")


def conjunction(name: str, slope: int, a: Fraction, b: Fraction) -> flint.arb:
    sigma, z = smooth_activation(name).series, slope * (a + b - Fraction(3, 2))
    return (sigma(ball(z + HALF_WIDTH)) - sigma(ball(z - HALF_WIDTH))) / (2 * HALF_WIDTH)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("slope", [32, 64, 128])
def test_and_is_within_the_residue_for_all_entries_within_the_margin(name, slope):
    bound = ball(residue(name, slope))
    for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
        for da in (-MARGIN, 0, MARGIN):
            for db in (-MARGIN, 0, MARGIN):
                with flint.ctx.workprec(4000):
                    error = abs(
                        conjunction(name, slope, a + Fraction(da), b + Fraction(db)) - a * b
                    )
                    assert error <= bound


@pytest.mark.parametrize("name", NAMES)
def test_outside_of_the_margin_it_is_not(name):
    slope = slope_for(name, Fraction(1, 1 << 40))
    error = abs(conjunction(name, slope, Fraction(3, 4), Fraction(3, 4)) - 1)
    assert error > ball(residue(name, slope))


@pytest.mark.parametrize("name", NAMES)
def test_a_smaller_residue_asks_for_a_steeper_slope(name):
    slope = slope_for(name, Fraction(1, 1 << 40))
    assert residue(name, slope) <= Fraction(1, 1 << 40) < residue(name, slope // 2)


@pytest.mark.parametrize("name", ["tanh", "softplus", "relu"])
def test_an_activation_that_does_not_saturate_so_is_refused(name):
    with pytest.raises(InputError, match="activation"):
        slope_for(name, Fraction(1, 2))
