"""Theorem 3 with softplus MLPs in every layer, and how wide they are.

Claimed       an MLP of ½(2n+1)(2n+2), O(n³) or O(n⁴) hidden units approximates the map of a layer
Constructs    the softplus units of `smoothing` in all layers, those that find the depths included:
              n² + 6n + 10 hidden units for a parse layer, which is the widest
Notation      n states, h > 0 the step of the units
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from constructions.blocks.smoothing import SoftplusUnits, smooth_transformer
from constructions.core.matrix import Matrix
from constructions.core.transformer import MLP, Layer
from constructions.theorem3 import TreeSimulation


def smooth_simulation(simulation: TreeSimulation, step: Fraction) -> TreeSimulation:
    """The same transformer with a softplus MLP in every layer."""
    one = simulation.plan.layout.at("one")
    model = smooth_transformer(simulation.transformer, SoftplusUnits(step), one)
    return replace(simulation, transformer=model)


def greatest_width(layers: Sequence[Layer[Matrix]]) -> int:
    """The largest number of hidden units among the MLPs of some layers."""
    blocks = [layer.feedforward for layer in layers]
    return max(block.hidden.shape[1] for block in blocks if isinstance(block, MLP))
