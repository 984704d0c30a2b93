"""Exact numbers: a ring of √r · cos(πa), compared with balls and with SymPy."""

from fractions import Fraction

import flint
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from constructions.automata.strategies import weights
from constructions.core import exact
from constructions.core.exact import Exact, cos_pi, root, sin_pi

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


def test_numbers_and_exact_numbers_mix_on_both_sides():
    x, half = cos_pi(Fraction(1, 5)), Fraction(1, 2)
    assert 1 - x == -(x - 1)
    assert half * x == x * half == x - half * x
    assert 2 + x == x + flint.fmpq(2)
    assert x + 0 is x
    assert (Exact({}) + x) is x
    for other in ("x", None, 0.5):
        assert x != other
        with pytest.raises(TypeError):
            x + other
        with pytest.raises(TypeError):
            x * other


def test_order_and_truth_are_those_of_real_numbers():
    x = cos_pi(Fraction(1, 5))
    assert cos_pi(Fraction(2, 5)) < x
    assert not x < x
    assert not x < cos_pi(Fraction(2, 5))
    assert x
    assert not Exact({})
    assert not x - cos_pi(Fraction(2, 5)) - Fraction(1, 2), "zero in disguise"
    assert Exact.of(0).sign() == 0
    assert [Exact.of(k).sign() for k in (-3, 5)] == [-1, 1]
    assert [(k * root(3)).sign() for k in (-3, 5)] == [-1, 1]


def test_only_a_number_without_roots_and_cosines_is_rational():
    assert Exact.of(Fraction(-2, 3)).rational() == Fraction(-2, 3)
    assert Exact({}).rational() == 0
    assert cos_pi(Fraction(1, 5)).rational() is None
    assert (root(2) + 1).rational() is None
    assert (root(2) * root(2)).rational() == 2
    assert root(0).rational() == 0
    assert root(Fraction(1, 2)) * root(2) == 1


def test_balls_are_around_their_numbers():
    assert exact.ball(3) == 3
    assert exact.ball(Fraction(1, 3)).contains(flint.fmpq(1, 3))
    assert exact.ball(root(2)).overlaps(flint.arb(2).sqrt())
    assert exact.ball(cos_pi(Fraction(1, 5)) * root(3)).overlaps(
        flint.arb(3).sqrt() * (1 + flint.arb(5).sqrt()) / 4
    )
    with pytest.raises(NotImplementedError):
        exact.EnclosedNumber().ball()


def test_a_reader_sees_roots_and_cosines():
    assert str(root(2).symbolic()) == "sqrt(2)"
    assert repr(root(Fraction(1, 2))) == "Exact(sqrt(2)/2)"
    assert cos_pi(Fraction(1, 5)).symbolic() == sympy.cos(sympy.pi / 5)
