"""Softmax rows of the heads that find children in a tree's string, in fixed-point intervals.

Positions i = 1 … N, the last one an end token. A head that looks for j* has the scores -(j - j*)²; from
all but opening brackets the left head is drawn to the end token. The right head reads j ≥ i only, and
its scores are whole numbers but for β times what a flag of a left child, itself read by softmax,
misses. The rows depend on C and on the shape alone, and are the same in all layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from verify.recheck.kernel import interval, tree
from verify.recheck.kernel.fixed import ZERO, Fixed, Row, shares, times, total
from verify.recheck.kernel.interval import ceil, floor


@dataclass(frozen=True)
class Heads:
    """The weights of the left and of the right head, for every position."""

    left: list[Row]
    right: list[Row]


@lru_cache(maxsize=256)
def heads(shape: str, length: int, saturation: int, bits: int) -> Heads:
    """The rows of softmax weights of the heads that find children, for a string of [, ] and a."""
    kinds = [*({"[": 1}.get(symbol, 0) for symbol in shape), -1]
    depth, still = [*tree.before_depths(shape), 0], [ZERO] * len(kinds)
    places = range(1, len(kinds) + 1)
    beta, end = length + 2, (length + 3) ** 2
    before = [kinds[max(j - 2, 0)] for j in places]  # 1 behind an opening bracket
    moved = []
    for i, hard in zip(places, before, strict=True):
        row = soft_row([-((j - i + 1) ** 2) for j in places], still, saturation, bits)
        parts = [(p[0], p[1]) if kind > 0 else (-p[1], -p[0])
                 for p, kind in zip(row, kinds, strict=True) if kind]  # fmt: skip
        low, high = total(parts)
        moved.append((beta * ((hard << bits) - high), beta * ((hard << bits) - low)))
    left, right = [], []
    for i, kind in zip(places, kinds, strict=True):
        scores = [-((j - i - 1) ** 2) + end * (kind - 1) * kinds[j - 1] for j in places]
        left.append(soft_row(scores, still, saturation, bits))
        child = depth[i - 1] + 1
        scores = [-beta * ((depth[j - 1] - child) ** 2 + before[j - 1]) - j for j in places][
            i - 1 :
        ]
        row = soft_row(scores, moved[i - 1 :], saturation, bits)
        right.append([*[ZERO] * (i - 1), *row])
    return Heads(left, right)


def soft_row(scores: Sequence[int], moved: Sequence[Fixed], saturation: int, bits: int) -> Row:
    """softmax of C times whole scores with small perturbations, in units of 2^-bits."""
    top = max(scores)
    powers = [
        times(_power(saturation * (top - score), bits), _small_power(saturation, move, bits), bits)
        for score, move in zip(scores, moved, strict=True)
    ]
    return shares(powers, bits)


@lru_cache(maxsize=4096)
def _power(exponent: int, bits: int) -> Fixed:
    """exp(-x) for a whole x ≥ 0."""
    if exponent > bits:
        return 0, 1
    low, high = interval.exp(Fraction(-exponent), bits)
    return floor(low, bits), ceil(high, bits)


@lru_cache(maxsize=4096)
def _small_power(saturation: int, move: Fixed, bits: int) -> Fixed:
    """exp(C x) for an interval."""
    if move == ZERO:
        return 1 << bits, 1 << bits
    low, high = (Fraction(saturation * end, 1 << bits) for end in move)
    return floor(interval.exp(low, bits)[0], bits), ceil(interval.exp(high, bits)[1], bits)
