"""Size of a transformer, as a value to compare with the bounds that a theorem prints.

Notation
    depth       number of layers
    embedding   d, the length of a token's vector
    attention   width of the widest head: the larger of its value and its query dimension
    feedforward inputs of a bilinear block (left and right together), hidden units of an MLP or of
                a gated block
    parameters  entries of all weight matrices, tensors and biases; `nonzero`: those not 0
    largest     the largest absolute weight, as a ball
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import flint

from constructions.core.exact import Exact, ball
from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import Bilinear, Head, Layer, Transformer


@dataclass(frozen=True)
class Sizes:
    """The sizes of one transformer."""

    depth: int
    embedding: int
    attention: int
    feedforward: int
    heads: int
    parameters: int
    nonzero: int
    largest: flint.arb


def sizes(model: Transformer[Matrix]) -> Sizes:
    """Measure a transformer, weights as exact data.

    Examples:
        >>> import assay
        >>> model = assay.theorem1.build(assay.families.counting(), 8)
        >>> found = sizes(model.transformer)
        >>> found.depth, found.embedding, found.heads
        (3, 10, 2)

    """
    weights = list(_weights(model))
    heads = [head for layer in model.layers for head in layer.heads]
    return Sizes(
        depth=len(model.layers),
        embedding=model.readout.shape[0],
        attention=max((_attention_width(head) for head in heads), default=0),
        feedforward=max((_feedforward_width(layer) for layer in model.layers), default=0),
        heads=max((len(layer.heads) for layer in model.layers), default=0),
        parameters=sum(prod(weight.shape) for weight in weights),
        nonzero=sum(len(weight.entries) for weight in weights),
        largest=_largest(weights),
    )


def _attention_width(head: Head[Matrix]) -> int:
    return max(head.query.shape[1], head.value.shape[1])


def _feedforward_width(layer: Layer[Matrix]) -> int:
    block = layer.feedforward
    if isinstance(block, Bilinear):
        return block.left.shape[1] + block.right.shape[1]
    return block.output.shape[0]


def _weights(model: Transformer[Matrix]) -> Iterator[Matrix | Tensor]:
    """All weights, rows of biases as matrices."""
    for layer in model.layers:
        for part in (*layer.heads, layer.feedforward):
            yield from map(_as_matrix, part.weights().values())
        yield layer.combine
    yield model.readout
    yield from () if model.bias is None else (_as_matrix(model.bias),)


def _as_matrix(weight: Any) -> Matrix | Tensor:
    return Matrix.dense([weight]) if isinstance(weight, tuple) else weight


def _largest(weights: list[Matrix | Tensor]) -> flint.arb:
    largest = flint.arb(0)
    for weight in {id(weight): weight for weight in weights}.values():  # alike layers share them
        for entry in {id(entry): entry for entry in weight.entries.values()}.values():
            if isinstance(entry, (int, Fraction, Exact)):
                largest = largest.max(abs(ball(entry)))
    return largest
