"""PyTorch that computes the scores of equal queries and keys once.

Constructs    what the rows of a head look at is remembered with its queries and keys; a head whose
              queries and keys are the same, entry by entry, looks at the same; soft heads leave out
              columns of zeros; every other step is that of `CopyingTorch`
Promises      the numbers of `CopyingTorch`: equal numbers have equal scores, and weights sum zeros to
              zero. Hard heads to the last bit; soft ones as far as a library's product of matrices
              adds in the same order when there are fewer columns
Use           queries and keys of Theorems 1 and 2 are positions, which no word changes: words that are
              run layer by layer, one after the other, share the scores of each layer, and the right
              head, which looks at its own token, those of all layers

`LAST` heads are remembered: the left and the right one of a layer. For T = 1024 the weights of a soft head
take 32 MB in float64.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import torch
from torch import Tensor

from constructions.arithmetic.copying import CopyingTorch
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


class SharedScoresTorch(CopyingTorch):
    """Tensors of one floating-point type; the last heads' weights are remembered."""

    def __init__(self, dtype: torch.dtype = torch.float64) -> None:
        super().__init__(dtype)
        self._last: deque[HeadWeights] = deque(maxlen=LAST)

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
        """The values that rows look at."""
        used = values.flatten(0, -2).any(dim=0)
        if not weights.is_floating_point() or bool(used.all()):
            return super().attended_values(weights, values)
        result = torch.zeros_like(values)
        result[..., used] = super().attended_values(weights, values[..., used])
        return result
