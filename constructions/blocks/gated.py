"""Gated blocks that multiply: two units a product of two linear forms, one unit a linear form.

Constructs    a product    x σ(y) - x σ(-y) = x y, exactly, for every σ with σ(u) - σ(-u) = u:
                           ReLU, SiLU, both forms of GELU (the gates of ReGLU, SwiGLU, GEGLU)
              a linear form  x σ(1) / σ(1) = x, with a gate that reads the constant one
Notation      a form maps (block, offset) to a coefficient, as in `logdepth_weights`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.core.activations import ACTIVATIONS, GateInverse, activation_by_name
from constructions.core.errors import InputError
from constructions.core.forms import Form, columns, times
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Gated

DEFAULT = "silu"
GATES = (DEFAULT, *(name for name, s in ACTIVATIONS.items() if s.is_gate and name != DEFAULT))


@dataclass(frozen=True)
class GatedUnit:
    """One hidden unit: (inward · x) σ(gate · x), added to the output coordinates."""

    inward: Form
    gate: Form
    output: Form


def check_gate(activation: str) -> str:
    """An activation with σ(u) - σ(-u) = u, or a clear error."""
    if activation not in GATES:
        raise InputError("activation", activation, f"one of {', '.join(GATES)}, for a gated block")
    return activation


def product_units(left: Form, right: Form, output: Form) -> list[GatedUnit]:
    """(left · x)(right · x) times the output form, by two units."""
    return [GatedUnit(left, times(sign, right), times(sign, output)) for sign in (1, -1)]


def linear_units(form: Form, output: Form, one: Form, activation: str) -> list[GatedUnit]:
    """(form · x) times the output form, by one unit whose gate reads the constant one."""
    undone = {key: gate_inverse(activation, value) for key, value in output.items()}
    return [GatedUnit(form, one, undone)]


def gate_inverse(activation: str, scale: Entry) -> Entry:
    """scale / σ(1), which is the scale itself where σ(1) = 1 (ReLU)."""
    sigma = activation_by_name(activation).rational
    if sigma is not None and sigma(1) == 1:
        return scale
    return GateInverse(activation, Fraction(scale))


def gated_block(layout: Layout, units: Sequence[GatedUnit], activation: str) -> Gated[Matrix]:
    """The block with these hidden units."""
    return Gated(
        columns(layout, [unit.inward for unit in units]),
        columns(layout, [unit.gate for unit in units]),
        check_gate(activation),
        columns(layout, [unit.output for unit in units]).transpose,
    )
