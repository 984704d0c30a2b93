"""How large C must be: one layer with numbers chosen by hand, grids, and what MLPs add."""

from fractions import Fraction
from itertools import pairwise
from math import ceil
from types import SimpleNamespace

import flint
import pytest
from balls_support import check_agreement, precision_fixture
from tests_support import SWEPT

from constructions.automata.families import counting, scalar
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from constructions.blocks.smoothing import FourUnits
from constructions.core.errors import InputError
from constructions.core.exact import ball, ceiling
from verify.bounds import leak, saturation
from verify.bounds.circulant import state_error
from verify.bounds.saturation import (
    UniformBounds,
    amplification,
    required_fineness,
    required_saturation,
    uniform_bounds,
)
from verify.bounds.sweep import chosen_words

working = precision_fixture(saturation.BITS)


ONE = UniformBounds(2, (flint.arb(2),), (flint.arb(3),), flint.arb(5), 1)
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


def test_the_closed_form_is_that_of_the_docstring():
    """G = 3 · 6 · 9 + 4 · 9; C = ln(7 G max(1, 5/ε))/g, and g = 1 - cos(π/4)."""
    gain, gap = 3 * 6 * 9 + 4 * 9, 1 - flint.arb(1) / flint.arb(2).sqrt()
    check_agreement(TWO.closed_form(Fraction(1, 10)), flint.arb(7 * gain * 50).log() / gap)
    check_agreement(TWO.closed_form(Fraction(10)), flint.arb(7 * gain).log() / gap)
    assert NONE.closed_form(Fraction(1)).is_zero()


@pytest.mark.parametrize(("length", "norms", "span"), [(1, [], 1), (2, [3], 2), (4, [3, 9], 4),
                                                       (5, [3, 9, 81], 8)])  # fmt: skip
def test_what_holds_for_all_words_of_a_number_are_its_powers(length, norms, span):
    """‖A^u - A^v‖ ≤ 2 min(μ, ρ) with ρ = 3^k - 1."""
    found = saturation.uniform_bounds(scalar(3), length)
    assert [float(x) for x in found.norms] == norms
    assert [float(x) for x in found.diameters] == [2 * (x - 1) for x in norms]
    assert found.span == span and found.listed == 1 << max(len(norms) - 1, 0)
    check_agreement(found.readout, flint.arb(length + 1).sqrt())


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


def test_what_is_known_already_is_not_computed_again(monkeypatch):
    monkeypatch.setattr(saturation, "uniform_bounds", None)
    eps = Fraction(1, 100)
    found = required_saturation(counting(), 4, eps, bounds=ONE)
    assert ONE.states(found.constant) < ball(eps) and found.norms == ONE.norms
    fine = required_fineness(counting(), 4, eps, "tanh", bounds=ONE)
    assert fine.error < ball(eps)


@pytest.mark.parametrize(("times", "doublings"), [(Fraction(1), 0), (Fraction(1, 2), 1),
                                                  (Fraction(1, 128), 7)])  # fmt: skip
def test_a_start_that_is_too_small_is_doubled_up_to_seven_times(times, doublings):
    target, enough = ball(Fraction(1, 1000)), Fraction(16)
    assert ONE.states(enough) < target and not ONE.states(enough / 2) < target
    assert (
        saturation._multiple_of_closed_form(ONE, enough * times, target, 0)
        == enough * times * 2**doublings
    )
    with pytest.raises(InputError, match="an MLP error small enough"):
        saturation._multiple_of_closed_form(ONE, enough / 256, target, 0)


def test_an_error_of_the_mlp_that_alone_is_too_large_is_refused():
    with pytest.raises(InputError, match="mlp"):
        required_saturation(counting(), 4, Fraction(1, 100), mlp=Fraction(1))
    with_mlp = required_saturation(counting(), 4, Fraction(1, 100), mlp=Fraction(1, 10**5))
    assert with_mlp.constant > required_saturation(counting(), 4, Fraction(1, 100)).constant
    assert with_mlp.error < ball(Fraction(1, 100))


@pytest.mark.parametrize(("least", "found"), [(Fraction(0), 0), (Fraction(1, 4096), Fraction(1, 4096)),
                                              (Fraction(1, 3), Fraction(1366, 4096)),
                                              (Fraction(1), 1)])  # fmt: skip
def test_bisection_finds_the_least_point_of_a_grid_of_4096(least, found):
    assert saturation._grid_bisection(Fraction(1), lambda c: c >= least) == found
    assert saturation._grid_bisection(Fraction(8), lambda c: c >= 8 * least) == 8 * found


def test_inputs_of_a_layer_are_off_by_the_error_before_and_their_own_leak():
    lost = leak.leak(Fraction(9), 4)
    found = saturation._inputs(TWO, Fraction(9), Fraction(1, 7))
    wanted = [3 * lost, TWO.errors(Fraction(9), Fraction(1, 7))[0] + 4 * lost]
    for one, value in zip(found, wanted, strict=True):
        check_agreement(one, value)


def test_with_mlps_every_input_stays_within_a_half_however_loose_the_error():
    loose = Fraction(10**6)
    found = saturation._box_saturation(TWO, loose)
    unit = Fraction(ceil(ceiling(TWO.closed_form(loose))) + 1, 4096)
    assert all(x < flint.arb("0.5") for x in saturation._inputs(TWO, found, 0))
    assert not all(x < flint.arb("0.5") for x in saturation._inputs(TWO, found - unit, 0))
    tight = Fraction(1, 1000)
    assert TWO.states(saturation._box_saturation(TWO, tight)) < ball(tight)


def test_units_count_for_all_entries_and_only_where_their_inputs_stay_in_the_box():
    """radius = 3 + 1 and rest = n² times the error of one product; not below 1: no bound."""
    units = FourUnits.of("tanh", 20)
    rest = 4 * units.error(Fraction(4), Fraction(4))
    found = saturation._mlp_state_error(TWO, 2, Fraction(60), units)
    assert abs(found / TWO.states(Fraction(60), saturation.ceiling(rest)) - 1) < 1e-9
    assert not saturation._mlp_state_error(
        TWO, 2, Fraction(60), FourUnits.of("tanh", 1)
    ).is_finite()
    assert not saturation._mlp_state_error(TWO, 2, Fraction(1), units).is_finite()


def test_the_step_is_the_coarsest_that_keeps_the_error_and_none_is_an_error():
    eps = Fraction(1, 1000)
    found = required_fineness(counting(), 4, eps, "tanh")
    known = saturation.uniform_bounds(counting(), 4)
    assert found.constant == saturation._box_saturation(known, eps / 2) and found.error < ball(eps)
    coarser = FourUnits.of("tanh", found.bits - 1)
    assert not saturation._mlp_state_error(known, 2, found.constant, coarser) < ball(eps)


def test_an_error_that_no_step_keeps_is_refused(monkeypatch):
    monkeypatch.setattr(saturation, "FINEST", 2)
    with pytest.raises(InputError, match="a step of 2\\^-2 or more"):
        required_fineness(counting(), 4, Fraction(1, 1000), "tanh")


def test_the_amplification_needs_a_norm_and_a_diameter_of_every_layer():
    norms, diameters = list(TWO.norms), list(TWO.diameters)
    assert saturation.amplification(norms, diameters) == 3 * 6 * 9 + 4 * 9
    with pytest.raises(ValueError, match="shorter"):
        saturation.amplification(norms, diameters[:1])


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


def test_the_amplification_is_the_sum_of_the_docstring():
    with flint.ctx.workprec(64):
        found = amplification([flint.arb(2), flint.arb(5)], [flint.arb(1), flint.arb(7)])
        assert found == 1 * 6 * 15 + 7 * 15


def test_c_grows_like_t_squared():
    needed = [
        float(required_saturation(automaton_by_name("scalar:-1"), t, Fraction(1, 1000)).constant)
        for t in (8, 16, 32)
    ]
    assert all(3.5 < b / a < 5 for a, b in pairwise(needed))


def test_a_larger_mlp_error_asks_for_more_and_too_large_a_one_for_the_impossible():
    eps = Fraction(1, 100)
    free = required_saturation(counting(), 4, eps)
    taxed = required_saturation(counting(), 4, eps, mlp=Fraction(1, 10**5))
    assert taxed.constant > free.constant
    with pytest.raises(InputError, match="mlp"):
        required_saturation(counting(), 4, eps, mlp=Fraction(1))
    with pytest.raises(InputError, match="eps"):
        required_saturation(counting(), 4, Fraction(0))


def test_one_letter_needs_no_attention_at_all():
    assert required_saturation(scalar(5), 1, Fraction(1, 10)).error.is_zero()


@pytest.mark.parametrize(("length", "longest"), [(1, 1), (2, 1), (4, 2), (5, 4), (8, 4)])
def test_products_are_bounded_up_to_the_length_that_the_last_layer_multiplies(
    length, longest, monkeypatch
):
    asked, growth = [], saturation.growth
    monkeypatch.setattr(saturation, "growth", lambda a, k: asked.append(k) or growth(a, k))
    assert (
        len(uniform_bounds(automaton_by_name("counting"), length).norms)
        == (length - 1).bit_length()
    )
    assert asked == [longest]


def test_bounds_on_norms_that_lost_their_digits_still_give_a_constant():
    """Of a map with growing powers: the ball around ‖A^256‖ reaches below 0."""
    rows = [["0", "1/10", "-1", "1"], ["0", "1/3", "-1", "-1"],
            ["3", "1", "-1", "1/10"], ["1", "1/3", "1/4", "1/3"]]  # fmt: skip
    automaton = WFA.of([-1, "1/2", -1, 3], {"a": rows}, [0, "1/2", 1, 3])
    with flint.ctx.workprec(53):
        grown = uniform_bounds(automaton, 512)
        assert any(not norm > 0 for norm in grown.norms)
        assert grown.closed_form(Fraction(1, 10)).is_finite()


@pytest.mark.parametrize(("rest", "known"), [("0.99", True), ("1", False), ("1.5", False)])
def test_units_that_miss_by_one_or_more_have_no_bound(rest, known):
    """n² = 4 products of numbers up to 3 + 1."""
    asked = []
    units = SimpleNamespace(error=lambda x, y: asked.append((x, y)) or flint.arb(rest) / 4)
    bounds = UniformBounds(2, (flint.arb(3),), (flint.arb(0),), flint.arb(5), 1)
    found = saturation._mlp_state_error(bounds, 2, Fraction(9), units)
    assert asked == [(4, 4)] and found.is_finite() is known
    assert not known or abs(found - 5 * flint.arb(rest)) < 1e-9


@pytest.mark.parametrize(("diameter", "known"), [("0.99", True), ("1", False), ("1.5", False)])
def test_inputs_that_are_off_by_one_or_more_leave_the_box(diameter, known):
    """At C = 0 all of four tokens have the weight 1/4: the leak is 3/4."""
    units = SimpleNamespace(error=lambda x, y: flint.arb(2) ** -60)
    far = flint.arb(diameter) * 4 / 3
    bounds = UniformBounds(2, (flint.arb(3),), (far,), flint.arb(5), 1)
    assert saturation._mlp_state_error(bounds, 2, Fraction(0), units).is_finite() is known


@pytest.mark.parametrize("eps", [Fraction(1, 1000), Fraction(1, 3)])
def test_the_grid_has_4096_points_up_to_one_more_than_the_closed_form_rounded_up(eps):
    whole = ceil(ceiling(TWO.closed_form(eps))) + 1
    found = required_saturation(counting(), 4, eps, bounds=TWO)
    assert found.closed_form == whole and (found.constant * 4096 / whole).denominator == 1
    boxed = saturation._box_saturation(TWO, eps)
    assert (boxed * 4096 / whole).denominator == 1 and boxed * 4096 / whole > 1
