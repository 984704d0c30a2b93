"""PyTorch with matrices that only copy coordinates applied as copies.

Constructs    x W where every entry of W is 1 and no column has more than two: columns of x, or sums of
              two of them; every other step is that of `Torch`, the reference
Promises      the same numbers as `Torch` to the last bit while they are finite: a product with 1 and a
              sum with zeros are exact, and one sum of two numbers is rounded once in either
              (where x has infinities, a product with 0 would make them NaN)

Most matrices of the constructions are of this kind, and formats without fast matrix products (float16,
bfloat16 on a processor) gain most. It is an arithmetic for measurements; a module keeps its matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from constructions.arithmetic.torch import Torch
from constructions.core.matrix import Matrix

MOST = 2


@dataclass(frozen=True)
class Copies:
    """W as lists (rows, columns) of its ones, with each column at most once in a list."""

    width: int
    lists: tuple[tuple[Tensor, Tensor], ...]


class CopyingTorch(Torch):
    """Tensors of one floating-point type; matrices of ones copy instead of multiplying."""

    def weight(self, matrix: Matrix) -> Tensor | Copies:  # type: ignore[override]
        """A weight matrix: what it copies, or its entries."""
        return copied_entries(matrix) or super().weight(matrix)

    def apply(self, x: Tensor, weight: Tensor | Copies) -> Tensor:
        """X W."""
        if not isinstance(weight, Copies):
            return super().apply(x, weight)
        result = x.new_zeros((*x.shape[:-1], weight.width))
        for rows, columns in weight.lists:
            result[..., columns] += x[..., rows]
        return result


def copied_entries(matrix: Matrix) -> Copies | None:
    """The matrix as copies, or None where it does more."""
    lists: list[dict[int, int]] = [{} for _ in range(MOST)]
    for (row, column), value in matrix.entries.items():
        free = next((taken for taken in lists if column not in taken), None)
        if free is None or not (isinstance(value, int) and value == 1):
            return None
        free[column] = row
    pairs = [(torch.tensor([*t.values()]), torch.tensor([*t])) for t in lists if t]
    return Copies(matrix.shape[1], tuple(pairs))
