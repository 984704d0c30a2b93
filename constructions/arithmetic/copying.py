"""PyTorch with matrices that only copy coordinates applied as copies.

Constructs    x W where every entry of W is 1 and no column has more than two: columns of x, or sums of
              two of them; a tensor's terms round by round, the k-th term of every output in round k;
              scores of two coordinates in 16 bits by way of float32; every other step is that of
              `Torch`, the reference
Promises      the same numbers as `Torch` to the last bit while they are finite: a product with 1 and a
              sum with zeros are exact, one sum of two numbers is rounded once in either, the terms of
              an output are added in the same order, and sums of 16-bit numbers are float32's in either
              (where x has infinities, a product with 0 would make them NaN)

Most matrices of the constructions are of this kind, and formats without fast matrix products (float16,
bfloat16 on a processor) gain most. It is an arithmetic for measurements; a module keeps its matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor as Torch_

from constructions.arithmetic.torch import Torch
from constructions.core.matrix import Matrix, Tensor

MOST = 2
FEW = 4  # as many copies of neighbours are faster than one of scattered coordinates
Places = Torch_ | slice


@dataclass(frozen=True)
class Copies:
    """W as lists (rows, columns) of its ones, with each column at most once in a list."""

    width: int
    lists: tuple[tuple[Places, Places], ...]


@dataclass(frozen=True)
class Round:
    """Terms of a tensor, at most one for each output: factors, outputs, and values unless all are 1."""

    left: Torch_
    right: Torch_
    output: Torch_
    values: Torch_ | None

    @classmethod
    def of(cls, indices: Torch_, values: Torch_) -> Round:
        """The terms of these places and values."""
        left, right, output = indices.unbind(1)
        return cls(left, right, output, None if bool((values == 1).all()) else values)

    def add_to(self, result: Torch_, left: Torch_, right: Torch_) -> None:
        """Add the terms to their outputs, all with coordinates first."""
        products = left[self.left] * right[self.right]
        if self.values is not None:
            products *= self.values.reshape(-1, *[1] * (products.dim() - 1))
        result[self.output] += products


@dataclass(frozen=True)
class Rounds:
    """A tensor by rounds of its terms."""

    size: int
    rounds: tuple[Round, ...]


class CopyingTorch(Torch):
    """Tensors of one floating-point type; matrices of ones copy instead of multiplying."""

    def weight(self, matrix: Matrix) -> Torch_ | Copies:  # type: ignore[override]
        """A weight matrix: what it copies, or its entries."""
        return copied_entries(matrix) or super().weight(matrix)

    def apply(self, x: Torch_, weight: Torch_ | Copies) -> Torch_:
        """X W."""
        if not isinstance(weight, Copies):
            return super().apply(x, weight)
        result = x.new_zeros((*x.shape[:-1], weight.width))
        for rows, columns in weight.lists:
            result[..., columns] += x[..., rows]
        return result

    def scores(self, queries: Torch_, keys: Torch_) -> Torch_:
        """Q Kᵀ; of two coordinates in 16 bits by float32, where both products are exact."""
        if queries.dtype.itemsize > 2 or queries.shape[-1] > 2:
            return super().scores(queries, keys)
        return super().scores(queries.float(), keys.float()).to(queries.dtype)

    def tensor(self, tensor: Tensor) -> Rounds:  # type: ignore[override]
        """A tensor by rounds of its terms."""
        size, indices, values = super().tensor(tensor)
        parts = [(indices[chosen], values[chosen]) for chosen in rounds_of_terms(indices[:, 2])]
        return Rounds(size, tuple(Round.of(*part) for part in parts))

    def contract(self, tensor: Rounds, left: Torch_, right: Torch_) -> Torch_:  # type: ignore[override]
        """T ×₁ X_left ×₂ X_right, row by row."""
        left, right = (x.movedim(-1, 0).contiguous() for x in (left, right))
        wide = torch.float32 if left.dtype.itemsize == 2 else left.dtype
        result = torch.zeros((tensor.size, *left.shape[1:]), dtype=wide)
        for part in tensor.rounds:
            part.add_to(result, left, right)
        return result.to(left.dtype).movedim(0, -1)


def rounds_of_terms(outputs: Torch_) -> list[Torch_]:
    """Group the terms by their rank among the terms of the same output.

    Examples:
        >>> [terms.tolist() for terms in rounds_of_terms(torch.tensor([0, 0, 1, 0, 1]))]
        [[0, 2], [1, 4], [3]]

    """
    order = outputs.argsort(stable=True)
    counts = outputs.bincount()
    begins = (counts.cumsum(0) - counts)[outputs[order]]
    rank = torch.empty_like(order)
    rank[order] = torch.arange(len(order)) - begins
    return [torch.nonzero(rank == k)[:, 0] for k in range(max(counts.tolist(), default=0))]


def copied_entries(matrix: Matrix) -> Copies | None:
    """The matrix as copies, or None where it does more."""
    lists: list[dict[int, int]] = [{} for _ in range(MOST)]
    for (row, column), value in matrix.entries.items():
        free = next((taken for taken in lists if column not in taken), None)
        if free is None or not (isinstance(value, int) and value == 1):
            return None
        free[column] = row
    pairs = [pair for taken in lists for pair in _places([*taken.values()], [*taken])]
    return Copies(matrix.shape[1], tuple(pairs))


def _places(rows: Sequence[int], columns: Sequence[int]) -> list[tuple[Places, Places]]:
    """Neighbours that are copied to neighbours as slices where these are few, else all as they are."""
    stretches = list[tuple[int, int, int]]()
    for row, column in zip(rows, columns, strict=True):
        begin, end, size = stretches[-1] if stretches else (row, column, 0)
        if size and (row, column) == (begin + size, end + size):
            stretches[-1] = begin, end, size + 1
        else:
            stretches.append((row, column, 1))
    if len(stretches) <= FEW:
        return [(slice(r, r + size), slice(c, c + size)) for r, c, size in stretches]
    return [(torch.tensor(rows), torch.tensor(columns))]
