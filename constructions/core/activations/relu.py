"""ReLU: max(x, 0), which keeps rationals rational; it is piecewise linear, so it has no series."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import numpy as np

from constructions.core.activations.record import Activation


def enclosure(x: Any) -> flint.arb:
    """A ball around max(x, 0), also where x is a ball around 0."""
    return (flint.arb(x) + abs(flint.arb(x))) / 2


ACTIVATION = Activation(
    name="relu",
    title="ReLU",
    enclosure=enclosure,
    multiprecision=lambda mp, x: x if x > 0 else mp.mpf(0),
    array=lambda x: np.maximum(x, 0),
    tensor=lambda torch, x: torch.nn.functional.relu(x),
    rational=lambda x: x if x > 0 else 0,
    piecewise_linear=True,
    odd_part_is_identity=True,
    is_gate=True,
    lipschitz=Fraction(1),
)
