"""Series and logarithms of the re-checker: sums that are known enclose the truth to the last digits."""

from fractions import Fraction

import flint
import pytest

from verify.recheck.errors import Refused
from verify.recheck.kernel import statistics


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 3), Fraction(9, 10), Fraction(19, 20)])
def test_roundings_of_a_series_go_outwards(x, monkeypatch):
    """For b = 1 the series is 1 + x + x² + …; with so small a rest only the roundings are left."""
    monkeypatch.setattr(statistics, "PRECISION", Fraction(1, 1 << 118))
    low, high = statistics.series(Fraction(3), Fraction(1), x)
    assert low <= 1 / (1 - x) <= high
    assert high - low <= Fraction(1, 1 << 100)


def test_a_series_that_takes_too_many_terms_is_refused(monkeypatch):
    monkeypatch.setattr(statistics, "MOST_TERMS", 9)
    with pytest.raises(Refused, match="too many terms"):
        statistics.series(Fraction(3), Fraction(1), Fraction(9, 10))


@pytest.mark.parametrize(
    "y", [Fraction(1, 9), Fraction(1, 2), Fraction(1), Fraction(3), Fraction(4)]
)
def test_logarithms_lie_within_narrow_bounds(y):
    low, high = statistics.logarithm(y)
    with flint.ctx.workprec(400):
        value = flint.arb(flint.fmpq(y.numerator, y.denominator)).log()
        assert flint.fmpq(low.numerator, low.denominator) <= value.upper()
        assert flint.fmpq(high.numerator, high.denominator) >= value.lower()
    assert high - low <= Fraction(1, 1 << 120)


def test_a_negative_weight_takes_the_other_end_of_an_interval():
    ends = [(Fraction(1), Fraction(2)), (Fraction(3), Fraction(5))]
    assert statistics._combined([Fraction(2), Fraction(-1)], ends) == (-3, 1)
