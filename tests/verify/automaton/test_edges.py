"""Certificates at the edges of a format: what they say is never exceeded by words chosen against them."""

from fractions import Fraction

import flint
import pytest
import torch
from grid_support import quick_or_full
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from constructions import decoder, logdepth, theorem1, theorem3
from constructions.automata.trees import most_leaves
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.exports.built_model import Constants, ExportModel
from constructions.exports.order import Order, settle
from constructions.modules import recurrence
from constructions.modules.decoder import DecoderModule
from verify.automaton import rounding, rounding_trees, soft
from verify.automaton.export import make
from verify.automaton.inputs import trees, words
from verify.automaton.rounding_exact import rounded_tree_error
from verify.automaton.sampling import Measurement, attack
from verify.bounds import decoder as bounds
from verify.bounds.decoder_rounding import state_error
from verify.bounds.floating import FORMATS, ONCE
from verify.bounds.growth import products
from verify.bounds.norms import largest
from verify.bounds.scaled import scaled_products
from verify.bounds.states import state_bounds

LETTERS = {"a": [["7/8"]], "b": [["3/8"]]}
CASES = {
    "a subnormal readout": (WFA.of(["1e-42"], LETTERS, [1]), {"eps": "1e-50", "dtype": "float32"}),
    "a product of readouts that underflows": (
        WFA.of(["1e-25"], LETTERS, ["1e-25"]),
        {"eps": "1e-58", "dtype": "float32", "minimise": True},
    ),
    "a subnormal readout in float64": (WFA.of(["1e-320"], LETTERS, [1]), {"eps": "1e-330"}),
    "a readout that overflows": (
        WFA.of(["1e30"], {"a": [[10000]]}, [1]),
        {"eps": 1, "dtype": "float32"},
    ),
}


def certified(guarantee):
    """The certified error with rounding as a ball, infinite where there is none."""
    return flint.arb(guarantee.rounded or "inf")


@pytest.mark.parametrize("name", CASES)
def test_what_is_certified_with_rounding_is_not_exceeded(name):
    automaton, asked = CASES[name]
    model, guarantee = make(automaton, Order(4, **asked))
    assert not attack(model, 3).error > certified(guarantee)


def test_one_letter_has_the_size_of_its_map_in_its_certificate():
    """α = 1/3, A = 1000001/3 in float32: off by 4e-3, of which the certificate knew nothing."""
    automaton = WFA.of(["1/3"], {"a": [["1000001/3"]]}, [1])
    setting = bounds.Setting(decoder.Design("silu"), Fraction(40))
    bound = state_error(bounds.word_bounds(automaton, 1), setting, ONCE["float32"])
    module = DecoderModule(decoder.build(automaton, 1, saturation=40), torch.float32, dense=True)
    (states,) = module.states(["a"])
    error = abs(Fraction(states[1, 0].item()) - Fraction(1000001, 9))
    assert Fraction(1, 1000) < error
    assert flint.arb(float(error)) <= bound < 1


@st.composite
def weights(draw, form):
    """0, or a number of ordinary size, about the least or about the largest of a format."""
    sign, top = draw(st.sampled_from((1, 1, -1, 0))), draw(st.integers(1, 999))
    edges = (0, 0, 0, form.least, form.least // 2, form.most // 2, form.most - 2)
    place = draw(st.sampled_from(edges)) + draw(st.integers(-12, 12))
    return Fraction(sign * top, 500) * Fraction(2) ** min(place, form.most - 2)


@st.composite
def automata(draw, form):
    """One or two states and letters with such weights."""
    n, count = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    row = st.lists(weights(form), min_size=n, max_size=n)
    square = st.lists(row, min_size=n, max_size=n)
    return WFA.of(draw(row), {letter: draw(square) for letter in "ab"[:count]}, draw(row))


PROPERTY = settings(max_examples=quick_or_full(12, 60), deadline=None, derandomize=True, database=None,
                    suppress_health_check=list(HealthCheck))  # fmt: skip
NAMED = {form.name: form for form in FORMATS if form.name in ("float32", "float64")}


def lengths():
    return st.sampled_from((1, 2, 4, 7))


@pytest.mark.parametrize("name", NAMED)
@PROPERTY
@given(data=st.data())
def test_no_decoder_at_the_edge_of_a_format_exceeds_its_certificate(name, data):
    automaton, length = data.draw(automata(NAMED[name])), data.draw(lengths())
    size = max(map(abs, automaton.alpha))
    asked = {"minimise": data.draw(st.booleans()), "plain": data.draw(st.booleans())}
    try:
        order = Order(length, eps=size / 1000 or Fraction(1), dtype=name, **asked)
        model, guarantee = make(automaton, order)
    except (InputError, OverflowError):
        assume(False)
    if guarantee.rounded is not None:
        assert not attack(model, 2).error > certified(guarantee)


@pytest.mark.parametrize("name", NAMED)
@PROPERTY
@given(data=st.data())
def test_no_decoder_of_any_length_exceeds_the_bound_that_it_has(name, data):
    """Also where an export would not show the bound, as it is above the size of the states.

    By its units and, as the fused pass has it, by products of matrices.
    """
    automaton, length = data.draw(automata(NAMED[name])), data.draw(lengths())
    setting = bounds.Setting(decoder.Design("silu"), Fraction(data.draw(st.integers(1, 60))))
    bound = state_error(bounds.word_bounds(automaton, length), setting, ONCE[name])
    assume(bound.is_finite())
    order = settle(Order(length, dtype=name), words=True)
    simulation = decoder.build(automaton, length, saturation=setting.saturation)
    model = ExportModel(automaton, order, Constants(setting.saturation), simulation)
    chosen = list(words(automaton, length).values())
    for dense in (False, True):
        assert not max(Measurement(model, dense).errors(chosen)) > bound


def exact_model(automaton, length, name):
    """Theorem 1's model as an export has it."""
    order = settle(Order(length, "exact", dtype=name), words=True)
    return ExportModel(automaton, order, Constants(), theorem1.build(automaton, length))


@pytest.mark.parametrize("name", NAMED)
@PROPERTY
@given(data=st.data())
def test_no_exact_model_at_the_edge_of_a_format_exceeds_its_bound(name, data):
    """Its scores computed, its states multiplied by products (`fused`), or letter by letter."""
    form, length = NAMED[name], data.draw(lengths())
    automaton = data.draw(automata(form))
    found = products(automaton, theorem1.span(length))
    scaled = scaled_products(automaton, length)
    bound = rounding.state_error(form, automaton, length, found, scaled)
    assume(bound.is_finite() and rounding.attention_is_right(form, length))
    model, chosen = exact_model(automaton, length, name), list(words(automaton, length).values())
    assert not max(Measurement(model, dense=True).errors(chosen)) > bound
    for formats in ((), recurrence.FORMATS):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(recurrence, "FORMATS", formats)
            assert not max(Measurement(model, dense=False).errors(chosen)) > bound


@st.composite
def tree_automata(draw, form):
    """One or two states, two leaves, with weights at the edges of a format."""
    n = draw(st.integers(1, 2))
    row = st.lists(weights(form), min_size=n, max_size=n)
    tensor = [[draw(row) for _ in range(n)] for _ in range(n)]
    return WTA.of(draw(row), tensor, {letter: draw(row) for letter in "ab"})


@pytest.mark.parametrize("construction", ["tree", "logdepth"])
@pytest.mark.parametrize("name", NAMED)
@settings(PROPERTY, max_examples=quick_or_full(6, 20))
@given(data=st.data())
def test_no_tree_model_at_the_edge_of_a_format_exceeds_its_bound(construction, name, data):
    form, length = NAMED[name], data.draw(st.sampled_from((1, 4, 7)))
    automaton = data.draw(tree_automata(form))
    subject = soft.subjects(automaton, length)[construction]
    states = state_bounds(automaton, most_leaves(length))
    bound = rounded_tree_error(construction, form, states, subject)
    assume(bound is not None and bound.is_finite())
    order = settle(Order(length, construction, dtype=name), words=False)
    build = {"tree": theorem3.build, "logdepth": logdepth.build}[construction]
    model = ExportModel(automaton, order, Constants(), build(automaton, length))
    chosen = list(trees(automaton, length).values())
    for dense in (False, True):
        assert not largest(Measurement(model, dense).errors(chosen)) > bound


def test_a_weight_of_a_tree_that_underflows_is_in_the_bound():
    """T = 1e-46 is lost in float32, and multiplies a product of 1e36."""
    automaton = WTA.of([1], [[["1e-46"]]], {"a": ["1e18"]})
    subject = soft.subjects(automaton, 4)["logdepth"]
    assert rounding_trees.state_error(NAMED["float32"], subject) >= flint.arb("1e-10")


def test_outputs_that_are_all_0_need_no_step():
    _, guarantee = make(WFA.of([0], {"a": [[2]]}, [1]), Order(64, plain=True))
    assert guarantee.error == "0"
