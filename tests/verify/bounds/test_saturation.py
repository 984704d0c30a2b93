"""The required C: one layer with numbers chosen by hand, grids, and what MLPs add."""

from fractions import Fraction
from itertools import pairwise

import flint
import pytest
from balls_support import check_agreement, precision_fixture
from tests_support import SWEPT

from constructions.automata.families import counting, scalar
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.core.exact import ball
from verify.bounds import leak, saturation
from verify.bounds.circulant import state_error
from verify.bounds.saturation import (
    UniformBounds,
    required_fineness,
    required_saturation,
    uniform_bounds,
)
from verify.bounds.sweep import chosen_words

working = precision_fixture(saturation.BITS)


TWO = UniformBounds(
    4, tuple(map(flint.arb, (2, 3))), tuple(map(flint.arb, (3, 4))), flint.arb(5), 2
)
NONE = UniformBounds(1, (), (), flint.arb(5), 0)


def test_errors_follow_the_corrected_recursion_with_the_leak_of_the_row():
    """δ = leak · 3, ε_1 = 4δ + δ² + ε_mlp; then 6δ' + δ'² + ε_mlp with δ' = ε_1 + leak · 4."""
    lost = leak.leak(Fraction(20), 4)
    for mlp in (Fraction(0), Fraction(1, 7)):
        delta = 3 * lost
        first = 4 * delta + delta**2 + ball(mlp)
        after = first + 4 * lost
        wanted = [first, 6 * after + after**2 + ball(mlp)]
        for found, value in zip(TWO.errors(Fraction(20), mlp), wanted, strict=True):
            check_agreement(found, value)
        check_agreement(TWO.states(Fraction(20), mlp), 5 * wanted[1])
    check_agreement(TWO.states(Fraction(20)), TWO.states(Fraction(20), 0))
    check_agreement(TWO.errors(Fraction(20))[0], TWO.errors(Fraction(20), 0)[0])


def test_without_layers_there_is_no_error():
    assert NONE.errors(Fraction(1)) == [] and NONE.states(Fraction(1)).is_zero()


def test_c_is_the_least_on_a_grid_below_the_closed_form():
    eps = Fraction(1, 1000)
    found = required_saturation(counting(), 4, eps)
    known = saturation.uniform_bounds(counting(), 4)
    unit = found.closed_form / 4096
    assert (found.constant / unit).denominator == 1 and found.constant <= found.closed_form
    assert known.states(found.constant) < ball(eps)
    assert not known.states(found.constant - unit) < ball(eps)
    assert found.error < ball(eps) and found.listed == 2
    closed = known.closed_form(eps)
    assert closed < ball(found.closed_form) and ball(found.closed_form) <= closed + 2
    check_agreement(found.error, known.states(found.constant))


def test_an_automaton_whose_states_are_zero_needs_no_c():
    zero = WFA.of([0], {"a": [[2]]}, [1])
    assert required_saturation(zero, 4, Fraction(1, 10)).constant == 0
    found = required_fineness(zero, 4, Fraction(1, 10), "tanh")
    assert (found.constant, found.bits) == (0, 1) and found.error.is_zero()


@pytest.mark.parametrize("eps", [Fraction(0), Fraction(-1)])
def test_an_error_that_is_not_positive_is_refused(eps):
    with pytest.raises(InputError, match="eps"):
        required_saturation(counting(), 4, eps)


@pytest.mark.parametrize("name", SWEPT)
def test_the_required_c_keeps_eps_and_half_of_it_does_not(name):
    automaton, length, eps = automaton_by_name(name), 4, Fraction(1, 1000)
    words, every = chosen_words(automaton, length, 81)
    assert every
    needed = required_saturation(automaton, length, eps)
    assert needed.error < ball(eps)
    assert state_error(automaton, words, length, needed.constant) <= needed.error
    half = state_error(automaton, words, length, needed.constant / 2)
    assert half > ball(eps) or half.is_zero()


@pytest.mark.parametrize("name", SWEPT)
@pytest.mark.parametrize("length", [2, 8, 16])
def test_the_closed_form_is_enough(name, length):
    eps = Fraction(1, 10**6)
    needed = required_saturation(automaton_by_name(name), length, eps)
    with flint.ctx.workprec(192):
        known = uniform_bounds(automaton_by_name(name), length)
        assert known.states(needed.closed_form) < ball(eps)
    assert needed.constant <= needed.closed_form


def test_c_grows_like_t_squared():
    needed = [
        float(required_saturation(automaton_by_name("scalar:-1"), t, Fraction(1, 1000)).constant)
        for t in (8, 16, 32)
    ]
    assert all(3.5 < b / a < 5 for a, b in pairwise(needed))


def test_one_letter_needs_no_attention_at_all():
    assert required_saturation(scalar(5), 1, Fraction(1, 10)).error.is_zero()


def test_bounds_on_norms_that_lost_their_digits_still_give_a_constant():
    """Of a map with growing powers: the ball around ‖A^256‖ reaches below 0."""
    rows = [["0", "1/10", "-1", "1"], ["0", "1/3", "-1", "-1"],
            ["3", "1", "-1", "1/10"], ["1", "1/3", "1/4", "1/3"]]  # fmt: skip
    automaton = WFA.of([-1, "1/2", -1, 3], {"a": rows}, [0, "1/2", 1, 3])
    with flint.ctx.workprec(53):
        grown = uniform_bounds(automaton, 512)
        assert any(not norm > 0 for norm in grown.norms)
        assert grown.closed_form(Fraction(1, 10)).is_finite()
