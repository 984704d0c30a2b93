"""Products by hidden units at several steps: MLPs that floating point can hold.

Claimed       (Section 4, Appendix C) an MLP of fixed width approximates the map of a layer
Constructs    for every product of a bilinear block the four units of `smoothing` at the steps h, 2h, …,
              2^(m-1) h, added with Richardson's weights: Taylor's terms of order 4, …, 2m cancel, and
              the error falls like h^(2m). A product with the constant one is the exact copy
              σ(x) - σ(-x) = x, where the activation has it (GELU, SiLU, softplus)
Notation      σ activation, h = 2^-k step, m levels, 4m units a product, 2 a copy
Unlike print  with one step a small error asks for a small h; the units then differ by h², and float64
              loses what is left. Two or three steps ask for an h some thousand times as large
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod

from constructions.blocks.smoothing import (
    FourUnits,
    HiddenLayer,
    add_copy,
    add_four_units,
    is_copy,
    products,
)
from constructions.core.matrix import Matrix
from constructions.core.transformer import MLP, Bilinear


@dataclass(frozen=True)
class RefinedUnits:
    """4m units a product: those of the smallest step, and the number m of levels."""

    finest: FourUnits
    levels: int

    @property
    def copies(self) -> bool:
        """True if a product with the constant one is exact."""
        return self.finest.activation.odd_part_is_identity

    def block(self, block: Bilinear[Matrix], ones: frozenset[int]) -> MLP[Matrix]:
        """The MLP in place of a bilinear block; `ones` are the inputs that are always one."""
        hidden, sigma = HiddenLayer(), self.finest.activation
        for product in products(block):
            if self.copies and is_copy(product, ones):
                add_copy(hidden, product, ones)
                continue
            for k, weight in enumerate(richardson_weights(self.levels)):
                step, scale = self.finest.step * 2**k, weight * self.finest.scale / 4**k
                add_four_units(hidden, product, step, scale)
        return hidden.mlp(block, sigma.point, sigma.name)


@cache
def richardson_weights(levels: int) -> tuple[Fraction, ...]:
    """w_k with Σ w_k = 1 and Σ w_k 4^(kr) = 0 for r = 1 … levels - 1: Lagrange's weights at 0.

    >>> [str(weight) for weight in richardson_weights(2)]
    ['4/3', '-1/3']
    """
    nodes = [Fraction(4) ** k for k in range(levels)]
    return tuple(prod((b / (b - a) for b in nodes if b != a), start=Fraction(1)) for a in nodes)
