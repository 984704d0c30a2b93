"""Floating point as users meet it: NumPy in float64, float32 or float16."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import inf, isfinite
from typing import Any

import flint
import numpy as np
import numpy.typing as npt

from constructions.core.activations import activation_by_name
from constructions.core.errors import InputError
from constructions.core.exact import EnclosedNumber
from constructions.core.matrix import Entry, Matrix, Tensor
from constructions.core.transformer import Attention, Mask, Norm

Array = npt.NDArray[Any]


def nearest_float(value: Entry) -> float:
    """The float64 nearest to an exact number (up to one unit in the last place)."""
    try:
        result = _rounded_value(value)
    except OverflowError:
        result = inf
    if not isfinite(result):
        expected = f"numbers below {sys.float_info.max:.1e}, which float64 can hold"
        raise InputError("weight", "a number beyond float64", expected)
    return result


def _rounded_value(value: Entry) -> float:
    if isinstance(value, EnclosedNumber):
        with flint.ctx.workprec(128):
            return float(value.ball().mid())
    return float(value)


def mask_matrix(rows: int, columns: int, mask: Mask) -> npt.NDArray[np.bool_]:
    """The mask as a Boolean matrix."""
    i, j = np.arange(rows)[:, None], np.arange(columns)[None, :]
    match mask:
        case Mask.CAUSAL:
            return j <= i
        case Mask.ANTICAUSAL:
            return j >= i
        case _:
            return np.ones((rows, columns), dtype=bool)


class Floats:
    """NumPy arrays of one floating-point type."""

    def __init__(self, dtype: npt.DTypeLike = np.float64) -> None:
        self.dtype = np.dtype(dtype)

    def weight(self, matrix: Matrix) -> Array:
        """A dense weight matrix."""
        dense = np.zeros(matrix.shape)
        for at, value in matrix.entries.items():
            dense[at] = nearest_float(value)
        return dense.astype(self.dtype)

    def tensor(self, tensor: Tensor) -> tuple[int, Array, Array]:
        """A tensor as (size of the output, indices, values)."""
        indices = np.array(list(tensor.entries), dtype=np.intp).reshape(-1, 3)
        values = np.array([nearest_float(v) for v in tensor.entries.values()], dtype=self.dtype)
        return tensor.shape[2], indices, values

    def row(self, values: Sequence[Entry]) -> Array:
        """A row of biases."""
        return np.array([nearest_float(value) for value in values], dtype=self.dtype)

    def array(self, rows: Sequence[Sequence[Entry]]) -> Array:
        """Embedded tokens as an array."""
        return np.array([[nearest_float(value) for value in row] for row in rows], dtype=self.dtype)

    def apply(self, x: Array, weight: Array) -> Array:
        """X W."""
        return x @ weight

    def scores(self, queries: Array, keys: Array) -> Array:
        """Q Kᵀ."""
        return queries @ keys.T

    def mix(self, scores: Array, values: Array, attention: Attention, mask: Mask) -> Array:
        """The attended values."""
        rows, columns = scores.shape
        masked: Array = np.where(mask_matrix(rows, columns, mask), scores, -np.inf)
        top = masked.max(axis=1, keepdims=True)
        if attention is Attention.HARD:
            chosen: Array = values[masked.argmax(axis=1)]
            return chosen
        weights: Array = np.exp(masked - top) if attention is Attention.SOFT else masked == top
        weights = weights.astype(self.dtype)
        mixed: Array = (weights / weights.sum(axis=1, keepdims=True)) @ values
        return mixed

    def join(self, parts: Sequence[Array]) -> Array:
        """Heads side by side."""
        return np.concatenate(list(parts), axis=1)

    def contract(self, tensor: tuple[int, Array, Array], left: Array, right: Array) -> Array:
        """T ×₁ X_left ×₂ X_right, row by row."""
        size, indices, values = tensor
        products = left[:, indices[:, 0]] * right[:, indices[:, 1]] * values
        result = np.zeros((left.shape[0], size), dtype=self.dtype)
        np.add.at(result.T, indices[:, 2], products.T)
        return result

    def shift(self, x: Array, row: Array) -> Array:
        """A bias added to every row."""
        return x + row

    def activate(self, name: str, x: Array) -> Array:
        """σ, entry by entry, in the array's own precision."""
        return np.asarray(activation_by_name(name).array(x), dtype=self.dtype)

    def normalise(self, x: Array, norm: Norm) -> Array:
        """gain · x / √(mean of x² + ε), row by row; with `norm.centred`, x minus its mean."""
        x = x - x.mean(axis=1, keepdims=True) if norm.centred else x
        square = (x * x).mean(axis=1, keepdims=True) + nearest_float(norm.epsilon)
        result: Array = x * (nearest_float(norm.gain) / np.sqrt(square))
        return result.astype(self.dtype)

    def renew(self, x: Array, source: Array, columns: range) -> Array:
        """X with some columns taken from the embedding."""
        result = x.copy()
        result[:, list(columns)] = source[:, list(columns)]
        return result
