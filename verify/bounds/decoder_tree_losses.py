"""Sizes and rounding errors of a block of the tree decoder, and of its sum with the stream.

Claimed      by us: a computed block is the exact one of the computed numbers up to these losses, by what
             becomes of a token, in the spectral norm for M and the Euclidean norm for b
A unit       x σ(y) - x σ(-y) and all K terms of a coordinate miss by g = γ_{K+24} of the sum of their sizes,
             as |σ(y)| + |σ(-y)| = |y|, and σ(1), which is more than 8/11, by 11u of itself; K ≤ 6 for marks,
             6n + 5 for M, 2n² + 2n + 1 for b. 1 - f - g misses by 4u besides. Adding the block rounds by u
             of what comes out
Terms        of a coordinate that keeps its value are of the size of errors (M_c - I, 1 - f - g, N, F, and
             what is read of BOS vanish), so that only the last u counts there. Where a mark turns, its
             terms are at most 1 or 3; of T(y, x) they are ‖|T|‖ |y||x|, of T(x, ·) at most ‖T‖_F |x|, of
             M b_c at most ‖M‖_F |b_c|, of M (M_c - I) at most ‖M‖_F (1 + ‖M_c‖_F)
Sizes        ‖D‖_F ≤ √n ‖D‖ for what a map is off by; a context of a leaves has ‖M‖_F ≤ √n R_a
Notation     u, τ, γ of `floating`, R_a of `reachable`, T(·, ·) and n of the automaton
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import flint

from verify.bounds.budget import TooSoft
from verify.bounds.decoder_tree_classes import ClassErrors, NodeErrors, Reads
from verify.bounds.floating import Precision
from verify.bounds.norms import largest, simple_bound
from verify.bounds.reachable import ReachableBounds


@dataclass(frozen=True)
class TreeSizes:
    """The sizes of states and contexts of trees with |str(t)| ≤ length, by leaves, computed in a format."""

    reach: ReachableBounds
    length: int
    form: Precision

    @cached_property
    def norm(self) -> flint.arb:
        """N, at least 1."""
        return self.reach.largest_context

    @cached_property
    def states_within(self) -> list[flint.arb]:
        """The largest state of a subtree of at most m leaves."""
        return [largest(self.reach.sizes[: m + 1]) for m in range(len(self.reach.sizes))]

    @cached_property
    def contexts_within(self) -> list[flint.arb]:
        """The largest context in a tree of m leaves."""
        return [largest(self.reach.contexts[: max(m, 1)]) for m in range(len(self.reach.sizes))]

    def state_at(self, now: NodeErrors) -> flint.arb:
        """The largest state that is known."""
        return largest(self.reach.sizes[m] for m in now.known)

    def map_at(self, now: NodeErrors) -> flint.arb:
        """The largest M, at least 1."""
        return largest([flint.arb(1), *(self.reach.contexts[a] for a in now.active)])

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
    def tensor(self) -> tuple[flint.arb, flint.arb]:
        """‖|T|‖ of |T| as an n × n² matrix, and ‖T‖_F."""
        rows = [[w for row in rows for w in row] for rows in self.reach.entrywise.tensor]
        square = sum((w * w for row in rows for w in row), flint.arb(0))
        return simple_bound(flint.arb_mat(rows)), square.sqrt()

    @cached_property
    def tiny(self) -> flint.arb:
        """Bound on the underflow of the terms of a coordinate, or of the tokens of a read."""
        size = 1 + self.reach.largest_size + self.root * self.norm + self.length
        weights = 1 + self.tensor[1]
        return 8 * (self.terms + self.length + 1) * size * size * weights * self.form.normal

    def frobenius(self, a: int) -> flint.arb:
        """‖M‖_F of a context of a leaves."""
        return self.root * self.reach.rows[a]

    def frobenius_at(self, now: NodeErrors) -> flint.arb:
        """‖M‖_F of the largest map that is computed, or of I."""
        exact = largest([self.root, *(self.frobenius(a) for a in now.active)])
        return exact + self.root * now.map

    def entries_at(self, now: NodeErrors) -> flint.arb:
        """A bound on the spectral norm of |M| for every map that is computed; it is 1 for I."""
        exact = largest([flint.arb(1), *(self.frobenius(a) for a in now.active)])
        return exact + self.root * now.map


class ReadErrors:
    """Errors that several moves of a step share, from those before it and what is read."""

    def __init__(self, sizes: TreeSizes, now: NodeErrors, reads: Reads) -> None:
        self.sizes, self.reach, self.now, self.reads = sizes, sizes.reach, now, reads
        self.tau, self.idle = self.reach.tensor_norm, now.idle or ClassErrors()
        self.nothing = reads.no_mark * (2 + reads.no_mark)
        self.stray = 2 * self.tau * reads.no_state * (1 + reads.no_mark) + self.nothing
        self.stray_state = self.tau * reads.no_state * reads.no_state
        self.clear = now.child_mark + reads.clear
        self.near, self.far = now.child_mark + reads.near_clear, now.child_mark + reads.far_clear
        self.empty = now.child_state + reads.empty
        self._set_maps()
        self._set_idle()

    def _set_maps(self) -> None:
        """Set the errors that a read adds to a map that is 0, a context, the node's own I, another I;
        and the error of the read of a known node.
        """
        norm, off, leak = self.sizes.map_at(self.now), 2 * self.now.map, self.reads.leak
        self.away = leak * (norm + off) + self.reads.map
        self.other = leak * (2 * norm + off) + self.reads.map
        self.from_one = leak * ((1 + norm) / 2 + off) + self.reads.one
        self.next_one = leak * (1 + norm + off) + self.reads.map
        self.any_map = self.now.map + leak * (2 * norm + off) + self.reads.settled_map

    def _set_idle(self) -> None:
        """Set the errors common to all inactive nodes: f, M M_c and b + M b_c."""
        idle, reads = self.idle, self.reads
        self.own_mark = idle.mark + (idle.mark + idle.activity) * (idle.mark + reads.next_clear)
        self.beside = idle.map + self.from_one
        self.squared = idle.map + self.beside + idle.map * self.beside
        self.own_state = idle.state + (1 + idle.map) * (idle.state + reads.own_empty)


class StepLosses:
    """The losses of one step, by the token's next class: 0 in exact arithmetic."""

    def __init__(self, exact: ReadErrors) -> None:
        self.exact, self.sizes, self.now, self.reads = exact, exact.sizes, exact.now, exact.reads
        sizes, now, reads, form = self.sizes, self.now, self.reads, self.sizes.form
        self.unit, self.tiny, self.root = form.roundoff, sizes.tiny, sizes.root
        self.on_marks = form.gamma(30)
        self.on_maps = form.gamma(6 * sizes.n + 29)
        self.on_states = form.gamma(2 * sizes.n**2 + 2 * sizes.n + 25)
        self.map_sum, self.state_sum = self.on_maps + self.unit, self.on_states + self.unit
        self.e = now.mark + now.activity + largest([
            reads.mark, reads.clear, reads.no_mark, reads.next_mark, reads.next_clear,
            reads.near_clear, reads.far_clear,
        ])  # fmt: skip
        if not self.e < 1:
            raise TooSoft("a mark may be off by 1")
        self._set_marks()
        self._set_sizes()
        self._set_maps()

    def _set_marks(self) -> None:
        e, unit, block, erased = self.e, self.unit, self.on_marks, self.sizes.form.gamma(16)
        one, little = (1 + e) ** 2, 2 * e * (1 + e)
        turned = 4 * unit * one + 2 * unit * (1 + e) + self.tiny
        self.known = block * (one + little) + turned
        self.kept_mark = block * little + turned + erased * little
        self.unknown = block * little + 4 * unit * e * (1 + e) + 2 * unit * e + self.tiny
        self.inactive = block * 2 * little + unit * (1 + 2 * e) + self.tiny
        self.engaged = (block + unit) * 3 * one + self.tiny
        self.kept_engaged = (block + unit) * 2 * little + self.tiny
        far = self.sizes.length + 1 + self.now.pointer + self.reads.next_pointer + self.now.left
        self.pointer = self.sizes.form.gamma(44) * 4 * far * (1 + e) + self.tiny

    def _set_sizes(self) -> None:
        """The sizes of computed numbers that several terms share."""
        sizes, now, reads, exact = self.sizes, self.now, self.reads, self.exact
        self.away, self.other, self.any_map = exact.away, exact.other, exact.any_map
        self.beside, self.elsewhere = exact.beside, exact.idle.map + exact.next_one
        self.identity_off = exact.idle.map
        self.state = sizes.state_at(now) + now.state + reads.state + reads.next_state
        self.nothing = now.child_state + reads.empty + reads.next_empty
        self.spectral, self.frobenius = sizes.tensor
        stray = self.frobenius * reads.no_state
        self.stray = self.on_maps * (2 * stray * (1 + self.e) + 3 * reads.no_mark * (1 + self.e))
        self.stray_state = self.state_sum * self.spectral * reads.no_state**2 + self.tiny

    def _set_maps(self) -> None:
        sizes, e, one = self.sizes, self.e, (1 + self.e) ** 2
        off, largest_map = self.identity_off, self.sizes.frobenius_at(self.now)
        near_one = sizes.n * (1 + off) * self.beside  # of M (M_c - I), both almost I
        child = self.frobenius * self.state
        self.near_one = near_one
        self.identity = (self.on_maps * (near_one + 2 * (1 + e) * self.frobenius * self.nothing
                                       + 2 * e * (2 + e))
                         + self.unit * (1 + self.root * off) + self.tiny)  # fmt: skip
        self.vanished = self.map_sum * (3 * one + 2 * e * child + near_one) + self.tiny
        held = largest_map * self.nothing + self.spectral * self.state * self.nothing
        self.empty = self.state_sum * (self.now.child_state + held) + self.stray_state

    def map_size(self, a: int) -> flint.arb:
        """A bound on the Frobenius norm of a computed map of a leaves."""
        return self.sizes.frobenius(a) + self.root * self.now.active[a].map

    def state_size(self, m: int) -> flint.arb:
        """A bound on the norm of a computed state of m leaves that was read."""
        return self.sizes.reach.sizes[m] + self.now.known[m].state + self.reads.state

    def begun(self, a: int) -> flint.arb:
        """Of the map of an inactive node with one known child of a leaves."""
        sums = self.frobenius * (self.state_size(a) + self.nothing) * (1 + self.e)
        sums = sums + (1 + self.e) ** 2 * (1 + self.e) + 2 * self.e + self.near_one
        return self.map_sum * sums + self.unit * self.root * (1 + self.identity_off) + self.tiny

    def kept_map(self, a: int) -> flint.arb:
        """Of a map of a leaves whose pointer names an inactive node."""
        size, apart = self.map_size(a), self.root * self.elsewhere
        return self.on_maps * size * apart + self.unit * size * (1 + apart) + self.stray + self.tiny

    def joined(self, b: int, c: int) -> flint.arb:
        """Of the product of maps of b and of c leaves."""
        one, two = self.map_size(b), self.map_size(c) + self.root * self.other
        return self.map_sum * one * (1 + two) + self.unit * one + self.stray + self.tiny

    def dropped(self, i: int, j: int) -> flint.arb:
        """Of the map of i leaves of a node that becomes known by one of j leaves."""
        rest = self.root * (self.now.known[j].map + self.away)
        return self.map_sum * self.map_size(i) * (1 + rest) + self.stray + self.tiny

    def remaining(self, m: int) -> flint.arb:
        """Of the map of a known node of m leaves."""
        read = 1 + self.sizes.frobenius_at(self.now) + self.root * self.any_map
        added = self.root * self.now.known[m].map * read
        return self.map_sum * added + self.stray + self.tiny

    def kept_state(self, m: int) -> flint.arb:
        """Of the state of a known node of m leaves."""
        own = self.now.known[m]
        size = self.sizes.reach.sizes[m] + own.state
        added = self.root * own.map * self.state
        return self.unit * size + self.state_sum * added + self.stray_state

    def split(self, i: int, j: int) -> flint.arb:
        """Of the state of a node with known children of i and of j leaves."""
        product = self.spectral * self.state_size(i) * self.state_size(j)
        own = self.root * (1 + self.identity_off) * self.nothing
        return self.state_sum * (product + own) + self.unit * self.now.child_state + self.tiny

    def jump(self, i: int, j: int) -> flint.arb:
        """Of the state of a node whose map of i leaves meets a known node of j leaves."""
        size = self.sizes.reach.sizes[j] + self.now.known[j].state + self.reads.next_state
        return (
            self.state_sum * self.map_size(i) * size
            + self.unit * self.now.child_state
            + self.stray_state
        )
