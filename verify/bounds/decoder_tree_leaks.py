"""What the heads of the tree decoder leak, and what that adds to each read, by the class of a node.

Classes      of tokens and what they may do in which step are those of `decoder_tree_classes`, what a step
             does to their errors is in `decoder_tree_step`, and `decoder_tree_rounding` runs all steps. BOS
             stays as it is: it attends to itself only
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
Rounding     of scores makes leaks larger by a factor, `growth`
Notation     W = T + 1; s_m, N_k of `reachable`
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions.core.exact import ball
from verify.bounds.budget import TooSoft
from verify.bounds.decoder_tree_classes import NodeErrors, Reads
from verify.bounds.decoder_tree_losses import TreeSizes


@dataclass(frozen=True)
class TreeLeaks:
    """The leaks of all trees with |str(t)| ≤ length."""

    sizes: TreeSizes

    @property
    def length(self) -> int:
        """T."""
        return self.sizes.length

    def constant(self, now: NodeErrors, saturation: Fraction) -> flint.arb:
        """C(1 - 2δ)."""
        moved = (now.left + (self.length + 1) * now.activity).max(now.pointer)
        if not 2 * moved < 1:
            raise TooSoft("a pointer may be off by half a token")
        return ball(saturation) * (1 - 2 * moved)

    def reads(self, now: NodeErrors, saturation: Fraction, growth: flint.arb) -> Reads:
        """Error that softmax adds to each read; `growth` is a factor on leaks by rounded scores."""
        constant = self.constant(now, saturation)
        lost, beyond = (growth * leaked(constant) for leaked in (window_leak, far_leak))
        none = growth * leak_to_others(ball(saturation))
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

    def match(self, saturation: Fraction) -> flint.arb:
        """Attention of the match head on tokens other than the first of the right child."""
        share, far = (-ball(saturation)).exp(), self.length + 2
        return share * (1 + share) / (1 - share) + self.length * (-ball(saturation) * far).exp()

    def match_light(self, saturation: Fraction) -> flint.arb:
        """λ'' of the match head: on tokens that are 3 or more below its target."""
        share, far = (-ball(saturation)).exp(), self.length + 2
        return 2 * share**3 / (1 - share) + self.length * (-ball(saturation) * far).exp()

    @property
    def match_gap(self) -> int:
        """How much nearer BOS is to the query of who is not inactive than all other tokens."""
        return 2 * self.length + 3 if self.length > 1 else 1


def window_leak(constant: flint.arb) -> flint.arb:
    """2 Σ_{m≥1} e^{-C m²} ≤ 2 e^{-C} / (1 - e^{-3C})."""
    return 2 * (-constant).exp() / (1 - (-3 * constant).exp())


def far_leak(constant: flint.arb) -> flint.arb:
    """2 Σ_{m≥2} e^{-C m²} ≤ 2 e^{-4C} / (1 - e^{-5C})."""
    return 2 * (-4 * constant).exp() / (1 - (-5 * constant).exp())


def leak_to_others(constant: flint.arb) -> flint.arb:
    """Σ_{j≥1} e^{-C(j²+3j)} ≤ e^{-4C} / (1 - e^{-6C})."""
    return (-4 * constant).exp() / (1 - (-6 * constant).exp())
