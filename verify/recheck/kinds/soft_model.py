"""Confirms the sizes and the precision of the model with softmax attention and MLPs.

soft-model.sizes   the sizes counted from what a token, a head and a product need
model.precision    the corrected recursion for all words, with the error of the MLP
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verify.recheck.declarations import ByName, confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate, agree, fraction, only
from verify.recheck.kernel.soft import Model
from verify.recheck.kinds.saturation import automaton, known
from verify.recheck.kinds.sizes import compared
from verify.recheck.kinds.soft_attention import constant
from verify.recheck.kinds.units import four_units

Table = Mapping[str, Any]
NAMES = {"depth", "embedding", "attention", "heads", "units"}


def counted(n: int, size: int) -> dict[str, int]:
    """Two copies of n × n entries and a position; n³ products of four units each, in a layer."""
    token = n * n + n * n + 2
    layer = {"attention": token, "heads": 2, "units": 4 * n**3} if size > 1 else {}
    return {"depth": (size - 1).bit_length(), "embedding": token, **layer}


def _tolerance(value: object) -> Fraction:
    found = fraction(value)
    if not 0 < found <= 1:
        raise Refused(f"error {abbreviate(value)}, expected a number from 0 to 1")
    return found


@confirms(
    "soft-model.sizes", "exact", sizes=ByName(str, known=NAMES), states=[(1, 16), 1, 16],
    lengths=[(1, 4096), 1, 32], saturations=[constant, 1, 8], tolerances=[_tolerance, 1, 8],
)  # fmt: skip
def model_sizes(
    sizes: dict[str, str], states: list[int], lengths: list[int],
    saturations: list[Fraction], tolerances: list[Fraction],
) -> Recomputed:  # fmt: skip
    """Each printed size is the counted one, which depends on neither C nor the MLP's error."""
    return compared(sizes, states, lengths, counted)


@confirms(
    "model.precision", "enclosure", alpha=object, transitions=object, length=(1, 8),
    saturation=constant, activation=str, radius=fraction, tolerance=fraction, eps=fraction,
)  # fmt: skip
def precision(
    alpha: Any, transitions: Any, length: int, saturation: Fraction, activation: str,
    radius: Fraction, tolerance: Fraction, eps: Fraction, certificate: Table,
) -> Recomputed:  # fmt: skip
    """The corrected recursion with ε_mlp: n² times the error of one product, in spectral norm."""
    subject = known(automaton({"alpha": alpha, "transitions": transitions}), length)
    n, values = len(subject.alpha), certificate["values"]
    only(values, {"units", "point", "step", "scale"})
    agree("units", values["units"], 4 * n**3)
    stated = {field: values[field] for field in ("point", "step", "scale")}
    error = four_units(stated, activation, radius)
    if n * error > tolerance:
        raise Refused("an entry may miss by more than the tolerance")
    leak, total = Model(1, length, saturation).leak[1], Fraction(0)
    for (_, norm), (_, diameter) in zip(subject.norms, subject.diameters, strict=True):
        delta = total + leak * diameter
        if norm + delta > radius:
            raise Refused(f"entries of up to {float(norm + delta)} leave the MLP's domain")
        total = 2 * norm * delta + delta * delta + n * n * error
    if not subject.readout[1] * total < eps:
        raise Refused(f"the states may miss by {float(subject.readout[1] * total)}")
    return Recomputed(True, values)
