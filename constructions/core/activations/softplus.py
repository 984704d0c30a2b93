"""Softplus: log(1 + eˣ), whose odd part is the identity."""

from __future__ import annotations

from fractions import Fraction

import flint
import numpy as np

from constructions.core.activations.record import SmoothActivation

ACTIVATION = SmoothActivation(
    name="softplus",
    title="softplus",
    point=Fraction(0),
    series=lambda x: (1 + x.exp()).log(),
    enclosure=lambda x: flint.arb(x).exp().log1p(),
    multiprecision=lambda mp, x: mp.log1p(mp.exp(x)),
    array=lambda x: np.logaddexp(0, x),
    tensor=lambda torch, x: torch.nn.functional.softplus(x),
    odd_part_is_identity=True,
    lipschitz=Fraction(6, 5),
)
