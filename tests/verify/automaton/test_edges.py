"""Certificates at the edges of a format: what they say is never exceeded by words chosen against them."""

from fractions import Fraction

import flint
import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from constructions import decoder
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.exports.model import Constants, ExportModel
from constructions.exports.order import Order, settle
from constructions.modules.decoder import DecoderModule
from verify.automaton.exporting import make
from verify.automaton.inputs import words
from verify.automaton.sampling import Measurement, attack
from verify.bounds import decoder as bounds
from verify.bounds.decoder_rounding import state_error
from verify.bounds.floating import FORMATS, ONCE

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


PROPERTY = settings(max_examples=60, deadline=None, derandomize=True, database=None,
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
    """Also where an export would not show the bound, as it is above the size of the states."""
    automaton, length = data.draw(automata(NAMED[name])), data.draw(lengths())
    setting = bounds.Setting(decoder.Design("silu"), Fraction(data.draw(st.integers(1, 60))))
    bound = state_error(bounds.word_bounds(automaton, length), setting, ONCE[name])
    assume(bound.is_finite())
    order = settle(Order(length, dtype=name), words=True)
    simulation = decoder.build(automaton, length, saturation=setting.saturation)
    model = ExportModel(automaton, order, Constants(setting.saturation), simulation)
    chosen = list(words(automaton, length).values())
    assert not max(Measurement(model).errors(chosen)) > bound
