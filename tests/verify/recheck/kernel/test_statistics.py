"""Series and logarithms of the re-checker: sums that are known enclose the truth to the last digits."""

from fractions import Fraction

import flint
import pytest

from verify.recheck.errors import Refused
from verify.recheck.kernel import statistics


def test_a_p_value_of_equal_means_is_one():
    group = (Fraction(3), Fraction(1))
    assert statistics.p_value(group, group, (5, 7)) == (1, 1)


def test_groups_without_spread_are_refused():
    with pytest.raises(Refused, match="without spread"):
        statistics.p_value((Fraction(1), Fraction(0)), (Fraction(2), Fraction(0)), (3, 3))


@pytest.mark.parametrize("spread", ["1", "3"])
def test_one_degree_of_freedom_has_the_distribution_of_cauchy(spread):
    """Two runs against a group without spread: p = 1 - 2/π arctan t, t = 1/√(variance/2)."""
    one, other = (Fraction(1), Fraction(spread)), (Fraction(0), Fraction(0))
    low, high = statistics.p_value(one, other, (2, 9))
    with flint.ctx.workprec(200):
        t = 1 / (flint.arb(int(spread)) / 2).sqrt()
        value = 1 - 2 * t.atan() / flint.arb.pi()
        assert flint.fmpq(low.numerator, low.denominator) <= value.upper()
        assert flint.fmpq(high.numerator, high.denominator) >= value.lower()
    assert 0 < high - low < Fraction(1, 1 << 44)


def test_groups_may_be_exchanged_with_their_runs():
    one, other = (Fraction(2), Fraction(1, 3)), (Fraction(0), Fraction(2))
    assert statistics.p_value(one, other, (3, 8)) == statistics.p_value(other, one, (8, 3))


def test_moments_are_mean_and_sample_variance():
    assert statistics.moments([Fraction(n) for n in (1, 2, 6)]) == (3, 7)


def exact(*values):
    return [(Fraction(v), Fraction(v)) for v in values]


def test_the_bend_of_two_joined_segments_is_found():
    assert statistics.elbow(range(1, 8), exact(10, 7, 4, 1, 1, 1, 1)) == 4
    assert statistics.elbow(range(1, 8), exact(10, 7, 6, 5, 4, 3, 2)) == 2
    assert statistics.elbow((1, 2, 4, 8, 16), exact(9, 8, 6, 2, 2)) == 8


def test_a_straight_line_and_wide_intervals_have_no_bend():
    assert statistics.elbow(range(5), exact(4, 3, 2, 1, 0)) is None
    wide = [(Fraction(v) - 9, Fraction(v) + 9) for v in (10, 7, 4, 1, 1, 1)]
    assert statistics.elbow(range(6), wide) is None


def test_points_without_a_value_are_an_error():
    with pytest.raises(ValueError, match="shorter"):
        statistics.elbow(range(4), exact(1, 2, 3))


def test_a_series_ends_where_its_rest_is_below_two_to_the_minus_48():
    """1 + 1/2 + 1/4 + …: what follows a term is as large as the term."""
    rest = Fraction(1, 1 << 49)
    assert statistics.series(Fraction(3), Fraction(1), Fraction(1, 2)) == (2 - rest, 2)


def test_a_series_whose_terms_do_not_fall_at_first_is_summed():
    """Σ (k + 2)(k + 3)/6 2^-k = (6 + 10 + 12)/6; its first two terms are equal."""
    low, high = statistics.series(Fraction(1), Fraction(3), Fraction(1, 2))
    assert low <= Fraction(14, 3) <= high and high - low < Fraction(1, 1 << 46)


def test_a_bend_at_the_first_and_at_the_last_inner_place_is_found():
    assert statistics.elbow(range(1, 7), exact(5, 0, 0, 0, 0, 0)) == 2
    assert statistics.elbow(range(1, 7), exact(0, 0, 0, 0, 0, 5)) == 5
