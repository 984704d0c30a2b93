"""The weights of a decoder in the shapes that stock libraries share, each rounded once.

Constructs    for every layer W_Q, W_K, W_V (heads × d × d_head), W_O (heads × d_head × d), b_Q, and
              W_in, W_gate, W_out, b_in; heads are padded with zeros to one width, layers to one
              number of heads and of hidden units
Unlike ours   stock attention divides scores by √d_head; W_Q and b_Q are multiplied by it. A head
              that asks for nothing (no query) attends to all tokens alike, in both
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import torch
from torch import Tensor

from constructions.arithmetic.floats import nearest_float
from constructions.arithmetic.torch import Torch
from constructions.core.embedding import DecoderEmbedding
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import MLP, Gated, Head, Layer, Transformer

EXACT = Torch(torch.float64)


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
    block = model.layers[0].feedforward
    return Shape(
        layers=len(model.layers),
        heads=max((len(layer.heads) for layer in model.layers), default=1),
        model=model.readout.shape[0],
        head=max([2, *(max(head.query.shape[1], head.value.shape[1]) for head in heads)]),
        hidden=max(layer.feedforward.output.shape[0] for layer in model.layers),
        context=len(simulation.position_rows()),
        vocabulary=len(simulation.token_rows()),
        outputs=model.readout.shape[1],
        gated=isinstance(block, Gated),
        activation=block.activation if isinstance(block, (Gated, MLP)) else "",
    )


def table(rows: list[list[Entry]]) -> Tensor:
    """Rows of exact numbers as a matrix."""
    return EXACT.array(rows)


def padded(weight: Tensor, *sizes: int) -> Tensor:
    """A matrix or row with zeros after it."""
    found = torch.zeros(sizes, dtype=torch.float64)
    found[tuple(slice(size) for size in weight.shape)] = weight
    return found


def layer_weights(layer: Layer[Matrix], size: Shape) -> dict[str, Tensor]:
    """The weights of one layer."""
    return _attention(layer, size) | _block(layer.feedforward, size)


def _attention(layer: Layer[Matrix], size: Shape) -> dict[str, Tensor]:
    found = {name: torch.zeros((size.heads, size.model, size.head), dtype=torch.float64)
             for name in ("W_Q", "W_K", "W_V")}  # fmt: skip
    found["W_O"] = torch.zeros((size.heads, size.head, size.model), dtype=torch.float64)
    found["b_Q"] = torch.zeros((size.heads, size.head), dtype=torch.float64)
    combine, start = EXACT.weight(layer.combine), 0
    for i, head in enumerate(layer.heads):
        width = head.value.shape[1]
        for name, weight in _head(head, size).items():
            found[name][i] = weight
        found["W_O"][i] = padded(combine[start : start + width], size.head, size.model)
        start += width
    return found


def _head(head: Head[Matrix], size: Shape) -> dict[str, Tensor]:
    scale, where = sqrt(size.head), (size.model, size.head)
    found = {
        "W_Q": scale * padded(EXACT.weight(head.query), *where),
        "W_K": padded(EXACT.weight(head.key), *where),
        "W_V": padded(EXACT.weight(head.value), *where),
    }
    if head.bias is not None:
        found["b_Q"] = scale * padded(EXACT.row(head.bias), size.head)
    return found


def _block(block: Any, size: Shape) -> dict[str, Tensor]:
    inward = block.inward if isinstance(block, Gated) else block.hidden
    found = {
        "W_in": padded(EXACT.weight(inward), size.model, size.hidden),
        "W_out": padded(EXACT.weight(block.output), size.hidden, size.model),
        "b_in": torch.zeros(size.hidden, dtype=torch.float64),
    }
    if isinstance(block, Gated):
        found["W_gate"] = padded(EXACT.weight(block.gate), size.model, size.hidden)
    else:
        found["b_in"] = padded(EXACT.row(block.bias), size.hidden)
    return found


def readout(model: Transformer[Matrix]) -> tuple[Tensor, Tensor]:
    """W_U and b_U."""
    bias = model.bias or (0,) * model.readout.shape[1]
    return EXACT.weight(model.readout), torch.tensor(
        [nearest_float(b) for b in bias], dtype=torch.float64
    )
