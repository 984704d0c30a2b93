"""olmo2: `Olmo2ForCausalLM`, whose norms follow attention and MLP: the normalised stream.

Head          one, as wide as the stream. The slowest pair of its coordinates turns by ω = π/(T+1) a
              position, the query begins at -ωs, and the scores are C cos(ω(t - s - j))
Queries       and keys are normalised too: they have the same size at every position, so that a norm is
              one factor, which its weight undoes
Unlike ours   the two coordinates of the place hold 1 and 0 at every position, and RoPE turns what
              queries and keys read of them; norms see the same sum of squares, 1
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from constructions.arithmetic.floats import nearest_float
from constructions.exports.huggingface import (
    FILES,
    GENERATION,
    HuggingFace,
    common_config,
    vocabulary_size,
)
from constructions.exports.order import NEXT
from constructions.exports.stock import Shape, Weights, layer_weights, padded, readout, shape, table
from constructions.normalised import EPSILON, GAIN, NormalisedModel, sizes

if TYPE_CHECKING:
    from constructions.core.matrix import Entry
    from constructions.core.transformer import Norm
    from constructions.decoder import Design

LIMIT = (
    "`Olmo2ForCausalLM` normalises and rotates in float32, whatever the type of the weights: more than "
    "float32's accuracy cannot be had."
)


def config(simulation: NormalisedModel, dtype: str) -> dict[str, Any]:
    """The configuration of Olmo 2; the base makes the slowest pair turn by π/(T+1)."""
    size, turn = shape(simulation), pi / (simulation.length + 1)
    width = size.model
    return common_config(simulation, size, dtype) | {
        "model_type": "olmo2",
        "architectures": ["Olmo2ForCausalLM"],
        "hidden_size": width,
        "intermediate_size": size.hidden,
        "num_hidden_layers": size.layers,
        "num_attention_heads": 1,
        "num_key_value_heads": 1,
        "hidden_act": size.activation,
        "max_position_embeddings": size.context,
        "rms_norm_eps": float(simulation.design.epsilon),
        "rope_parameters": {"rope_type": "default", "rope_theta": turn ** (-width / (width - 2))},
        "attention_bias": False,
        "attention_dropout": 0.0,
    }


def token_table(simulation: NormalisedModel) -> list[list[Entry]]:
    """W_E: letters and BOS, the pad like BOS, and the unknown letter, whose matrix is 0."""
    rows, n = simulation.token_rows(), simulation.n
    return [*rows, rows[simulation.bos], simulation.token_row([[0] * n] * n)]


def state_dict(simulation: NormalisedModel) -> Weights:
    """The weights of Olmo 2 by their names."""
    size, model = shape(simulation), simulation.transformer
    d, rows = size.model, vocabulary_size(size)
    tokens = table(token_table(simulation))
    tokens[:, simulation.layout["place"][0]] = 1
    weights = {
        "model.embed_tokens.weight": padded(tokens, rows, d),
        "model.norm.weight": _gain(model.norm, d),
        "lm_head.weight": padded(readout(model)[0].T, rows, d),
    }
    for i, layer in enumerate(model.layers):
        name = f"model.layers.{i}"
        weights |= _layer(name, layer_weights(layer, size), d)
        attention, block = layer.after or (None, None)
        weights[f"{name}.post_attention_layernorm.weight"] = _gain(attention, d)
        weights[f"{name}.post_feedforward_layernorm.weight"] = _gain(block, d)
        weights |= _turning(name, simulation, i + 1, size)
    return weights


def _gain(norm: Norm | None, width: int) -> Any:
    return np.full(width, 1.0 if norm is None else nearest_float(norm.gain))


def _layer(name: str, weights: Weights, d: int) -> Weights:
    return {
        f"{name}.self_attn.v_proj.weight": padded(weights["W_V"][0].T, d, d),
        f"{name}.self_attn.o_proj.weight": padded(weights["W_O"][0].T, d, d),
        f"{name}.mlp.up_proj.weight": weights["W_in"].T,
        f"{name}.mlp.gate_proj.weight": weights["W_gate"].T,
        f"{name}.mlp.down_proj.weight": weights["W_out"].T,
    }


def _turning(name: str, simulation: NormalisedModel, layer: int, size: Shape) -> Weights:
    """Queries and keys on the slowest pair of coordinates; none in the layer without a head."""
    d, place = size.model, simulation.layout["place"][0]
    last, pair = d // 2 - 1, d - 1
    angle = -pi * 2 ** (layer - 1) / (simulation.length + 1)
    query, key = (np.zeros((d, d)) for _ in range(2))
    if layer < size.layers:
        query[last, place], query[pair, place] = GAIN * cos(angle), GAIN * sin(angle)
        key[last, place] = GAIN
    scores = float(simulation.saturation or 1) / sqrt(d)
    return {
        f"{name}.self_attn.q_proj.weight": query,
        f"{name}.self_attn.k_proj.weight": key,
        f"{name}.self_attn.q_norm.weight": np.full(d, scores),
        f"{name}.self_attn.k_norm.weight": np.ones(d),
    }


@dataclass(frozen=True)
class Olmo2(HuggingFace):
    """A folder for Olmo2ForCausalLM."""

    def decoder_sizes(self, n: int, length: int, design: Design, symbols: int) -> dict[str, int]:
        """Those of the normalised stream."""
        return sizes(n, length, symbols)

    def stored(self, sizes: dict[str, int], n: int) -> dict[str, int]:
        """The head is as wide as the stream."""
        return sizes | {"d_head": sizes["d_model"]}


FORMAT = Olmo2(
    name="olmo2",
    hub="transformers",
    files=FILES,
    extra_files=(GENERATION,),
    config=config,
    weights=state_dict,
    libraries=("torch", "transformers"),
    gates=("silu", "gelu", "gelu_new"),
    smooth=(),
    norm="rms",
    epsilon=EPSILON,
    rotary=True,
    normalised=True,
    computes_in="float32",
    trees=False,
    heads=(NEXT,),
    places=("model.embed_tokens", "model.layers.{}.self_attn", "model.layers.{}"),
    limits=(LIMIT,),
)
