"""Errors of the tree decoder by classes of nodes, for all trees up to a length: of softmax and of rounding.

Claimed      by us: no state of a tree with |str(t)| ≤ T that the decoder computes in a floating-point format,
             or exactly, misses by more than the bound, in the Euclidean norm. It grows with the norms of the
             states and contexts that trees reach. Exact arithmetic is a format with u = τ = 0
Assumed      as in `decoder_rounding`: every operation rounds once with unit u or less, what is below the
             least normal number τ is lost, sums run in any order; exp and the stored weights are within 8
             units, σ(y) within 8u|y|; and softmax subtracts the largest score, with exp(0) = 1
Derivation   as in `decoder_tree_leaks` and `decoder_tree_step`, where a computed step is the exact one of the
             computed numbers up to what follows; b, M and marks are bounded by the classes there, computed
             ones by their errors more
  embedding  positions, squares, marks and I are exact as long as T² < 1/u; a leaf misses by 2u s_1
  a block    and its sum with the stream lose what `decoder_tree_losses` says
  erasing    leaves γ_16 of what was read, which the next read is added to. Who stays inactive has read
             nothing of its children, and I of itself; who meets no known node has read no state and no mark.
             After layer 1 the mean in `near` is left so, after layer 3 f and b of the token before, the
             square of the depth in read_matrix, and the depth in read_pointer. A node of m leaves has a depth
             of at most N - m, and m ≥ 4 if it is inactive after layer 3, m ≥ 3 if it is active
  a read     misses by γ_{2R+12} of the sum of sizes, R = T + 1. Or: adding a term rounds by no more than the
             term, so of the sums that the target's term is in, of numerator and denominator, only those
             round by u that add what one of at most three heavy tokens is in (the two beside the target of a
             pointer, λ'' for all others; of the match head those 1 and 2 below the target, λ'' = 2 Σ_{m≥3}
             e^{-Cm} + T e^{-C(T+2)}). The target's weight is 1 over the sum, with 5 more roundings, so that a
             read misses by γ_14 of the target's size and by (4γ_{2R+12} λ + 4λ''(1 + γ_{2R+12})) of the
             largest and the target's; by γ_5 of the target's and 4λ(1 + γ_{2R+12}) of the largest, where no
             token counts as heavy; and by what underflows
  depth      the mean of numbers up to 1 misses by γ_{2R+12}, so d = R · mean - 2 + f + g by
             ε = R γ_{2R+12} + γ_30 (D + 3), |d| ≤ D = max(1, N - 1) for N leaves
Scores       2qj - j² of a pointer are of size 5CW² with at most 14 roundings, and q gathers four terms:
             η = 10 γ_14 C W² (1 + |δg|), and λ grows by e^{2η}
  match      with computed depths the score is -W(d_j - d_i - 1)² + W(d_j² - sq_j) - W g_j + j, up to
             γ_14 W (2(Q + 1) D + D² + 2), |d_i + 1 - W(1-g_i)| ≤ Q; the square misses by γ_25 (D + ε)².
             Where Δ = d_j - d_i - 1, which is 0 for the target, moves by 2ε, a gap WΔ² shrinks by
             4εW|Δ| + 4ε²W: by 4εW + 4ε²W for |Δ| ≤ 1, and for |Δ| ≥ 2 there remains W + 1 or more of
             3W + 2 + W(Δ² - 4), if ε ≤ 1/8. Who looks at BOS from |Δ| ≤ W + D + 1 loses
             8(ε + ε²)W(W + D + 2) of his gap
Range        scores, units, weights and sums of K of them stay below the largest number
Notation     u, τ, γ of `floating`, T(·, ·) and n of the automaton, W = T + 1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property

import flint

from constructions.automata.trees import most_leaves
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from constructions.decoder_tree import depth
from verify.bounds.budget import TooSoft
from verify.bounds.decoder_tree_classes import ZERO, ClassErrors, NodeErrors, Reads
from verify.bounds.decoder_tree_leaks import TreeLeaks, far_leak, leak_to_others, window_leak
from verify.bounds.decoder_tree_losses import ReadErrors, TreeSizes
from verify.bounds.decoder_tree_step import NodeStep
from verify.bounds.floating import EXACT, Precision
from verify.bounds.norms import largest
from verify.bounds.reachable import ReachableBounds, reachable_bounds

BITS = 192
MOST_LEAVES = 256  # a step takes N² products
EIGHTH = flint.arb(1) / 8


@dataclass(frozen=True)
class Leftovers:
    """Remainders after erasing: mark and state of children, of inactive and of active nodes; of
    a mark, a state that was 0, any state, a pointer, one's own I and a map, of the pointer; and of what a
    known node read there.
    """

    clear: flint.arb
    empty: flint.arb
    mark: flint.arb
    state: flint.arb
    next_clear: flint.arb
    next_empty: flint.arb
    next_state: flint.arb
    pointer: flint.arb
    one: flint.arb
    map: flint.arb
    settled_map: flint.arb


@dataclass(frozen=True)
class TreeDecoderErrors:
    """The recursion for all trees with |str(t)| ≤ length, in a number of layers, in a format."""

    reach: ReachableBounds
    length: int
    layers: int
    form: Precision = EXACT

    @classmethod
    def of(cls, automaton: WTA, length: int, form: Precision = EXACT) -> TreeDecoderErrors:
        """Return the recursion for the decoder of an automaton; raise TooSoft for long trees."""
        leaves = most_leaves(length)
        if leaves > MOST_LEAVES:
            raise TooSoft(f"trees have more than {MOST_LEAVES} leaves")
        return cls(reachable_bounds(automaton, leaves), length, depth(length), form)

    def errors_by_layer(self, saturation: Fraction) -> Iterator[NodeErrors]:
        """The errors after layers 3, 4, …"""
        before, reads = self.third_reads(saturation)
        now, left = NodeStep(self.sizes, before, reads).after(1), self.left_by_third(before, reads)
        yield now
        for layer in range(4, self.layers + 1):
            reads = self.rounded_reads(now, saturation, left)
            left = self.left_by_reads(now, reads)
            now = NodeStep(self.sizes, now, reads).after(layer - 2)
            yield now

    def bound(self, saturation: Fraction) -> flint.arb:
        """Bound the Euclidean error of every computed state; raise TooSoft without a bound."""
        with flint.ctx.workprec(BITS):
            *_, last = self.errors_by_layer(saturation)
            error = flint.arb(largest(last.states.values()).upper())
            if not error.is_finite():
                raise TooSoft("no finite bound on a state")
            if not self.fits(ball(saturation), error):
                raise TooSoft(f"numbers may leave the range of {self.form.name}")
        return error

    @cached_property
    def sizes(self) -> TreeSizes:
        """The sizes of states and maps."""
        return TreeSizes(self.reach, self.length, self.form)

    @cached_property
    def leaks(self) -> TreeLeaks:
        """The leaks of exact scores."""
        return TreeLeaks(self.sizes)

    @property
    def tiny(self) -> flint.arb:
        """Bound on the underflow."""
        return self.sizes.tiny

    @cached_property
    def many(self) -> flint.arb:
        """γ_{2R+12}."""
        return self.form.gamma(2 * self.length + 14)

    @cached_property
    def largest_depth(self) -> int:
        """D; BOS has the depth -1."""
        return max(1, self.reach.leaves - 1)

    @cached_property
    def depth_error(self) -> flint.arb:
        """ε: what a computed depth is off by."""
        tokens = self.length + 1
        spread = tokens * self.form.gamma(2 * tokens + 12)
        error = spread + self.form.gamma(30) * (self.largest_depth + 3) + self.tiny
        if not error <= EIGHTH:
            raise TooSoft("a depth may be off by an eighth")
        return error

    def fits(self, saturation: flint.arb, error: flint.arb) -> bool:
        """True if all sizes are far from the largest number, and positions exact."""
        sizes = self.sizes
        size = 2 + self.reach.largest_size + sizes.root * sizes.norm + self.largest_depth**2 + error
        products = 8 * sizes.terms * size * size * (1 + sizes.tensor[1])
        scores = 64 * saturation * (self.length + 1) ** 3
        exact = (self.length + 1) ** 2 < 1 << self.form.bits
        return exact and bool(products < self.form.largest) and bool(scores < self.form.largest)

    def score_growth(self, saturation: Fraction, activity: flint.arb) -> flint.arb:
        """e^{2η} of the heads that follow a pointer."""
        size = 10 * ball(saturation) * (self.length + 1) ** 2 * (1 + activity)
        return (2 * self.form.gamma(14) * size).exp()

    def match_leak(self, saturation: Fraction) -> flint.arb:
        """Attention of the match head on tokens other than the first of the right child."""
        return self.leaks.match(saturation) * self.match_growth(saturation)

    def match_growth(self, saturation: Fraction) -> flint.arb:
        """By how much rounded scores make that larger."""
        wide, off = self.length + 1, self.depth_error
        moved = 4 * wide * (off + off * off)
        growth = ball(saturation) * (2 * self.match_rounding(self.largest_depth + 1) + moved)
        return growth.exp()

    def match_leak_to_others(self, saturation: Fraction) -> flint.arb:
        """Attention of the heads of layer 3 on tokens other than BOS, when BOS is the target."""
        wide, off, far = self.length + 1, self.depth_error, self.length + self.largest_depth + 3
        moved = 8 * wide * far * (off + off * off)
        growth = ball(saturation) * (2 * self.match_rounding(far) + moved)
        others = self.length * (growth - ball(saturation) * self.leaks.match_gap).exp()
        near = leak_to_others(ball(saturation))
        return (near * self.score_growth(saturation, ZERO)).max(others)

    def match_rounding(self, query: int) -> flint.arb:
        """Rounding error of a score of the match head, at C = 1, for queries up to a depth."""
        deep, form = self.largest_depth, self.form
        score = form.gamma(14) * (2 * (query + 1) * deep + deep**2 + 2)
        square = form.gamma(25) * (deep + self.depth_error) ** 2
        return (self.length + 1) * (score + square)

    def rounded_read(
        self, target: flint.arb, top: flint.arb, lost: flint.arb, light: flint.arb
    ) -> flint.arb:
        """Rounding error of a read of size `target`, when the other values are at most `top`."""
        shares = 4 * self.many * lost + 4 * light * (1 + self.many)
        few = self.form.gamma(14) * target + shares * (target + top)
        none = self.form.gamma(5) * target + 4 * lost * (1 + self.many) * top
        return (self.many * (target + lost * top)).min(few).min(none) + self.tiny

    def third_reads(self, saturation: Fraction) -> tuple[NodeErrors, Reads]:
        """The errors before layer 3, and what its heads read wrongly."""
        growth, one = self.score_growth(saturation, ZERO), flint.arb(1)
        near, match = window_leak(ball(saturation)) * growth, self.match_leak(saturation)
        none, both, far = self.match_leak_to_others(saturation), near + match, near / 2 + match
        light = self.leaks.match_light(saturation) * self.match_growth(saturation)
        wide = flint.arb(self.length + 1)
        left = match * wide + self.rounded_read(wide, wide, match, light)
        light = light + far_leak(ball(saturation)) * growth
        stored = 2 * self.form.roundoff * self.reach.sizes[1] + self.tiny
        leaf, erased = self.reach.sizes[1] + stored, self.form.gamma(16)

        def read(target: flint.arb, top: flint.arb) -> flint.arb:  # of the left child, twice
            return 2 * (1 + self.many) * self.rounded_read(target, top, both, light)

        nothing = 2 * (1 + self.many) * self.rounded_read(ZERO, one, none, none)
        clear, empty = read(ZERO, one) + erased, read(ZERO, leaf)
        return NodeErrors.before_steps(self.reach.leaves, left, stored), Reads(
            mark=both + read(one, one) + erased,
            clear=both + clear,
            state=2 * both * leaf + read(leaf, leaf),
            empty=both * leaf + empty,
            no_mark=none + nothing + erased,
            no_state=none * leaf + nothing * leaf.max(one),
            near_clear=near / 2 + clear,
            near_empty=near / 2 * leaf + empty,
            far_clear=far + clear,
            far_empty=far * leaf + empty,
        )

    def left_by_third(self, before: NodeErrors, reads: Reads) -> Leftovers:
        """Remainders after layer 3: f and b of the previous token, the depth and its square."""
        left, share = self.left_by_reads(before, reads), self.form.gamma(16)
        mark, state = share * (1 + reads.mark), share * (self.reach.sizes[1] + reads.state)
        return replace(
            left,
            next_clear=mark + self.tiny,
            next_empty=state + self.tiny,
            next_state=state + self.tiny,
            pointer=share * (self.largest_depth + self.depth_error) + self.tiny,
            one=self.left_square(self.reach.leaves - 4),
            map=self.left_square(self.reach.leaves - 3),
            settled_map=self.left_square(self.largest_depth),
        )

    def left_square(self, depth: int) -> flint.arb:
        """Remainder of the square of a depth after erasing."""
        deep = max(depth, 0) + self.depth_error
        return self.form.gamma(16) * deep * deep * (1 + self.form.gamma(25)) + self.tiny

    def left_by_reads(self, before: NodeErrors, reads: Reads) -> Leftovers:
        """Remainders of the reads of a step after erasing, by the class of the node that reads them."""
        exact, sizes, idle = ReadErrors(self.sizes, before, reads), self.sizes, before.idle
        own, size = ClassErrors() if idle is None else idle, sizes.state_at(before) + before.state
        moved = exact.other + exact.next_one + exact.from_one
        maps = sizes.entries_at(before) + sizes.root * (moved + exact.any_map)
        left = Leftovers(
            clear=before.child_mark + reads.clear + reads.near_clear + reads.far_clear,
            empty=before.child_state + reads.empty + reads.near_empty + reads.far_empty,
            mark=1 + before.mark + reads.mark + reads.no_mark,
            state=size + reads.state + reads.no_state,
            next_clear=before.clear_mark + reads.next_clear,
            next_empty=before.child_state + reads.next_empty,
            next_state=size + reads.next_state + reads.next_empty,
            pointer=self.length + 1 + before.pointer + reads.next_pointer,
            one=1 + sizes.root * (own.map + exact.from_one),
            map=maps,
            settled_map=maps,
        )
        share = self.form.gamma(16)
        return Leftovers(*(share * getattr(left, part.name) + self.tiny for part in fields(left)))

    def rounded_reads(self, now: NodeErrors, saturation: Fraction, left: Leftovers) -> Reads:
        """Error that softmax, rounding and leftovers add to each read."""
        growth = self.score_growth(saturation, now.activity)
        soft, none = (
            self.leaks.reads(now, saturation, growth),
            leak_to_others(ball(saturation)) * growth,
        )
        light = far_leak(self.leaks.constant(now, saturation)) * growth
        mark, state = 1 + now.mark, self.sizes.state_at(now) + now.state
        wide, maps = self.length + 1 + now.pointer, self.sizes.entries_at(now)
        idle = ClassErrors() if now.idle is None else now.idle

        def read(target: flint.arb, top: flint.arb) -> flint.arb:
            return self.rounded_read(target, top, soft.leak, light)

        clear, nothing = read(now.clear_mark, mark), read(now.child_state, state)
        known, full, any_map = read(mark, mark), read(state, state), read(maps, maps)
        return Reads(
            mark=soft.mark + known + left.clear,
            clear=soft.clear + clear + left.clear,
            state=soft.state + full + left.empty,
            empty=soft.empty + nothing + left.empty,
            no_mark=soft.no_mark + self.rounded_read(ZERO, mark, none, none) + left.mark,
            no_state=soft.no_state + self.rounded_read(ZERO, state, none, none) + left.state,
            next_mark=soft.next_mark + known + left.next_clear,
            next_clear=soft.next_clear + clear + left.next_clear,
            next_pointer=soft.next_pointer + read(wide, wide) + left.pointer,
            next_state=soft.next_state + full + left.next_state,
            next_empty=soft.next_empty + nothing + left.next_empty,
            leak=soft.leak,
            map=any_map + left.map,
            one=read(1 + self.sizes.root * idle.map, maps) + left.one,
            settled_map=any_map + left.settled_map,
            near_clear=soft.near_clear + clear + left.clear,
            near_empty=soft.near_empty + nothing + left.empty,
            far_clear=soft.far_clear + clear + left.clear,
            far_empty=soft.far_empty + nothing + left.empty,
            own_empty=soft.own_empty + nothing + left.next_empty,
        )


def state_error(automaton: WTA, length: int, saturation: Fraction, form: Precision) -> flint.arb:
    """A bound on the error of every computed state of every tree; infinite if unknown."""
    try:
        return TreeDecoderErrors.of(automaton, length, form).bound(saturation)
    except TooSoft:
        return flint.arb("inf")
