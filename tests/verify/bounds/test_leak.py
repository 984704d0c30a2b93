"""The leak of a softmax row by hand: one, two and four places on the half circle."""

from fractions import Fraction

import flint
import pytest

from constructions.exact import ball
from verify.bounds import leak


@pytest.fixture(autouse=True)
def digits():
    with flint.ctx.workprec(200):
        yield


def agree(found: flint.arb, wanted: flint.arb) -> None:
    assert abs(found - wanted) <= abs(wanted) / flint.arb(2) ** 150


@pytest.mark.parametrize(("m", "span", "wanted"), [(0, 4, 0), (1, 1, 2), (1, 2, 1), (2, 2, 2),
                                                   (1, 3, "1/2"), (2, 3, "3/2")])  # fmt: skip
def test_the_deficit_is_one_minus_a_cosine(m, span, wanted):
    value = ball(Fraction(wanted))
    assert abs(leak.deficit(m, span) - value) < flint.arb(2) ** -150
    assert leak.gap(span).overlaps(leak.deficit(1, span))


def test_a_row_of_four_weights_by_hand():
    """M = 2: scores C, 0, -C, 0."""
    c = ball(Fraction(3, 2))
    total = c.exp() + 2 + (-c).exp()
    wanted = [c.exp() / total, 1 / total, (-c).exp() / total, 1 / total]
    for found, value in zip(leak.weights(Fraction(3, 2), 2), wanted, strict=True):
        agree(found, value)
    agree(leak.leak(Fraction(3, 2), 2), (2 + (-c).exp()) / total)
    agree(leak.ceiling(Fraction(3, 2), 2), 3 * (-c).exp())


def test_a_row_of_one_place_has_two_weights():
    first, second = leak.weights(Fraction(1), 1)
    agree(second / first, flint.arb(-2).exp())
    assert len(leak.weights(Fraction(1), 8)) == 16


@pytest.mark.parametrize(("saturation", "span", "bits"), [(0, 4, 128), (1, 1, 132), (1000, 1, 3024),
                                                          (10**6, 1, 1 << 15)])  # fmt: skip
def test_bits_are_those_of_the_leak_and_some_up_to_a_limit(saturation, span, bits):
    """128, C g/ln 2 rounded up, and the bits of C itself: 2000/ln 2 = 2885.4 for C = 1000."""
    assert leak.bits_for(Fraction(saturation), span) == bits
