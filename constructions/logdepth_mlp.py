"""The log-depth construction with smooth MLPs in place of its bilinear layers.

Constructs    four hidden units for each product x y of a layer, as in `multiplication`:
              x y ≈ s (σ(b+h(x+y)) + σ(b-h(x+y)) - σ(b+h(x-y)) - σ(b-h(x-y))), s ≈ 1/(4h² σ''(b))
Notation      h = 2^-fineness; b a rational point with σ''(b) ≠ 0; x, y the linear forms of a unit
Unlike print  no residuals: what a layer keeps is a product with the constant one, and that one is
              itself kept by a product; the error of all of this is in `verify.bounds.logdepth`
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions.activations import Activation, smooth
from constructions.logdepth import Simulation
from constructions.matrix import Entry, Matrix
from constructions.multiplication import SIGNS, ceiling
from constructions.transformer import MLP, Bilinear, Layer, Transformer


@dataclass(frozen=True)
class Fineness:
    """How the products are approximated: the activation, the step h and the scale s."""

    activation: Activation
    step: Fraction
    scale: Fraction

    @classmethod
    def of(cls, activation: str, bits: int) -> Fineness:
        """h = 2^-bits, and s as close to 1/(4h² σ''(b)) as 8 bits + 256 binary digits allow."""
        sigma, step = smooth(activation), Fraction(1, 1 << bits)
        with flint.ctx.workprec(8 * bits + 256):
            point = flint.arb(flint.fmpq(sigma.point.numerator, sigma.point.denominator))
            curvature = 4 * sigma.derivative(point, 2) * flint.arb(2) ** (-2 * bits)
            return cls(sigma, step, ceiling((1 / curvature).mid()))


def smooth_block(block: Bilinear[Matrix], fineness: Fineness) -> MLP[Matrix]:
    """The MLP that approximates a bilinear block with a diagonal tensor."""
    rows, units = block.left.shape
    inward: dict[tuple[int, int], Entry] = {}
    outward: dict[tuple[int, int], Entry] = {}
    for number, (x_sign, y_sign, _) in enumerate(SIGNS):
        for (row, unit), weight in block.left.entries.items():
            inward[row, 4 * unit + number] = x_sign * fineness.step * weight
        for (row, unit), weight in block.right.entries.items():
            at = (row, 4 * unit + number)
            inward[at] = inward.get(at, 0) + y_sign * fineness.step * weight
    for (unit, column), weight in block.output.entries.items():
        for number, (_, _, sign) in enumerate(SIGNS):
            outward[4 * unit + number, column] = sign * fineness.scale * weight
    return MLP(
        Matrix((rows, 4 * units), inward),
        (fineness.activation.point,) * (4 * units),
        fineness.activation.name,
        Matrix((4 * units, block.output.shape[1]), outward),
        (0,) * block.output.shape[1],
    )


def smooth_layer(layer: Layer[Matrix], fineness: Fineness) -> Layer[Matrix]:
    """A layer with its bilinear block replaced."""
    if not isinstance(layer.feedforward, Bilinear):
        raise TypeError("the layer has an MLP already")
    return Layer(layer.heads, layer.combine, smooth_block(layer.feedforward, fineness))


def with_mlps(simulation: Simulation, fineness: Fineness) -> Simulation:
    """The transformer with an MLP in every layer."""
    old = simulation.transformer
    layers = tuple(smooth_layer(layer, fineness) for layer in old.layers)
    return Simulation(
        simulation.automaton, simulation.plan, Transformer(layers, old.readout, old.positions)
    )
