"""The weights for GPT-2, Llama and Olmo 2, run by textbook definitions of these decoders."""

from fractions import Fraction
from math import pi
from random import Random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from constructions import decoder, normalised
from constructions.automata.families import hmm, scalar
from constructions.automata.named import automaton_by_name
from constructions.automata.prediction import predictor
from constructions.automata.strategies import probabilistic_automata, words
from constructions.blocks.logarithm import fit_logarithm
from constructions.decoder import Design, Normalisation
from constructions.exports import gpt2 as gpt2_format
from constructions.exports import llama as llama_format
from constructions.exports import olmo2 as olmo2_format
from constructions.exports import stock
from constructions.exports.textbook import decode
from constructions.modules.decoder import DecoderModule

WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
LARGE = 1 << 20
# A norm is neutral up to |x|²/K² = 2^-40, and rounding of K is 2^-33; the scores decide by e^-100.
CLOSE = 1e-6
PLAIN = Design("gelu_new", 16, Normalisation.LAYER, LARGE, Fraction(1, 10**5))
GATED = Design("silu", None, Normalisation.RMS, LARGE, Fraction(1, 10**6))


def attended(q, k, v):
    future = torch.ones(len(q), len(q), dtype=torch.bool).triu(1)
    return (q @ k.T / q.shape[-1] ** 0.5).masked_fill(future, -torch.inf).softmax(-1) @ v


def gpt2(config, weights, tokens):
    """GPT-2: norms before the blocks, one matrix for queries, keys and values, biases everywhere."""

    def norm(x, name):
        scale, shift = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return functional.layer_norm(x, (len(scale),), scale, shift, config["layer_norm_epsilon"])

    def linear(x, name):
        return x @ weights[f"{name}.weight"] + weights[f"{name}.bias"]

    x = weights["transformer.wte.weight"][tokens] + weights["transformer.wpe.weight"][: len(tokens)]
    for i in range(config["n_layer"]):
        name = f"transformer.h.{i}"
        parts = linear(norm(x, f"{name}.ln_1"), f"{name}.attn.c_attn").chunk(3, dim=-1)
        x = x + linear(attended(*parts), f"{name}.attn.c_proj")
        hidden = linear(norm(x, f"{name}.ln_2"), f"{name}.mlp.c_fc")
        x = x + linear(functional.gelu(hidden, approximate="tanh"), f"{name}.mlp.c_proj")
    return norm(x, "transformer.ln_f") @ weights["lm_head.weight"].T


def turned(x, base):
    """RoPE: the pair (i, i + half) of position j turns by j · base^(-2i/width)."""
    width = x.shape[-1]
    speeds = base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.arange(len(x), dtype=torch.float64)[:, None] * torch.cat([speeds, speeds])
    first, second = x.chunk(2, dim=-1)
    return x * angles.cos() + torch.cat([-second, first], dim=-1) * angles.sin()


def llama(config, weights, tokens):
    """Llama: RMSNorm before the blocks, rotary positions, a gated block, no bias."""

    def norm(x, name):
        size = (x.square().mean(-1, keepdim=True) + config["rms_norm_eps"]).sqrt()
        return x / size * weights[f"{name}.weight"]

    base = config["rope_parameters"]["rope_theta"]
    x = weights["model.embed_tokens.weight"][tokens]
    for i in range(config["num_hidden_layers"]):
        name = f"model.layers.{i}"
        y = norm(x, f"{name}.input_layernorm")
        q, k, v = (y @ weights[f"{name}.self_attn.{side}_proj.weight"].T for side in "qkv")
        mixed = attended(turned(q, base), turned(k, base), v)
        x = x + mixed @ weights[f"{name}.self_attn.o_proj.weight"].T
        y = norm(x, f"{name}.post_attention_layernorm")
        gate, up, down = (
            weights[f"{name}.mlp.{part}_proj.weight"] for part in ("gate", "up", "down")
        )
        x = x + (functional.silu(y @ gate.T) * (y @ up.T)) @ down.T
    return norm(x, "model.norm") @ weights["lm_head.weight"].T


def decode_stock(model, weights, tokens):
    """The weights under TransformerLens' names, by the lines that a folder's script repeats."""
    size = stock.shape(model)
    note = {"activation": size.activation, "sizes": {"layers": size.layers}}
    note["feedforward"] = "gated" if size.gated else "mlp"
    return decode(weights, note, tokens[None])[0]


def tensors(weights):
    return {name: torch.from_numpy(weight) for name, weight in weights.items()}


def states(automaton, word):
    return torch.tensor([[float(w) for w in s] for s in automaton.states(word)]).double()


FORMS = {
    "gpt2": (PLAIN, 200, gpt2_format, gpt2),
    "llama": (GATED, 5000, llama_format, llama),
    "stock, gated": (Design("silu"), 50, stock, decode_stock),
    "stock, plain": (Design("gelu", 16), 50, stock, decode_stock),
}


def outputs(name, automaton, length, word, changed=None, saturation=None):
    """The logits of a word by the textbook definition of a class, and by the built model."""
    design, large, form, run = FORMS[name]
    model = decoder.build(automaton, length, design, saturation or large)
    weights = tensors(form.state_dict(model))
    if changed is not None:
        weights[changed] *= 2
    config = model if form is stock else form.config(model, "float64")
    tokens = torch.tensor(model.tokens(word))
    return run(config, weights, tokens), DecoderModule(model, dense=True)(tokens[None])[0]


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=10, deadline=None)
@given(automaton=probabilistic_automata(), length=st.integers(2, 8), data=st.data())
def test_the_weights_give_the_states_in_their_class_and_0_beyond(name, automaton, length, data):
    word = data.draw(words(automaton, longest=length))
    found, _ = outputs(name, automaton, length, word)
    assert (found[:, : automaton.n] - states(automaton, word)).abs().max() < CLOSE
    assert not found[:, automaton.n :].abs().gt(CLOSE).any()


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("gpt2", "transformer.h.1.attn.c_attn.weight"),
        ("gpt2", "transformer.h.0.mlp.c_proj.weight"),
        ("llama", "model.layers.0.mlp.gate_proj.weight"),
        ("llama", "model.layers.1.self_attn.o_proj.weight"),
        ("stock, gated", "blocks.0.attn.W_V"),
        ("stock, plain", "blocks.1.mlp.W_in"),
    ],
)
def test_a_weight_that_is_scaled_twice_is_noticed(name, changed):
    found, _ = outputs(name, WEATHER, 8, "abbab", changed)
    assert (found[:, :2] - states(WEATHER, "abbab")).abs().max() > 1000 * CLOSE


@pytest.mark.parametrize("name", [name for name in FORMS if name != "llama"])
@pytest.mark.parametrize("saturation", [1, 3])
def test_scores_are_those_of_the_built_model_where_many_tokens_share_the_attention(
    name, saturation
):
    """Libraries divide by the root of a head's width, so queries are multiplied by it, once."""
    found, exact = outputs(name, WEATHER, 8, "abbab", saturation=saturation)
    assert (found[:, :2] - exact).abs().max() < CLOSE
    assert (exact - states(WEATHER, "abbab")).abs().max() > 1000 * CLOSE


def test_the_slowest_pair_of_llama_turns_by_pi_over_t_plus_one():
    for automaton, width in ((scalar("1/2"), 4), (WEATHER, 4)):
        config = llama_format.config(decoder.build(automaton, 8, GATED, 40), "float64")
        base = config["rope_parameters"]["rope_theta"]
        assert config["head_dim"] == width
        assert base ** (-(width - 2) / width) == pytest.approx(pi / 9, rel=2**-48)


def test_without_a_saturation_llama_has_queries_of_size_one():
    hard = llama_format.state_dict(decoder.build(WEATHER, 4, GATED))
    soft = llama_format.state_dict(decoder.build(WEATHER, 4, GATED, 1))
    name = "model.layers.0.self_attn.q_proj.weight"
    assert (hard[name] == soft[name]).all()


def test_a_model_with_more_states_than_letters_has_room_for_its_states():
    three = hmm([["1/3"] * 3] * 3, [[1, 1, 1]], [1, 0, 0], "a")
    model = decoder.build(three, 2, PLAIN, 40)
    assert gpt2_format.config(model, "float64")["vocab_size"] == 4
    weights = gpt2_format.state_dict(model)
    assert weights["transformer.wte.weight"].shape[0] == weights["lm_head.weight"].shape[0] == 4


def olmo2(config, weights, tokens):
    """Olmo 2: RMSNorm behind the blocks and of queries and keys, rotary positions, a gated block."""

    def norm(x, name):
        size = (x.square().mean(-1, keepdim=True) + config["rms_norm_eps"]).sqrt()
        return x / size * weights[f"{name}.weight"]

    base = config["rope_parameters"]["rope_theta"]
    x = weights["model.embed_tokens.weight"][tokens]
    for i in range(config["num_hidden_layers"]):
        name = f"model.layers.{i}"
        q, k, v = (x @ weights[f"{name}.self_attn.{side}_proj.weight"].T for side in "qkv")
        q, k = norm(q, f"{name}.self_attn.q_norm"), norm(k, f"{name}.self_attn.k_norm")
        mixed = attended(turned(q, base), turned(k, base), v)
        x = x + norm(
            mixed @ weights[f"{name}.self_attn.o_proj.weight"].T, f"{name}.post_attention_layernorm"
        )
        gate, up, down = (
            weights[f"{name}.mlp.{part}_proj.weight"] for part in ("gate", "up", "down")
        )
        block = (functional.silu(x @ gate.T) * (x @ up.T)) @ down.T
        x = x + norm(block, f"{name}.post_feedforward_layernorm")
    return norm(x, "model.norm") @ weights["lm_head.weight"].T


@pytest.mark.parametrize("name", ["hmm:3:5", "pfa:2:1", "even"])
def test_olmo2_returns_the_logits_of_the_built_model(name):
    source = predictor(automaton_by_name(name))
    log = fit_logarithm("silu", Fraction(1, 10**3), Fraction(1, 10**4))
    model = normalised.build(source, 6, 2000, log)
    config, weights = olmo2_format.config(model, "float64"), tensors(olmo2_format.state_dict(model))
    tokens = torch.tensor(model.tokens(source.sample(6, Random(1))))
    exact = DecoderModule(model, dense=True)(tokens[None])[0]
    found = olmo2(config, weights, tokens)
    assert found.shape == (7, config["vocab_size"]) == exact.shape
    assert (found - exact).abs().max() < 1e-9
    weights["model.layers.1.self_attn.q_proj.weight"] *= -1
    assert (olmo2(config, weights, tokens) - exact).abs().max() > 1e-3, "a head that looks away"


def test_pads_of_olmo2_are_the_identity_and_an_unknown_letter_is_nothing():
    source = predictor(automaton_by_name("hmm:3:5"))
    log = fit_logarithm("silu", Fraction(1, 10**3), Fraction(1, 10**4))
    rows = olmo2_format.token_table(model := normalised.build(source, 6, 2000, log))
    window = model.layout["window0"]
    assert rows[model.bos] == rows[model.bos + 1]
    assert not any(rows[model.bos + 2][c] for c in window) and rows[model.bos + 2][0] == 1
