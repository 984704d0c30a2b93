"""A decoder for transformers: `GPT2LMHeadModel` and `LlamaForCausalLM`, for `from_pretrained`.

GPT-2         the plain block with LayerNorm neutralised; positions are embedded
Llama         the gated block with RMSNorm neutralised; no position embedding, so the head works with
              RoPE: its slowest pair of coordinates turns by ω = π/(T+1) a position, the query
              begins at -ωs, and the scores are C cos(ω(t - s - j)), largest at t - s and, where
              t ≤ s, at BOS
Logits        the first n logits of a position are the state; further ones, if the vocabulary is
              larger, are 0
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import Any

import torch
from torch import Tensor

from constructions.decoder import DecoderSimulation
from constructions.exports.stock import Shape, layer_weights, padded, readout, shape, table
from constructions.exports.widths import PLACES, rotary_width

LOADER = '''"""Load this folder's model in transformers and run it; needs transformers and torch."""

from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

here = Path(__file__).parent
tokenizer = AutoTokenizer.from_pretrained(here)
model = AutoModelForCausalLM.from_pretrained(here, dtype=torch.{dtype}, attn_implementation="eager")
words = tokenizer(["{example}"], return_tensors="pt")
states = model(input_ids=words["input_ids"]).logits[..., :{outputs}]
print(ascii(tokenizer.convert_ids_to_tokens(words["input_ids"][0])))  # a row of the output for each
print(states[0])
'''


def _common(simulation: DecoderSimulation, size: Shape, dtype: str) -> dict[str, Any]:
    return {
        "vocab_size": max(size.vocabulary, size.outputs),
        "tie_word_embeddings": False,
        "bos_token_id": simulation.bos,
        "eos_token_id": simulation.bos,
        "dtype": dtype,
        "use_cache": False,
    }


def gpt2_config(simulation: DecoderSimulation, dtype: str) -> dict[str, Any]:
    """The configuration of GPT-2."""
    size = shape(simulation)
    return _common(simulation, size, dtype) | {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        "n_positions": size.context,
        "n_embd": size.model,
        "n_layer": size.layers,
        "n_head": 1,
        "n_inner": size.hidden,
        "activation_function": size.activation,
        "layer_norm_epsilon": float(simulation.design.epsilon),
        "resid_pdrop": 0.0,
        "embd_pdrop": 0.0,
        "attn_pdrop": 0.0,
    }


def gpt2_state_dict(simulation: DecoderSimulation) -> dict[str, Tensor]:
    """The weights of GPT-2 by their names; its one head is as wide as the stream."""
    size = shape(simulation)
    d, gain = size.model, simulation.design.large * sqrt(2 / size.model)
    rows = max(size.vocabulary, size.outputs)
    found = {
        "transformer.wte.weight": padded(table(simulation.token_rows()), rows, d),
        "transformer.wpe.weight": table(simulation.position_rows()),
        "lm_head.weight": padded(readout(simulation.transformer)[0].T, rows, d),
        **_layer_norm("transformer.ln_f", d, gain),
    }
    for i, layer in enumerate(simulation.transformer.layers):
        name = f"transformer.h.{i}"
        found |= _layer_norm(f"{name}.ln_1", d, gain) | _layer_norm(f"{name}.ln_2", d, gain)
        found |= _gpt2_layer(name, layer_weights(layer, size), size)
    return {key: value.contiguous() for key, value in found.items()}


def _layer_norm(name: str, width: int, gain: float) -> dict[str, Tensor]:
    ones = torch.ones(width, dtype=torch.float64)
    return {f"{name}.weight": gain * ones, f"{name}.bias": 0 * ones}


def _gpt2_layer(name: str, weights: dict[str, Tensor], size: Shape) -> dict[str, Tensor]:
    d, grow = size.model, sqrt(size.model / size.head)
    sides = (grow * weights["W_Q"][0], weights["W_K"][0], weights["W_V"][0])
    zeros = torch.zeros(d, dtype=torch.float64)
    bias = grow * padded(weights["b_Q"][0], d)
    return {
        f"{name}.attn.c_attn.weight": torch.cat([padded(side, d, d) for side in sides], dim=1),
        f"{name}.attn.c_attn.bias": torch.cat([bias, zeros, zeros]),
        f"{name}.attn.c_proj.weight": padded(weights["W_O"][0], d, d),
        f"{name}.attn.c_proj.bias": zeros,
        f"{name}.mlp.c_fc.weight": weights["W_in"],
        f"{name}.mlp.c_fc.bias": weights["b_in"],
        f"{name}.mlp.c_proj.weight": weights["W_out"],
        f"{name}.mlp.c_proj.bias": zeros.clone(),
    }


def llama_config(simulation: DecoderSimulation, dtype: str) -> dict[str, Any]:
    """The configuration of Llama; the base makes the slowest pair turn by π/(T+1)."""
    size, width = shape(simulation), rotary_width(simulation.automaton.n)
    turn = pi / (simulation.length + 1)
    return _common(simulation, size, dtype) | {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": size.model - PLACES,
        "intermediate_size": size.hidden,
        "num_hidden_layers": size.layers,
        "num_attention_heads": 1,
        "num_key_value_heads": 1,
        "head_dim": width,
        "hidden_act": size.activation,
        "max_position_embeddings": size.context,
        "rms_norm_eps": float(simulation.design.epsilon),
        "rope_parameters": {"rope_type": "default", "rope_theta": turn ** (-width / (width - 2))},
        "attention_bias": False,
        "attention_dropout": 0.0,
        "mlp_bias": False,
    }


def llama_state_dict(simulation: DecoderSimulation) -> dict[str, Tensor]:
    """The weights of Llama by their names: those of the stream without its places."""
    size, layout = shape(simulation), simulation.layout
    kept = [c for c in range(layout.size) if c not in layout["place"]]
    d, rows = len(kept), max(size.vocabulary, size.outputs)
    tokens = table(simulation.token_rows()) + table(simulation.position_rows())[:1]
    gain = simulation.design.large / sqrt(d) * torch.ones(d, dtype=torch.float64)
    found = {
        "model.embed_tokens.weight": padded(tokens[:, kept], rows, d),
        "model.norm.weight": gain,
        "lm_head.weight": padded(readout(simulation.transformer)[0].T[:, kept], rows, d),
    }
    for i, layer in enumerate(simulation.transformer.layers):
        name = f"model.layers.{i}"
        found |= {f"{name}.{norm}_layernorm.weight": gain.clone()
                  for norm in ("input", "post_attention")}  # fmt: skip
        found |= _llama_layer(name, layer_weights(layer, size), kept)
        found |= _turning(name, simulation, i + 1, d)
    return {key: value.contiguous() for key, value in found.items()}


def _llama_layer(name: str, weights: dict[str, Tensor], kept: list[int]) -> dict[str, Tensor]:
    wide = weights["W_V"].shape[-1]
    wide = max(4, wide + wide % 2)
    return {
        f"{name}.self_attn.v_proj.weight": padded(weights["W_V"][0].T[:, kept], wide, len(kept)),
        f"{name}.self_attn.o_proj.weight": padded(weights["W_O"][0].T[kept], len(kept), wide),
        f"{name}.mlp.up_proj.weight": weights["W_in"].T[:, kept],
        f"{name}.mlp.gate_proj.weight": weights["W_gate"].T[:, kept],
        f"{name}.mlp.down_proj.weight": weights["W_out"].T[kept],
    }


def _turning(name: str, simulation: DecoderSimulation, layer: int, d: int) -> dict[str, Tensor]:
    """Queries and keys on the slowest pair of coordinates, read from the constant."""
    width = rotary_width(simulation.automaton.n)
    last, pair = width // 2 - 1, width - 1
    one, large = d - 1, simulation.design.large
    angle = -pi * 2 ** (layer - 1) / (simulation.length + 1)
    size = float(simulation.saturation or 1) * sqrt(width) / large
    query, key = (torch.zeros((width, d), dtype=torch.float64) for _ in range(2))
    query[last, one], query[pair, one] = size * cos(angle), size * sin(angle)
    key[last, one] = 1 / large
    return {f"{name}.self_attn.q_proj.weight": query, f"{name}.self_attn.k_proj.weight": key}
