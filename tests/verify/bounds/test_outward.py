"""Decimals beside a ball: six digits, rounded away from it."""

from fractions import Fraction

import flint
import pytest
from balls_support import ball

from verify.bounds import outward


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        ("0", "0", "0"),
        ("1", "1", "1"),
        ("1/2", "0.5", "0.5"),
        ("-1/2", "-0.5", "-0.5"),
        ("1/3", "0.333333", "0.333334"),
        ("-1/3", "-0.333334", "-0.333333"),
        ("2000000/3", "666666", "666667"),
        ("20000000/3", "6.66666e+6", "6.66667e+6"),
        ("999999", "999999", "999999"),
        ("9999995", "9.99999e+6", "1e+7"),
        ("10", "1e+1", "1e+1"),
        ("1/1024", "0.000976562", "0.000976563"),
        ("1/3000000000", "3.33333e-10", "3.33334e-10"),
    ],
)
def test_six_digits_are_kept_and_rounded_outwards(value, low, high):
    with flint.ctx.workprec(200):
        assert Fraction(outward.decimal_below(ball(value))) == Fraction(low)
        assert Fraction(outward.decimal_above(ball(value))) == Fraction(high)


def test_a_wide_ball_lies_between_its_decimals():
    wide = flint.arb("1.5", "0.25")  # its ends lie a little outside of 1.25 and 1.75
    assert (outward.decimal_below(wide), outward.decimal_above(wide)) == ("1.24999", "1.75001")
    around = flint.arb(0, "0.5")
    low, high = Fraction(outward.decimal_below(around)), Fraction(outward.decimal_above(around))
    assert -Fraction(51, 100) < low <= -Fraction(1, 2) < Fraction(1, 2) <= high < Fraction(51, 100)


@pytest.mark.parametrize("value", ["1", "9", "10", "99", "1/8", "3/32", "35/4", "1023/8"])
@pytest.mark.parametrize("digits", [1, 3, 6])
def test_the_nearest_decimals_of_so_many_digits_are_taken(value, digits):
    low, high = (
        Fraction(side(ball(value), digits)) for side in (outward.rounded_down, outward.rounded_up)
    )
    unit = Fraction(10) ** (len(str(int(1000 * Fraction(value)))) - 3 - digits)
    assert low <= Fraction(value) <= high <= low + unit
    assert (low / unit).denominator == (high / unit).denominator == 1


@pytest.mark.parametrize("text", ["1.41421356237e-200", "123456.789", "0.5", "-3.25", "1e30"])
def test_decimals_stand_on_the_right_side_of_a_ball(text):
    with flint.ctx.workprec(900):
        value = flint.arb(text)
        low, high = (
            Fraction(side(value)) for side in (outward.decimal_below, outward.decimal_above)
        )
        assert ball(low) <= value <= ball(high)
        assert abs(high - low) <= abs(high) / 10**5


def test_zero_stays_zero():
    assert outward.decimal_below(flint.arb(0)) == outward.decimal_above(flint.arb(0)) == "0"
