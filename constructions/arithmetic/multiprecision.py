"""Arithmetic of many digits by mpmath, for measurements.

Explores; decides nothing. Each instance has its own context, so no global precision is set.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Self

import flint
import mpmath

from constructions.arithmetic.objects import ObjectArithmetic, Objects, map_entries
from constructions.core.activations import activation_by_name
from constructions.core.exact import EnclosedNumber, Exact
from constructions.core.matrix import Entry


class Multiprecision(ObjectArithmetic):
    """mpmath numbers with `digits` decimal digits."""

    def __init__(self, digits: int) -> None:
        self.context = mpmath.MPContext()
        self.context.dps = digits

    @classmethod
    def of_bits(cls, bits: int) -> Self:
        """Numbers of `bits` bits: 24 round as float32, in the same order on every machine."""
        made = cls(1)
        made.context.prec = bits
        return made

    def element(self, value: Entry) -> Any:
        """An exact number, rounded once."""
        if isinstance(value, Exact):
            return self._exact(value)
        if isinstance(value, (int, Fraction)):
            return self.context.mpf(value.numerator) / value.denominator
        return self._midpoint(value) if isinstance(value, EnclosedNumber) else value

    def _midpoint(self, value: EnclosedNumber) -> Any:
        """A number known by balls, rounded once."""
        with flint.ctx.workprec(2 * self.context.prec + 64):
            mantissa, exponent = value.ball().mid().man_exp()
        return +self.context.ldexp(int(mantissa), int(exponent))

    def _exact(self, value: Exact) -> Any:
        total = self.context.mpf(0)
        for (radicand, p, q), scale in value.terms.items():
            factor = self.context.mpf(int(scale.p)) / int(scale.q)
            total += (
                factor * self.context.sqrt(radicand) * self.context.cospi(self.context.mpf(p) / q)
            )
        return total

    def maximisers(self, row: Sequence[Any]) -> list[int]:
        """The indices of the largest rounded scores."""
        top = max(row)
        return [j for j, score in enumerate(row) if score == top]

    def softmax(self, row: Sequence[Any]) -> list[Any]:
        """exp(s_j - max s) / Σ exp(s_k - max s)."""
        top = max(row)
        powers = [self.context.exp(score - top) for score in row]
        total = self.context.fsum(powers)
        return [power / total for power in powers]

    def root(self, value: Any) -> Any:
        """√value."""
        return self.context.sqrt(value)

    def activate(self, name: str, x: Objects) -> Objects:
        """σ, entry by entry."""
        sigma = activation_by_name(name).multiprecision
        return map_entries(lambda value: sigma(self.context, value), x)
