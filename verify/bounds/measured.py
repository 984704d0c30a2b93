"""Theorem 2's model run in mpmath, with exact products or with its MLPs: the errors of each layer.

The weights are those that are built, the forward pass is that of every arithmetic, and the digits
follow C: an error near exp(-C g), g = 1 - cos(π/M), is seen only with more digits than that. What is
measured decides nothing by itself; `verify.facts.soft_measured` compares it with balls.

Notation      spectral norms, the largest over all 2M positions
              error      soft token minus exact product, after the layer
              attention  what a head reads on the exact tokens, minus the exact value it should read
              norm       of the exact tokens before the layer
              mlp        the block's product minus the exact product of what the block reads
Printed       e_1 = M a_1 + a_1² + η_1, then e_l = M e_(l-1) + e_(l-1)² + η_l with M = 2 max ‖A_σ‖, a_1 the
              attention error of layer 1 and η_l the MLP's error measured in layer l
Corrected     e_l = 2 μ_l δ + δ² + η_l with δ = e_(l-1) + a_l, e_0 = 0, μ_l and a_l of this layer
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from constructions import theorem1, theorem2
from constructions.arithmetic import Multiprecision
from constructions.arithmetic.objects import Objects, is_zero, zeros
from constructions.automata.wfa import WFA
from constructions.blocks.multiplication import Multiplier
from constructions.core.transformer import Attention, Layer, Mask, realise
from verify.bounds import leak
from verify.bounds.circulant import LOG2_10

GUARD = 25  # decimal digits beyond what the error and the MLP's differences take


@dataclass(frozen=True)
class MeasuredLayer:
    """The norms of one layer, as mpmath numbers."""

    error: Any
    attention: Any
    norm: Any
    mlp: Any


@dataclass(frozen=True)
class MeasuredBounds:
    """Errors by layer beside the two right sides, as mpmath numbers."""

    layers: tuple[MeasuredLayer, ...]
    printed: tuple[Any, ...]
    corrected: tuple[Any, ...]

    @property
    def error(self) -> Any:
        """The error after the last layer."""
        *_, last = self.layers
        return last.error


class SharedRows(Multiprecision):
    """mpmath for heads that read a circle of positions: the softmax of row 0 is turned for the others.

    The score of positions t and s depends on t - s alone, so that every row holds the same weights.
    """

    def scores(self, queries: Objects, keys: Objects) -> Objects:
        """The scores of the first position."""
        return super().scores(queries[:1], keys)

    def mix(self, scores: Objects, values: Objects, attention: Attention, mask: Mask) -> Objects:
        """The attended values; columns of structural zeros are left out."""
        if attention is not Attention.SOFT or mask is not Mask.NONE:
            raise TypeError("shared rows are for softmax attention without a mask")
        weights = self.softmax(list(scores[0]))
        count = len(weights)
        result = zeros(*values.shape)
        for column in range(values.shape[1]):
            entries = list(values[:, column])
            if any(not is_zero(entry) for entry in entries):
                doubled = entries + entries
                for t in range(count):
                    result[t, column] = self.context.fdot(weights, doubled[t : t + count])
        return result


def digits_needed(saturation: Fraction, span: int, feedforward: Multiplier | None) -> int:
    """Decimal digits for C, and for what the terms of an MLP cancel."""
    with_gap = leak.gap(span) * float(saturation)
    digits = int(float(with_gap) / np.log(10)) + GUARD
    if feedforward is None:
        return digits
    scale = abs(feedforward.scale).numerator.bit_length()
    return int(min(digits, scale) + 2 * scale / LOG2_10) + GUARD


def measure(
    automaton: WFA,
    word: Sequence[str],
    length: int,
    saturation: Fraction,
    feedforward: Multiplier | None = None,
    digits: int | None = None,
) -> MeasuredBounds:
    """Run one word at one C; return its errors with both right sides."""
    span = theorem1.span(length)
    numbers = SharedRows(digits or digits_needed(saturation, span, feedforward))
    layers = tuple(_layers(automaton, word, length, saturation, feedforward, numbers))
    factor = 2 * max(
        spectral_norm(matrix_of(numbers, rows), numbers) for rows in automaton.transitions.values()
    )
    return MeasuredBounds(layers, _printed(factor, layers), _corrected(layers))


def _layers(
    automaton: WFA,
    word: Sequence[str],
    length: int,
    saturation: Fraction,
    feedforward: Multiplier | None,
    numbers: SharedRows,
) -> Iterator[MeasuredLayer]:
    block = feedforward if feedforward is not None else theorem2.PRODUCT
    model = theorem2.build(automaton, length, saturation, block)
    realised = realise(model.transformer, numbers)
    soft = start = numbers.array(model.encode(word))
    exact = exact_scan(automaton, word, length)
    for number, layer in enumerate(realised.layers):
        before, after = exact[number], exact[number + 1]
        read = layer.attend(numbers, soft)
        soft = numbers.renew(layer.feed(numbers, read), start, realised.positions)
        yield _norms(automaton.n, numbers, layer, read, soft, before, after, start)


def _norms(
    n: int, numbers: SharedRows, layer: Layer[Any], read: Objects, soft: Objects,
    before: list[Objects], after: list[Objects], start: Objects,
) -> MeasuredLayer:  # fmt: skip
    tokens = [matrix_of(numbers, token) for token in before]
    wanted = [matrix_of(numbers, token) for token in after]
    rows = start.copy()
    for t, token in enumerate(tokens):
        rows[t, : 2 * n * n] = [*token.flat, *token.flat]
    *_, right = layer.heads
    seen = [_block(row, n, 1) for row in right.attend(numbers, rows)]
    made = [_block(row, n, 1) for row in soft]
    products = [_block(row, n, 0) @ _block(row, n, 1) for row in read]
    return MeasuredLayer(
        _largest([a - b for a, b in zip(made, wanted, strict=True)], numbers),
        _largest([a - b for a, b in zip(seen, tokens, strict=True)], numbers),
        _largest(tokens, numbers),
        _largest([a - b for a, b in zip(made, products, strict=True)], numbers),
    )


def _block(row: Objects, n: int, side: int) -> Objects:
    """The left (0) or right (1) matrix of a token."""
    return row[side * n * n : (side + 1) * n * n].reshape(n, n)


def exact_scan(automaton: WFA, word: Sequence[str], length: int) -> list[list[Objects]]:
    """The rational tokens before each layer and after the last: the scan, by its definition."""
    n, span = automaton.n, theorem1.span(length)
    one = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    letters = [automaton.transitions[symbol] for symbol in word]
    rows = [one] * span + letters + [one] * (span - len(letters))
    tokens = [np.array(row, dtype=object) for row in rows]
    stages = [tokens]
    for layer in range(theorem1.depth(length)):
        tokens = [tokens[t - (1 << layer)] @ tokens[t] for t in range(2 * span)]
        stages.append(tokens)
    return stages


def matrix_of(numbers: Multiprecision, rows: Any) -> Objects:
    """A square matrix of exact numbers, rounded once."""
    entries = [[numbers.element(value) for value in row] for row in rows]
    made = zeros(len(entries), len(entries))
    for i, row in enumerate(entries):
        made[i, :] = row
    return made


def _largest(matrices: Sequence[Objects], numbers: Multiprecision) -> Any:
    return max(spectral_norm(matrix, numbers) for matrix in matrices)


def spectral_norm(matrix: Objects, numbers: Multiprecision) -> Any:
    """The spectral norm to about 15 digits, whatever its size: scaled, then in floats."""
    entries: list[Any] = list(matrix.flat)
    top = max(map(abs, entries))
    if not top:
        return numbers.context.mpf(0)
    scaled = np.array([[float(value / top) for value in row] for row in matrix])
    return top * float(np.linalg.norm(scaled, 2))


def _printed(factor: Any, layers: Sequence[MeasuredLayer]) -> tuple[Any, ...]:
    bounds: list[Any] = []
    last: Any = layers[0].attention if layers else None
    for layer in layers:
        last = factor * last + last**2 + layer.mlp
        bounds.append(last)
    return tuple(bounds)


def _corrected(layers: Sequence[MeasuredLayer]) -> tuple[Any, ...]:
    bounds: list[Any] = []
    for layer in layers:
        delta = (bounds[-1] if bounds else 0) + layer.attention
        bounds.append(2 * layer.norm * delta + delta**2 + layer.mlp)
    return tuple(bounds)
