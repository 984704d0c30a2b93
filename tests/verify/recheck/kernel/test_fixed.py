"""Laws of fixed-point intervals: results hold what rationals inside the operands give."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from verify.recheck.kernel import fixed as kernel

BITS = 5
ends = st.integers(-400, 400)
intervals = st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair)))
positive = st.tuples(st.integers(0, 99), st.integers(0, 99)).map(lambda p: (min(p), max(p)))


def inside(x):
    """Rationals in an interval: both ends, and 0 if it is in it."""
    low, high = kernel.rational(x, BITS)
    return [low, high, *([Fraction(0)] if low <= 0 <= high else [])]


def holds(found, value):
    low, high = kernel.rational(found, BITS)
    return low <= value <= high


@given(st.fractions(-99, 99))
def test_a_number_lies_between_neighbouring_units(value):
    found = kernel.fixed(value, BITS)
    assert holds(found, value) and 0 <= found[1] - found[0] <= 1


@given(intervals, intervals)
def test_sums_and_products_hold_those_of_the_ends(a, b):
    for x in inside(a):
        assert kernel.least(a) <= abs(x) * 2**BITS <= kernel.most(a)
        for y in inside(b):
            assert holds(kernel.total([a, b]), x + y)
            assert holds(kernel.minus(a, b), x - y)
            assert holds(kernel.times(a, b, BITS), x * y)


@given(st.lists(st.tuples(positive, intervals), min_size=1, max_size=3), st.data())
def test_weighted_sums_and_norms_hold_those_of_any_choice(pairs, data):
    weights, values = zip(*pairs, strict=True)
    p = [data.draw(st.sampled_from(inside(w))) for w in weights]
    x = [data.draw(st.sampled_from(inside(v))) for v in values]
    [[mean]] = kernel.means([weights], [list(values)], BITS)
    assert holds(mean, sum(a * b for a, b in zip(p, x, strict=True)))
    low, high = kernel.rational(kernel.euclidean(values), BITS)
    assert low * low <= sum(v * v for v in x) <= high * high


@given(st.lists(positive.filter(lambda w: w[0] > 0), min_size=1, max_size=4), st.data())
def test_shares_hold_each_part_of_the_whole(powers, data):
    chosen = [data.draw(st.sampled_from(inside(p))) for p in powers]
    for found, part in zip(kernel.shares(powers, BITS), chosen, strict=True):
        assert holds(found, part / sum(chosen))
