"""SiLU, also called swish: x/(1 + e^-x)."""

from __future__ import annotations

from fractions import Fraction

from constructions.core.activations import sigmoid
from constructions.core.activations.record import SmoothActivation

ACTIVATION = SmoothActivation(
    name="silu",
    title="SiLU",
    point=Fraction(0),
    series=lambda x: x * sigmoid.series(x),
    enclosure=lambda x: x * sigmoid.enclosure(x),
    multiprecision=lambda mp, x: x / (1 + mp.exp(-x)),
    array=lambda x: x * sigmoid.array(x),
    tensor=lambda torch, x: torch.nn.functional.silu(x),
    odd_part_is_identity=True,
    is_gate=True,
    lipschitz=Fraction(6, 5),
)
