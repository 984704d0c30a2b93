"""Terms of the decoder's bound that a large C hides, and its limits, by definitions and by hand."""

from fractions import Fraction

import flint
import pytest
from balls_support import precision_fixture

from constructions.automata.families import scalar
from constructions.blocks.smoothing import FourUnits
from constructions.core.exact import ball
from constructions.decoder import Design
from verify.bounds import decoder

working = precision_fixture(decoder.BITS)


# what is computed with many digits


@pytest.mark.parametrize("fineness", [8, 64])
def test_what_a_weight_misses_is_seen_to_as_many_digits_as_the_weight_has(fineness):
    """s has 8k + 256 digits: what four units miss by it, in a product and in the odd part, is below them."""
    slope = decoder.slope_error(FourUnits.of("tanh", fineness))
    assert slope.rad() <= flint.arb(2) ** -(8 * fineness + 2 * decoder.BITS)
    odd = decoder.odd_error("tanh", fineness, flint.arb(1), flint.arb(-1))  # u = 0: nothing but s
    assert odd <= flint.arb(2) ** -(8 * fineness + decoder.BITS - 6)


def test_any_error_can_be_kept_by_a_plain_block_without_the_odd_part():
    bounds, eps = decoder.word_bounds(scalar(2), 4), Fraction(1, 10**100)
    found = decoder.required_setting(bounds, eps, Design("tanh", 1))
    assert found.error <= ball(eps)
