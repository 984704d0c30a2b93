"""At which lengths hard attention still finds its positions in floating point.

The right score beats the next by 1 - cos(π/T) ≈ 5/T², so that a format with machine epsilon e
loses it near T ≈ √(5/e). Weights and operations are those of the PyTorch module that a user would load;
T runs through powers of two, rows are all positions where they are few and drawn otherwise.
"""

from __future__ import annotations

from random import Random

import torch

from constructions import theorem1
from constructions.arithmetic.torch import Torch

WINDOW = 48
LARGEST = 1 << 30


def codes(positions: torch.Tensor, span: int, arithmetic: Torch) -> torch.Tensor:
    """Tokens of one state that carry nothing but their position."""
    angle = positions.to(torch.float64) * (torch.pi / span)
    ones = torch.ones_like(angle)
    return torch.stack([ones, ones, angle.cos(), angle.sin()], dim=-1).to(arithmetic.dtype)


def rows_right(rows: torch.Tensor, layer: int, span: int, arithmetic: Torch) -> bool:
    """Whether the left head's rows have their one maximum 2^(l-1) positions to the left."""
    reach = min(WINDOW, span - 1)
    near = (rows - (1 << (layer - 1)))[:, None] + torch.arange(-reach, reach + 1)
    query = arithmetic.apply(
        codes(rows[:, None], span, arithmetic), arithmetic.weight(theorem1.query(1))
    )
    weight = arithmetic.weight(theorem1.left_key(1, layer, span))
    scores = arithmetic.scores(query, arithmetic.apply(codes(near, span, arithmetic), weight))
    best = scores == scores.amax(dim=-1, keepdim=True)
    return bool((best == (torch.arange(-reach, reach + 1) == 0)).all())


def longest(dtype: torch.dtype, count: int) -> int:
    """The largest power of two T up to which every row looked at is right, in layers 1 and 2."""
    arithmetic, span = Torch(dtype), 1
    while span < LARGEST and _right(2 * span, arithmetic, count):
        span *= 2
    return span


def _right(span: int, arithmetic: Torch, count: int) -> bool:
    positions, random = range(-span + 1, span + 1), Random(span)
    chosen = positions if 2 * span <= count else [random.choice(positions) for _ in range(count)]
    layers = range(1, min(2, span.bit_length() - 1) + 1)
    return all(rows_right(torch.tensor(list(chosen)), layer, span, arithmetic) for layer in layers)
