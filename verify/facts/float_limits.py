"""How far hard attention goes in floating point, measured in PyTorch.

float.lengths   in each format the largest power of two at which every row looked at attends the
                right position lies between √(5/e)/6 and 2√(5/e), e the machine epsilon

The right score beats the next by about 5/T². A score is a sum of two products of rounded numbers
and errs by at most about 4e, so the position is found while 5/T² > 8e; as T doubles, the largest
such power of two is at least √(5/8e)/2 > √(5/e)/6. Below 1 numbers are e/2 apart, so that two
scores coincide where 5/T² < e/4, that is beyond 2√(5/e).
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from verify.facts.found import Found, curve
from verify.facts.registry import fact


@fact("float.lengths", "observed", needs=("torch",))
def lengths(formats: list[str], rows: int) -> Found:
    """The longest routed length of each format lies between √(5/e)/6 and 2√(5/e)."""
    import torch

    from constructions.arithmetic.torch import measuring
    from verify.facts.float_limits_measured import longest

    bits, reached, expected = [], [], []
    for name in formats:
        dtype = getattr(torch, name)
        epsilon = Fraction(torch.finfo(dtype).eps)
        bits.append(epsilon.denominator.bit_length() - 1)
        with measuring():
            reached.append(longest(dtype, rows))
        expected.append(isqrt(int(5 / epsilon)))
    far = [
        n for n, a, b in zip(formats, reached, expected, strict=True) if not b <= 6 * a <= 12 * b
    ]
    values = {"curves": [curve("longest length", bits, reached), curve("√(5/e)", bits, expected)]}
    return Found(not far, values, {"formats": far} if far else None)
