"""The weights of a decoder in the shapes that stock libraries share, each rounded once.

Constructs    for every layer W_Q, W_K, W_V (heads × d × d_head), W_O (heads × d_head × d), b_Q, and
              W_in, W_gate, W_out, b_in; heads are padded with zeros to one width, layers to one
              number of heads and of hidden units
              under the names of TransformerLens, which a decoder written out in a few lines reads too
Unlike ours   stock attention divides scores by √d_head; W_Q and b_Q are multiplied by it. A head
              without a query attends to all tokens alike, in both
Numbers       NumPy, float64; `typed` rounds them to the type of a file
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from constructions.arithmetic.floats import Array, Floats
from constructions.core.embedding import DecoderEmbedding
from constructions.core.errors import InputError
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import MLP, Gated, Head, Layer, Transformer

FLOAT64 = Floats(np.float64)
Weights = dict[str, Array]


@dataclass(frozen=True)
class Shape:
    """The sizes that a configuration names."""

    layers: int
    heads: int
    model: int
    head: int
    hidden: int
    context: int
    vocabulary: int
    outputs: int
    gated: bool
    activation: str


def shape(simulation: DecoderEmbedding) -> Shape:
    """The sizes of a simulation, each the largest over its layers."""
    model = simulation.transformer
    heads = [head for layer in model.layers for head in layer.heads]
    block, *_ = (layer.feedforward for layer in model.layers)
    return Shape(
        layers=len(model.layers),
        heads=max(len(layer.heads) for layer in model.layers),
        model=model.readout.shape[0],
        head=max(max(head.query.shape[1], head.value.shape[1]) for head in heads),
        hidden=max(layer.feedforward.output.shape[0] for layer in model.layers),
        context=simulation.context,
        vocabulary=len(simulation.token_rows()),
        outputs=model.readout.shape[1],
        gated=isinstance(block, Gated),
        activation=block.activation if isinstance(block, (Gated, MLP)) else "",
    )


def table(rows: list[list[Entry]]) -> Array:
    """Rows of exact numbers as a matrix."""
    return FLOAT64.array(rows)


def padded(weight: Array, *sizes: int) -> Array:
    """A matrix or row with zeros after it."""
    weights = np.zeros(sizes)
    weights[tuple(slice(size) for size in weight.shape)] = weight
    return weights


def layer_weights(layer: Layer[Matrix], size: Shape) -> Weights:
    """The weights of one layer."""
    return _attention(layer, size) | _block(layer.feedforward, size)


def _attention(layer: Layer[Matrix], size: Shape) -> Weights:
    weights = {name: np.zeros((size.heads, size.model, size.head))
             for name in ("W_Q", "W_K", "W_V")}  # fmt: skip
    weights["W_O"] = np.zeros((size.heads, size.head, size.model))
    weights["b_Q"] = np.zeros((size.heads, size.head))
    combine, start = FLOAT64.weight(layer.combine), 0
    for i, head in enumerate(layer.heads):
        width = head.value.shape[1]
        for name, weight in _head(head, size).items():
            weights[name][i] = weight
        weights["W_O"][i] = padded(combine[start : start + width], size.head, size.model)
        start += width
    return weights


def _head(head: Head[Matrix], size: Shape) -> Weights:
    scale, where = sqrt(size.head), (size.model, size.head)
    weights = {
        "W_Q": scale * padded(FLOAT64.weight(head.query), *where),
        "W_K": padded(FLOAT64.weight(head.key), *where),
        "W_V": padded(FLOAT64.weight(head.value), *where),
    }
    if head.bias is not None:
        weights["b_Q"] = scale * padded(FLOAT64.row(head.bias), size.head)
    return weights


def _block(block: Any, size: Shape) -> Weights:
    inward = block.inward if isinstance(block, Gated) else block.hidden
    weights = {
        "W_in": padded(FLOAT64.weight(inward), size.model, size.hidden),
        "W_out": padded(FLOAT64.weight(block.output), size.hidden, size.model),
        "b_in": np.zeros(size.hidden),
    }
    if isinstance(block, Gated):
        weights["W_gate"] = padded(FLOAT64.weight(block.gate), size.model, size.hidden)
    else:
        weights["b_in"] = padded(FLOAT64.row(block.bias), size.hidden)
    return weights


def readout(model: Transformer[Matrix]) -> tuple[Array, Array]:
    """W_U and b_U."""
    bias = model.bias or (0,) * model.readout.shape[1]
    return FLOAT64.weight(model.readout), FLOAT64.row(bias)


def state_dict(simulation: DecoderEmbedding) -> Weights:
    """All weights of a decoder by TransformerLens' names."""
    size, (unembed, bias) = shape(simulation), readout(simulation.transformer)
    weights = {
        "embed.W_E": table(simulation.token_rows()),
        "pos_embed.W_pos": table(simulation.position_rows()),
        "unembed.W_U": unembed,
        "unembed.b_U": bias,
    }
    for i, layer in enumerate(simulation.transformer.layers):
        weights |= _layer(f"blocks.{i}", layer_weights(layer, size), size)
    return weights


def _layer(name: str, weights: Weights, size: Shape) -> Weights:
    attention = {f"{name}.attn.{key}": weights[key] for key in ("W_Q", "W_K", "W_V", "W_O", "b_Q")}
    for key in ("b_K", "b_V"):
        attention[f"{name}.attn.{key}"] = np.zeros((size.heads, size.head))
    keys = ("W_in", "W_out", "b_in", *(("W_gate",) if size.gated else ()))
    block = {f"{name}.mlp.{key}": weights[key] for key in keys}
    zeros = {f"{name}.attn.b_O": np.zeros(size.model), f"{name}.mlp.b_out": np.zeros(size.model)}
    return attention | block | zeros


def typed(weights: Weights, dtype: str) -> Weights:
    """The weights in another type; numbers that it cannot hold are refused by the weight's name."""
    with np.errstate(over="ignore"):
        rounded = {name: np.ascontiguousarray(w.astype(dtype)) for name, w in weights.items()}
    for name, weight in rounded.items():
        if not np.isfinite(weight).all():
            raise infinite(name, float(np.finfo(dtype).max), dtype)
    return rounded


def infinite(name: str, most: float, dtype: str) -> InputError:
    """Return the error for a weight that a type cannot hold."""
    return InputError("weight", f"infinity in {name}", f"numbers below {most:.1e}, for {dtype}")
