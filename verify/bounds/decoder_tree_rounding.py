"""Rounding of the tree decoder on top of softmax, by classes of nodes, for all trees up to a length.

Claimed      by us: no state of a tree with |str(t)| ≤ T that the decoder computes in a floating-point format
             misses by more than the bound, in the Euclidean norm
Assumed      as in `decoder_rounding`: every operation rounds once with unit u or less, what is below the
             least normal number τ is lost, sums run in any order; exp and the stored weights are within 8
             units, σ(y) within 8u|y|; and softmax subtracts the largest score, with exp(0) = 1
Derivation   as in `decoder_tree_nodes`, where a computed step is the exact one of the computed numbers up to
             what follows; b, M and marks are bounded by the classes there, computed ones by their errors more
  embedding  positions, squares, marks and I are exact as long as T² < 1/u; a leaf misses by 2u s_1
  a unit     x σ(y) - x σ(-y) and all K terms of a coordinate miss by g = γ_{K+24} of the sum of their sizes,
             as |σ(y)| + |σ(-y)| = |y|, and σ(1), which is more than 8/11, by 11u of itself; K ≤ 6 for marks,
             6n + 5 for M, 2n² + 2n + 1 for b. 1 - f - g misses by 4u besides. Adding the block rounds by u
             of what comes out
  terms      of a coordinate that keeps its value are of the size of errors (M_c - I, 1 - f - g, N, F, and
             what is read of BOS vanish), so that only the last u counts there. Where a mark turns, its
             terms are at most 1 or 3; of T(y, x) they are ‖|T|‖ |y||x|, of T(x, ·) at most ‖T‖_F |x|, of
             M b_c at most ‖M‖_F |b_c|, of M (M_c - I) at most ‖M‖_F (1 + ‖M_c‖_F), ‖·‖_F ≤ √n ‖·‖
  erasing    leaves γ_16 of what was read, which the next read is added to. Who stays inactive has read
             nothing of its children, and I of itself; who meets no known node has read no state and no mark.
             After layer 1 the mean in `near` is left so, after layer 3 f and b of the token before, the
             square of the depth in read_matrix, and the depth in read_pointer
  a read     misses by γ_{2R+12} of the sum of sizes, R = T + 1; or by γ_5 of the target's and
             4λ(1 + γ_{2R+12}) of the largest, since adding a term rounds by no more than the term, and the
             target's weight is 1 over the sum; and what underflows
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
from verify.bounds.decoder import leak
from verify.bounds.decoder_tree_nodes import (
    BITS,
    MOST_LEAVES,
    NodeErrors,
    NodeRecursion,
    Reads,
    StepLosses,
)
from verify.bounds.floating import Precision
from verify.bounds.norms import largest, simple_bound
from verify.bounds.reachable import reachable_bounds

EIGHTH = flint.arb(1) / 8


@dataclass(frozen=True)
class Leftovers:
    """What erasing leaves of a mark and of a state, of children, of who is inactive and of who is not; of
    a mark, a state that was 0, any state, a pointer, I and a map, of the pointer.
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


@dataclass(frozen=True)
class RoundedNodes(NodeRecursion):
    """The recursion in a floating-point format."""

    form: Precision

    def errors_by_layer(self, saturation: Fraction) -> Iterator[NodeErrors]:
        """The errors after layers 3, 4, …"""
        before, reads = self.third_reads(saturation)
        now, left = self.rounded_step(before, reads), self.left_by_third(before, reads)
        yield now
        for _ in range(3, self.layers):
            reads = self.rounded_reads(now, saturation, left)
            now, left = self.rounded_step(now, reads), self.left_by_reads(now, reads)
            yield now

    def bound(self, saturation: Fraction) -> flint.arb:
        """A bound on the error of every computed state; TooSoft where there is none."""
        error = super().bound(saturation)
        with flint.ctx.workprec(BITS):
            if not self.fits(ball(saturation), error):
                raise TooSoft(f"numbers may leave the range of {self.form.name}")
        return error

    @cached_property
    def n(self) -> int:
        """The number of states."""
        return len(self.reach.states[0])

    @cached_property
    def root(self) -> flint.arb:
        """√n."""
        return flint.arb(self.n).sqrt()

    @cached_property
    def terms(self) -> int:
        """More than K."""
        return 2 * self.n**2 + 6 * self.n + 8

    @cached_property
    def tensor_sizes(self) -> tuple[flint.arb, flint.arb]:
        """‖|T|‖ of |T| as an n × n² matrix, and ‖T‖_F."""
        rows = [[w for row in rows for w in row] for rows in self.reach.entrywise.tensor]
        square = sum((w * w for row in rows for w in row), flint.arb(0))
        return simple_bound(flint.arb_mat(rows)), square.sqrt()

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

    @cached_property
    def tiny(self) -> flint.arb:
        """What may be lost below τ by the terms of a coordinate, or by the tokens of a read."""
        size = 1 + self.size + self.root * self.norm + self.length
        weights = 1 + self.tensor_sizes[1]
        return 8 * (self.terms + self.length + 1) * size * size * weights * self.form.normal

    def fits(self, saturation: flint.arb, error: flint.arb) -> bool:
        """Whether all sizes are far from the largest number, and positions exact."""
        size = 2 + self.size + self.root * self.norm + self.largest_depth**2 + error
        products = 8 * self.terms * size * size * (1 + self.tensor_sizes[1])
        scores = 64 * saturation * (self.length + 1) ** 3
        exact = (self.length + 1) ** 2 < 1 << self.form.bits
        return exact and bool(products < self.form.largest) and bool(scores < self.form.largest)

    def score_growth(self, saturation: Fraction, activity: flint.arb) -> flint.arb:
        """e^{2η} of the heads that follow a pointer."""
        size = 10 * ball(saturation) * (self.length + 1) ** 2 * (1 + activity)
        return (2 * self.form.gamma(14) * size).exp()

    def match_leak(self, saturation: Fraction) -> flint.arb:
        """What the match head gives to other tokens than the first of the right child."""
        wide, off = self.length + 1, self.depth_error
        moved = 4 * wide * (off + off * off)
        growth = ball(saturation) * (2 * self.match_rounding(self.largest_depth + 1) + moved)
        return super().match_leak(saturation) * growth.exp()

    def match_leak_to_others(self, saturation: Fraction) -> flint.arb:
        """What the heads of layer 3 give to other tokens than BOS, where that is the target."""
        wide, off, far = self.length + 1, self.depth_error, self.length + self.largest_depth + 3
        moved = 8 * wide * far * (off + off * off)
        growth = ball(saturation) * (2 * self.match_rounding(far) + moved)
        gap = 2 * self.length + 3 if self.length > 1 else 1
        others = self.length * (growth - ball(saturation) * gap).exp()
        near = super().match_leak_to_others(saturation)
        return (near * self.score_growth(saturation, flint.arb(0))).max(others)

    def match_rounding(self, query: int) -> flint.arb:
        """What rounding adds to a score of the match head, at C = 1, for queries up to a depth."""
        deep, form = self.largest_depth, self.form
        score = form.gamma(14) * (2 * (query + 1) * deep + deep**2 + 2)
        square = form.gamma(25) * (deep + self.depth_error) ** 2
        return (self.length + 1) * (score + square)

    def rounded_read(self, target: flint.arb, top: flint.arb, lost: flint.arb) -> flint.arb:
        """What a read of a target loses to rounding, beside a leak to values up to another size."""
        many = self.form.gamma(2 * self.length + 14)
        few = self.form.gamma(5) * target + 4 * lost * (1 + many) * top
        return (many * (target + lost * top)).min(few) + self.tiny

    def third_reads(self, saturation: Fraction) -> tuple[NodeErrors, Reads]:
        """The errors before layer 3, and what its heads read wrongly."""
        growth, zero, one = self.score_growth(saturation, flint.arb(0)), flint.arb(0), flint.arb(1)
        near, match = leak(saturation) * growth, self.match_leak(saturation)
        none, both, wide = self.match_leak_to_others(saturation), near + match, self.length + 1
        stored = 2 * self.form.roundoff * self.reach.sizes[1] + self.tiny
        leaf, erased = self.reach.sizes[1] + stored, self.form.gamma(16)
        twice = 2 * (1 + self.form.gamma(2 * self.length + 14))  # f and b of the left child
        left = match * wide + self.rounded_read(flint.arb(wide), flint.arb(wide), match)
        others = (zero,) * (len(self.reach.sizes) - 2)
        before = NodeErrors(
            zero, zero, zero, zero, zero, left, zero, zero, zero, zero, zero, zero,
            *2 * ((zero, stored, *others),), (zero,) * len(self.reach.contexts),
        )  # fmt: skip
        read = self.rounded_read
        return before, Reads(
            both + twice * read(one, one, both) + erased,
            both + twice * read(zero, one, both) + erased,
            2 * both * leaf + twice * read(leaf, leaf, both),
            both * leaf + twice * read(zero, leaf, both),
            none + twice * read(zero, one, none) + erased,
            none * leaf + twice * read(zero, leaf, none),
            *(zero,) * 8,
            near / 2 + twice * read(zero, one, both) + erased,
            near / 2 * leaf + twice * read(zero, leaf, both),
            zero,
        )

    def left_by_third(self, before: NodeErrors, reads: Reads) -> Leftovers:
        """What layer 3 leaves: f and b of the token before, the depth and its square."""
        left, share = self.left_by_reads(before, reads), self.form.gamma(16)
        deep = self.largest_depth + self.depth_error
        square = share * deep * deep * (1 + self.form.gamma(25)) + self.tiny
        mark, state = share * (1 + reads.mark), share * (self.reach.sizes[1] + reads.state)
        return replace(
            left,
            next_clear=mark + self.tiny,
            next_empty=state + self.tiny,
            next_state=state + self.tiny,
            pointer=share * deep + self.tiny,
            one=square,
            map=square,
        )

    def left_by_reads(self, before: NodeErrors, reads: Reads) -> Leftovers:
        """What erasing leaves of the reads of a step, by the classes of who reads on."""
        _, other, from_one = self.map_reads(before, reads)
        sizes = Leftovers(
            before.unknown + reads.clear,
            before.empty + reads.empty,
            1 + before.mark + reads.mark + reads.no_mark,
            self.size + before.state + reads.state + reads.no_state,
            before.unknown + reads.next_clear,
            before.empty + reads.next_empty,
            self.size + before.state + reads.next_state + reads.next_empty,
            self.length + 1 + before.pointer + reads.next_pointer,
            1 + self.root * (before.identity + from_one),
            self.root * (self.norm + before.map + other + from_one),
        )
        share = self.form.gamma(16)
        return Leftovers(*(share * getattr(sizes, part.name) + self.tiny for part in fields(sizes)))

    def rounded_reads(self, now: NodeErrors, saturation: Fraction, left: Leftovers) -> Reads:
        """What softmax, rounding and leftovers add to each read."""
        growth = self.score_growth(saturation, now.activity)
        soft, none = self.reads(now, saturation, growth), self.none_leak(saturation) * growth
        mark, state, wide = 1 + now.mark, self.size + now.state, self.length + 1 + now.pointer
        maps, one = self.root * (self.norm + now.map), 1 + self.root * now.identity
        zero, lost, read = flint.arb(0), soft.leak, self.rounded_read
        clear, nothing = read(now.unknown, mark, lost), read(now.empty, state, lost)
        known, full = read(mark, mark, lost), read(state, state, lost)
        return Reads(
            soft.mark + known + left.clear,
            soft.clear + clear + left.clear,
            soft.state + full + left.empty,
            soft.empty + nothing + left.empty,
            soft.no_mark + read(zero, mark, none) + left.mark,
            soft.no_state + read(zero, state, none) + left.state,
            soft.next_mark + known + left.next_clear,
            soft.next_clear + clear + left.next_clear,
            soft.next_pointer + read(wide, wide, lost) + left.pointer,
            soft.next_state + full + left.next_state,
            soft.next_empty + nothing + left.next_empty,
            lost,
            read(maps, maps, lost) + left.map,
            read(one, maps, lost) + left.one,
            soft.near_clear + clear + left.clear,
            soft.near_empty + nothing + left.empty,
            soft.own_empty + nothing + left.next_empty,
        )

    def rounded_step(self, now: NodeErrors, reads: Reads) -> NodeErrors:
        """The errors after one more layer."""
        return self.step(now, reads, RoundedStep(self, now, reads))


def state_error(automaton: WTA, length: int, saturation: Fraction, form: Precision) -> flint.arb:
    """A bound on the error of every computed state of every tree; infinite if unknown."""
    leaves = most_leaves(length)
    if leaves > MOST_LEAVES:
        return flint.arb("inf")
    nodes = RoundedNodes(reachable_bounds(automaton, leaves), length, depth(length), form)
    try:
        return nodes.bound(saturation)
    except TooSoft:
        return flint.arb("inf")


class RoundedStep(StepLosses):
    """What the block of a layer and its sum with the stream lose to rounding."""

    def __init__(self, nodes: RoundedNodes, now: NodeErrors, reads: Reads) -> None:
        self.nodes, self.now, self.reads = nodes, now, reads
        self.unit, form = nodes.form.roundoff, nodes.form
        self.on_marks = form.gamma(30)
        self.on_maps = form.gamma(6 * nodes.n + 29)
        self.on_states = form.gamma(2 * nodes.n**2 + 2 * nodes.n + 25)
        self.map_sum, self.state_sum = self.on_maps + self.unit, self.on_states + self.unit
        self.tiny = nodes.tiny
        self.e = now.mark + now.activity + largest([
            reads.mark, reads.clear, reads.no_mark, reads.next_mark, reads.next_clear,
        ])  # fmt: skip
        if not self.e < 1:
            raise TooSoft("a mark may be off by 1")
        self._set_marks()
        self._set_sizes()
        self._set_maps()

    def _set_marks(self) -> None:
        e, unit, block, erased = self.e, self.unit, self.on_marks, self.nodes.form.gamma(16)
        one, little = (1 + e) ** 2, 2 * e * (1 + e)
        turned = 4 * unit * one + 2 * unit * (1 + e) + self.tiny
        self.known = block * (one + little) + turned
        self.kept_mark = block * little + turned + erased * little
        self.unknown = block * little + 4 * unit * e * (1 + e) + 2 * unit * e + self.tiny
        self.inactive = block * 2 * little + unit * (1 + 2 * e) + self.tiny
        self.engaged = (block + unit) * 3 * one + self.tiny
        self.kept_engaged = (block + unit) * 2 * little + self.tiny
        far = self.nodes.length + 1 + self.now.pointer + self.reads.next_pointer + self.now.left
        self.pointer = self.nodes.form.gamma(44) * 4 * far * (1 + e) + self.tiny

    def _set_sizes(self) -> None:
        """The sizes of computed numbers that several terms share."""
        nodes, now, reads = self.nodes, self.now, self.reads
        self.away, self.other, from_one = nodes.map_reads(now, reads)
        self.beside = now.identity + from_one
        self.state = nodes.size + now.state + reads.state + reads.next_state
        self.nothing = now.empty + reads.empty + reads.next_empty
        self.spectral, self.frobenius = nodes.tensor_sizes
        stray = self.frobenius * reads.no_state
        self.stray = self.on_maps * (2 * stray * (1 + self.e) + 3 * reads.no_mark * (1 + self.e))
        self.stray_state = self.state_sum * self.spectral * reads.no_state**2 + self.tiny

    def map_size(self, a: int) -> flint.arb:
        """A bound on the Frobenius norm of a computed map of a leaves."""
        return self.nodes.root * (self.nodes.reach.contexts[a] + self.now.maps[a])

    def state_size(self, m: int) -> flint.arb:
        """A bound on the norm of a computed state of m leaves that was read."""
        return self.nodes.reach.sizes[m] + self.now.states[m] + self.reads.state

    def _set_maps(self) -> None:
        nodes, now, e, one = self.nodes, self.now, self.e, (1 + self.e) ** 2
        near_one = nodes.n * (1 + now.identity) * self.beside  # of M (M_c - I), both almost I
        largest_map = nodes.root * (nodes.norm + now.map)
        child = self.frobenius * self.state
        self.near_one = near_one
        self.identity = (self.on_maps * (near_one + 2 * (1 + e) * self.frobenius * self.nothing
                                       + 2 * e * (2 + e))
                         + self.unit * (1 + nodes.root * now.identity) + self.tiny)  # fmt: skip
        self.vanished = self.map_sum * (3 * one + 2 * e * child + near_one) + self.tiny
        added = nodes.root * now.vanished * (1 + largest_map + nodes.root * self.other)
        self.remaining = self.map_sum * added + self.stray + self.tiny
        held = largest_map * self.nothing + self.spectral * self.state * self.nothing
        self.empty = self.state_sum * (now.empty + held) + self.stray_state

    def begun(self, a: int) -> flint.arb:
        """Of the map of an inactive node with one known child of a leaves."""
        sums = self.frobenius * (self.state_size(a) + self.nothing) * (1 + self.e)
        sums = sums + (1 + self.e) ** 2 * (1 + self.e) + 2 * self.e + self.near_one
        return (
            self.map_sum * sums + self.unit * self.nodes.root * (1 + self.now.identity) + self.tiny
        )

    def kept_map(self, a: int) -> flint.arb:
        """Of a map of a leaves whose pointer names an inactive node."""
        size = self.map_size(a)
        terms = self.on_maps * size * self.nodes.root * self.beside
        return (
            terms + self.unit * size * (1 + self.nodes.root * self.beside) + self.stray + self.tiny
        )

    def joined(self, b: int, c: int) -> flint.arb:
        """Of the product of maps of b and of c leaves."""
        one, two = self.map_size(b), self.map_size(c) + self.nodes.root * self.other
        return self.map_sum * one * (1 + two) + self.unit * one + self.stray + self.tiny

    def dropped(self, a: int) -> flint.arb:
        """Of the map of a leaves of a node that becomes known."""
        rest = self.nodes.root * (self.now.vanished + self.away)
        return self.map_sum * self.map_size(a) * (1 + rest) + self.stray + self.tiny

    def kept_state(self, m: int) -> flint.arb:
        """Of the state of a known node of m leaves."""
        added = self.nodes.root * self.now.vanished * self.state
        size = self.nodes.reach.sizes[m] + self.now.states[m]
        return self.unit * size + self.state_sum * added + self.stray_state

    def split(self, i: int, j: int) -> flint.arb:
        """Of the state of a node with known children of i and of j leaves."""
        product = self.spectral * self.state_size(i) * self.state_size(j)
        own = self.nodes.root * (1 + self.now.identity) * self.nothing
        return self.state_sum * (product + own) + self.unit * self.now.empty + self.tiny

    def jump(self, i: int, j: int) -> flint.arb:
        """Of the state of a node whose map of i leaves meets a known node of j leaves."""
        size = self.nodes.reach.sizes[j] + self.now.states[j] + self.reads.next_state
        return (
            self.state_sum * self.map_size(i) * size + self.unit * self.now.empty + self.stray_state
        )
