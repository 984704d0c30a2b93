"""The bound by entries: above every run, with every kind of error in it, and near what errors can do."""

from dataclasses import replace
from fractions import Fraction

import flint
import numpy as np
import pytest
import torch
from grid_support import share_of_grid
from hypothesis import given, settings
from hypothesis import strategies as st
from noisy_decoder import KINDS, aligned_error, worst_error
from selected_format import AUTOMATA, DYADIC, SIGNED, UNIT, WEATHER, selected

from constructions import decoder as construction
from constructions.arithmetic import Balls
from constructions.automata.balancing import scaled_reduction
from constructions.automata.families import counting
from constructions.automata.named import automaton_by_name
from constructions.automata.reduction import Reduction
from constructions.automata.strategies import automata
from constructions.automata.wfa import WFA
from constructions.core.exact import ball
from constructions.core.matrix import Matrix
from constructions.decoder import Design
from constructions.exports.built_model import Constants, ExportModel
from constructions.exports.order import Order, settle
from verify.automaton.inputs import words
from verify.automaton.sampling import Measurement
from verify.bounds.decoder import Setting, word_bounds
from verify.bounds.decoder_entries import EntryRounding, entry_error
from verify.bounds.decoder_rounding import DecoderRounding, state_error
from verify.bounds.decoder_scores import MovedSetting
from verify.bounds.floating import EXACT, ONCE, Precision


def certified(automaton, length, saturation, form):
    """The bound by entries, whose scores are exact."""
    setting = MovedSetting(Design("silu"), Fraction(saturation))
    with flint.ctx.workprec(128):
        return entry_error(word_bounds(automaton, length), setting, form).state


WITHIN = {"round": 1.5, "exp": 25, "product": 1.01, "erase": 2.1, "readout": 1.01}


@pytest.mark.parametrize("name", AUTOMATA)
@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_one_kind_whose_signs_work_together_just_stay_below_its_bound(kind, name):
    """A term that is missing would be seen here, where no other kind covers it."""
    automaton, saturation = AUTOMATA[name], 3 if kind == "exp" else 24
    forms = (selected(own, automaton, 4) for own in ((kind,), ()))
    whole, softmax = (certified(automaton, 4, saturation, form) for form in forms)
    chosen = ("aaaa", "abab") if kind == "exp" else ("aaaa", "bbbb")
    units = {kind: UNIT}
    error = max(aligned_error(automaton, word, saturation, units) for word in chosen)
    assert error <= whole - softmax <= error * WITHIN[kind]


@pytest.mark.parametrize(("saturation", "within"), [(24, 1.001), (3, 1.5)])
def test_two_letters_of_one_state_attain_the_bound_of_single_roundings(saturation, within):
    """Where little is lost to sums of norms and to other words, no rounding can be left out."""
    doubling = WFA.of([1], {"b": [[2]]}, [1])
    forms = (selected(own, doubling, 2) for own in (("round",), ()))
    whole, softmax = (certified(doubling, 2, saturation, form) for form in forms)
    error = aligned_error(doubling, "bb", saturation, {"round": UNIT})
    assert error <= whole - softmax <= error * within


@pytest.mark.parametrize("name", AUTOMATA)
def test_errors_of_all_kinds_stay_below_the_bound(name):
    automaton, form = AUTOMATA[name], selected(KINDS, AUTOMATA[name], 7)
    bound = certified(automaton, 7, 24, form)
    assert worst_error(automaton, 7, 24, dict.fromkeys(KINDS, UNIT)) <= bound


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "exp"])
def test_errors_that_the_bound_does_not_know_exceed_it(kind):
    bound = certified(DYADIC, 7, 24, selected((), DYADIC, 7))
    assert worst_error(DYADIC, 7, 24, {kind: UNIT}) > bound


def softmax_error(automaton, length, saturation):
    """The largest error of a state over all words, enclosed."""
    top = flint.arb(0)
    model = construction.build(automaton, length, Design("relu"), saturation)
    with Balls(192) as balls:
        for word in automaton.words(length):
            for state, exact in zip(model.states(word, balls), automaton.states(word), strict=True):
                apart = [x - ball(y) for x, y in zip(state, exact, strict=True)]
                top = top.max(sum((x * x for x in apart), flint.arb(0)).nonnegative_part().sqrt())
    return top


@settings(max_examples=20, deadline=None)
@given(automata(states=2, symbols=2), st.integers(1, 5), st.integers(35, 100))
def test_no_word_exceeds_the_bound_on_what_softmax_leaks(automaton, length, sixteenths):
    setting = MovedSetting(Design("relu"), Fraction(sixteenths, 16))
    bound = entry_error(word_bounds(automaton, length), setting, EXACT).state
    assert not softmax_error(automaton, length, setting.saturation) > bound


@pytest.mark.parametrize(
    ("others", "length", "within"), [("b", 2, 1.02), ("b", 4, 2.1), ("", 2, 2.1)]
)
def test_a_half_beside_ones_or_the_beginning_comes_near_the_bound_on_leaks(others, length, within):
    """Beside ones, what is brought has the same distance from both of its neighbours."""
    automaton = WFA.of([1], {"a": [["1/2"]]} | {letter: [[1]] for letter in others}, [1])
    setting = MovedSetting(Design("relu"), Fraction(5))
    bound = entry_error(word_bounds(automaton, length), setting, EXACT).state
    error = softmax_error(automaton, length, setting.saturation)
    assert error <= bound <= error * within


def test_a_run_by_hand_without_errors_has_the_error_of_softmax_alone():
    error = worst_error(DYADIC, 7, 3, {})
    bound = certified(DYADIC, 7, 3, selected((), DYADIC, 7))
    assert bound / 40 < error <= bound


def model_of(automaton, length, saturation, gate, dtype):
    order = settle(Order(length, dtype=dtype), words=True)
    simulation = construction.build(automaton, length, Design(gate), saturation)
    return ExportModel(automaton, order, Constants(saturation), simulation)


@pytest.mark.parametrize(("name", "length", "gate"), share_of_grid(
    ["weather", "signed", "counting", "random"], [1, 2, 7, 16, 33],
    ["silu", "relu", "gelu", "gelu_new"], one_in=7,
))  # fmt: skip
def test_runs_stay_below_the_bound(name, length, gate):
    automaton = {"weather": WEATHER, "signed": SIGNED, "counting": counting(),
                 "random": automaton_by_name("random:3:3")}[name]  # fmt: skip
    for saturation in (Fraction(7), Fraction(35, 2)):
        setting = Setting(Design(gate), saturation)
        with flint.ctx.workprec(256):
            made = DecoderRounding(word_bounds(automaton, length), setting, ONCE["float32"])
            bound = made.error_by_entries()
        assert bound.is_finite()
        model = model_of(automaton, length, saturation, gate, "float32")
        chosen = list(words(automaton, length).values())
        for dense in (False, True):
            assert max(Measurement(model, dense).errors(chosen)) <= bound


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_the_two_units_of_a_product_with_silu_are_off_by_eight_units_together(dtype):
    """As the derivation has it; exp is within two units here, so that four are enough."""
    y = torch.linspace(-30, 30, 40_001, dtype=torch.float64).to(dtype)
    silu, exact = torch.nn.functional.silu, y.to(torch.float64)
    off = sum((silu(s * y).to(torch.float64) - silu(s * exact)).abs() for s in (1, -1))
    unit = torch.finfo(dtype).eps / 2
    assert bool((off <= 8 * unit * exact.abs() + torch.finfo(dtype).tiny).all())


def test_silu_at_one_is_within_six_units():
    exact = 1 / (1 + np.exp(np.longdouble(-1)))
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        value = torch.nn.functional.silu(torch.ones((), dtype=dtype)).item()
        assert abs(value / exact - 1) <= 6 * torch.finfo(dtype).eps / 2


def test_numbers_of_the_format_are_embedded_exactly():
    form = ONCE["float32"]
    made = EntryRounding(word_bounds(DYADIC, 2), Reduction(DYADIC, Matrix.identity(2)),
                         MovedSetting(Design(), Fraction(20)), form)  # fmt: skip
    assert all(x == 0 for each in made.letters() for x in each.error.entries())
    third = WFA.of([1], {"a": [["1/3"]]}, [1])
    own = replace(made, reduction=Reduction(third, Matrix.identity(1)))
    assert made.stored_entry(Fraction(1, 3)) >= form.roundoff / 4
    assert own.stored_entry(Fraction(1, 3)) == made.stored_entry(Fraction(1, 3))


def test_scaled_coordinates_have_the_same_bound():
    """Entries off by a share of themselves are so in every coordinate; no class is merged at this length."""
    whole = Reduction(DYADIC, Matrix.identity(2))
    scaled = scaled_reduction(whole, [0, -9])
    setting = MovedSetting(Design("silu"), Fraction(200))
    form = Precision("", 24, -4000, 4000, False)
    errors = [entry_error(word_bounds(own.automaton, 4, own.outputs), setting, form).state
              for own in (whole, scaled)]  # fmt: skip
    assert abs(errors[0] / errors[1] - 1) < 1e-9


def test_the_bound_is_the_lesser_of_two():
    facts, setting = word_bounds(WEATHER, 16), Setting(Design("silu"), Fraction(17))
    form = ONCE["float32"]
    both, norms = (
        state_error(own, setting, form) for own in (facts, replace(facts, reduction=None))
    )
    assert both < norms / 5
    facts = word_bounds(automaton_by_name("random:3:3"), 64)
    setting = Setting(Design("silu"), Fraction(46))
    with flint.ctx.workprec(256):
        made = DecoderRounding(facts, setting, form)
        by_norms, by_entries = made.error_by_norms(), made.error_by_entries()
    assert by_norms < by_entries and state_error(facts, setting, form) <= by_norms


@pytest.mark.parametrize("initial", [0, 1])
def test_windows_that_overflow_have_no_bound(initial):
    """Also where no state reads them: 0 times infinity is no number."""
    large = WFA.of([initial], {"a": [[10**30]]}, [1])
    setting = Setting(Design(), Fraction(20))
    assert not state_error(word_bounds(large, 4), setting, ONCE["float32"]).is_finite()
