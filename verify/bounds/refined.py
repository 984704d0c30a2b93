"""The error of products by hidden units at several steps (`constructions.blocks.refined`).

Derivation    `verify.bounds.decoder`, section "levels": with K ≥ |σ^(2m+2)| near b, what is left of
              Taylor's series is the remainder of order 2m + 2 of each of the 4m units
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions.blocks.refined import RefinedUnits
from constructions.blocks.smoothing import FourUnits
from constructions.core.exact import ball
from verify.bounds.decoder import levels_error


@dataclass(frozen=True)
class BoundedRefinedUnits(RefinedUnits):
    """Units at several steps, with a bound on the error of a product."""

    @classmethod
    def of(cls, activation: str, bits: int, levels: int) -> BoundedRefinedUnits:
        """Steps 2^-bits, 2^(1-bits), …, `levels` of them."""
        return cls(FourUnits.of(activation, bits), levels)

    def error(self, x: Fraction, y: Fraction) -> flint.arb:
        """A bound on the error of a product of numbers up to x and y."""
        return levels_error(self.finest, self.levels, ball(x), ball(y))
