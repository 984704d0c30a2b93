"""Bounds of the re-checker for exp, cos, π and roots: they enclose, and as narrowly as promised."""

from fractions import Fraction

import flint
import pytest

from verify.recheck.kernel import interval

POINTS = [
    Fraction(p, q)
    for p, q in ((0, 1), (1, 1), (-1, 1), (1, 2), (-7, 3), (20, 1), (-20, 1), (1, 999))
]
ANGLES = [Fraction(p, 12) for p in range(-25, 26)] + [Fraction(1, 7), Fraction(99, 100)]


def ball(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def encloses(found, value: flint.arb) -> bool:
    """Return True if the bounds surround a value that is known far more exactly."""
    return bool(ball(found[0]) <= value.upper() and ball(found[1]) >= value.lower())


@pytest.fixture(autouse=True)
def digits():
    with flint.ctx.workprec(600):
        yield


@pytest.mark.parametrize("bits", [4, 16, 64, 128, 256])
@pytest.mark.parametrize("x", POINTS, ids=str)
def test_exp_lies_within_bounds_that_are_narrow_beside_its_size(x, bits):
    found = interval.exp(x, bits)
    assert encloses(found, ball(x).exp())
    assert 0 <= found[1] - found[0] <= found[0] / (1 << bits) * (2 if x < 0 else 1)


def test_exp_of_zero_is_one():
    assert interval.exp(Fraction(0), 16) == (1, 1)


@pytest.mark.parametrize("bits", [3, 16, 64, 128])
def test_cosines_lie_within_narrow_bounds(bits):
    for a in ANGLES:
        found = interval.cos_pi(a, bits)
        value = flint.arb.cos_pi_fmpq(flint.fmpq(a.numerator, a.denominator))
        assert encloses(found, value), a
        assert found[1] - found[0] <= Fraction(3, 1 << bits), a  # each end is within a unit


@pytest.mark.parametrize("bits", [*range(20), 64, 256])
def test_pi_lies_within_narrow_bounds(bits):
    found = interval.pi(bits)
    assert encloses(found, flint.arb.pi())
    assert 0 < found[1] - found[0] <= Fraction(1, 1 << bits)


@pytest.mark.parametrize(
    "x", [Fraction(0), Fraction(2), Fraction(4), Fraction(1, 3), Fraction(10**9)], ids=str
)
def test_roots_lie_within_bounds_one_unit_apart(x):
    low, high = interval.sqrt(x, 64)
    assert low * low <= x < high * high
    assert high - low == Fraction(1, 1 << 64)


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(-1, 3), Fraction(5), Fraction(0)])
def test_rounding_goes_outwards_by_less_than_a_unit(value):
    low, high = interval.down(value, 4), interval.up(value, 4)
    assert low <= value <= high
    assert value - low < Fraction(1, 16) and high - value < Fraction(1, 16)
    assert (low * 16).denominator == (high * 16).denominator == 1
