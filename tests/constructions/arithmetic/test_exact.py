"""Exact arithmetics: rationals, rationals with balls for positions, polynomials, expressions."""

from fractions import Fraction

import arithmetic_support as steps
import flint
import pytest
import sympy

from constructions.arithmetic.exact import (
    Polynomial,
    Rational,
    RationalStates,
)
from constructions.core.exact import Exact, cos_pi
from constructions.core.transformer import Attention, Mask, Norm, Tie

FIFTH = cos_pi(Fraction(1, 5))


def float_rows(x) -> list[list[float]]:
    return [[float(sympy.Rational(str(value))) for value in row] for row in x.tolist()]


@pytest.mark.parametrize("step", steps.EXACT)
def test_the_steps_of_a_pass_are_those_worked_out_by_hand(step):
    step(Rational(), float_rows)


def test_rationals_stay_rational_and_irrational_numbers_exact():
    third = Rational().element(Fraction(1, 3))
    assert isinstance(third, flint.fmpq)
    assert third == flint.fmpq(1, 3)
    assert Rational().element(FIFTH) is FIFTH
    assert Rational().element(Exact.of(2)).rational() == 2
    assert Rational().element(third) is third


@pytest.mark.parametrize("row", [[1, 3, 2, 3], [1, Exact.of(3), 2, 3]])
def test_all_largest_scores_are_found_exactly(row):
    assert Rational().maximisers([Rational().element(score) for score in row]) == [1, 3]


def test_equal_scores_in_two_forms_tie():
    other = cos_pi(Fraction(2, 5)) + Fraction(1, 2)
    assert Rational().maximisers([flint.fmpq(0), FIFTH, other, flint.fmpq(4, 5)]) == [1, 2]
    assert Rational().maximisers([FIFTH, flint.fmpq(9, 10), other]) == [1]


def test_a_hard_head_refuses_a_tie():
    scores, values = Rational().array([[1, 1]]), Rational().array([[1], [2]])
    with pytest.raises(Tie, match=r"row 0 has equal largest scores at \[0, 1\]"):
        Rational().mix(scores, values, Attention.HARD, Mask.NONE)


def test_relu_is_exact_and_no_other_activation_is():
    x = Rational().array([[Fraction(-1, 2), 0, Fraction(1, 2), 3]])
    assert float_rows(Rational().activate("relu", x)) == [[0, 0, 0.5, 3]]
    with pytest.raises(TypeError, match="Rational cannot compute the activation 'gelu'"):
        Rational().activate("gelu", x)


def test_roots_and_exponentials_are_refused():
    x = Rational().array([[1, 2], [3, 4]])
    with pytest.raises(TypeError, match="Rational has no square root: it cannot normalise"):
        Rational().normalise(x, Norm(False, 1))
    with pytest.raises(TypeError, match="Rational has no exponential: soft attention cannot run"):
        Rational().mix(x, x, Attention.SOFT, Mask.NONE)


def test_rational_states_have_balls_for_positions_alone():
    with RationalStates() as arithmetic:
        assert arithmetic.element(Fraction(1, 3)) == flint.fmpq(1, 3)
        assert isinstance(arithmetic.element(Exact.of(2)), flint.fmpq)
        place = arithmetic.element(FIFTH)
        assert isinstance(place, flint.arb)
        assert place.overlaps((flint.arb(5).sqrt() + 1) / 4)
        assert arithmetic.maximisers([flint.fmpq(1, 2), place]) == [1]
        assert arithmetic.maximisers([flint.fmpq(1), flint.fmpq(1)]) == [0, 1]


def test_polynomials_have_their_generators_and_constants_are_numbers():
    ring = Polynomial(["x", "y"])
    x, half = ring.generators["x"], ring.element(Fraction(1, 2))
    assert list(ring.generators) == ["x", "y"] and ring.element(x) is x
    assert ring.element(FIFTH) is FIFTH
    assert half * (x + x) == x and type(half) is type(x)
    assert [ring.number(value) for value in (half, x - x, ring.element(3), 7)] == [
        Fraction(1, 2), 0, 3, 7,
    ]  # fmt: skip
    with pytest.raises(ArithmeticError, match="x depends on a symbol"):
        ring.number(x)
