"""GELU: x Φ(x) with Φ the distribution function of the standard normal law."""

from __future__ import annotations

from fractions import Fraction
from math import erf, sqrt
from typing import Any

import flint
import numpy as np

from constructions.core.activations.record import SmoothActivation


def array(x: Any) -> Any:
    """σ in floating point; NumPy has no erf."""
    return x * (1 + np.vectorize(erf)(x.astype(np.float64) / sqrt(2))) / 2


ACTIVATION = SmoothActivation(
    name="gelu",
    title="GELU",
    point=Fraction(0),
    series=lambda x: x * (1 + (x * (1 / flint.arb(2).sqrt())).erf()) / 2,
    enclosure=lambda x: x * (1 + (flint.arb(x) / flint.arb(2).sqrt()).erf()) / 2,
    multiprecision=lambda mp, x: x * (1 + mp.erf(x / mp.sqrt(2))) / 2,
    array=array,
    tensor=lambda torch, x: torch.nn.functional.gelu(x),
    odd_part_is_identity=True,
    is_gate=True,
    lipschitz=Fraction(6, 5),
)
