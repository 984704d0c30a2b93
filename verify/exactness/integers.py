"""Tree transformers on many trees at once, in machine integers that cannot overflow.

What runs    the weights of the built transformer itself, on all trees of one size together; scores
             are whole numbers, multiplied in float64 only where all of them stay below 2^53
Guarded      a bound on every product is computed before it is taken
Limits       layers with W_O = I and a bilinear block, integer positions only; on the circle scores
             are irrational, see the dense pass

Every score is computed, and a tie is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from constructions.automata.trees import Tree, tokens
from constructions.blocks.smoothing import products
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Attention, Bilinear, Head, Layer, Mask, Tie, Transformer

Array = npt.NDArray[np.int64]
EXACT_FLOAT, EXACT_INT = 1 << 53, 1 << 62
SCORES_AT_ONCE = 1 << 22


class Overflow(ArithmeticError):
    """A number that may not fit; the engine stops before it can be wrong."""


def integer(weight: Any) -> int:
    """A weight as a machine integer; refuse a fraction."""
    if isinstance(weight, int):
        return weight
    number = Fraction(weight)
    if number.denominator != 1:
        raise Overflow(f"the weight {number} is no integer")
    return int(number)


def largest_absolute(values: Array) -> int:
    """The largest absolute value."""
    return int(np.abs(values).max(initial=0))


def check_fits(bound: int, limit: int, what: str) -> None:
    """Stop where a number may not fit."""
    if bound >= limit:
        raise Overflow(f"{what} may reach {bound}")


def apply(x: Array, matrix: Matrix) -> Array:
    """x W for whole numbers, entry by entry; stops where a sum might not fit."""
    result = np.zeros((*x.shape[:-1], matrix.shape[1]), dtype=np.int64)
    sizes: dict[int, int] = {}
    bounds = [0] * matrix.shape[1]
    for (i, j), value in matrix.entries.items():
        if i not in sizes:
            sizes[i] = largest_absolute(x[..., i])
        weight = integer(value)
        bounds[j] += abs(weight) * sizes[i]
        result[..., j] += weight * x[..., i]
    for bound in bounds:
        check_fits(bound, EXACT_INT, "a linear form")
    return result


def attended_rows(head: Head[Matrix], x: Array) -> Array:
    """The unique maximiser of each row of scores; a tie is an error."""
    queries, keys = apply(x, head.query), apply(x, head.key)
    *_, columns = keys.shape
    reach = sum(
        largest_absolute(queries[..., c]) * largest_absolute(keys[..., c]) for c in range(columns)
    )
    check_fits(reach, EXACT_FLOAT, f"a score of head {head.name}")
    trees, size, _ = x.shape
    best = np.zeros((trees, size), dtype=np.int64)
    together = max(1, SCORES_AT_ONCE // (size * trees))
    for first in range(0, size, together):
        rows = slice(first, first + together)
        best[:, rows] = _best(queries[:, rows], keys, head, first)
    return best


def _best(queries: Array, keys: Array, head: Head[Matrix], first: int) -> Array:
    scores = np.matmul(queries.astype(np.float64), keys.astype(np.float64).transpose(0, 2, 1))
    i, j = np.arange(first, first + queries.shape[1])[:, None], np.arange(keys.shape[1])
    if head.mask is not Mask.NONE:
        scores[:, (j > i) if head.mask is Mask.CAUSAL else (j < i)] = -np.inf
    best: Array = scores.argmax(axis=2).astype(np.int64)
    top = np.take_along_axis(scores, best[..., None], axis=2)
    ties = np.argwhere((scores == top).sum(axis=2) != 1)
    if len(ties):
        raise Tie(f"head {head.name}: tree {ties[0][0]}, row {first + ties[0][1]} has a tie")
    return best


class SimulatesTrees(Protocol):
    """A transformer that simulates a tree automaton."""

    @property
    def transformer(self) -> Transformer[Matrix]:
        """Its layers."""

    def encode(self, symbols: Sequence[str]) -> list[list[Entry]]:
        """The embedded tokens of str(t)."""


def _embedded(trees: list[list[list[Entry]]]) -> Array:
    rows = [[[integer(entry) for entry in row] for row in tree] for tree in trees]
    return np.array(rows, dtype=np.int64)


class IntegerPass:
    """A forward pass of one simulation on trees that all have the same number of tokens."""

    def __init__(self, simulation: SimulatesTrees, layout: Layout, trees: Iterable[Tree]) -> None:
        self.model, self.layout = simulation.transformer, layout
        self.symbols = [tokens(tree) for tree in trees]
        self.start = _embedded([simulation.encode(symbols) for symbols in self.symbols])
        self.size = self.start.shape[1]

    def states(self) -> Iterator[Array]:
        """The tokens before the first and after each layer."""
        x, renewed = self.start, list(self.model.positions)
        yield x
        for layer in self.model.layers:
            x = self._layer(layer, x)
            x[..., renewed] = self.start[..., renewed]
            yield x

    def column(self, x: Array, name: str) -> Array:
        """A block that has one coordinate."""
        return x[..., self.layout.at(name)]

    def _layer(self, layer: Layer[Matrix], x: Array) -> Array:
        if not isinstance(layer.feedforward, Bilinear):
            raise TypeError("the integer engine runs bilinear blocks only")
        reads, averaged, width = [], set[int](), 0
        for head in layer.heads:
            read = self._read(head, x)
            *_, columns = read.shape
            if head.attention is Attention.SATURATED:
                averaged |= set(range(width, width + columns))
            width += columns
            reads.append(read)
        if layer.combine != Matrix.identity(width):
            raise TypeError("the integer engine joins heads side by side only")
        return self._products(layer.feedforward, np.concatenate(reads, axis=2), averaged)

    def _read(self, head: Head[Matrix], x: Array) -> Array:
        """The output of a head; a causal mean is returned as a sum, see `_products`."""
        values = apply(x, head.value)
        if head.mask is Mask.SELF:
            return values
        if head.attention is Attention.SATURATED:
            check_fits(
                largest_absolute(values) * self.size, EXACT_INT, f"a sum of head {head.name}"
            )
            return np.cumsum(values, axis=1)
        return np.take_along_axis(values, attended_rows(head, x)[..., None], axis=1)

    def _products(self, block: Bilinear[Matrix], z: Array, averaged: set[int]) -> Array:
        """The products of pairs of forms; one with a sum is divided by the number of summands."""
        pairs = products(block)
        left, right = (
            apply(z, Matrix.of_columns(z.shape[-1], forms))
            for forms in ([pair.left for pair in pairs], [pair.right for pair in pairs])
        )
        for unit in range(len(pairs)):
            check_fits(
                largest_absolute(left[..., unit]) * largest_absolute(right[..., unit]),
                EXACT_INT,
                "a product",
            )
        terms = left * right
        for unit in (k for k, pair in enumerate(pairs) if averaged & set(pair.right)):
            quotient, rest = np.divmod(terms[..., unit], np.arange(1, self.size + 1))
            if rest.any():
                raise Overflow("a mean that its product does not make whole")
            terms[..., unit] = quotient
        output = Matrix.of_columns(block.output.shape[1], [pair.output for pair in pairs])
        return apply(terms, output.transpose)
