"""Rounding of the decoder term by term, in a format so coarse that every term is seen.

The bounds by norms are 10² to 10⁷ times what is measured, so no measurement notices a term that is missing;
therefore the terms are written down here a second time, from the derivation in the module.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random

import flint
import numpy as np
import pytest
import torch
from balls_support import check_agreement
from grid_support import share_of_grid

from constructions.automata.families import counting, hmm
from constructions.automata.named import automaton_by_name
from constructions.blocks.smoothing import SIGNS, FourUnits
from constructions.core.activations import smooth_activation
from constructions.core.exact import ball
from constructions.decoder import Design, Normalisation, build
from constructions.modules.decoder import DecoderModule
from verify.bounds import decoder as bounds
from verify.bounds.decoder import Setting, WordBounds
from verify.bounds.decoder_rounding import DecoderRounding, NormReading, exact_error, state_error
from verify.bounds.floating import ONCE

WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
LAYER, RMS = Normalisation.LAYER, Normalisation.RMS
CONSTANT = Fraction(64)
NONE = NormReading(*[flint.arb(0)] * 4)


def gamma(count, form):
    return ball(Fraction(count, (1 << form.bits) - count))


KNOWN = WordBounds(
    2,
    5,
    tuple(map(flint.arb, (3, 4))),
    tuple(map(flint.arb, (2, 3))),
    flint.arb(7),
    flint.arb(16),
    2,
)


@pytest.mark.parametrize(("length", "finite"), [(4095, True), (4096, False)])
def test_squares_of_positions_must_be_told_apart(length, finite):
    """T² < 2^24, seen without a layer, where nothing else grows with the length."""
    none = WordBounds(1, length, (), (), flint.arb(3), flint.arb(1), 1)
    found = state_error(none, Setting(Design("silu"), CONSTANT), ONCE["float32"])
    assert found.is_finite() is finite


def test_one_letter_is_rounded_when_it_is_embedded_and_read_out():
    form, one = ONCE["float64"], WordBounds(1, 1, (), (), *map(flint.arb, (3, 5)), 1)
    with flint.ctx.workprec(bounds.BITS):
        first = 12 * form.roundoff + form.normal
        wanted = 3 * (first + gamma(7, form) * (7 + first))
        check_agreement(state_error(one, Setting(Design("silu"), CONSTANT), form), wanted)


def test_a_bound_that_is_not_finite_or_does_not_fit_is_infinite():
    far = replace(KNOWN, norms=(flint.arb(2) ** 40,), distances=(flint.arb(1),),
                  reach=flint.arb(2) ** 80)  # fmt: skip
    assert not state_error(far, Setting(Design("silu"), CONSTANT), ONCE["float32"]).is_finite()
    long = replace(KNOWN, length=1 << 12)
    assert not state_error(long, Setting(Design("silu"), CONSTANT), ONCE["float32"]).is_finite()
    assert state_error(long, Setting(Design("silu"), CONSTANT), ONCE["float64"]).is_finite()


AUTOMATA = {"hmm": WEATHER, "counting": counting(), "random": automaton_by_name("random:3:3"),
            "hmm:4": automaton_by_name("hmm:4:2")}  # fmt: skip


TYPES = {"float64": torch.float64, "float32": torch.float32}


GATES = ("silu", "gelu", "gelu_new", "relu")


NEVER = {"bits": 400, "least": -4399, "most": 4000}


CERTIFIED = {
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


def measured_error(automaton, length, design, dtype):
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
def bounds_of(name, length):
    """What the bound uses of an automaton: the same for every design and format."""
    return bounds.word_bounds(AUTOMATA[name], length)


@pytest.mark.parametrize(
    ("name", "form", "design"), share_of_grid(AUTOMATA, TYPES, CERTIFIED, one_in=5)
)
def test_runs_stay_below_the_bound(name, form, design):
    setting, finite = Setting(CERTIFIED[design], CONSTANT), 0
    for length in (2, 7, 16):
        bound = state_error(bounds_of(name, length), setting, ONCE[form])
        if bound.is_finite():
            finite += 1
            assert measured_error(AUTOMATA[name], length, CERTIFIED[design], TYPES[form]) <= bound
    assert finite == 3 or (form == "float32" and design not in GATES)


@pytest.mark.parametrize("design", ["silu", "plain gelu_new", "plain tanh", "plain, two levels",
                                    "gated, LayerNorm", "gated, RMSNorm"])  # fmt: skip
def test_a_bound_without_rounding_is_too_small(design):
    fine = CERTIFIED[design]
    if not fine.gated:
        fine = replace(fine, fineness=14 if design != "plain tanh" else 9)
    if fine.norm is not Normalisation.NONE:
        fine = replace(fine, large=1 << 18)
    setting, known = Setting(fine, CONSTANT), bounds.word_bounds(WEATHER, 16)
    error = measured_error(WEATHER, 16, fine, torch.float32)
    assert error > state_error(known, setting, replace(ONCE["float32"], **NEVER))
    assert error > state_error(known, setting, ONCE["float64"])
    assert error > exact_error(known, setting)


@pytest.mark.parametrize("design", CERTIFIED)
def test_with_no_rounding_the_bound_is_that_of_exact_arithmetic(design):
    known, exact = bounds.word_bounds(WEATHER, 16), replace(ONCE["float64"], **NEVER)
    setting = Setting(CERTIFIED[design], Fraction(20))
    with flint.ctx.workprec(bounds.BITS):
        by_norms = DecoderRounding(known, setting, exact).error_by_norms()
    share = by_norms / exact_error(known, setting)
    assert share > 1 - 1e-6
    assert share < (1 + 1e-6 if CERTIFIED[design].norm is Normalisation.NONE else 1.1)


def added_in_some_order(terms, random):
    """A sum in float32, of terms in a random order, each partial sum rounded."""
    total = np.float32(0)
    for term in random.permutation(np.asarray(terms, np.float32)):
        total = np.float32(total + term)
    return total


@pytest.mark.parametrize("name", ["gelu_new", "tanh"])
def test_units_of_a_plain_product_added_in_any_order_stay_below_their_bound(name):
    """An entry of a product of 2 × 2 matrices, its units as float32 has them: off by at most 1/n of ‖·‖."""
    random, n = np.random.default_rng(5), 2
    rounding = DecoderRounding(KNOWN, Setting(Design(name, 7), CONSTANT), ONCE["float32"])
    size, window, units = flint.arb(1), flint.arb(2), FourUnits.of(name, 7)
    bound = float(rounding.plain_errors(7, size, size, window, NONE)[0]) / n
    step, scale, worst = np.float32(2.0**-7), np.float32(float(units.scale)), 0.0
    sigma, point = smooth_activation(name).tensor, np.float32(float(units.activation.point))
    for _ in range(300):
        scratch, held = (random.uniform(-0.5, 0.5, 2).astype(np.float32) for _ in range(2))
        left, terms, exact = random.uniform(-1, 1, 2).astype(np.float32), [], 0.0
        for x, a, b in zip(left, held, scratch, strict=True):
            exact += float(x) * (float(a) - float(b))
            for one, other, sign in SIGNS:
                read = [point, one * step * x, other * step * a, -other * step * b]
                z = torch.tensor(added_in_some_order(read, random))
                terms.append(np.float32(sign * scale * sigma(torch, z).numpy()))
        worst = max(worst, abs(float(added_in_some_order(terms, random)) - exact))
    assert bound / 50 < worst <= bound


def test_llamas_angles_move_scores_and_the_bound_sees_it():
    known = bounds.word_bounds(WEATHER, 64)
    setting = Setting(CERTIFIED["gated, RMSNorm"], Fraction(20000), rotary=True)
    none = NONE
    exact, short = (DecoderRounding(known, setting, form).leak(none)
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


def test_what_a_read_loses_moves_the_scores_of_angles():
    """The constant, of query and key, is read as 1 - 1/10: a score C is C(1 - 1/10)²."""
    setting = Setting(CERTIFIED["gated, RMSNorm"], Fraction(7), rotary=True)
    exact = replace(ONCE["float64"], **NEVER)
    rounding = DecoderRounding(bounds.word_bounds(WEATHER, 4), setting, exact)
    lost = replace(NONE, lost=flint.arb("0.1"))
    assert 7 * 0.19 <= float(rounding.moved_scores(lost)) <= 7 * 0.6
    assert float(rounding.moved_scores(NONE)) < 1e-100


def test_a_length_whose_squares_are_not_told_apart_has_no_bound():
    last = (1 << 12) - 1
    for length, finite in ((last, True), (last + 1, False)):
        assert (length**2 < 1 << ONCE["float32"].bits) is finite
    known = replace(bounds.word_bounds(WEATHER, 4), length=last + 1)
    assert not state_error(known, Setting(Design(), CONSTANT), ONCE["float32"]).is_finite()


def test_in_float32_squares_of_positions_collide_beyond_that_length():
    def told_apart(length):
        t = torch.arange(length - 1, length + 1, dtype=torch.float64)
        squares = ((t / 8192) ** 2).to(torch.float32).to(torch.float64) * 8192**2
        return bool((squares == t * t).all())

    assert told_apart(4095) and not told_apart(4097)


def test_in_bfloat16_nothing_is_certified_beyond_two_letters():
    setting, form = Setting(Design(), Fraction(8)), ONCE["bfloat16"]
    sizes = [state_error(bounds.word_bounds(WEATHER, t), setting, form) for t in (1, 2, 3)]
    assert sizes[0] < 1 and sizes[1] < 1 and not sizes[2].is_finite()
    assert 15**2 < 1 << ONCE["bfloat16"].bits <= 16**2


def test_sizes_beyond_the_largest_number_have_no_bound():
    design = replace(CERTIFIED["gated, RMSNorm"], large=1 << 70)
    known = bounds.word_bounds(WEATHER, 4)
    assert not state_error(known, Setting(design, CONSTANT), ONCE["float32"]).is_finite()
    assert state_error(known, Setting(design, CONSTANT), ONCE["float64"]).is_finite()


@pytest.mark.parametrize(("length", "exact"), [(64, True), (256, False)])
def test_scores_are_exact_where_their_bits_fit(length, exact):
    """C = 284/16: 3 · 284 · 64² < 2^24 ≤ 3 · 284 · 256²."""
    setting = Setting(Design("silu"), Fraction(284, 16))
    made = DecoderRounding(replace(KNOWN, length=length), setting, ONCE["float32"], unscaled=True)
    assert made.has_exact_scores() is exact
    grown = made.leak(NONE) / bounds.leak(setting.saturation)
    assert (abs(grown - 1) < flint.arb(2) ** -40) is exact
    assert not replace(made, unscaled=False).has_exact_scores()
    assert not replace(made, setting=replace(setting, rotary=True)).has_exact_scores()
    odd = replace(setting, saturation=Fraction(71, 5))
    assert not replace(made, setting=odd).has_exact_scores()


def test_exact_scores_are_those_that_torch_computes():
    constant, module = (
        Fraction(284, 16),
        DecoderModule(
            build(counting(), 64, saturation=Fraction(284, 16)), torch.float32, dense=True
        ),
    )
    x = module.tokens[module.encode(["0" * 64])] + module.places
    for number, layer in enumerate(module.transformer.layers):
        head, back = layer.heads["back"], 1 << number
        scores = (x @ head.query) @ (x @ head.key).mT
        for t in (0, 1, 31, 63, 64):
            wanted = [constant * (2 * j * (t - back) - j * j) for j in range(65)]
            assert [Fraction(s) for s in scores[0, t].tolist()] == wanted
