"""Activations and their derivatives, enclosed: what a multiplying MLP must know of σ.

Claimed       (Appendix B.2, cited) any activation that is no polynomial of low degree will do
Constructs    for tanh, sigmoid, softplus, GELU, its tanh form (`gelu_new`, the default of GPT-2)
              and SiLU a rational point b with σ''(b) ≠ 0, and enclosures of σ^(k) over a whole
              interval, by power series with ball coefficients
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

from constructions.core.errors import InputError
from constructions.core.exact import EnclosedNumber, ball

Series: TypeAlias = Any  # power series with ball coefficients, flint.arb_series, or balls
CUBIC = Fraction(44715, 10**6)  # of the tanh form of GELU, as all libraries write it


@dataclass(frozen=True)
class Activation:
    """A smooth activation, the point b at which it is expanded, and its power series."""

    name: str
    point: Fraction
    series: Callable[[Series], Series]

    def derivative(self, where: flint.arb, order: int) -> flint.arb:
        """A ball that contains σ^(order)(x) for every x in `where`; not finite if that is wide."""
        variable = flint.arb_series([where, 1], prec=order + 1)
        try:
            return self.series(variable)[order] * factorial(order)
        except ValueError:
            return flint.arb.nan()


def _sigmoid(x: Series) -> Series:
    """1/(1 + e^-x), by the form whose exponential is small: a wide ball far below 0 stays finite."""
    if (x[0] if isinstance(x, flint.arb_series) else x) < 0:
        grown = x.exp()
        return grown / (1 + grown)
    return 1 / (1 + (-x).exp())


def _tanh(x: Series) -> Series:
    return 2 * _sigmoid(2 * x) - 1


def _softplus(x: Series) -> Series:
    return (1 + x.exp()).log()


def _gelu(x: Series) -> Series:
    return x * (1 + (x * (1 / flint.arb(2).sqrt())).erf()) / 2


def gelu_new(x: Series) -> Series:
    """x (1 + tanh z)/2 = x sigmoid(2z) with z = √(2/π) (x + 0.044715 x³)."""
    return x * _sigmoid((8 / flint.arb.pi()).sqrt() * (x + ball(CUBIC) * (x * x * x)))


def _silu(x: Series) -> Series:
    return x * _sigmoid(x)


SMOOTH: dict[str, Activation] = {
    activation.name: activation
    for activation in (
        Activation("tanh", Fraction(1, 2), _tanh),
        Activation("sigmoid", Fraction(1), _sigmoid),
        Activation("softplus", Fraction(0), _softplus),
        Activation("gelu", Fraction(0), _gelu),
        Activation("gelu_new", Fraction(0), gelu_new),
        Activation("silu", Fraction(0), _silu),
    )
}

ODD = ("gelu", "gelu_new", "silu", "softplus")


@dataclass(frozen=True)
class OverOne(EnclosedNumber):
    """scale / σ(1): undoes a gate that is always σ(1)."""

    activation: str
    scale: Fraction = Fraction(1)

    def ball(self) -> flint.arb:
        """A ball that contains the number, at the working precision."""
        if self.activation == "relu":
            return ball(self.scale)
        return ball(self.scale) / SMOOTH[self.activation].series(flint.arb(1))


def smooth(name: str) -> Activation:
    """The smooth activation of that name, or a clear error."""
    try:
        return SMOOTH[name]
    except KeyError:
        raise InputError("activation", name, f"one of {', '.join(SMOOTH)}") from None
