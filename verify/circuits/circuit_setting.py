"""The setting of a circuit file, as bounds take it, and bounds on norms of exact matrices."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import flint

from constructions.circuits.circuit import Circuit
from constructions.circuits.parts import DECOY, SCRATCH, WINDOW
from constructions.core.exact import ball
from constructions.decoder import Design, Normalisation
from constructions.language_model import LanguageDesign
from verify.bounds.decoder import Setting
from verify.circuits.logarithm_bound import top


@dataclass(frozen=True)
class CircuitSetting(Setting):
    """A setting with noise in the tokens, whose square is part of |x|²."""

    noise: flint.arb = field(default_factory=flint.arb)

    def shrinkage(self, square_norm: flint.arb, n: int) -> flint.arb:
        """θ."""
        return super().shrinkage(square_norm + self.noise, n)


def setting_of(circuit: Circuit) -> CircuitSetting:
    """The design and C of a circuit file; a decoy is no noise, as its values are known."""
    c = circuit.constants
    fineness = None if c["fineness"] is None else int(c["fineness"])
    slope = None if c["slope"] is None else int(c["slope"])
    plain = 1 if slope is not None else fineness
    design = Design(
        str(c["activation"]),
        plain,
        Normalisation(str(c["norm"])),
        int(c["large"] or 0),
        Fraction(str(c["epsilon"])),
        circuit.whole_number("levels"),
    )
    logits = sum(feature.size for feature in circuit.features if feature.name == "logit")
    language = LanguageDesign.of(design, logits, slope)
    noise = ball(Fraction(0 if DECOY in circuit.subspaces else str(c["noise"])))
    return CircuitSetting(language, Fraction(str(c["saturation"])), bool(c["rotary"]), noise)


def mixing_bits(circuit: Circuit) -> int:
    """⌈log₂ k a g⌉, 0 if no two features share coordinates.

    Where sums have twice the digits of what is added up, as in Llama with float64, k is 1.
    """
    spaces = [circuit.subspaces[name] for name in (WINDOW, SCRATCH)]
    reads = [list(map(abs, form.values())) for s in spaces for form in s.read.columns()]
    writes = [list(map(abs, form.values())) for s in spaces for form in s.write.columns()]
    finer = circuit.constants["dtype"] == "float64" != circuit.constants["computes_in"]
    terms = 1 if finer else max(map(len, reads))
    weight, growth = (max(Fraction(1), *(sum(map(Fraction, form)) for form in forms))
                      for forms in (reads, writes))  # fmt: skip
    factor = terms * weight * growth
    return (ceil(factor) - 1).bit_length()


def row_bound(matrix: flint.fmpq_mat) -> flint.fmpq:
    """‖A‖_∞, the largest sum of the absolute values of a row."""
    return max(sum(map(abs, row)) for row in matrix.table())


def norm_bound(matrix: flint.fmpq_mat) -> flint.arb:
    """min(‖A‖_F, √(‖A‖₁ ‖A‖_∞)), rounded up."""
    square = min(
        row_bound(matrix) * row_bound(matrix.transpose()), sum(x * x for x in matrix.entries())
    )
    return top(flint.arb(square).sqrt())


def frobenius_bound(matrix: flint.fmpq_mat) -> flint.arb:
    """‖A‖_F, rounded up."""
    return top(flint.arb(sum(x * x for x in matrix.entries())).sqrt())


def entry_bound(matrix: flint.fmpq_mat) -> flint.arb:
    """The largest entry in absolute value."""
    return flint.arb(max(map(abs, matrix.entries())))
