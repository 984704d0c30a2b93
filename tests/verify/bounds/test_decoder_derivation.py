"""Each step of the proof of the decoder's recursion checks, and a changed one does not."""

import decoder_derivation as derivation
import pytest
import sympy
from decoder_derivation import A, B, E, F, M, N, R, X, Y, are_equal, e, f, majorant, rho

BOUNDS = {A: N, B: N, E: e, F: f, R: rho, X: M, Y: M}


@pytest.mark.parametrize("step", derivation.STEPS, ids=lambda step: step.says)
def test_each_step_of_the_derivation_checks(step):
    assert step.check() is True
    assert step.rule


def test_a_step_with_a_term_left_out_does_not_check():
    wrong = derivation.FACTORED - F * E
    written = wrong.subs({A: 1 + X, B: 1 + Y})
    assert sympy.expand(derivation.product_error() - written) != 0


@pytest.mark.parametrize("change", [X * Y, E * R - R * E, X - Y, F * 0 + 1])
def test_expressions_that_differ_are_not_equal(change):
    assert are_equal(X + Y, Y + X) is True
    assert are_equal(X * Y + change, X * Y) is False


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        (X * Y, M**2),
        (X - X * Y + 3, 3 + M + M**2),
        (-2 * A * E * E - 5 * F, 2 * N * e**2 + 5 * f),
        (R**3 - R, rho**3 + rho),
        ((X + E) * (Y - E), (M + e) ** 2),
        (sympy.Integer(0), 0),
    ],
)
def test_a_majorant_adds_the_bounds_of_all_words(expression, wanted):
    assert sympy.expand(majorant(expression, BOUNDS) - wanted) == 0


def test_letters_do_not_commute_and_bounds_are_numbers_that_are_not_negative():
    assert all(not letter.is_commutative for letter in BOUNDS)
    assert all(bound.is_nonnegative for bound in BOUNDS.values())


@pytest.mark.parametrize(
    ("check", "name", "value"),
    [
        ("_factored", "product_error", lambda: X * Y),
        ("_bounded", "FACTORED", derivation.FACTORED + E),
        ("_bounded", "majorant", lambda *_: e),
        ("_closed", "are_equal", lambda one, two: are_equal(one, two + e)),
    ],
)
def test_a_step_whose_parts_are_changed_does_not_check(check, name, value, monkeypatch):
    monkeypatch.setattr(derivation, name, value)
    assert getattr(derivation, check)() is False


def test_the_corner_leaves_the_room_that_is_claimed():
    """At N = 1, M = 0, λ = 1/16 and e = 1/4 the used part is 1/8 + 1/4 + 1/32 = 13/32."""
    lam, point = sympy.Rational(1, 16), sympy.Rational(1, 4)
    used = 2 * lam * 1 + point + 2 * lam * (0 + point)
    assert used == sympy.Rational(13, 32) <= sympy.Rational(1, 2)
    assert derivation._room() is True


@pytest.mark.parametrize("name", ["N", "M"])
def test_bounds_that_may_be_negative_leave_the_room_open(name, monkeypatch):
    monkeypatch.setattr(derivation, name, sympy.Symbol(name, real=True))
    assert derivation._room() is not True
