"""Matrices of Python objects: what every exact and rigorous arithmetic shares.

An array is a NumPy array of dtype object. Weights stay sparse, so that the coordinates that
carry positions (exact cosines) and those that carry states (polynomials, words, balls) never
meet; a structural zero is the int 0, which sums and products pass over: adding it to a polynomial
would copy the polynomial.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from constructions.core.exact import Exact
from constructions.core.matrix import Entry, Matrix, Tensor
from constructions.core.transformer import Attention, Mask, Norm, Tie

Objects = npt.NDArray[np.object_]


def map_entries(function: Callable[[Any], Any], array: Objects) -> Objects:
    """The array with `function` applied to every entry."""
    result: Objects = np.frompyfunc(function, 1, 1)(array)
    return result


def zeros(*shape: int) -> Objects:
    """An array of structural zeros."""
    array = np.empty(shape, dtype=object)
    array.fill(0)
    return array


def is_zero(value: Any) -> bool:
    """True if an entry is a structural zero."""
    return type(value) is int and value == 0


def _sum(a: Any, b: Any) -> Any:
    if type(a) is int and a == 0:  # `is_zero`, without a call: this is the innermost loop
        return b
    return a if type(b) is int and b == 0 else a + b


def _product(a: Any, b: Any) -> Any:
    return 0 if is_zero(a) or is_zero(b) else a * b


plus: Callable[[Objects, Objects], Objects] = np.frompyfunc(_sum, 2, 1)
times: Callable[[Objects, Objects], Objects] = np.frompyfunc(_product, 2, 1)


def scaled_column(column: Objects, factor: Any) -> Objects:
    """A column times one element, which NumPy must not take apart (polynomials are iterable)."""
    if isinstance(factor, int) and factor == 1:
        return column
    whole = np.empty((), dtype=object)
    whole[()] = factor
    result: Objects = column * whole
    return result


def _side_by_side(columns: Mapping[int, Objects], rows: int, width: int) -> Objects:
    """The columns by their number; others are zeros."""
    result = zeros(rows, width)
    for j, column in columns.items():
        result[:, j] = column
    return result


class ObjectArithmetic(ABC):
    """An arithmetic whose arrays hold Python objects."""

    @abstractmethod
    def element(self, value: Entry) -> Any:
        """An exact number, or an element already of this arithmetic, as an element."""

    def weight(self, matrix: Matrix) -> Matrix:
        """A weight matrix with its entries realised; ones and zeros stay integers."""
        return matrix.map(self._factor)

    def tensor(self, tensor: Tensor) -> Tensor:
        """A tensor with its entries realised."""
        return tensor.map(self._factor)

    def _factor(self, value: Entry) -> Any:
        return value if isinstance(value, int) and value in (0, 1) else self.element(value)

    def row(self, values: Sequence[Entry]) -> Objects:
        """A row of biases."""
        whole: Objects = self.array([values])[0]
        return whole

    def array(self, rows: Sequence[Sequence[Entry]]) -> Objects:
        """Embedded tokens as an array."""
        array = zeros(len(rows), len(rows[0]) if len(rows) else 0)
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                if not (isinstance(value, int) and value == 0):
                    array[i, j] = self.element(value)
        return array

    def apply(self, x: Objects, weight: Matrix) -> Objects:
        """X W, using the stored entries of W only."""
        columns: dict[int, Objects] = {}
        for (i, j), value in weight.entries.items():
            term = scaled_column(x[:, i], value)
            columns[j] = plus(columns[j], term) if j in columns else term
        return _side_by_side(columns, x.shape[0], weight.shape[1])

    def scores(self, queries: Objects, keys: Objects) -> Objects:
        """Q Kᵀ."""
        if queries.shape[1] == 0:
            return zeros(queries.shape[0], keys.shape[0])
        pairs = zip(queries.T, keys.T, strict=True)
        return reduce(np.add, (np.multiply.outer(*pair) for pair in pairs))

    def mix(self, scores: Objects, values: Objects, attention: Attention, mask: Mask) -> Objects:
        """The attended values, row by row."""
        result = zeros(*values.shape)
        for i in range(scores.shape[0]):
            seen = mask.visible(i, scores.shape[1])
            row = list(scores[i, seen.start : seen.stop])
            if attention is Attention.SOFT:
                result[i] = self._average(values[seen.start : seen.stop], self.softmax(row))
            else:
                best = [seen[j] for j in self.maximisers(row)]
                result[i] = self._choose(values, best, attention, i)
        return result

    def _choose(self, values: Objects, best: list[int], attention: Attention, i: int) -> Objects:
        match best:
            case [only]:
                chosen: Objects = values[only]
                return chosen
        if attention is Attention.HARD:
            raise Tie(f"row {i} has equal largest scores at {best}, expected a unique maximum")
        share = self.element(Fraction(1, len(best)))
        return self._average(values[best], [share] * len(best))

    def _average(self, values: Objects, weights: Sequence[Any]) -> Objects:
        total = zeros(values.shape[1])
        for weight, row in zip(weights, values, strict=True):
            total = total + scaled_column(row, weight)
        return total

    def maximisers(self, row: Sequence[Any]) -> list[int]:
        """The indices of the largest scores, decided exactly."""
        exact = [Exact.of(score) for score in row]
        top, best = exact[0], [0]
        for j, score in enumerate(exact[1:], 1):
            sign = (score - top).sign()
            if sign > 0:
                top, best = score, [j]
            elif sign == 0:
                best.append(j)
        return best

    def softmax(self, row: Sequence[Any]) -> list[Any]:
        """Softmax weights of a row; only arithmetics with an exponential have them."""
        raise TypeError(
            f"{type(self).__name__} has no exponential: soft attention cannot run in it"
        )

    def join(self, parts: Sequence[Objects]) -> Objects:
        """Heads side by side."""
        return np.concatenate(list(parts), axis=1)

    def contract(self, tensor: Tensor, left: Objects, right: Objects) -> Objects:
        """T ×₁ X_left ×₂ X_right, row by row."""
        columns: dict[int, Objects] = {}
        for (a, b, c), value in tensor.entries.items():
            term = scaled_column(times(left[:, a], right[:, b]), value)
            columns[c] = plus(columns[c], term) if c in columns else term
        return _side_by_side(columns, left.shape[0], tensor.shape[2])

    def shift(self, x: Objects, row: Objects) -> Objects:
        """A bias added to every row."""
        shifted: Objects = x + row
        return shifted

    def activate(self, name: str, x: Objects) -> Objects:
        """An activation function; only arithmetics with an exponential have them."""
        raise TypeError(f"{type(self).__name__} cannot compute the activation {name!r}")

    def normalise(self, x: Objects, norm: Norm) -> Objects:
        """gain · x / √(mean of x² + ε), row by row; with `norm.centred`, x minus its mean."""
        width = x.shape[1]
        share = self.element(Fraction(1, width))
        if norm.centred:
            means = map_entries(lambda total: total * share, x.sum(axis=1))
            x = x - means[:, None]
        squares = (x * x).sum(axis=1)
        factors = [self._scale(square * share, norm) for square in squares]
        return np.stack(
            [scaled_column(row, factor) for row, factor in zip(x, factors, strict=True)]
        )

    def _scale(self, mean_square: Any, norm: Norm) -> Any:
        """gain / √(mean square + ε)."""
        return self.element(norm.gain) / self.root(mean_square + self.element(norm.epsilon))

    def root(self, value: Any) -> Any:
        """√value; only arithmetics of real numbers have it."""
        raise TypeError(f"{type(self).__name__} has no square root: it cannot normalise")

    def renew(self, x: Objects, source: Objects, columns: range) -> Objects:
        """X with some columns taken from the embedding."""
        result = x.copy()
        result[:, list(columns)] = source[:, list(columns)]
        return result
