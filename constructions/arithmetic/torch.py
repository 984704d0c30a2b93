"""PyTorch: the arithmetic of the models a user would load.

Arrays may carry batch dimensions in front; every operation acts on the last two. Imported by
name (`constructions.arithmetic.torch`), so that the exact parts load without PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor as Torch_

from constructions.arithmetic.floats import nearest_float
from constructions.core.activations import activation_by_name
from constructions.core.matrix import Entry, Matrix, Tensor
from constructions.core.transformer import Attention, Mask, Norm

Cubic = tuple[int, Torch_, Torch_]


@contextmanager
def measurement_mode() -> Iterator[None]:
    """No gradients, and PyTorch's own kernels.

    Those of oneDNN for bfloat16 end the process with an illegal instruction on virtual machines that
    announce AMX and do not allow it.
    """
    flags: Any = torch.backends.mkldnn  # its functions have no types
    enabled, *_ = flags.set_flags(False)
    try:
        with torch.no_grad():
            yield
    finally:
        flags.set_flags(enabled)


class Torch:
    """Tensors of one floating-point type."""

    def __init__(self, dtype: torch.dtype = torch.float64) -> None:
        self.dtype = dtype

    def weight(self, matrix: Matrix) -> Torch_:
        """A dense weight matrix."""
        dense = torch.zeros(matrix.shape, dtype=torch.float64)
        if matrix.entries:
            rows, columns = zip(*matrix.entries, strict=True)
            values = [nearest_float(value) for value in matrix.entries.values()]
            dense[list(rows), list(columns)] = torch.tensor(values, dtype=torch.float64)
        return dense.to(self.dtype)

    def tensor(self, tensor: Tensor) -> Cubic:
        """A tensor as (size of the output, indices, values)."""
        indices = torch.tensor(list(tensor.entries), dtype=torch.int64).reshape(-1, 3)
        values = [nearest_float(value) for value in tensor.entries.values()]
        return tensor.shape[2], indices, torch.tensor(values, dtype=self.dtype)

    def row(self, values: Sequence[Entry]) -> Torch_:
        """A row of biases."""
        return torch.tensor([nearest_float(value) for value in values], dtype=self.dtype)

    def array(self, rows: Sequence[Sequence[Entry]]) -> Torch_:
        """Embedded tokens as an array."""
        return torch.tensor(
            [[nearest_float(value) for value in row] for row in rows], dtype=self.dtype
        )

    def apply(self, x: Torch_, weight: Torch_) -> Torch_:
        """X W."""
        return x @ weight

    def scores(self, queries: Torch_, keys: Torch_) -> Torch_:
        """Q Kᵀ."""
        return queries @ keys.transpose(-1, -2)

    def mix(self, scores: Torch_, values: Torch_, attention: Attention, mask: Mask) -> Torch_:
        """The attended values."""
        return self.attended_values(self.weights(scores, attention, mask), values)

    def weights(self, scores: Torch_, attention: Attention, mask: Mask) -> Torch_:
        """Attention weights of each row; for hard attention, the index of the row it copies."""
        masked = self._mask_scores(scores, mask)
        if attention is Attention.SOFT:
            return torch.softmax(masked, dim=-1)
        if attention is Attention.HARD:
            return self._largest(masked)
        weights = (masked == masked.amax(dim=-1, keepdim=True)).to(scores.dtype)
        return weights / weights.sum(dim=-1, keepdim=True)

    def attended_values(self, weights: Torch_, values: Torch_) -> Torch_:
        """The values that rows look at, by their weights or by the number of one row."""
        return weights @ values if weights.is_floating_point() else self.rows_at(values, weights)

    def _largest(self, scores: Torch_) -> Torch_:
        """Index of the largest score of each row; the first one in case of a tie."""
        return scores.max(dim=-1).indices

    def rows_at(self, values: Torch_, rows: Torch_) -> Torch_:
        """The values of the chosen rows."""
        return values.gather(-2, rows.unsqueeze(-1).expand(*rows.shape, values.shape[-1]))

    def _mask_scores(self, scores: Torch_, mask: Mask, first: int = 0) -> Torch_:
        """Scores of the rows from `first` on, -∞ where the mask forbids."""
        if mask is Mask.NONE:
            return scores
        ones = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
        allowed = ones.tril(first) if mask is Mask.CAUSAL else ones.triu(first)
        return scores.masked_fill(~allowed, float("-inf"))

    def join(self, parts: Sequence[Torch_]) -> Torch_:
        """Heads side by side."""
        return torch.cat(list(parts), dim=-1)

    def contract(self, tensor: Cubic, left: Torch_, right: Torch_) -> Torch_:
        """T ×₁ X_left ×₂ X_right, row by row."""
        size, indices, values = tensor
        products = left[..., indices[:, 0]] * right[..., indices[:, 1]] * values
        result = products.new_zeros((*left.shape[:-1], size))
        return result.index_add(-1, indices[:, 2], products)

    def shift(self, x: Torch_, row: Torch_) -> Torch_:
        """A bias added to every row."""
        return x + row

    def activate(self, name: str, x: Torch_) -> Torch_:
        """σ, entry by entry."""
        values: Torch_ = activation_by_name(name).tensor(torch, x)
        return values

    def normalise(self, x: Torch_, norm: Norm) -> Torch_:
        """gain · x / √(mean of x² + ε), row by row; with `norm.centred`, x minus its mean."""
        x = x - x.mean(dim=-1, keepdim=True) if norm.centred else x
        square = (x * x).mean(dim=-1, keepdim=True) + nearest_float(norm.epsilon)
        return x * (nearest_float(norm.gain) / torch.sqrt(square))

    def renew(self, x: Torch_, source: Torch_, columns: range) -> Torch_:
        """X with some columns taken from the embedding."""
        if not len(columns):
            return x
        parts = [x[..., : columns.start], source[..., columns.start : columns.stop]]
        return torch.cat([*parts, x[..., columns.stop :]], dim=-1)
