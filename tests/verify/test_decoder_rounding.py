"""Rounding of the gated decoder: real runs stay below the bound, and it cannot be left out."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
import torch

from constructions.decoder import Design, build
from constructions.families import counting, hmm
from constructions.module_decoder import DecoderModule
from verify.bounds import decoder as bounds
from verify.bounds.decoder_rounding import FORMATS, state_error
from verify.bounds.named import named

WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
AUTOMATA = {"hmm": WEATHER, "counting": counting(), "random": named("random:3:3"),
            "hmm:4": named("hmm:4:2")}  # fmt: skip
TYPES = {"float64": torch.float64, "float32": torch.float32}
CONSTANT = Fraction(64)


def measured(automaton, length, activation, dtype):
    module = DecoderModule(build(automaton, length, Design(activation), CONSTANT), dtype)
    random, worst = Random(length), 0.0
    words = ["".join(random.choice(automaton.alphabet) for _ in range(length)) for _ in range(12)]
    with torch.no_grad():
        for word, found in zip(words, module.states(words), strict=True):
            for row, exact in zip(found.tolist(), automaton.states(word), strict=True):
                squares = [(Fraction(x) - y) ** 2 for x, y in zip(row, exact, strict=True)]
                worst = max(worst, float(sum(squares)) ** 0.5)
    return worst


@pytest.mark.parametrize("name", AUTOMATA)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("activation", ["silu", "gelu", "relu"])
def test_runs_stay_below_the_bound(name, form, activation):
    for length in (2, 7, 16):
        bound = state_error(bounds.known(AUTOMATA[name], length), CONSTANT, FORMATS[form])
        assert bound.is_finite()
        assert measured(AUTOMATA[name], length, activation, TYPES[form]) <= bound


def test_a_bound_without_rounding_is_too_small():
    known = bounds.known(WEATHER, 16)
    exact = replace(FORMATS["float32"], bits=400, least=-4000)
    error = measured(WEATHER, 16, "silu", torch.float32)
    assert error > state_error(known, CONSTANT, exact)
    assert error > state_error(known, CONSTANT, FORMATS["float64"])


def test_with_no_rounding_the_bound_is_that_of_the_leak():
    known, exact = bounds.known(WEATHER, 16), replace(FORMATS["float64"], bits=400, least=-4000)
    setting = bounds.Setting(Design(), Fraction(20))
    leaked = bounds.state_error(known, setting)
    assert abs(state_error(known, Fraction(20), exact) / leaked - 1) < 1e-6


def test_a_length_whose_squares_are_not_told_apart_has_no_bound():
    known = replace(bounds.known(WEATHER, 4), length=1 << 12)
    assert not state_error(known, CONSTANT, FORMATS["float32"]).is_finite()
