"""PyTorch for measurements: equal attention weights are computed once, zeros of matrices left out.

Constructs    the attention weights of a head are stored with its queries and keys; a head with equal
              queries and keys has the same weights; soft heads leave out columns of zeros; matrices of
              ones and zeros are sparse; every other step is that of `Torch`
Promises      the numbers of `Torch` for tokens of one word (two dimensions): a product with 1 and a sum
              with 0 are exact, and a sum of two numbers is rounded once. Matrices with more than two
              ones in a column, and soft heads, as far as a library's product of matrices adds in the
              same order when zeros are left out
Use           queries and keys of Theorems 1 and 2 are positions, which no word changes: words that are
              run layer by layer, one after the other, share the scores of each layer, and the right
              head, which reads its own token, those of all layers

`LAST` heads are stored: the left and the right one of a layer. For T = 1024 the weights of a soft head
take 32 MB in float64.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import torch
from torch import Tensor

from constructions.arithmetic.torch import Cubic, Torch
from constructions.core.matrix import Matrix
from constructions.core.transformer import Attention, Mask

LAST = 2
Scores = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class HeadWeights:
    """Attention weights of a head, with the queries and keys they were computed from."""

    scores: Scores
    kind: tuple[Attention, Mask]
    weights: Tensor

    def belongs_to(self, scores: Scores, kind: tuple[Attention, Mask]) -> bool:
        """True if a head of this kind with these queries and keys has the same weights."""
        pairs = zip(self.scores, scores, strict=True)
        return self.kind == kind and all(torch.equal(own, other) for own, other in pairs)


class SharedScoresTorch(Torch):
    """Tensors of one floating-point type; the attention weights of the last heads are stored."""

    def __init__(self, dtype: torch.dtype = torch.float64) -> None:
        super().__init__(dtype)
        self._wide = torch.float32 if dtype.itemsize == 2 else dtype
        self._last: deque[HeadWeights] = deque(maxlen=LAST)

    def weight(self, matrix: Matrix) -> Tensor:
        """A weight matrix; one of ones and zeros is stored as its ones, transposed."""
        dense = super().weight(matrix)
        copies = all(value == 1 for value in matrix.entries.values())
        return dense.t().to(self._wide).to_sparse() if copies else dense

    def apply(self, x: Tensor, weight: Tensor) -> Tensor:
        """X W, which for ones and zeros is a sum of columns."""
        if not weight.is_sparse:
            return super().apply(x, weight)
        return (weight @ x.t().to(self._wide)).t().to(x.dtype)

    def contract(self, tensor: Cubic, left: Tensor, right: Tensor) -> Tensor:
        """T ×₁ X_left ×₂ X_right, row by row, with the coordinates first in memory."""
        size, indices, values = tensor
        left, right = (x.t().contiguous() for x in (left, right))
        products = (left[indices[:, 0]] * right[indices[:, 1]] * values.unsqueeze(-1)).to(
            self._wide
        )
        result = products.new_zeros((size, left.shape[-1]))
        return result.index_add(0, indices[:, 2], products).t().to(self.dtype)

    def scores(self, queries: Tensor, keys: Tensor) -> Scores:  # type: ignore[override]
        """Queries and keys as they are; `mix` multiplies them."""
        return queries, keys

    def mix(  # type: ignore[override]
        self, scores: Scores, values: Tensor, attention: Attention, mask: Mask
    ) -> Tensor:
        """The attended values."""
        return self.attended_values(self._cached_weights(scores, (attention, mask)), values)

    def _cached_weights(self, scores: Scores, kind: tuple[Attention, Mask]) -> Tensor:
        """Attention weights of a head from a cache; the least recently used are dropped."""
        head = next((own for own in self._last if own.belongs_to(scores, kind)), None)
        if head is None:
            head = HeadWeights(scores, kind, self.weights(super().scores(*scores), *kind))
        else:
            self._last.remove(head)
        self._last.append(head)
        return head.weights

    def attended_values(self, weights: Tensor, values: Tensor) -> Tensor:
        """The attended values; columns of zeros are left out."""
        used = values.flatten(0, -2).any(dim=0)
        if not weights.is_floating_point() or bool(used.all()):
            return super().attended_values(weights, values)
        result = torch.zeros_like(values)
        result[..., used] = super().attended_values(weights, values[..., used])
        return result
