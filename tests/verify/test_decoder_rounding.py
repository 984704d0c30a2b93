"""Rounding of the decoder: real runs stay below the bound, and no part of it can be left out."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random

import flint
import pytest
import torch

from constructions.activations import SMOOTH
from constructions.decoder import Design, Normalisation, build
from constructions.exact import ball
from constructions.families import counting, hmm
from constructions.module_decoder import DecoderModule
from verify.bounds import decoder as bounds
from verify.bounds.decoder import Setting
from verify.bounds.decoder_rounding import STEEPEST, Reading, Rounding, state_error
from verify.bounds.floating import ONCE
from verify.bounds.named import named

WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
AUTOMATA = {"hmm": WEATHER, "counting": counting(), "random": named("random:3:3"),
            "hmm:4": named("hmm:4:2")}  # fmt: skip
TYPES = {"float64": torch.float64, "float32": torch.float32}
LAYER, RMS = Normalisation.LAYER, Normalisation.RMS
CONSTANT = Fraction(64)
GATES = ("silu", "gelu", "gelu_new", "relu")
NEVER = {"bits": 400, "least": -4399, "most": 4000}
DESIGNS = {
    "silu": Design("silu"),
    "gelu": Design("gelu"),
    "gelu_new": Design("gelu_new"),
    "relu": Design("relu"),
    "gated, LayerNorm": Design("silu", None, LAYER, 1 << 10, Fraction(1, 10**5)),
    "gated, RMSNorm": Design("silu", None, RMS, 1 << 10, Fraction(1, 10**6)),
    "plain gelu": Design("gelu", 8),
    "plain gelu_new": Design("gelu_new", 8),
    "plain tanh": Design("tanh", 8),
    "plain, two levels": Design("silu", 7, levels=2),
    "plain, LayerNorm": Design("gelu_new", 8, LAYER, 1 << 10, Fraction(1, 10**5)),
}


def measured(automaton, length, design, dtype):
    module = DecoderModule(build(automaton, length, design, CONSTANT), dtype, dense=True)
    random, worst = Random(length), 0.0
    words = ["".join(random.choice(automaton.alphabet) for _ in range(length)) for _ in range(12)]
    with torch.no_grad():
        for word, found in zip(words, module.states(words), strict=True):
            for row, exact in zip(found.tolist(), automaton.states(word), strict=True):
                squares = [(Fraction(x) - y) ** 2 for x, y in zip(row, exact, strict=True)]
                worst = max(worst, float(sum(squares)) ** 0.5)
    return worst


@cache
def known(name, length):
    """What the bound uses of an automaton: the same for every design and format."""
    return bounds.known(AUTOMATA[name], length)


@pytest.mark.parametrize("name", AUTOMATA)
@pytest.mark.parametrize("form", TYPES)
@pytest.mark.parametrize("design", DESIGNS)
def test_runs_stay_below_the_bound(name, form, design):
    setting, finite = Setting(DESIGNS[design], CONSTANT), 0
    for length in (2, 7, 16):
        bound = state_error(known(name, length), setting, ONCE[form])
        if bound.is_finite():
            finite += 1
            assert measured(AUTOMATA[name], length, DESIGNS[design], TYPES[form]) <= bound
    assert finite == 3 or (form == "float32" and design not in GATES)


@pytest.mark.parametrize("design", ["silu", "plain gelu_new", "plain tanh", "plain, two levels",
                                    "gated, LayerNorm", "gated, RMSNorm"])  # fmt: skip
def test_a_bound_without_rounding_is_too_small(design):
    fine = DESIGNS[design]
    if not fine.gated:
        fine = replace(fine, fineness=14 if design != "plain tanh" else 9)
    if fine.norm is not Normalisation.NONE:
        fine = replace(fine, large=1 << 18)
    setting, known = Setting(fine, CONSTANT), bounds.known(WEATHER, 16)
    error = measured(WEATHER, 16, fine, torch.float32)
    assert error > state_error(known, setting, replace(ONCE["float32"], **NEVER))
    assert error > state_error(known, setting, ONCE["float64"])
    assert error > bounds.state_error(known, setting)


@pytest.mark.parametrize("design", DESIGNS)
def test_with_no_rounding_the_bound_is_that_of_exact_arithmetic(design):
    known, exact = bounds.known(WEATHER, 16), replace(ONCE["float64"], **NEVER)
    setting = Setting(DESIGNS[design], Fraction(20))
    share = state_error(known, setting, exact) / bounds.state_error(known, setting)
    assert share > 1 - 1e-6
    assert share < (1 + 1e-6 if DESIGNS[design].norm is Normalisation.NONE else 1.1)


def test_llamas_angles_move_scores_and_the_bound_sees_it():
    known = bounds.known(WEATHER, 64)
    setting = Setting(DESIGNS["gated, RMSNorm"], Fraction(20000), rotary=True)
    none = Reading(flint.arb(0), flint.arb(0), flint.arb(0))
    exact, short = (Rounding(known, setting, form).leak(none)
                    for form in (replace(ONCE["float32"], **NEVER), ONCE["float32"]))  # fmt: skip
    turn, worst = torch.pi / 65, 0.0
    inverse = 1 / (torch.tensor(turn ** (-4 / 2)) ** (torch.tensor([2.0]) / 4))
    for t in range(65):
        for s in (1, 2, 4, 8, 16, 32):
            j = torch.arange(t + 1)
            query = torch.tensor(20000.0) * torch.tensor([-s * turn]).cos()
            side = torch.tensor(20000.0) * torch.tensor([-s * turn]).sin()
            a, b = t * inverse, j * inverse
            x, y = query * a.cos() - side * a.sin(), side * a.cos() + query * a.sin()
            scores = x * b.cos() + y * b.sin()
            weights = scores.softmax(-1)
            worst = max(worst, 1 - float(weights[max(t - s, 0)]))
    assert worst <= short
    assert exact < short


@pytest.mark.parametrize("name", SMOOTH)
def test_no_activation_is_steeper_than_the_bound_assumes(name):
    """Enclosed on [-10, 10]; further out each of them is nearly 0, 1 or the identity."""
    with flint.ctx.workprec(64):
        for k in range(-640, 640):
            nearby = (flint.arb(k) / 64).union(flint.arb(k + 1) / 64)
            assert abs(SMOOTH[name].derivative(nearby, 1)) < ball(STEEPEST)


def test_a_length_whose_squares_are_not_told_apart_has_no_bound():
    last = (1 << 12) - 1
    for length, finite in ((last, True), (last + 1, False)):
        assert (length**2 < 1 << ONCE["float32"].bits) is finite
    known = replace(bounds.known(WEATHER, 4), length=last + 1)
    assert not state_error(known, Setting(Design(), CONSTANT), ONCE["float32"]).is_finite()


def test_in_float32_squares_of_positions_collide_beyond_that_length():
    def told_apart(length):
        t = torch.arange(length - 1, length + 1, dtype=torch.float64)
        squares = ((t / 8192) ** 2).to(torch.float32).to(torch.float64) * 8192**2
        return bool((squares == t * t).all())

    assert told_apart(4095) and not told_apart(4097)


def test_in_bfloat16_nothing_is_certified_beyond_one_letter():
    setting = Setting(Design(), Fraction(8))
    sizes = [state_error(bounds.known(WEATHER, t), setting, ONCE["bfloat16"]) for t in (1, 2)]
    assert sizes[0] < 1 and not sizes[1] < 1
    assert 15**2 < 1 << ONCE["bfloat16"].bits <= 16**2


def test_sizes_beyond_the_largest_number_have_no_bound():
    design = replace(DESIGNS["gated, RMSNorm"], large=1 << 70)
    known = bounds.known(WEATHER, 4)
    assert not state_error(known, Setting(design, CONSTANT), ONCE["float32"]).is_finite()
    assert state_error(known, Setting(design, CONSTANT), ONCE["float64"]).is_finite()
