"""The weights of an n-gram model by the names of GPT-2 and of Llama, and their configurations."""

from __future__ import annotations

from math import cos, sin, sqrt
from typing import Any

import numpy as np

from constructions.arithmetic.floats import Array
from constructions.exports.config import Config
from constructions.exports.stock import Weights
from constructions.ngram_model import EPSILON, GAP, HALF, NgramModel

ACTIVATION = "relu"


def sizes(model: NgramModel) -> dict[str, Any]:
    """The sizes as the class has them, and how many weights are not 0."""
    weights = state_dict(model)
    return {
        "layers": 1,
        "heads": model.heads,
        "d_model": model.d_model,
        "d_head": model.d_head,
        "d_mlp": len(model.contexts),
        "context": model.context,
        "vocabulary": model.vocabulary,
        "outputs": model.vocabulary,
        "entries": sum(weight.size for weight in weights.values()),
        "nonzero": sum(int(np.count_nonzero(weight)) for weight in weights.values()),
        "largest": f"{max(float(abs(weight).max()) for weight in weights.values()):.8g}",
    }


def bytes_needed(model: NgramModel, size: int) -> int:
    """About how many bytes the weights take, before any are made."""
    d, units = model.d_model, len(model.contexts)
    attention = 4 * d * model.heads * model.d_head
    tables = d * (2 * model.vocabulary + (0 if model.rotary else model.length + 1))
    return size * ((3 if model.rotary else 2) * d * units + attention + tables)


def config(model: NgramModel, dtype: str) -> dict[str, Any]:
    """The configuration of the class."""
    made = Config(
        symbols=model.symbols,
        vocabulary=model.vocabulary,
        dtype=dtype,
        width=model.d_model,
        layers=1,
        heads=model.heads,
        hidden=len(model.contexts),
        context=model.context,
        activation=ACTIVATION,
        epsilon=EPSILON[model.kind],
        theta=model.base,
    )
    return made.llama(model.d_head) if model.rotary else made.gpt2()


def state_dict(model: NgramModel) -> Weights:
    """The weights by the names of the class."""
    return _llama_weights(model) if model.rotary else _gpt2_weights(model)


def gains(model: NgramModel) -> list[Array]:
    """The weights of the three norms, which undo them."""
    first, after, added = model.square_norms
    squares = (first, after, after + added)
    d, epsilon = model.d_model, EPSILON[model.kind]
    return [np.full(d, sqrt(square / d + epsilon)) for square in squares]


def _tokens(model: NgramModel) -> Array:
    """W_E: the one-hot letter, and the constant."""
    table = np.zeros((model.vocabulary, model.d_model))
    table[np.arange(model.vocabulary), model.token_places] = 1
    table[:, model.layout["one" if model.rotary else "mean"][0]] = 1 if model.rotary else -1
    return table


def _units(model: NgramModel) -> tuple[Array, Array, Array]:
    """Weights of the units: those that read the letters, the thresholds, and those that write."""
    layout, table = model.layout, model.logits
    letters = [
        layout["letter"][0],
        *(layout["copied"][s * model.width] for s in range(model.copies)),
    ]
    reads, writes = np.zeros((model.d_model, len(table))), np.zeros((len(table), model.d_model))
    for unit, (terms, _) in enumerate(model.conditions):
        for back, place, sign in terms:
            reads[letters[back] + place, unit] += 2 * HALF * sign
    thresholds = np.array([-2 * HALF * (count - 0.5) for _, count in model.conditions])
    writes[:, layout["logit"]] = table
    squares, added = (table**2).sum(1), model.square_norms[2]
    if model.rotary:
        writes[:, layout["fill"][0]] = np.sqrt(added - squares)
        return reads, thresholds, writes
    sums = table.sum(1)
    fill = np.sqrt((added - squares - sums**2) / 2)
    for name, values in (("balance", -sums), ("plus", fill), ("minus", -fill)):
        writes[:, layout[name][0]] = values
    return reads, thresholds, writes


def _head(model: NgramModel) -> Array:
    """The readout: the logits as they are."""
    head = np.zeros((model.vocabulary, model.d_model))
    head[np.arange(model.vocabulary), model.layout["logit"]] = 1
    return head


def _gpt2_weights(model: NgramModel) -> Weights:
    d, wide, layout = model.d_model, model.d_head, model.layout
    zero, mean = layout["zero"][0], layout["mean"][0]
    places = np.zeros((model.length + 1, d))
    attention, back, bias = np.zeros((d, 3 * d)), np.zeros((d, d)), np.zeros(d)
    code = model.code if model.codes else np.zeros((1, 0))
    size = code.shape[1]
    for s in range(model.codes):
        rows = np.maximum(np.arange(model.length + 1) - s, 0)
        first = layout["code"][0] + s * size
        places[:, first : first + size] = code[rows]
    bias[mean] = -model.copies
    for s in range(1, model.copies + 1):
        at = (s - 1) * wide
        for i in range(size):  # two codes are a gap of 4 · GAP/4 apart
            attention[layout["code"][s * size + i], at + i] = GAP / 4 * sqrt(wide)
            attention[layout["code"][i], d + at + i] = 1
            attention[zero, at + i], attention[zero, d + at + i] = -GAP / 4 * sqrt(wide), -1
        for i in range(model.width):
            attention[i, 2 * d + at + i], attention[zero, 2 * d + at + i] = 1, -1
            back[at + i, layout["copied"][(s - 1) * model.width + i]] = 1
    reads, thresholds, writes = _units(model)
    reads[zero] = -reads.sum(0)
    name, block = "transformer.", "transformer.h.0."
    weights = {
        f"{name}wte.weight": _tokens(model),
        f"{name}wpe.weight": places,
        "lm_head.weight": _head(model),
        f"{block}attn.c_attn.weight": attention,
        f"{block}attn.c_attn.bias": np.zeros(3 * d),
        f"{block}attn.c_proj.weight": back,
        f"{block}attn.c_proj.bias": bias,
        f"{block}mlp.c_fc.weight": reads,
        f"{block}mlp.c_fc.bias": thresholds,
        f"{block}mlp.c_proj.weight": writes / HALF,
        f"{block}mlp.c_proj.bias": np.zeros(d),
    }
    norms = (f"{block}ln_1", f"{block}ln_2", f"{name}ln_f")
    for norm, gain in zip(norms, gains(model), strict=True):
        weights |= {f"{norm}.weight": gain, f"{norm}.bias": np.zeros(d)}
    return weights


def _llama_weights(model: NgramModel) -> Weights:
    d, wide, one = model.d_model, model.d_head, model.layout["one"][0]
    query, key, value = (np.zeros((model.heads * wide, d)) for _ in range(3))
    back = np.zeros((d, model.heads * wide))
    size = model.amplitude * sqrt(wide)
    for s in range(1, model.copies + 1):
        first = (s - 1) * wide
        for f, turn in enumerate(model.frequencies):
            query[first + f, one] = size * cos(turn * s)
            query[first + wide // 2 + f, one] = -size * sin(turn * s)
            key[first + f, one] = 1
        for i in range(model.width):
            value[first + i, i] = 1
            back[model.layout["copied"][(s - 1) * model.width + i], first + i] = 1
    reads, thresholds, writes = _units(model)
    reads[one] += thresholds
    up = np.zeros((len(thresholds), d))
    up[:, one] = 1 / HALF
    name, block = "model.", "model.layers.0."
    before, after, last = gains(model)
    return {
        f"{name}embed_tokens.weight": _tokens(model),
        f"{name}norm.weight": last,
        "lm_head.weight": _head(model),
        f"{block}input_layernorm.weight": before,
        f"{block}post_attention_layernorm.weight": after,
        f"{block}self_attn.q_proj.weight": query,
        f"{block}self_attn.k_proj.weight": key,
        f"{block}self_attn.v_proj.weight": value,
        f"{block}self_attn.o_proj.weight": back,
        f"{block}mlp.gate_proj.weight": reads.T,
        f"{block}mlp.up_proj.weight": up,
        f"{block}mlp.down_proj.weight": writes.T,
    }
