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

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np

from constructions.blocks.gated import GATES
from constructions.decoder import DecoderSimulation
from constructions.exports.config import Config, vocabulary_size
from constructions.exports.huggingface import HuggingFace, token_table
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
    """The configuration of Llama."""
    width = rotary_width(simulation.automaton.n)
    sizes = {"width": shape(simulation).model - PLACES, "theta": base(simulation.length, width)}
    return Config.of(simulation, dtype, float(simulation.design.epsilon), **sizes).llama(width)


def base(length: int, width: int) -> float:
    """The base of RoPE that makes the slowest pair turn by π/(T+1)."""
    return math.pow(pi / (length + 1), -width / (width - 2))


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
        weights |= projections(name, layer_weights(layer, size), columns, width)
        angle, one = shift(simulation.length, i + 1), 1 / simulation.design.large
        query = float(simulation.saturation or 1) * sqrt(width)
        weights |= rotated(name, (width, d), d - 1, angle, (query * one, one))
    return weights


def projections(name: str, weights: Weights, columns: Sequence[int], wide: int) -> Weights:
    """The values, W_O and the gated block of a layer, on some columns of the stream."""
    d = len(columns)
    return {
        f"{name}.self_attn.v_proj.weight": padded(weights["W_V"][0].T[:, columns], wide, d),
        f"{name}.self_attn.o_proj.weight": padded(weights["W_O"][0].T[columns], d, wide),
        f"{name}.mlp.up_proj.weight": weights["W_in"].T[:, columns],
        f"{name}.mlp.gate_proj.weight": weights["W_gate"].T[:, columns],
        f"{name}.mlp.down_proj.weight": weights["W_out"].T[columns],
    }


def shift(length: int, layer: int) -> float:
    """The angle -ωs at which the queries of layer l begin, s = 2^(l-1)."""
    return -pi * (1 << layer - 1) / (length + 1)


def rotated(
    name: str, shape: tuple[int, int], column: int, angle: float, sizes: tuple[float, float]
) -> Weights:
    """Queries and keys on the slowest pair of coordinates, of given sizes, read from one column."""
    query, key = (np.zeros(shape) for _ in range(2))
    last, pair = shape[0] // 2 - 1, shape[0] - 1
    query[last, column], query[pair, column] = sizes[0] * cos(angle), sizes[0] * sin(angle)
    key[last, column] = sizes[1]
    return {f"{name}.self_attn.q_proj.weight": query, f"{name}.self_attn.k_proj.weight": key}


@dataclass(frozen=True)
class Llama(HuggingFace):
    """A folder for LlamaForCausalLM."""

    def stored(self, sizes: dict[str, int], n: int) -> dict[str, int]:
        """No places, and a head for pairs."""
        return sizes | {"d_model": sizes["d_model"] - PLACES, "d_head": rotary_width(n)}


FORMAT = Llama(
    name="llama",
    config=config,
    weights=state_dict,
    gates=GATES,
    smooth=(),
    norm="rms",
    epsilon=Fraction(1, 10**6),
    rotary=True,
    computes_in="float32",
    coordinates_without=("place",),
    places=("model.embed_tokens", "model.layers.{}.self_attn", "model.layers.{}"),
    limits=(LIMIT,),
)
