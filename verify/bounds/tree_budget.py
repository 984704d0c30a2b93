"""Input of the error recursion of `budget` for the tree constructions: sizes, gap, states.

Gap           all scores but one are at least g below the largest. On the line, and without masks,
              scores are integers and g = 1. On the circle g = 1 - cos(π/N): cos falls by at least
              that much between neighbours on the half circle, and terms with β = 3 or the end
              token's 3 differ by at least 1
Sizes         a bound on every coordinate of the hard pass; those of states come from the automaton
Notation      N tokens
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import flint

from constructions.automata.trees import most_leaves
from constructions.automata.wta import WTA
from constructions.core.exact import ceiling
from constructions.core.layout import Layout
from constructions.theorem3 import Places, TreeSimulation
from constructions.variants.theorem3_variants import MaskVariantSimulation, maskless_layout
from verify.bounds.budget import BITS, BudgetSubject
from verify.bounds.states import state_bounds


def gap(tokens: int, places: Places) -> flint.arb:
    """g: the margin of the right position's score over all others."""
    if places is Places.LINE:
        return flint.arb(1)
    return 1 - flint.arb.cos_pi_fmpq(flint.fmpq(1, tokens))


def subject(simulation: TreeSimulation) -> BudgetSubject:
    """The input of `budget` for the repaired construction with hard heads.

    Every head has a unique maximum at every token, g above the rest: see above for the left and
    the right head; the head that flags left children is largest at i - 1, and at 1 for i = 1.
    Before the first layer count is i and mark a marker, afterwards they are at most d and d² + 1.
    """
    plan, tokens = simulation.plan, simulation.plan.tokens
    leaves = most_leaves(simulation.length)
    far = {Places.CIRCLE: (1, 1), Places.LINE: (tokens, tokens**2)}[plan.places]
    known = {"place": far, "state": largest_states(simulation.automaton, leaves)}
    later = {**known, "count": (leaves,), "mark": (leaves**2 + 1,)}
    with flint.ctx.workprec(BITS):
        least = floor(gap(tokens, plan.places))
    return BudgetSubject(
        transformer=simulation.transformer,
        embedded=_sizes(plan.layout, {**known, "count": (tokens,)}),
        sizes=_sizes(plan.layout, later),
        tokens=tokens,
        gap=least,
        states=plan.layout["state"],
        one=plan.layout.at("one"),
    )


def maskless_subject(variant: MaskVariantSimulation) -> BudgetSubject:
    """The input of `budget` for the construction without masks, whose scores are integers.

    The left head is that of the line; the right one is largest at the integer that `target`
    holds, or at the end token where that lies beyond it.
    """
    layout, tokens = maskless_layout(variant.automaton.n), variant.length + 1
    states = largest_states(variant.automaton, most_leaves(variant.length))
    known = {"place": (tokens, tokens**2), "size": (tokens,), "target": (tokens + 1,)}
    sizes = _sizes(layout, {**known, "state": states})
    return BudgetSubject(
        transformer=variant.transformer,
        embedded=sizes,
        sizes=sizes,
        tokens=tokens,
        gap=Fraction(1),
        states=layout["state"],
        one=layout.at("one"),
    )


Sizes = Sequence[Fraction | int]


def largest_states(automaton: WTA, leaves: int) -> Sizes:
    """The largest size of each entry of a state, over all trees of `leaves` leaves."""
    with flint.ctx.workprec(BITS):
        return [ceiling(bound) for bound in state_bounds(automaton, leaves).largest()]


def _sizes(layout: Layout, known: Mapping[str, Sizes]) -> tuple[Fraction, ...]:
    """A bound on every coordinate; marks and kinds are at most 1."""
    return tuple(map(Fraction, layout.vector(known, 1)))


def floor(value: flint.arb) -> Fraction:
    """A rational at or below every number of a ball."""
    return -ceiling(-value)
