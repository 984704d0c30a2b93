"""Units for the logarithm: the certified error holds, is not far from the truth, and can fail."""

from dataclasses import replace
from fractions import Fraction

import flint
import pytest

from constructions.blocks.logarithm import certified_error, fit_logarithm
from constructions.core.errors import InputError
from constructions.core.exact import ball

ETA = Fraction(1, 10**4)


@pytest.fixture(scope="module", params=["silu", "gelu", "gelu_new"])
def units(request):
    return fit_logarithm(request.param, Fraction(1, 100), ETA)


def largest_error(units, count: int = 500) -> flint.arb:
    points = [ball(units.least) ** (flint.arb(i) / count) for i in range(count + 1)]
    return max((abs(units(x) - x.log()).upper() for x in points), key=float)


def test_the_certified_error_bounds_the_error_and_is_within_twice_of_it(units):
    worst = largest_error(units)
    assert worst <= ball(units.error) <= ball(ETA)
    assert ball(units.error) <= 2 * worst


def test_a_changed_weight_is_not_certified(units):
    weights = (*units.weights[:-1], units.weights[-1] + Fraction(1, 1000))
    changed = replace(units, weights=weights)
    assert certified_error(changed, ETA) is None


def test_a_unit_left_out_is_not_certified(units):
    fewer = replace(units, knots=units.knots[:-1], weights=units.weights[:-1])
    assert certified_error(fewer, ETA) is None


def test_below_the_range_the_error_is_larger(units):
    x = ball(units.least) / 4
    assert abs(units(x) - x.log()) > 100 * ball(units.error)


def test_a_smaller_error_asks_for_more_units():
    coarse, fine = (fit_logarithm("silu", Fraction(1, 10), Fraction(1, 10**e)) for e in (2, 5))
    assert len(coarse.knots) < len(fine.knots)
    assert fine.error <= Fraction(1, 10**5) < coarse.error


def test_weights_are_short_rationals_and_do_not_cancel(units):
    assert all(w.denominator & (w.denominator - 1) == 0 for w in (*units.weights, units.slope))
    assert sum(abs(w) for w in units.weights) < 8


@pytest.mark.parametrize(
    "name, least, eta",
    [("silu", 0, 1), ("silu", 1, 1), ("silu", Fraction(1, 2), 0), ("relu", Fraction(1, 2), 1)],
)
def test_impossible_arguments_are_refused(name, least, eta):
    with pytest.raises(InputError):
        fit_logarithm(name, Fraction(least), Fraction(eta))
