"""Passes of a sequence model that use the known targets of the heads.

Claimed       the score of tokens t and s in layer l is C cos(π(t - s - 2^(l-1))/M) for the left head
              and C cos(π(t - s)/M) for the right one: hard attention has its unique maximum at
              s = t - 2^(l-1) and at s = t modulo 2M, and softmax weights depend on t - s alone
Constructs    dense      the definition: all scores of a head, with every weight in use
              routed     rows that are attended to are stored and copied; no scores; every other
                         weight is in use, and every gradient is that of the dense pass
              circulant  soft attention as a cyclic convolution by the fast Fourier transform:
                         memory linear in T
              fused      routed, without the matrices that only select and without the tokens whose
                         products no state needs: T products of matrices in ⌈log₂ T⌉ batches
              recurrence states letter by letter (`recurrence`), for many words at once
Notation      M span, 2M tokens; a window of layer l is 2^l letters that end at a multiple of 2^l

`word_routing` compares exact weights with those of Theorems 1 and 2, for which the claim is proved; a model
with other weights has no routes and takes `dense`. The same states come out to the last bit in the
first two passes, as far as the format decides every row of the dense one. `fused` and `recurrence`
multiply the same maps in other orders, and `circulant` adds in another order: the same numbers up to
rounding, which `verify.automaton.rounding` bounds for the worst of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from itertools import accumulate
from typing import Any

import flint
import torch
from torch import Tensor

from constructions import theorem1, theorem2
from constructions.core.exact import Exact, ball
from constructions.core.matrix import Matrix
from constructions.core.transformer import Attention, Head, Layer, Transformer
from constructions.theorem1 import WordSimulation

BITS = 128
WINDOWS = 8  # at most this number are multiplied one after the other


class PassKind(StrEnum):
    """Algorithm by which a module computes its states."""

    DENSE = "dense"
    ROUTED = "routed"
    CIRCULANT = "circulant"
    BAND = "band"
    FUSED = "fused"
    RECURRENCE = "recurrence"


@dataclass(frozen=True)
class WordRouting:
    """C (none if attention is hard), and whether all blocks are exact products."""

    saturation: Fraction | None
    products: bool


def word_routing(simulation: WordSimulation) -> WordRouting | None:
    """True if the heads are those of Theorem 1 or of Theorem 2, compared as exact data."""
    n, layers = simulation.automaton.n, simulation.transformer.layers
    coordinates = theorem1.layout(n)["position"]
    if len(layers) != theorem1.depth(simulation.length) or (
        simulation.transformer.positions != coordinates
    ):
        return None
    constant = saturation(layers[0]) if layers else None
    for number, layer in enumerate(layers, 1):
        if layer.heads != _heads(n, number, simulation.span, constant):
            return None
    block, whole = theorem1.product_block(n), theorem1.combine(n)
    exact = all(layer.feedforward == block and layer.combine == whole for layer in layers)
    readout = theorem1.readout(simulation.automaton.alpha)
    return WordRouting(constant, exact and simulation.transformer.readout == readout)


def saturation(layer: Layer[Matrix]) -> Fraction | None:
    """C, read from √C on the queries of a soft head; None for hard attention."""
    head = layer.heads[0]
    if head.attention is not Attention.SOFT:
        return None
    value = Exact.of(next(iter(head.query.entries.values())))
    return (value * value).rational()


def _heads(n: int, layer: int, span: int, constant: Fraction | None) -> tuple[Head[Matrix], ...]:
    if constant is None:
        return theorem1.heads(n, layer, span, Attention.HARD)
    return theorem2.heads(n, layer, span, constant)


def routes(depth: int, span: int) -> Tensor:
    """The row that the left head of each layer copies to each row: 2^(l-1) before it, cyclically."""
    back = torch.tensor([1 << layer for layer in range(depth)], dtype=torch.int64)
    return (torch.arange(2 * span) - back.reshape(-1, 1)) % (2 * span)


def softmax_row(saturation: Fraction, span: int) -> list[float]:
    """exp(C (cos(πk/M) - 1)) over its sum, for k = 0 … 2M - 1: enclosed, then rounded."""
    with flint.ctx.workprec(BITS):  # 1 - cos(π/M) loses 2 log₂ M digits, less than half of them
        constant = ball(saturation)
        angles = (flint.fmpq(k, span) for k in range(2 * span))
        powers = [(constant * (flint.arb.cos_pi_fmpq(a) - 1)).exp() for a in angles]
        total = sum(powers, flint.arb(0))
        return [float((power / total).mid()) for power in powers]


@dataclass(frozen=True)
class PointedHead:
    """A hard head whose targets are known; no rows: each token looks at itself."""

    value: Tensor
    rows: Tensor | None

    def attend(self, arithmetic: Any, x: Tensor) -> Tensor:
        """The values of the rows that are looked at."""
        values: Tensor = arithmetic.apply(x, self.value)
        if self.rows is None:
            return values
        copied: Tensor = arithmetic.rows_at(values, self.rows.expand(values.shape[:-1]))
        return copied


@dataclass(frozen=True)
class ConvolvedHead:
    """A soft head whose weights depend on the distance alone: `weights[k]` for k tokens back."""

    value: Tensor
    weights: Tensor

    def attend(self, arithmetic: Any, x: Tensor) -> Tensor:
        """The cyclic convolution of the values with the weights, along the tokens."""
        return cyclic_convolution(arithmetic.apply(x, self.value), self.weights)


def cyclic_convolution(values: Tensor, weights: Tensor) -> Tensor:
    """y_t = Σ_k w_k v_{t-k}, indices modulo the number of tokens; narrow formats go by float32."""
    wide = values if values.dtype in (torch.float32, torch.float64) else values.float()
    row = torch.fft.rfft(weights.to(wide.dtype)).unsqueeze(-1)
    spectrum = torch.fft.rfft(wide, dim=-2) * row
    result: Tensor = torch.fft.irfft(spectrum, n=values.shape[-2], dim=-2)
    return result.to(values.dtype)


def with_pointed_heads(model: Transformer[Any], rows: Tensor) -> Transformer[Any]:
    """The model with hard heads that copy the given rows, one set a layer."""
    pairs = [
        (PointedHead(layer.heads[0].value, row), PointedHead(layer.heads[1].value, None))
        for layer, row in zip(model.layers, rows, strict=True)
    ]
    return with_heads(model, pairs)


def with_convolved_heads(model: Transformer[Any], row: Tensor) -> Transformer[Any]:
    """The model with soft heads by convolution, from the row of softmax weights."""
    pairs = []
    for number, layer in enumerate(model.layers):
        left, right = (head.value for head in layer.heads)
        pairs.append((ConvolvedHead(left, row.roll(1 << number)), ConvolvedHead(right, row)))
    return with_heads(model, pairs)


def with_heads(model: Transformer[Any], heads: Sequence[Any]) -> Transformer[Any]:
    """The model with other heads, a tuple for each layer."""
    layers = zip(model.layers, heads, strict=True)
    return replace(model, layers=tuple(replace(layer, heads=own) for layer, own in layers))


def fused_states(maps: Tensor, start: Tensor) -> Tensor:
    """All states s A_1 … A_t, t = 0 … T, of rows s (r, n), from the maps (T, …, n, n) of words.

    After l layers the tokens at multiples of 2^l hold the products of the windows of layer l, each
    the product of two windows of the layer before. From the widest windows, which are few, to single
    letters: a state at the end of a window is that at its beginning times the window's product.
    """
    layers = [maps]
    while len(layers[-1]) > WINDOWS:
        layers.append(_pairs(layers[-1]))
    row = start.expand(*maps.shape[1:-2], *start.shape)
    states = torch.stack(list(accumulate(layers.pop(), torch.matmul, initial=row)))
    for windows in reversed(layers):
        states = _interleaved_states(states, windows)
    return states


def _pairs(windows: Tensor) -> Tensor:
    """Products of neighbours: the windows of the next layer."""
    even = len(windows) // 2 * 2
    return windows[:even:2] @ windows[1:even:2]


def _interleaved_states(states: Tensor, windows: Tensor) -> Tensor:
    """The states after every window, from those after every second one."""
    odd = states[: (len(windows) + 1) // 2] @ windows[::2]
    pairs = torch.stack([states[: len(odd)], odd], dim=1).flatten(0, 1)
    return torch.cat([pairs, states[len(odd) :]])
