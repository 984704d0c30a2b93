"""gpt2: `GPT2LMHeadModel`, the plain block with LayerNorm neutralised; positions are embedded.

Unlike ours   its one head is as wide as the stream
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np

from constructions.decoder import DecoderSimulation
from constructions.exports.config import Config, vocabulary_size
from constructions.exports.huggingface import HuggingFace, token_table
from constructions.exports.stock import (
    Shape,
    Weights,
    layer_weights,
    padded,
    readout,
    shape,
    table,
)


def config(simulation: DecoderSimulation, dtype: str) -> dict[str, Any]:
    """The configuration of GPT-2."""
    return Config.of(simulation, dtype, float(simulation.design.epsilon)).gpt2()


def state_dict(simulation: DecoderSimulation) -> Weights:
    """The weights of GPT-2 by their names; its one head is as wide as the stream."""
    size = shape(simulation)
    d, gain = size.model, simulation.design.large * sqrt(2 / size.model)
    rows = vocabulary_size(size)
    weights: Weights = {
        "transformer.wte.weight": padded(table(token_table(simulation)), rows, d),
        "transformer.wpe.weight": table(simulation.position_rows()),
        "lm_head.weight": padded(readout(simulation.transformer)[0].T, rows, d),
        **_layer_norm("transformer.ln_f", d, gain),
    }
    for i, layer in enumerate(simulation.transformer.layers):
        name = f"transformer.h.{i}"
        weights |= _layer_norm(f"{name}.ln_1", d, gain) | _layer_norm(f"{name}.ln_2", d, gain)
        weights |= _layer(name, layer_weights(layer, size), size)
    return weights


def _layer_norm(name: str, width: int, gain: float) -> Weights:
    ones = np.ones(width)
    return {f"{name}.weight": gain * ones, f"{name}.bias": 0 * ones}


def _layer(name: str, weights: Weights, size: Shape) -> Weights:
    d, grow = size.model, sqrt(size.model / size.head)
    sides = (grow * weights["W_Q"][0], weights["W_K"][0], weights["W_V"][0])
    zeros = np.zeros(d)
    return {
        f"{name}.attn.c_attn.weight": np.concatenate(
            [padded(side, d, d) for side in sides], axis=1
        ),
        f"{name}.attn.c_attn.bias": np.zeros(3 * d),  # queries read the constant
        f"{name}.attn.c_proj.weight": padded(weights["W_O"][0], d, d),
        f"{name}.attn.c_proj.bias": zeros,
        f"{name}.mlp.c_fc.weight": weights["W_in"],
        f"{name}.mlp.c_fc.bias": weights["b_in"],
        f"{name}.mlp.c_proj.weight": weights["W_out"],
        f"{name}.mlp.c_proj.bias": zeros,
    }


FORMAT = HuggingFace(
    name="gpt2",
    config=config,
    weights=state_dict,
    gates=(),
    smooth=("gelu_new", "gelu", "silu", "tanh"),
    norm="layer",
    epsilon=Fraction(1, 10**5),
    places=("transformer.drop", "transformer.h.{}.attn", "transformer.h.{}"),
)
