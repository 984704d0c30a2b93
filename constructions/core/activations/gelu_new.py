"""The tanh form of GELU, the default of GPT-2: x (1 + tanh z)/2 with z = √(2/π) (x + 0.044715 x³)."""

from __future__ import annotations

from fractions import Fraction
from math import pi, sqrt
from typing import Any

import flint
import numpy as np

from constructions.core.activations import sigmoid
from constructions.core.activations.record import Series, SmoothActivation
from constructions.core.exact import ball

CUBIC = Fraction(44715, 10**6)  # as all libraries write it


def series(x: Series) -> Series:
    """x sigmoid(2z), which is the same function."""
    return x * sigmoid.series((8 / flint.arb.pi()).sqrt() * (x + ball(CUBIC) * (x * x * x)))


def multiprecision(mp: Any, x: Any) -> Any:
    """σ in a context of mpmath."""
    z = mp.sqrt(2 / mp.pi) * (x + CUBIC.numerator * x**3 / CUBIC.denominator)
    return x * (1 + mp.tanh(z)) / 2


ACTIVATION = SmoothActivation(
    name="gelu_new",
    title="gelu_new",
    point=Fraction(0),
    series=series,
    enclosure=lambda x: series(flint.arb(x)),
    multiprecision=multiprecision,
    array=lambda x: x * (1 + np.tanh(sqrt(2 / pi) * (x + float(CUBIC) * x**3))) / 2,
    tensor=lambda torch, x: torch.nn.functional.gelu(x, approximate="tanh"),
    odd_part_is_identity=True,
    is_gate=True,
    lipschitz=Fraction(6, 5),
)
