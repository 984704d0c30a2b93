"""The longest words for which hard attention is right in floating point, measured in PyTorch.

float.lengths   in each format the largest power of two at which every row looked at attends the
                right position lies between √(5/e)/6 and 2√(5/e), e the machine epsilon

The right score beats the next by about 5/T². A score is a sum of two products of rounded numbers
and errs by at most about 4e, so the position is found while 5/T² > 8e; as T doubles, the largest
such power of two is at least √(5/8e)/2 > √(5/e)/6. Below 1 numbers are e/2 apart, so that two
scores coincide where 5/T² < e/4, that is beyond 2√(5/e).

Weights and operations are those of the PyTorch module that a user would load; T runs through powers
of two, rows are all positions where they are few and drawn otherwise.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from random import Random
from typing import TYPE_CHECKING

from constructions import theorem1
from verify.facts.registry import fact
from verify.judge.outcome import Outcome, curve

if TYPE_CHECKING:
    import torch

    from constructions.arithmetic.torch import Torch

WINDOW = 48
LARGEST = 1 << 30


@fact("float.lengths", "observed", needs=("torch",))
def longest_lengths(formats: list[str], rows: int) -> Outcome:
    """The longest routed length of each format lies between √(5/e)/6 and 2√(5/e)."""
    import torch

    from constructions.arithmetic.torch import measurement_mode

    bits, reached, expected = [], [], []
    for name in formats:
        dtype = getattr(torch, name)
        epsilon = Fraction(torch.finfo(dtype).eps)
        bits.append(epsilon.denominator.bit_length() - 1)
        with measurement_mode():
            reached.append(longest_length(dtype, rows))
        expected.append(isqrt(int(5 / epsilon)))
    far = [
        n for n, a, b in zip(formats, reached, expected, strict=True) if not b <= 6 * a <= 12 * b
    ]
    values = {"curves": [curve("longest length", bits, reached), curve("√(5/e)", bits, expected)]}
    return Outcome(not far, values, {"formats": far} if far else None)


def position_codes(positions: torch.Tensor, span: int, arithmetic: Torch) -> torch.Tensor:
    """Tokens of one state that carry nothing but their position."""
    import torch

    angle = positions.to(torch.float64) * (torch.pi / span)
    ones = torch.ones_like(angle)
    return torch.stack([ones, ones, angle.cos(), angle.sin()], dim=-1).to(arithmetic.dtype)


def rows_find_their_position(rows: torch.Tensor, layer: int, span: int, arithmetic: Torch) -> bool:
    """Return whether the left head's rows have their one maximum 2^(l-1) positions to the left."""
    import torch

    reach = min(WINDOW, span - 1)
    near = (rows - (1 << (layer - 1)))[:, None] + torch.arange(-reach, reach + 1)
    query = arithmetic.apply(
        position_codes(rows[:, None], span, arithmetic), arithmetic.weight(theorem1.query(1))
    )
    weight = arithmetic.weight(theorem1.left_key(1, layer, span))
    scores = arithmetic.scores(
        query, arithmetic.apply(position_codes(near, span, arithmetic), weight)
    )
    best = scores == scores.amax(dim=-1, keepdim=True)
    return bool((best == (torch.arange(-reach, reach + 1) == 0)).all())


def longest_length(dtype: torch.dtype, count: int) -> int:
    """The largest power of two T up to which every row looked at is right, in layers 1 and 2."""
    from constructions.arithmetic.torch import Torch

    arithmetic, span = Torch(dtype), 1
    while span < LARGEST and _length_works(2 * span, arithmetic, count):
        span *= 2
    return span


def _length_works(span: int, arithmetic: Torch, count: int) -> bool:
    import torch

    positions, random = range(-span + 1, span + 1), Random(span)
    chosen = positions if 2 * span <= count else [random.choice(positions) for _ in range(count)]
    layers = range(1, min(2, span.bit_length() - 1) + 1)
    return all(
        rows_find_their_position(torch.tensor(list(chosen)), layer, span, arithmetic)
        for layer in layers
    )
