"""The log-depth construction with soft attention and, if wanted, smooth MLPs: sizes of its values.

Claimed      with C large (and h small) the error at every position is below any ε
Shown        by the recursion of `budget`, from a bound on every coordinate of the hard pass
Sizes        0, 1 for marks; E, E² for positions and depths; for the states and for the matrices M
             of μ(v) = M μ(c) + b the bounds of `states`
Gap          positions are integers, and so are scores: the largest is 1 or more above the others
"""

from __future__ import annotations

from fractions import Fraction

import flint

from constructions.automata.trees import most_leaves
from constructions.blocks.logdepth_weights import LogDepthPlan
from constructions.core.exact import ceiling
from constructions.logdepth import LogDepthSimulation
from verify.bounds.budget import BITS, BudgetSubject
from verify.bounds.states import context_bounds, state_bounds


def position_sizes(plan: LogDepthPlan) -> dict[str, list[Fraction]]:
    """V for the blocks that hold positions and depths."""
    extent = Fraction(plan.extent)
    long = {name: [extent] for name in ("index", "depth", "pointer")}
    return long | {name: [extent**2] for name in ("square", "depth_squared")}


def state_sizes(simulation: LogDepthSimulation) -> dict[str, list[Fraction]]:
    """V for states and matrices."""
    with flint.ctx.workprec(BITS):
        bounds = state_bounds(simulation.automaton, most_leaves(simulation.plan.length))
        states = [ceiling(bound) for bound in bounds.largest()]
        matrix = [ceiling(bound) for row in context_bounds(bounds) for bound in row]
    return {"matrix": matrix, "state": states}


def sizes(plan: LogDepthPlan, blocks: dict[str, list[Fraction]]) -> tuple[Fraction, ...]:
    """V for each coordinate of a token; marks are at most 1."""
    return tuple(plan.layout().vector(blocks, Fraction(1)))


def subject(simulation: LogDepthSimulation) -> BudgetSubject:
    """The input of the recursion for a simulation with hard heads."""
    plan = simulation.plan
    coordinates = sizes(plan, position_sizes(plan) | state_sizes(simulation))
    return BudgetSubject(
        transformer=simulation.transformer,
        embedded=coordinates,
        sizes=coordinates,
        tokens=plan.length + 1,
        gap=Fraction(1),
        states=plan.layout()["state"],
        one=plan.layout().at("one"),
    )
