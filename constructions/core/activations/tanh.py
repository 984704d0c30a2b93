"""The hyperbolic tangent."""

from __future__ import annotations

from fractions import Fraction

import flint
import numpy as np

from constructions.core.activations import sigmoid
from constructions.core.activations.record import SmoothActivation

ACTIVATION = SmoothActivation(
    name="tanh",
    title="tanh",
    point=Fraction(1, 2),
    series=lambda x: 2 * sigmoid.series(2 * x) - 1,
    enclosure=lambda x: flint.arb(x).tanh(),
    multiprecision=lambda mp, x: mp.tanh(x),
    array=np.tanh,
    tensor=lambda torch, x: torch.tanh(x),
    lipschitz=Fraction(6, 5),
)
