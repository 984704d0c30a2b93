"""Mish: x tanh(log(1 + eˣ)); its odd part is not the identity, so it multiplies but makes no copies."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from constructions.core.activations import softplus, tanh
from constructions.core.activations.record import Series, SmoothActivation


def series(x: Series) -> Series:
    """x tanh(softplus(x))."""
    return x * tanh.ACTIVATION.series(softplus.ACTIVATION.series(x))


ACTIVATION = SmoothActivation(
    name="mish",
    title="Mish",
    point=Fraction(0),
    series=series,
    enclosure=lambda x: x * softplus.ACTIVATION.enclosure(x).tanh(),
    multiprecision=lambda mp, x: x * mp.tanh(mp.log1p(mp.exp(x))),
    array=lambda x: x * np.tanh(np.logaddexp(0, x)),
    tensor=lambda torch, x: torch.nn.functional.mish(x),
    lipschitz=Fraction(6, 5),
)
