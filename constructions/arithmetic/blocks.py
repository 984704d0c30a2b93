"""PyTorch with hard attention in blocks of rows: the N × N scores are never all in memory.

Constructs    the mixing step of a hard head, a few rows of scores at a time: the position of the
              largest score of each row, then a copy of the value at that position
Unlike dense  only in time and memory: every other step, soft and saturated heads, and whatever
              `torch.compile` and `torch.export` see, are those of `Torch`, the reference
Promises      the same states as `Torch` to the last bit, wherever the largest score of a row is
              apart from the next by more than the rounding of a score; where it is not, the format
              does not decide the row, and the two may point at different positions

The dense step holds N² scores for each element of a batch, half a gigabyte at T = 4096 in float64;
a block holds about `ENTRIES` of them, which a processor's cache can keep.
"""

from __future__ import annotations

import torch
from torch import Tensor as Torch_

from constructions.arithmetic.torch import Torch
from constructions.core.transformer import Attention, Mask

ENTRIES, FEWEST = 1 << 18, 16
Pair = tuple[Torch_, Torch_]


class BlockwiseTorch(Torch):
    """Tensors of one floating-point type; hard heads look at a block of rows at a time."""

    def scores(self, queries: Torch_, keys: Torch_) -> Pair:  # type: ignore[override]
        """Queries and keys as they are; `mix` multiplies them."""
        return queries, keys

    def mix(  # type: ignore[override]
        self, scores: Pair, values: Torch_, attention: Attention, mask: Mask
    ) -> Torch_:
        """The attended values."""
        if (
            attention is not Attention.HARD
            or torch.compiler.is_compiling()
            or fits_one_block(*scores)
        ):
            return super().mix(super().scores(*scores), values, attention, mask)
        return self.rows_at(values, self._routes(*scores, mask))

    def _routes(self, queries: Torch_, keys: Torch_, mask: Mask) -> Torch_:
        """Return the position of the largest score of each row."""
        across, count = keys.transpose(-1, -2).contiguous(), queries.shape[-2]
        rows = max(FEWEST, ENTRIES // count)
        blocks = ((i, queries[..., i : i + rows, :] @ across) for i in range(0, count, rows))
        return torch.cat([self._largest(self._mask_scores(s, mask, i)) for i, s in blocks], dim=-1)


def fits_one_block(queries: Torch_, keys: Torch_) -> bool:
    """True if one block holds all scores."""
    return queries.shape[-2] * keys.shape[-2] <= ENTRIES
