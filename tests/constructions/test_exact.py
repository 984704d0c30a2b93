"""Exact numbers: a ring of √r · cos(πa), compared with balls and with SymPy."""

import math
from fractions import Fraction

import flint
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from constructions import exact
from constructions.exact import Exact, Undecided, cos_pi, root, sin_pi
from constructions.strategies import weights

angles = weights(3, 24)
numbers = st.builds(lambda a, q, r: q * cos_pi(a) * root(r), angles, angles, st.integers(0, 12))


def contains(number: Exact, other: flint.arb) -> bool:
    return number.ball().overlaps(other)


@given(numbers, numbers)
def test_sums_and_products_agree_with_balls(x, y):
    assert contains(x + y, x.ball() + y.ball())
    assert contains(x * y, x.ball() * y.ball())
    assert contains(x - y, x.ball() - y.ball())


@given(angles)
def test_cos_squared_plus_sin_squared_is_one(a):
    assert cos_pi(a) * cos_pi(a) + sin_pi(a) * sin_pi(a) == 1


@given(angles)
def test_the_symbolic_form_is_the_cosine(a):
    expected = sympy.cos(sympy.pi * sympy.Rational(a.numerator, a.denominator))
    assert abs(sympy.N(cos_pi(a).symbolic() - expected, 30)) < sympy.Float("1e-25")


def test_a_hidden_zero_is_found_in_the_cyclotomic_field():
    assert (cos_pi(Fraction(1, 5)) - cos_pi(Fraction(2, 5)) - Fraction(1, 2)).sign() == 0
    assert sum((cos_pi(Fraction(2 * k + 1, 7)) for k in range(3)), Exact({})) == Fraction(1, 2)


def test_a_tiny_difference_is_no_zero():
    tiny = cos_pi(Fraction(1, 5)) - cos_pi(Fraction(2, 5)) - Fraction(1, 2) + Fraction(1, 10**60)
    assert tiny.sign() == 1
    assert (-tiny).sign() == -1


def test_signs_of_roots_are_decided_by_balls():
    assert (root(2) - Fraction(141421356, 10**8)).sign() == 1
    assert (root(2) + root(3) - root(5) - root(7)).sign() == -1


def test_squares_leave_the_root():
    assert root(Fraction(9, 4)).rational() == Fraction(3, 2)
    assert (root(8) * root(2)).rational() == 4
    assert root(2).rational() is None


def test_a_negative_radicand_is_refused():
    with pytest.raises(ValueError, match="root of -1"):
        root(-1)


@pytest.mark.parametrize("bits", [128, 256])
def test_a_sign_that_takes_the_highest_precision_is_found_and_one_beyond_it_is_not(
    bits, monkeypatch
):
    """√2 and a fraction nearer to it than half of the digits can tell, but not all of them."""
    near = Fraction(math.isqrt(2 << 3 * bits // 2), 1 << 3 * bits // 4)
    monkeypatch.setattr(exact, "HIGHEST_PRECISION", bits)
    assert (root(2) - near).sign() == 1
    monkeypatch.setattr(exact, "HIGHEST_PRECISION", bits // 2)
    with pytest.raises(Undecided, match=f"at {bits // 2} bits"):
        (root(2) - near).sign()
