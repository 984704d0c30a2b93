"""Laws of the bound on gated one-hot language models: no run, and no choice of errors, exceeds it."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import flint
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from noisy_decoder import KINDS, NORM_KINDS, NoisyDecoder, OneSign, choices
from selected_format import UNIT as SELECTED_UNIT
from selected_format import Selected, selected
from torch.nn import functional

from constructions.automata.prediction import predictor
from constructions.automata.wfa import WFA
from constructions.blocks.digital import HALF_WIDTH
from constructions.core.activations import smooth_activation
from constructions.decoder import Design, Normalisation
from constructions.language_model import (
    LOW,
    LanguageDesign,
    build_one_hot,
    deterministic,
    digital_slope,
    logits_of_states,
    with_short_memory,
)
from constructions.modules import to_torch
from verify.bounds.decoder import Setting
from verify.bounds.floating import ONCE, wide_precision
from verify.bounds.language import OneHotReadout
from verify.bounds.one_hot import ACTIVATION, SHARE, OneHotRounding, RowErrors, one_hot_errors

BITS = 20
UNIT = 2.0**-BITS
FINE = wide_precision(BITS)
SMALLEST = Fraction(1, 10**6)


@st.composite
def processes(draw, most=3):
    """A process that is always in one of a few states; symbols may be impossible in some."""
    n = draw(st.integers(1, most))
    maps = {symbol: [[Fraction(0)] * n for _ in range(n)] for symbol in "ab"}
    ends = [Fraction(1)] * n
    for state, symbol in product(range(n), "ab"):
        share = Fraction(draw(st.sampled_from([2, 1, 5, 0])), 11)
        maps[symbol][state][draw(st.integers(0, n - 1))] = share
        ends[state] -= share
    return WFA.of([1] + [0] * (n - 1), maps, ends)


def design_of(activation, large, digital=False):
    """A gated block behind an RMSNorm, or a plain one behind a LayerNorm, with K = `large` unless 0.

    `digital`: a block with its slope; None: the same without it, as the builder takes it.
    """
    norm = Normalisation.NONE if not large else Normalisation.RMS
    norm = Normalisation.LAYER if large and digital is not False else norm
    epsilon, fineness = SMALLEST if large else Fraction(0), None if digital is False else 1
    design = Design(activation, fineness, norm, large, epsilon)
    return LanguageDesign.of(design, slope=digital_slope(activation)) if digital else design


def spread(values):
    """The largest difference of two numbers."""
    return max(values) - min(values) if values else 0.0


def found_errors(process, logits, outputs, word):
    """The largest errors of the difference of two logits, possible ones and any, over the prefixes."""
    state, possible, whole = process.moves.alpha.index(1), 0.0, 0.0
    for t, output in enumerate(outputs):
        if t:
            if not process.chances[state][word[t - 1]]:
                break
            state = process.moves.matrix(word[t - 1])[state].index(1)
        off = [float(x) - float(b) for x, b in zip(output, logits[state], strict=True)]
        near = [x for x, b in zip(off, logits[state], strict=True) if b > LOW]
        possible, whole = max(possible, spread(near)), max(whole, spread(off))
    return possible, whole


@settings(max_examples=60, deadline=None)
@given(
    automaton=processes(),
    length=st.integers(1, 5),
    activation=st.sampled_from(["silu", "relu", "gelu"]),
    large=st.sampled_from([0, 64, 4096]),
    saturation=st.sampled_from([Fraction(5, 2), Fraction(5), Fraction(20)]),
    dtype=st.sampled_from(["float32", "float64", "bfloat16", "float16"]),
    digital=st.booleans(),
)
def test_no_run_in_any_format_exceeds_the_bound(
    automaton, length, activation, large, saturation, dtype, digital
):
    digital, source = digital and activation != "relu", predictor(automaton)
    design = design_of(activation, large, None if digital else False)
    process, layers = with_short_memory(deterministic(source), length)
    logits = logits_of_states(process)
    readout = OneHotReadout.of(logits, process.moves.alpha.index(1))
    setting = Setting(design_of(activation, large, True) if digital else design, saturation)
    bound = one_hot_errors(readout, length, layers, setting, ONCE[dtype])
    exact = one_hot_errors(readout, length, layers, setting)
    assert not bool(bound.any < exact.any), "a format has no smaller error than exact arithmetic"
    model = build_one_hot(source, length, design, saturation, layers, digital, process)
    module = to_torch(model, getattr(torch, dtype), dense=True)
    words = list(product("ab", repeat=length))
    with torch.no_grad():
        outputs = module(torch.tensor([model.tokens(word) for word in words])).double().tolist()
    rows = [[float(x) for x in row] for row in logits.rows()]
    for word, each in zip(words, outputs, strict=True):
        possible, whole = found_errors(process, rows, each, word)
        assert not (possible > bound.possible or whole > bound.any)


def bounds_by_layer(n, length, layers, saturation, large, form=FINE):
    """The bounds on rows of window and scratch after each layer, in a format."""
    zero = Fraction(0)
    readout = OneHotReadout(n, *[zero] * 6)
    setting = Setting(design_of("silu", large), Fraction(saturation))
    model = OneHotRounding(readout, length, setting, form, unscaled=True)
    now, found = RowErrors(flint.arb(0), flint.arb(0)), []
    for _ in range(layers):
        now = model.step(now)
        found.append((float(now.window.upper()), float(now.scratch.upper())))
    return found


def exact_windows(automaton, word, layer):
    """A^w - I of the last 2^layer letters, for every prefix."""
    maps = {s: np.array(automaton.matrix(s), dtype=float) for s in automaton.alphabet}
    one = np.eye(automaton.n)
    windows = []
    for t in range(len(word) + 1):
        window = one
        for letter in word[max(0, t - (1 << layer)) : t]:
            window = window @ maps[letter]
        windows.append(window - one)
    return np.array(windows)


def row_sum(matrices):
    """The largest sum of the sizes of a row."""
    return float(np.abs(matrices).sum(-1).max())


@settings(max_examples=60, deadline=None)
@given(
    automaton=processes(),
    word=st.text("ab", min_size=1, max_size=8),
    saturation=st.sampled_from([3, 5, 24]),
    kinds=st.sets(st.sampled_from([*KINDS, *NORM_KINDS]), min_size=1),
    seed=st.integers(0, 20),
)
def test_no_choice_of_errors_exceeds_the_bound_of_a_layer(automaton, word, saturation, kinds, seed):
    moves, layers = deterministic(predictor(automaton)).moves, (len(word) - 1).bit_length()
    large = 1 << 30 if kinds & set(NORM_KINDS) else 0
    run = NoisyDecoder(moves, saturation, dict.fromkeys(kinds, UNIT), choices(seed))
    bounds = bounds_by_layer(moves.n, len(word), layers, saturation, large)
    for layer, (window, scratch) in enumerate(bounds, start=1):
        found, left = run.tokens(word, layer)
        assert row_sum(found - exact_windows(moves, word, layer)) <= window
        assert row_sum(left) <= scratch


SWAP = WFA.of([1, 0], {"a": [[0, "1/3"], ["1/3", 0]], "b": [["1/3", 0], ["1/3", 0]]}, ["1/3"] * 2)


FORMATS = {
    **{kind: selected([kind], SWAP, 4) for kind in KINDS[:-1]},
    "factor": Selected("", 14, -4000, 4000, False, (15,)),
    "read": Selected("", 14, -4000, 4000, False, (2,)),
}


@pytest.mark.parametrize(
    ("kind", "within"),
    {"round": 2, "exp": 4, "product": 2, "erase": 1.1, "factor": 2, "read": 2}.items(),
)
def test_errors_of_one_kind_whose_signs_work_together_come_near_its_bound(kind, within):
    """To the first order, each error by itself, absolute values added: a lost term is seen."""
    moves, units = deterministic(predictor(SWAP)).moves, {kind: SELECTED_UNIT}
    saturation, large = 3 if kind == "exp" else 24, (1 << 30) * (kind in NORM_KINDS)
    whole, rest = (
        bounds_by_layer(2, 4, 2, saturation, large, form)[-1][0]
        for form in (FORMATS[kind], selected([], SWAP, 4))
    )
    total = 0.0
    for word in ("baaa", "aaaa", "abab", "bbba"):
        calm, _ = NoisyDecoder(moves, saturation, units, counter := OneSign(-1)).tokens(word, 2)
        errors = np.zeros_like(calm)
        for number in range(counter.count):
            run = NoisyDecoder(moves, saturation, units, OneSign(number))
            errors += np.abs(run.tokens(word, 2)[0] - calm)
        total = max(total, row_sum(errors))
    assert total <= whole - rest <= within * total


def test_a_large_leak_a_coarse_format_and_a_small_k_are_not_decided():
    process = deterministic(predictor(SWAP))
    readout = OneHotReadout.of(logits_of_states(process), 0)
    assert one_hot_errors(
        readout, 4, 2, Setting(design_of("silu", 64), Fraction(24))
    ).any.is_finite()
    for saturation, large, form, digital in [
        (1, 0, ONCE["float64"], False),
        (24, 4, ONCE["float64"], False),
        (24, 0, wide_precision(4), False),
        (24, 64, ONCE["bfloat16"], True),
        (1, 64, ONCE["float64"], True),
        (24, 4, ONCE["float64"], True),
    ]:
        setting = Setting(design_of("silu", large, digital), Fraction(saturation))
        assert not one_hot_errors(readout, 4, 2, setting, form).any.is_finite()


def test_a_digital_model_with_another_level_is_beyond_the_bound():
    source, length = predictor(SWAP), 4
    process, layers = deterministic(source), 2
    design, setting = (design_of("gelu_new", 1 << 14, digital) for digital in (None, True))
    readout = OneHotReadout.of(logits_of_states(process), 0)
    bound = one_hot_errors(readout, length, layers, Setting(setting, Fraction(24)), ONCE["float32"])
    model = build_one_hot(source, length, design, Fraction(24), layers, True, process)
    first, last = model.transformer.layers
    bias = tuple(b + 30 for b in first.feedforward.bias)
    wrong = replace(first, feedforward=replace(first.feedforward, bias=bias))
    changed = replace(model, transformer=replace(model.transformer, layers=(wrong, last)))
    rows = [[float(x) for x in row] for row in logits_of_states(process).rows()]
    for own, exceeded in ((model, False), (changed, True)):
        module = to_torch(own, torch.float32, dense=True)
        outputs = module(torch.tensor([own.tokens("aaba")]))[0].tolist()
        _, whole = found_errors(process, rows, outputs, "aaba")
        assert bool(whole > bound.any) is exceeded


ACTIVATIONS = {
    "gelu_new": lambda x: functional.gelu(x, approximate="tanh"),
    "gelu": functional.gelu,
    "silu": functional.silu,
}


def units_off(name, sigma, dtype):
    """The largest error of an activation over u(1 + |σ|) far below 0, and over u|y|, at many points."""
    far = HALF_WIDTH - digital_slope(name) // 4
    near = [torch.linspace(-4, 4, 8001), torch.linspace(-1, 1, 400) ** 9]
    points = torch.cat(
        [torch.linspace(-200, 200, 1601), torch.linspace(far - 10, far, 2801), *near]
    )
    u, worst, share = torch.finfo(dtype).eps / 2, 0.0, 0.0
    points, exact = points.to(dtype), smooth_activation(name)
    with flint.ctx.workprec(400):
        for x, y in zip(points.double().tolist(), sigma(points).double().tolist(), strict=True):
            true = exact.enclosure(flint.arb(x))
            off = abs(flint.arb(y) - true)
            if x <= far:
                worst = max(worst, float((off / (1 + abs(true))).mid()) / u)
            share = max(share, float((off / abs(flint.arb(x))).mid()) / u if x else float(off))
    return worst, share


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_activations_of_torch_are_within_the_units_that_are_assumed(name, dtype):
    worst, share = units_off(name, ACTIVATIONS[name], dtype)
    assert worst <= ACTIVATION and share <= SHARE


def test_an_activation_that_is_off_by_more_is_noticed():
    rough = lambda x: ACTIVATIONS["gelu_new"](x) + 2.0**-16  # noqa: E731
    assert min(units_off("gelu_new", rough, torch.float32)) > ACTIVATION
