"""The activations by name: each is the `ACTIVATION` of a file of this folder, and a new one is one file.

Start at `record`. Adding a file is safe; a bound on a slope is used by every certificate.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from pkgutil import iter_modules

import flint

from constructions.core.activations.record import Activation, SmoothActivation
from constructions.core.errors import InputError
from constructions.core.exact import EnclosedNumber, ball

_FILES = sorted(module.name for module in iter_modules(__path__) if module.name != "record")
_RECORDS: list[Activation] = [import_module(f"{__name__}.{file}").ACTIVATION for file in _FILES]
ACTIVATIONS = {record.name: record for record in _RECORDS}
SMOOTH = {
    name: record for name, record in ACTIVATIONS.items() if isinstance(record, SmoothActivation)
}
PIECEWISE_LINEAR = tuple(name for name, record in ACTIVATIONS.items() if record.piecewise_linear)


def activation_by_name(name: str) -> Activation:
    """The activation of that name, or a clear error."""
    if name not in ACTIVATIONS:
        raise InputError("activation", name, f"one of {', '.join(ACTIVATIONS)}")
    return ACTIVATIONS[name]


def smooth_activation(name: str) -> SmoothActivation:
    """The smooth activation of that name, or a clear error."""
    if name not in SMOOTH:
        raise InputError("activation", name, f"one of {', '.join(SMOOTH)}")
    return SMOOTH[name]


@dataclass(frozen=True)
class GateInverse(EnclosedNumber):
    """scale / σ(1): undoes a gate that is always σ(1)."""

    activation: str
    scale: Fraction = Fraction(1)

    def ball(self) -> flint.arb:
        """A ball that contains the number, at the working precision."""
        return ball(self.scale) / activation_by_name(self.activation).enclosure(1)
