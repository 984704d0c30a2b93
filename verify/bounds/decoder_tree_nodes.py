"""Error bounds of the tree decoder with softmax, by the class of a node and its leaves.

Claimed      by us: the same as `decoder_tree`, with a bound that grows with the norms of the states and
             contexts that trees reach instead of with all absolute values in all coordinates
Classes      of tokens and what they may do in which step are those of `decoder_tree_classes`, what a step
             does to their errors is in `decoder_tree_step`. BOS stays as it is: it attends to itself only
Leak         scores are C(2qj - j²): if q is off by δ < 1/2, a token at distance m from the target is at
             least m² - 2δm ≥ m²(1 - 2δ) below it, so a row gives λ = 2 Σ e^{-C(1-2δ)m²} or less to others,
             and λ'' = 2 Σ_{m≥2} e^{-C(1-2δ)m²} to those that are not beside it.
             Who is not inactive has q ≤ -2 for its children: BOS gets all but λ° = Σ e^{-C(j²+3j)}
  match      the scores C(-W(d_j - d_i - 1)² - W g_j + j) are exact. Below the right child's first token
             j* those without penalty differ by 1, 2, …; those with penalty W by W - (j - j*) ≥ 2, for
             j ≤ T and j* ≥ 1, all different; all others, at most T, by W + 1 or more. So
             λ = Σ_{m≥1} e^{-Cm} + Σ_{m≥2} e^{-Cm} + T e^{-C(T+2)}. Who is not inactive, with d_i ≤ T - 2,
             is nearer to BOS, of depth -1, than to all others, by 3W - T or more, and gives them
             T e^{-C(2T+3)}; for T = 1, where d_i = 0, it is nearer by 1
Reads        a value v of the target is read as v + δv + Σ w_j (v_j - v): off by δv + λ(spread + 2 max error).
             The spread is 1 for f, T + 1 for c, s + |v| for b and N + |M| for M, s and N the largest norms of
             states that are known and of maps that there are so far.
             What is sent to BOS is read as 0, off by λ°(largest + error)
  one side   who reads itself has tokens on one side only, and gives them λ/2. Who reads the token before it
             gives the other half to itself, where f and b are 0 too for an inactive node. If neither child
             is known, the token after the left one is an opening bracket, where they are 0 as well, and
             those beyond it get λ''/2. In layer 3 that bracket is the token that read the left child
Layer 3      is a step without a pointer; before it only what layer 1 prepares for the match head is off
Rounding     is what `StepLosses` says of a step: nothing here; `decoder_tree_rounding` fills it in
Notation     W = T + 1; s_m, N_k of `reachable`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import flint

from constructions.core.exact import ball
from verify.bounds.budget import TooSoft
from verify.bounds.decoder import leak
from verify.bounds.decoder_tree_classes import ZERO, NodeErrors, Reads
from verify.bounds.decoder_tree_step import NodeStep, TreeSizes
from verify.bounds.norms import largest
from verify.bounds.reachable import ReachableBounds

BITS = 192
MOST_LEAVES = 64  # a step takes N² products


@dataclass(frozen=True)
class NodeRecursion:
    """The recursion for all trees with |str(t)| ≤ length, in a number of layers."""

    reach: ReachableBounds
    length: int
    layers: int

    def bound(self, saturation: Fraction) -> flint.arb:
        """Bound the Euclidean error of every state of every tree; raise TooSoft without a bound."""
        with flint.ctx.workprec(BITS):
            *_, last = self.errors_by_layer(saturation)
            error = largest(last.states.values())
            if not error.is_finite():
                raise TooSoft("no finite bound on a state")
            return flint.arb(error.upper())

    def errors_by_layer(self, saturation: Fraction) -> Iterator[NodeErrors]:
        """The errors after layers 3, 4, …"""
        now = self.first(saturation)
        yield now
        for layer in range(4, self.layers + 1):
            now = NodeStep(self.sizes, now, self.reads(now, saturation)).after(layer - 2)
            yield now

    @cached_property
    def sizes(self) -> TreeSizes:
        """The sizes of states and maps."""
        return TreeSizes(self.reach, self.length)

    def first(self, saturation: Fraction) -> NodeErrors:
        """The errors after layer 3, where all tokens are as embedded and the match head finds `left`."""
        near, match = leak(saturation), self.match_leak(saturation)
        both, far, leaf = near + match, near / 2 + match, self.reach.sizes[1]
        none = self.match_leak_to_others(saturation)
        left = match * (self.length + 1)
        reads = Reads(
            mark=both, clear=both, state=2 * both * leaf, empty=both * leaf,
            no_mark=none, no_state=none * leaf, near_clear=near / 2, near_empty=near / 2 * leaf,
            far_clear=far, far_empty=far * leaf,
        )  # fmt: skip
        before = NodeErrors.before_steps(self.reach.leaves, left, ZERO)
        return NodeStep(self.sizes, before, reads).after(1)

    def match_leak(self, saturation: Fraction) -> flint.arb:
        """Attention of the match head on tokens other than the first of the right child."""
        share, far = (-ball(saturation)).exp(), self.length + 2
        return share * (1 + share) / (1 - share) + self.length * (-ball(saturation) * far).exp()

    def match_leak_to_others(self, saturation: Fraction) -> flint.arb:
        """Attention of the heads of layer 3 on tokens other than BOS, when BOS is the target."""
        gap = 2 * self.length + 3 if self.length > 1 else 1
        far = self.length * (-ball(saturation) * gap).exp()
        return _leak_to_others(ball(saturation)).max(far)

    def constant(self, now: NodeErrors, saturation: Fraction) -> flint.arb:
        """C(1 - 2δ)."""
        moved = (now.left + (self.length + 1) * now.activity).max(now.pointer)
        if not 2 * moved < 1:
            raise TooSoft("a pointer may be off by half a token")
        return ball(saturation) * (1 - 2 * moved)

    def reads(
        self, now: NodeErrors, saturation: Fraction, growth: flint.arb | None = None
    ) -> Reads:
        """Error that softmax adds to each read; `growth` is a factor on leaks by rounded scores."""
        constant, none = self.constant(now, saturation), self.none_leak(saturation)
        lost, beyond = _leak(constant), far_leak(constant)
        if growth is not None:
            lost, beyond, none = lost * growth, beyond * growth, none * growth
        size, off, wide = self.sizes.state_at(now), 2 * now.state, self.length + 1 + 2 * now.pointer
        mark, empty, spread = lost * (1 + 2 * now.mark), lost * (size + off), 1 + 2 * now.mark
        near_clear, near_empty = lost * (1 + 4 * now.mark) / 2, lost * (size + 2 * off) / 2
        return Reads(
            mark=mark, clear=mark, state=lost * (2 * size + off), empty=empty,
            no_mark=none * (1 + now.mark), no_state=none * (size + now.state),
            next_mark=mark, next_clear=mark, next_pointer=lost * wide,
            next_state=lost * (2 * size + off), next_empty=empty, leak=lost,
            near_clear=near_clear, near_empty=near_empty,
            far_clear=near_clear + beyond * spread / 2,
            far_empty=near_empty + beyond * (size + off) / 2, own_empty=empty / 2,
        )  # fmt: skip

    def none_leak(self, saturation: Fraction) -> flint.arb:
        """λ°: what the heads give to other tokens than BOS, where that is the target."""
        return _leak_to_others(ball(saturation))


def _leak(constant: flint.arb) -> flint.arb:
    """2 Σ_{m≥1} e^{-C m²} ≤ 2 e^{-C} / (1 - e^{-3C})."""
    return 2 * (-constant).exp() / (1 - (-3 * constant).exp())


def far_leak(constant: flint.arb) -> flint.arb:
    """2 Σ_{m≥2} e^{-C m²} ≤ 2 e^{-4C} / (1 - e^{-5C})."""
    return 2 * (-4 * constant).exp() / (1 - (-5 * constant).exp())


def _leak_to_others(constant: flint.arb) -> flint.arb:
    """Σ_{j≥1} e^{-C(j²+3j)} ≤ e^{-4C} / (1 - e^{-6C})."""
    return (-4 * constant).exp() / (1 - (-6 * constant).exp())
