"""The square, a polynomial of degree two: it multiplies without an error."""

from __future__ import annotations

from constructions.core.activations.record import Activation

ACTIVATION = Activation(
    name="square",
    title="square",
    enclosure=lambda x: x * x,
    multiprecision=lambda mp, x: x * x,
    array=lambda x: x * x,
    tensor=lambda torch, x: torch.square(x),
    rational=lambda x: x * x,
)
