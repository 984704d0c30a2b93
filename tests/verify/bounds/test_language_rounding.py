"""Total variation with rounding: the bound holds for what torch computes, and its assumption too."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import flint
import pytest
import torch
from torch.nn import functional

from constructions.automata.prediction import predictor
from constructions.automata.processes import ngram
from constructions.automata.wfa import WFA
from constructions.core.activations import smooth_activation
from constructions.exports.order import Order, settle
from constructions.language_model import (
    LanguageDesign,
    deterministic,
    digital_slope,
    logits_of_states,
)
from constructions.modules import to_torch
from verify.automaton.language import choose_language_model
from verify.automaton.variation import largest_variation
from verify.bounds.decoder import Setting
from verify.bounds.floating import ONCE, wide_precision
from verify.bounds.language import digital_logit_error
from verify.bounds.language_rounding import ACTIVATION, rounded_digital_error

TRIGRAM = ngram(["abba", "ab", "b", "abab"], 3)
BIGRAM = ngram(["ab", "b"], 2)
PARITY = WFA.of([1, 0], {"a": [[0, "1/2"], ["1/3", 0]], "b": [["1/2", 0], [0, "2/3"]]}, [1, 1])


def chosen(automaton, name, dtype, length=16):
    order = Order(length, format=name, head="next", dtype=dtype)
    return choose_language_model(automaton, settle(order, words=True))


def worst(decision, dtype, count=6, length=16):
    """The largest variation of the dense pass on words drawn from the source."""
    module, random = to_torch(decision.model, getattr(torch, dtype), True), Random(3)
    errors = []
    for _ in range(count):
        word = decision.source.sample(length, random)
        tokens = torch.tensor([decision.model.tokens(word)])
        logits = module(tokens)[0].detach().double()
        errors.append(largest_variation(logits, decision.source, word))
    return max(errors)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["gpt2", "transformerlens"], ids=["digital", "gated"])
@pytest.mark.parametrize(
    "automaton", [BIGRAM, TRIGRAM, PARITY], ids=["bigram", "trigram", "parity"]
)
def test_what_torch_computes_is_within_the_bound_with_rounding(automaton, name, dtype):
    decision = chosen(automaton, name, dtype)
    bound = float(decision.rounded.upper())
    assert worst(decision, dtype) <= bound < (0.5 if dtype == "float32" else 1e-4)
    assert decision.rounded >= decision.error


def test_a_model_with_another_level_is_beyond_the_bound():
    decision = chosen(PARITY, "gpt2", "float32")
    model = decision.model
    assert len(model.transformer.layers) == 4, "it counts, so that no layer can be spared"
    layer = model.transformer.layers[1]
    bias = tuple(b + 30 for b in layer.feedforward.bias)
    wrong = replace(layer, feedforward=replace(layer.feedforward, bias=bias))
    layers = (model.transformer.layers[0], wrong, *model.transformer.layers[2:])
    changed = replace(model, transformer=replace(model.transformer, layers=layers))
    assert worst(replace(decision, model=changed), "float32") > float(decision.rounded.upper())


def digital(form, saturation=24, large=1 << 14, length=16, layers=4):
    design = settle(Order(length, format="gpt2", head="next"), words=True).target.design(
        "gelu_new", True, 1
    )
    slope = digital_slope("gelu_new")
    setting = Setting(
        LanguageDesign.of(replace(design, large=large), slope=slope), Fraction(saturation)
    )
    process = deterministic(predictor(TRIGRAM))
    given = (process.moves.n, length, layers, setting, logits_of_states(process))
    return rounded_digital_error(*given, form).any, digital_logit_error(*given).any


def test_more_bits_lower_the_bound_down_to_that_of_exact_arithmetic():
    errors = [digital(wide_precision(bits))[0] for bits in (24, 53, 200)]
    exact = digital(wide_precision(200))[1]
    assert errors[0] > errors[1] > errors[2] >= exact
    assert errors[2] < exact * flint.arb("1.2")


def test_a_format_with_few_bits_a_long_word_or_a_small_constant_is_not_decided():
    assert digital(ONCE["float32"])[0].is_finite()
    for form, given in [
        (ONCE["bfloat16"], {}),
        (ONCE["float32"], {"length": 5000, "layers": 13}),
        (ONCE["float32"], {"saturation": 1}),
        (ONCE["float32"], {"large": 4}),
    ]:
        assert not digital(form, **given)[0].is_finite(), (form.name, given)


ACTIVATIONS = {
    "gelu_new": lambda x: functional.gelu(x, approximate="tanh"),
    "gelu": functional.gelu,
    "silu": functional.silu,
}


def units_off(name, sigma, dtype):
    """The largest error of an activation over u(1 + |σ|), at many points."""
    points = torch.cat([torch.linspace(-200, 200, 1601), torch.linspace(-10, 4, 2801)]).to(dtype)
    u, worst = torch.finfo(dtype).eps / 2, 0.0
    exact = smooth_activation(name)
    with flint.ctx.workprec(400):
        for x, y in zip(points.double().tolist(), sigma(points).double().tolist(), strict=True):
            true = exact.enclosure(flint.arb(x))
            worst = max(worst, float((abs(flint.arb(y) - true) / (1 + abs(true))).mid()) / u)
    return worst


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_activations_of_torch_are_within_the_units_that_are_assumed(name, dtype):
    assert units_off(name, ACTIVATIONS[name], dtype) <= ACTIVATION


def test_an_activation_that_is_off_by_more_is_noticed():
    rough = lambda x: ACTIVATIONS["gelu_new"](x).bfloat16().float()  # noqa: E731
    assert units_off("gelu_new", rough, torch.float32) > ACTIVATION
