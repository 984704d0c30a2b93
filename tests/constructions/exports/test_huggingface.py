"""The weights for GPT-2, Llama and Olmo 2, run by textbook definitions of these decoders."""

from fractions import Fraction
from math import pi
from random import Random

import pytest
import torch
from torch.nn import functional

from constructions import decoder, normalised
from constructions.automata.families import hmm, scalar
from constructions.automata.named import automaton_by_name
from constructions.automata.prediction import predictor
from constructions.blocks.logarithm import fit_logarithm
from constructions.decoder import Design, Normalisation
from constructions.exports import gpt2 as gpt2_format
from constructions.exports import llama as llama_format
from constructions.exports import olmo2 as olmo2_format
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


def tensors(weights):
    return {name: torch.from_numpy(weight) for name, weight in weights.items()}


def states(automaton, word):
    return torch.tensor([[float(w) for w in s] for s in automaton.states(word)]).double()


@pytest.mark.parametrize("length", [5, 8])
def test_gpt2_returns_the_states(length):
    model = decoder.build(WEATHER, length, PLAIN, 200)
    config, weights = gpt2_format.config(model, "float64"), tensors(gpt2_format.state_dict(model))
    found = gpt2(config, weights, torch.tensor(model.tokens("abbab")))
    assert (found[:, :2] - states(WEATHER, "abbab")).abs().max() < CLOSE
    assert found.shape == (6, config["vocab_size"])
    assert not found[:, 2:].abs().gt(CLOSE).any(), "logits beyond the states are 0"


@pytest.mark.parametrize(("automaton", "word"), [(WEATHER, "abbab"), (scalar("1/2"), "aaaaa")])
@pytest.mark.parametrize("length", [5, 8])
def test_llama_returns_the_states(automaton, word, length):
    model = decoder.build(automaton, length, GATED, 5000)
    config, weights = (
        llama_format.config(model, "float64"),
        tensors(llama_format.state_dict(model)),
    )
    found = llama(config, weights, torch.tensor(model.tokens(word)))
    assert (found[:, : automaton.n] - states(automaton, word)).abs().max() < CLOSE


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


def test_the_configuration_of_a_small_gpt2_is_this_one():
    model = decoder.build(WEATHER, 4, PLAIN, 40)
    assert gpt2_format.config(model, "float32") == {
        "vocab_size": 5, "tie_word_embeddings": False, "bos_token_id": 2, "pad_token_id": 3,
        "eos_token_id": None,
        "dtype": "float32", "use_cache": True, "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"], "n_positions": 5, "n_embd": 14, "n_layer": 2,
        "n_head": 1, "n_inner": 32, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5,
        "resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0,
    }  # fmt: skip


def test_the_configuration_of_a_small_llama_is_this_one():
    found = llama_format.config(decoder.build(WEATHER, 4, GATED, 40), "float64")
    assert found.pop("rope_parameters")["rope_type"] == "default"
    assert found == {
        "vocab_size": 5, "tie_word_embeddings": False, "bos_token_id": 2, "pad_token_id": 3,
        "eos_token_id": None,
        "dtype": "float64", "use_cache": True, "model_type": "llama",
        "architectures": ["LlamaForCausalLM"], "hidden_size": 9, "intermediate_size": 20,
        "num_hidden_layers": 2, "num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 4,
        "hidden_act": "silu", "max_position_embeddings": 5, "rms_norm_eps": 1e-6,
        "attention_bias": False, "attention_dropout": 0.0, "mlp_bias": False,
    }  # fmt: skip


def test_a_model_with_more_states_than_letters_has_room_for_its_states():
    three = hmm([["1/3"] * 3] * 3, [[1, 1, 1]], [1, 0, 0], "a")
    model = decoder.build(three, 2, PLAIN, 40)
    assert gpt2_format.config(model, "float64")["vocab_size"] == 4
    weights = gpt2_format.state_dict(model)
    assert weights["transformer.wte.weight"].shape[0] == weights["lm_head.weight"].shape[0] == 4


def test_a_rotary_head_is_even_at_least_four_and_holds_a_matrix():
    assert [llama_format.rotary_width(n) for n in (1, 2, 3, 4, 5)] == [4, 4, 10, 16, 26]


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
