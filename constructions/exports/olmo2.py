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
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from constructions.arithmetic.floats import nearest_float
from constructions.exports.config import Config, vocabulary_size
from constructions.exports.huggingface import HuggingFace
from constructions.exports.llama import base, projections, rotated, shift
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
    """The configuration of Olmo 2."""
    theta = base(simulation.length, shape(simulation).model)
    sizes = Config.of(simulation, dtype, float(simulation.design.epsilon), theta=theta)
    return sizes.rotary("olmo2", "Olmo2ForCausalLM")


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
        weights |= projections(name, layer_weights(layer, size), range(d), d)
        attention, block = layer.after or (None, None)
        weights[f"{name}.post_attention_layernorm.weight"] = _gain(attention, d)
        weights[f"{name}.post_feedforward_layernorm.weight"] = _gain(block, d)
        weights |= _turning(name, simulation, i + 1, size)
    return weights


def _gain(norm: Norm | None, width: int) -> Any:
    return np.full(width, 1.0 if norm is None else nearest_float(norm.gain))


def _turning(name: str, simulation: NormalisedModel, layer: int, size: Shape) -> Weights:
    """Queries and keys, and their norms; the layer without a head has none."""
    d, place = size.model, simulation.layout["place"][0]
    gain = GAIN if layer < size.layers else 0.0
    angle = shift(simulation.length, layer)
    scores = float(simulation.saturation or 1) / sqrt(d)
    return rotated(name, (d, d), place, angle, (gain, gain)) | {
        f"{name}.self_attn.q_norm.weight": np.full(d, scores),
        f"{name}.self_attn.k_norm.weight": np.ones(d),
    }


@dataclass(frozen=True)
class Olmo2(HuggingFace):
    """A folder for Olmo2ForCausalLM."""

    def decoder_sizes(self, n: int, length: int, design: Design, symbols: int) -> dict[str, int]:
        """The sizes of the decoder with the normalised stream."""
        return sizes(n, length, symbols)


FORMAT = Olmo2(
    name="olmo2",
    config=config,
    weights=state_dict,
    gates=("silu", "gelu", "gelu_new"),
    smooth=(),
    norm="rms",
    epsilon=EPSILON,
    rotary=True,
    normalised=True,
    computes_in="float32",
    heads=(NEXT,),
    places=("model.embed_tokens", "model.layers.{}.self_attn", "model.layers.{}"),
    limits=(LIMIT,),
)
