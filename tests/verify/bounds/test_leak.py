"""The leak of a softmax row by hand: one, two and four places on the half circle."""

from fractions import Fraction

import flint
import mpmath
import pytest
from balls_support import check_agreement, precision_fixture

from constructions.core.exact import ball
from verify.bounds import leak

working = precision_fixture(200)


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
        check_agreement(found, value, 150)
    check_agreement(leak.leak(Fraction(3, 2), 2), (2 + (-c).exp()) / total, 150)
    check_agreement(leak.ceiling(Fraction(3, 2), 2), 3 * (-c).exp(), 150)


def test_a_row_of_one_place_has_two_weights():
    first, second = leak.weights(Fraction(1), 1)
    check_agreement(second / first, flint.arb(-2).exp(), 150)
    assert len(leak.weights(Fraction(1), 8)) == 16


@pytest.mark.parametrize("span", [1, 2, 4, 16])
@pytest.mark.parametrize("saturation", [Fraction(1, 2), Fraction(40), Fraction(1000)])
def test_the_leak_is_what_many_digits_measure_and_below_its_ceiling(span, saturation):
    context = mpmath.MPContext()
    context.dps = 60
    constant = context.mpf(saturation.numerator) / saturation.denominator
    powers = [context.exp(constant * context.cospi(context.mpf(m) / span)) for m in range(2 * span)]
    measured = context.fsum(powers[1:]) / context.fsum(powers)
    with flint.ctx.workprec(200):
        found = leak.leak(saturation, span)
        assert abs(found / flint.arb(str(measured)) - 1) < flint.arb(10) ** -40
        assert found <= leak.ceiling(saturation, span) * (1 + flint.arb(10) ** -50)
        assert abs(sum(leak.weights(saturation, span), flint.arb(0)) - 1) < flint.arb(10) ** -50


def test_a_wrong_gap_is_seen_by_the_decay_of_the_leak():
    with flint.ctx.workprec(400):
        one, two = leak.leak(Fraction(4000), 16), leak.leak(Fraction(8000), 16)
        rate = (one.log() - two.log()) / 4000
        assert abs(rate / leak.gap(16) - 1) < flint.arb(10) ** -10
        assert abs(rate / leak.gap(8) - 1) > flint.arb("0.5")
