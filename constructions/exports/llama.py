"""llama: `LlamaForCausalLM`, the gated block with RMSNorm neutralised, positions as angles of RoPE.

Head          no position embedding: the slowest pair of coordinates turns by ω = π/(T+1) a position,
              the query begins at -ωs, and the scores are C cos(ω(t - s - j)), largest at t - s and,
              where t ≤ s, at BOS
One pair      a position before s reads BOS, so the scores must fall with the distance over all s positions:
              one pair does that, all pairs at one amplitude, as in n-grams, do not. C is twice the least, as
              float32 moves scores by a share of C; docs/model.md has the numbers beside all pairs
Unlike ours   no place coordinates, and a head of even width, at least 4: two pairs, so that the
              slowest can turn by π/(T+1)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np

from constructions.blocks.gated import GATES
from constructions.decoder import DecoderSimulation
from constructions.exports.huggingface import (
    FILES,
    GENERATION,
    HuggingFace,
    common_config,
    token_table,
    vocabulary_size,
)
from constructions.exports.stock import Weights, layer_weights, padded, readout, shape, table

PLACES = 2
LIMIT = (
    "`LlamaForCausalLM` has no position embedding: positions are angles of RoPE, so C grows like T² as "
    "in the paper, and it normalises and rotates in float32, whatever the type of the weights: "
    "the certified error with rounding counts float32."
)


def rotary_width(n: int) -> int:
    """The width of the head: even, at least 4, n² or more."""
    return max(4, n * n + n * n % 2)


def config(simulation: DecoderSimulation, dtype: str) -> dict[str, Any]:
    """The configuration of Llama; the base makes the slowest pair turn by π/(T+1)."""
    size, width = shape(simulation), rotary_width(simulation.automaton.n)
    turn = pi / (simulation.length + 1)
    return common_config(simulation, size, dtype) | {
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


def state_dict(simulation: DecoderSimulation) -> Weights:
    """The weights of Llama by their names: those of the stream without its places."""
    size, layout = shape(simulation), simulation.layout
    width = rotary_width(simulation.automaton.n)
    columns = [c for c in range(layout.size) if c not in layout["place"]]
    d, rows = len(columns), vocabulary_size(size)
    tokens = table(token_table(simulation)) + table(simulation.position_rows())[:1]
    gain = simulation.design.large / sqrt(d) * np.ones(d)
    weights = {
        "model.embed_tokens.weight": padded(tokens[:, columns], rows, d),
        "model.norm.weight": gain,
        "lm_head.weight": padded(readout(simulation.transformer)[0].T[:, columns], rows, d),
    }
    for i, layer in enumerate(simulation.transformer.layers):
        name = f"model.layers.{i}"
        weights |= {f"{name}.{norm}_layernorm.weight": gain
                  for norm in ("input", "post_attention")}  # fmt: skip
        weights |= _layer(name, layer_weights(layer, size), columns, width)
        weights |= _turning(name, simulation, i + 1, d)
    return weights


def _layer(name: str, weights: Weights, columns: list[int], wide: int) -> Weights:
    return {
        f"{name}.self_attn.v_proj.weight": padded(
            weights["W_V"][0].T[:, columns], wide, len(columns)
        ),
        f"{name}.self_attn.o_proj.weight": padded(weights["W_O"][0].T[columns], len(columns), wide),
        f"{name}.mlp.up_proj.weight": weights["W_in"].T[:, columns],
        f"{name}.mlp.gate_proj.weight": weights["W_gate"].T[:, columns],
        f"{name}.mlp.down_proj.weight": weights["W_out"].T[columns],
    }


def _turning(name: str, simulation: DecoderSimulation, layer: int, d: int) -> Weights:
    """Queries and keys on the slowest pair of coordinates, read from the constant."""
    width = rotary_width(simulation.automaton.n)
    last, pair = width // 2 - 1, width - 1
    one, large = d - 1, simulation.design.large
    angle = -pi * 2 ** (layer - 1) / (simulation.length + 1)
    size = float(simulation.saturation or 1) * sqrt(width) / large
    query, key = (np.zeros((width, d)) for _ in range(2))
    query[last, one], query[pair, one] = size * cos(angle), size * sin(angle)
    key[last, one] = 1 / large
    return {f"{name}.self_attn.q_proj.weight": query, f"{name}.self_attn.k_proj.weight": key}


@dataclass(frozen=True)
class Llama(HuggingFace):
    """A folder for LlamaForCausalLM."""

    def stored(self, sizes: dict[str, int], n: int) -> dict[str, int]:
        """No places, and a head for pairs."""
        return sizes | {"d_model": sizes["d_model"] - PLACES, "d_head": rotary_width(n)}


FORMAT = Llama(
    name="llama",
    hub="transformers",
    files=FILES,
    extra_files=(GENERATION,),
    config=config,
    weights=state_dict,
    libraries=("torch", "transformers"),
    gates=GATES,
    smooth=(),
    norm="rms",
    epsilon=Fraction(1, 10**6),
    rotary=True,
    computes_in="float32",
    coordinates_without=("place",),
    trees=False,
    places=("model.embed_tokens", "model.layers.{}.self_attn", "model.layers.{}"),
    limits=(LIMIT,),
)
