"""The logistic function 1/(1 + e^-x)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import numpy as np

from constructions.core.activations.record import Series, SmoothActivation


def series(x: Series) -> Series:
    """1/(1 + e^-x), by the form whose exponential is small: a wide ball far below 0 stays finite."""
    if (x[0] if isinstance(x, flint.arb_series) else x) < 0:
        power = x.exp()
        return power / (1 + power)
    return 1 / (1 + (-x).exp())


def enclosure(x: Any) -> flint.arb:
    """A ball around σ(x), by a form that has x once."""
    return 1 / (1 + (-flint.arb(x)).exp())


def array(x: Any) -> Any:
    """σ in floating point, by a form that does not overflow."""
    return np.exp(-np.logaddexp(0, -x))


ACTIVATION = SmoothActivation(
    name="sigmoid",
    title="sigmoid",
    point=Fraction(1),
    series=series,
    enclosure=enclosure,
    multiprecision=lambda mp, x: 1 / (1 + mp.exp(-x)),
    array=array,
    tensor=lambda torch, x: torch.sigmoid(x),
    lipschitz=Fraction(6, 5),
)
