"""Properties of an activation σ: its values in every arithmetic, derivatives, and copies.

Claimed       (Appendix B.2, cited) any activation that is no polynomial of low degree will do
Constructs    `Activation`        σ in every arithmetic, a bound on |σ'|, and two properties: whether
                                  σ(u) - σ(-u) = u, and whether libraries have blocks with σ as gate
              `SmoothActivation`  the same with a rational point b, σ''(b) ≠ 0, and enclosures of
                                  σ^(k) over an interval, by power series with ball coefficients
Notation      σ activation, b point of expansion, σ^(k) its k-th derivative
Unlike print  ReLU has no such point: σ'' is 0 wherever it exists
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Any, TypeAlias

import flint

Series: TypeAlias = Any  # power series with ball coefficients, flint.arb_series, or balls


@dataclass(frozen=True, kw_only=True)
class Activation:
    """An activation; PyTorch and mpmath are handed to its forms, so that neither is imported here."""

    name: str
    title: str  # as a reader writes it
    enclosure: Callable[[Any], flint.arb]  # of a ball
    multiprecision: Callable[[Any, Any], Any]  # of a context of mpmath and one of its numbers
    array: Callable[[Any], Any]  # of a NumPy array, entry by entry, in its own precision
    tensor: Callable[[Any, Any], Any]  # of the module torch and a tensor
    rational: Callable[[Any], Any] | None = None  # of a rational, where σ is piecewise rational
    piecewise_linear: bool = False
    odd_part_is_identity: bool = False  # σ(u) - σ(-u) = u for all u
    is_gate: bool = False  # gated blocks with σ exist, and then the odd part is the identity
    lipschitz: Fraction | None = None  # an upper bound on |σ'|


@dataclass(frozen=True, kw_only=True)
class SmoothActivation(Activation):
    """A smooth activation, the point b at which it is expanded, and its power series."""

    point: Fraction
    series: Callable[[Series], Series]
    lipschitz: Fraction

    def derivative(self, where: flint.arb, order: int) -> flint.arb:
        """A ball that contains σ^(order)(x) for every x in `where`; not finite if that is wide."""
        variable = flint.arb_series([where, 1], prec=order + 1)
        try:
            return self.series(variable)[order] * factorial(order)
        except ValueError:
            return flint.arb.nan()
