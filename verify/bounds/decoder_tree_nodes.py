"""How far softmax takes the tree decoder from its exact twin, by what a node knows and its leaves.

Claimed      by us: the same as `decoder_tree`, with a bound that grows with the norms of the states and
             contexts that trees reach instead of with all absolute values in all coordinates
Classes      in the exact pass a token is known (f = 1, M = 0, b its state), inactive (g = 1, M = I, b = 0),
             active (M the map of a context, b = 0) or an opening bracket (M = 0, b = 0). BOS stays as it is,
             exactly: it attends to itself only. Errors are followed for each class: of f where it is 1
             (`known`) and where it is 0 (`unknown`), of g where it is 1 (`inactive`) and where it is 0
             (`engaged`), of the pointer c, of `left`; of b where it is 0 (`empty`) and where it is the state
             of m leaves; of M where it is 0 (`vanished`), where it is I, and where it is a context of a
             leaves
Leak         scores are C(2qj - j²): if q is off by δ < 1/2, a token at distance m from the target is at
             least m² - 2δm ≥ m²(1 - 2δ) below it, so a row gives λ = 2 Σ e^{-C(1-2δ)m²} or less to others.
             Who is not inactive has q ≤ -2 for its children: BOS gets all but λ° = Σ e^{-C(j²+3j)}
  match      the scores C(-W(d_j - d_i - 1)² - W g_j + j) are exact. Below the right child's first token
             j* those without penalty differ by 1, 2, …; those with penalty W by W - (j - j*) ≥ 2, for
             j ≤ T and j* ≥ 1, all different; all others, at most T, by W + 1 or more. So
             λ = Σ_{m≥1} e^{-Cm} + Σ_{m≥2} e^{-Cm} + T e^{-C(T+2)}. Who is not inactive, with d_i ≤ T - 2,
             is nearer to BOS, of depth -1, than to all others, by 3W - T or more, and gives them
             T e^{-C(2T+3)}; for T = 1, where d_i = 0, it is nearer by 1
Reads        a value v of the target is read as v + δv + Σ w_j (v_j - v): off by δv + λ(spread + 2 max error).
             The spread is 1 for f, T + 1 for c, s + |v| for b and N + |M| for M, s and N the largest norms.
             What is sent to BOS is read as 0, off by λ°(largest + error)
  one side   who reads itself has tokens on one side only, and gives them λ/2. Who reads the token before it
             gives the other half to itself, where f and b are 0 too for an inactive node
Step         with N, F, x, y the reads of the children (f of the right and the left one, b of the right and
             the left one), and M_c, b_c, f_c, c_c those of the pointer, as in `constructions.decoder_tree`,
             M' = M M_c + (1 - F) T(·, x) + (1 - N) T(y, ·) - (N + F - N F) I,  b' = b + M b_c + T(y, x),
             f' = f + (1 - f - g) f_c + N F,  g' = g - N - F + N F,  c' = c_c + N (left - i) - F.
             With the exact values of each class in place of these, what remains is written below, case
             by case (`_maps`, `_states`, `_marks`), with products of errors. Layer 3 is such a step
             without a pointer; before it only what layer 1 prepares for the match head is off
Vanished     an error D of M where that is 0 is a sum of terms L s R, one for each step in which something was
             added: a node that meets a known one has M D for its own D, and one that is known D M_c. Along
             the pointers L and R are contexts (from the node to the one where s arose, from the one then
             pointed to on), so that D ≤ N² Σ s; and D ≤ N D' + s, from one step to the next. The lesser one
             counts
Residues     such a D adds D b_c to the state of its node, where c is known; then M_c vanishes, so that each s
             adds L s R b_c once, and R b_c is the state of the node that was pointed to when s arose. So
             `totals` bound what b misses and what D will still add: s |D| or s N Σ s for a node that becomes
             known, and only what a step adds to D for one that is
Empty        b of who is not known is off by a sum of terms L s too, N Σ s at most, since a step adds M b_c
             (or b_c for an inactive node), and T(x, ·) b of the other child if one is known
Rounding     is what `StepLosses` says of a step: nothing here; `decoder_tree_rounding` fills it in
Notation     W = T + 1; s_m, σ_m, N_k, τ of `reachable`, s and N the largest of them
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import flint

from constructions.core.exact import ball
from verify.bounds.budget import TooSoft
from verify.bounds.decoder import leak
from verify.bounds.norms import largest
from verify.bounds.reachable import ReachableBounds

BITS = 192
MOST_LEAVES = 64  # a step takes N² products
Row = tuple[flint.arb, ...]


@dataclass(frozen=True)
class NodeErrors:
    """The errors of all tokens after a layer; of states and of maps by their leaves."""

    known: flint.arb
    unknown: flint.arb
    inactive: flint.arb
    engaged: flint.arb
    pointer: flint.arb
    left: flint.arb
    empty: flint.arb
    vanished: flint.arb
    sources: flint.arb
    identity: flint.arb
    idle_sums: flint.arb
    empty_sums: flint.arb
    states: Row
    totals: Row
    maps: Row

    @cached_property
    def mark(self) -> flint.arb:
        """The largest error of f."""
        return self.known.max(self.unknown)

    @cached_property
    def activity(self) -> flint.arb:
        """The largest error of g."""
        return self.inactive.max(self.engaged)

    @cached_property
    def state(self) -> flint.arb:
        """The largest error of b."""
        return largest(self.states).max(self.empty)

    @cached_property
    def map(self) -> flint.arb:
        """The largest error of M."""
        return largest(self.maps).max(self.vanished).max(self.identity)


@dataclass(frozen=True)
class Reads:
    """What the heads of a layer read wrongly, beyond the error of their target.

    Of children: a mark that is 1, one that is 0, a state, one that is 0, and what is read of BOS; of the
    pointer: a mark that is 1, one that is 0, a pointer, a state, one that is 0, what λ of the maps takes, and
    what else a map is off by, or I. `near`: what is 0 of the right child; `own`: of the node itself.
    """

    mark: flint.arb
    clear: flint.arb
    state: flint.arb
    empty: flint.arb
    no_mark: flint.arb
    no_state: flint.arb
    next_mark: flint.arb
    next_clear: flint.arb
    next_pointer: flint.arb
    next_state: flint.arb
    next_empty: flint.arb
    leak: flint.arb
    map: flint.arb
    one: flint.arb
    near_clear: flint.arb
    near_empty: flint.arb
    own_empty: flint.arb


class StepLosses:
    """What a step loses beside softmax, by what becomes of a token: nothing, in exact arithmetic."""

    known = kept_mark = unknown = inactive = engaged = kept_engaged = ZERO = flint.arb(0)
    pointer = empty = vanished = remaining = identity = ZERO

    def begun(self, a: int) -> flint.arb:
        """Of the map of an inactive node with one known child of a leaves."""
        return self.ZERO

    def kept_map(self, a: int) -> flint.arb:
        """Of a map of a leaves whose pointer names an inactive node."""
        return self.ZERO

    def joined(self, b: int, c: int) -> flint.arb:
        """Of the product of maps of b and of c leaves."""
        return self.ZERO

    def dropped(self, a: int) -> flint.arb:
        """Of the map of a leaves of a node that becomes known."""
        return self.ZERO

    def kept_state(self, m: int) -> flint.arb:
        """Of the state of a known node of m leaves."""
        return self.ZERO

    def split(self, i: int, j: int) -> flint.arb:
        """Of the state of a node with known children of i and of j leaves."""
        return self.ZERO

    def jump(self, i: int, j: int) -> flint.arb:
        """Of the state of a node whose map of i leaves meets a known node of j leaves."""
        return self.ZERO


EXACT = StepLosses()


@dataclass(frozen=True)
class NodeRecursion:
    """The recursion for all trees with |str(t)| ≤ length, in a number of layers."""

    reach: ReachableBounds
    length: int
    layers: int

    def bound(self, saturation: Fraction) -> flint.arb:
        """A bound on the Euclidean error of every state of every tree; TooSoft where there is none."""
        with flint.ctx.workprec(BITS):
            *_, last = self.errors_by_layer(saturation)
            error = largest(last.states)
            if not error.is_finite():
                raise TooSoft("no finite bound on a state")
            return flint.arb(error.upper())

    def errors_by_layer(self, saturation: Fraction) -> Iterator[NodeErrors]:
        """The errors after layers 3, 4, …"""
        now = self.first(saturation)
        yield now
        for _ in range(3, self.layers):
            now = self.step(now, self.reads(now, saturation))
            yield now

    @cached_property
    def size(self) -> flint.arb:
        """s."""
        return self.reach.largest_size

    @cached_property
    def norm(self) -> flint.arb:
        """N, at least 1."""
        return self.reach.largest_context

    @cached_property
    def sibling(self) -> flint.arb:
        """The largest σ."""
        return largest(self.reach.siblings)

    def first(self, saturation: Fraction) -> NodeErrors:
        """The errors after layer 3, where all tokens are as embedded and the match head finds `left`."""
        near, match = leak(saturation), self.match_leak(saturation)
        zero, both, leaf = flint.arb(0), near + match, self.reach.sizes[1]
        none = self.match_leak_to_others(saturation)
        before = NodeErrors(
            zero, zero, zero, zero, zero, match * (self.length + 1), zero, zero, zero, zero,
            zero, zero, *2 * ((zero,) * len(self.reach.sizes),), (zero,) * len(self.reach.contexts),
        )  # fmt: skip
        reads = Reads(both, both, 2 * both * leaf, both * leaf, none, none * leaf, *(zero,) * 8,
                      near / 2, near / 2 * leaf, zero)  # fmt: skip
        return self.step(before, reads)

    def match_leak(self, saturation: Fraction) -> flint.arb:
        """What the match head gives to other tokens than the first of the right child."""
        share, far = (-ball(saturation)).exp(), self.length + 2
        return share * (1 + share) / (1 - share) + self.length * (-ball(saturation) * far).exp()

    def match_leak_to_others(self, saturation: Fraction) -> flint.arb:
        """What the heads of layer 3 give to other tokens than BOS, where that is the target."""
        gap = 2 * self.length + 3 if self.length > 1 else 1
        far = self.length * (-ball(saturation) * gap).exp()
        return _leak_to_others(ball(saturation)).max(far)

    def reads(
        self, now: NodeErrors, saturation: Fraction, growth: flint.arb | None = None
    ) -> Reads:
        """What softmax adds to each read; leaks grow by a factor where scores are rounded."""
        moved = (now.left + (self.length + 1) * now.activity).max(now.pointer)
        if not 2 * moved < 1:
            raise TooSoft("a pointer may be off by half a token")
        lost, none = _leak(ball(saturation) * (1 - 2 * moved)), self.none_leak(saturation)
        if growth is not None:
            lost, none = lost * growth, none * growth
        mark, state = lost * (1 + 2 * now.mark), lost * (2 * self.size + 2 * now.state)
        empty = lost * (self.size + 2 * now.state)
        place = lost * (self.length + 1 + 2 * now.pointer)
        zero = flint.arb(0)
        return Reads(mark, mark, state, empty, none * (1 + now.mark), none * (self.size + now.state),
                     mark, mark, place, state, empty, lost, zero, zero,
                     lost * (1 + 4 * now.mark) / 2, lost * (self.size + 4 * now.state) / 2,
                     empty / 2)  # fmt: skip

    def none_leak(self, saturation: Fraction) -> flint.arb:
        """λ°: what the heads give to other tokens than BOS, where that is the target."""
        return _leak_to_others(ball(saturation))

    def step(self, now: NodeErrors, reads: Reads, losses: StepLosses = EXACT) -> NodeErrors:
        """The errors after one more layer, rounded up."""
        known, unknown, inactive, engaged, pointer = map(_up, self._marks(now, reads, losses))
        vanished, sources, *pending = map(_up, self._vanished(now, reads, losses))
        identity, maps = self._maps(now, reads, losses)
        empty, *sums = map(_up, self._empty(now, reads, losses))
        residues = [self.size * part for part in pending]
        states, totals = self._states(now, reads, losses, residues)
        return NodeErrors(known, unknown, inactive, engaged, pointer, now.left, empty, vanished,
                          sources, _up(identity), *sums, *(tuple(map(_up, row))
                          for row in (states, totals, maps)))  # fmt: skip

    def _marks(self, now: NodeErrors, reads: Reads, losses: StepLosses) -> list[flint.arb]:
        """f where it is 1, f where it is 0, g where it is 1, g where it is 0, and c."""
        one, none = now.known + reads.mark, now.unknown + reads.clear  # N or F, where it is 1 or 0
        both, nothing = one.max(none), reads.no_mark
        read, g = now.mark + reads.next_mark.max(reads.next_clear), now.engaged
        second = (now.mark + now.activity) * read + both * both + nothing * nothing
        known = largest([
            now.unknown + 2 * one + losses.known,  # an inactive node with two known children
            g + now.known + reads.next_mark + losses.known,  # an active one that points to a known one
            now.known.max(g) + losses.kept_mark,  # a known one
        ]) + second  # fmt: skip
        unknown = now.unknown + none.max(now.unknown + reads.next_clear) + second + losses.unknown
        near = now.unknown + reads.near_clear
        inactive = now.inactive + near + none + second + losses.inactive
        begun, kept = now.inactive + one + losses.engaged, g + 2 * nothing + losses.kept_engaged
        engaged = begun.max(kept) + second
        far = self.length + 1 + now.left
        pointer = now.pointer + reads.next_pointer + both * far + now.left + both
        return [known, unknown, inactive, engaged, pointer + losses.pointer]

    def _vanished(self, now: NodeErrors, reads: Reads, losses: StepLosses) -> tuple[flint.arb, ...]:
        """M where it is 0, the sum of its sources, and what it is on a state: after each kind of step."""
        tau, norms, stray = self.reach.tensor_norm, self.reach.contexts, self._stray(reads)
        one, known = now.known + reads.mark, largest(now.states) + reads.state
        away, other, from_one = self.map_reads(now, reads)
        begun = self._squared(now, from_one) + 2 * one * (self.sibling + tau * known) + one * one
        begun = begun + losses.vanished
        read, moved = now.vanished + away, now.map + other
        jumps = [(norm, off * read + losses.dropped(a) + stray)
                 for a, (norm, off) in enumerate(zip(norms, now.maps, strict=True))]  # fmt: skip
        kept = now.vanished * moved + stray + losses.remaining
        direct = [begun, *(norm * read + lost for norm, lost in jumps)]
        direct.append(now.vanished * self.norm + kept)
        added = largest([*(norm * away + lost for norm, lost in jumps), kept])
        sources = begun.max(now.sources + added)
        vanished = largest(direct).min(self.norm * self.norm * sources)
        return vanished, sources, begun, vanished.min(self.norm * sources), kept

    def _stray(self, reads: Reads) -> flint.arb:
        """What is read of BOS adds to a map."""
        stray = 2 * self.reach.tensor_norm * reads.no_state * (1 + reads.no_mark)
        return stray + 2 * reads.no_mark + reads.no_mark * reads.no_mark

    def _squared(self, now: NodeErrors, from_one: flint.arb) -> flint.arb:
        """The error of M M_c where both are I."""
        return 2 * now.identity + from_one + now.identity * (now.identity + from_one)

    def _maps(
        self, now: NodeErrors, reads: Reads, losses: StepLosses
    ) -> tuple[flint.arb, list[flint.arb]]:
        """M where it is I, and where it is a context."""
        tau, norms, stray = self.reach.tensor_norm, self.reach.contexts, self._stray(reads)
        one, none = now.known + reads.mark, now.unknown + reads.clear
        near, empty = now.unknown + reads.near_clear, now.empty + reads.empty
        _, other, from_one = self.map_reads(now, reads)
        squared, beside = self._squared(now, from_one), empty + now.empty + reads.near_empty
        identity = squared + (1 + none) * tau * beside + near + none + none * none
        maps = [flint.arb(0)]
        for a in range(1, len(norms)):
            sibling = tau * (now.states[a] + reads.state)
            begun = squared + sibling + none * (self.reach.siblings[a] + sibling)
            begun = begun + one * tau * empty + one * (1 + none) + losses.begun(a)
            beside = now.identity + from_one
            kept = now.maps[a] + norms[a] * beside + now.maps[a] * beside + stray
            joined = [
                now.maps[b] * norms[a - b]
                + (norms[b] + now.maps[b]) * (now.maps[a - b] + other)
                + stray
                + losses.joined(b, a - b)
                for b in range(1, a)
            ]
            maps.append(largest([begun, kept + losses.kept_map(a), *joined]))
        return identity + losses.identity, maps

    def map_reads(self, now: NodeErrors, reads: Reads) -> tuple[flint.arb, flint.arb, flint.arb]:
        """What a read adds to the error of a map that is 0, of a context, and of I."""
        leaks = [reads.leak * (size + 2 * now.map)
                 for size in (self.norm, 2 * self.norm, (1 + self.norm) / 2)]  # fmt: skip
        return leaks[0] + reads.map, leaks[1] + reads.map, leaks[2] + reads.one

    def _empty(self, now: NodeErrors, reads: Reads, losses: StepLosses) -> list[flint.arb]:
        """b where it is 0, and the sums of its sources, of who is inactive and of who is not known."""
        tau, known = self.reach.tensor_norm, largest(now.states) + reads.state
        empty, own = now.empty + reads.empty, now.empty + reads.next_empty
        stray = tau * reads.no_state * reads.no_state
        kept = now.empty + (1 + now.identity) * (now.empty + reads.own_empty)
        child = (self.sibling + tau * known) * empty
        direct = [kept + child + tau * empty * empty,
                  now.empty + (self.norm + now.map) * own + stray]  # fmt: skip
        most, more = now.idle_sums.max(now.empty_sums), reads.next_empty + losses.empty
        idle = 2 * now.idle_sums + reads.own_empty + losses.empty
        idle = idle + now.identity * own + tau * empty * empty
        begun = idle + most + reads.empty + tau * known * empty
        active = now.empty_sums + most + more + now.map * own + stray
        sums = begun.max(active)
        return [(largest(direct) + losses.empty).min(self.norm * sums), idle, sums]

    def _states(
        self,
        now: NodeErrors,
        reads: Reads,
        losses: StepLosses,
        residues: Sequence[flint.arb],
    ) -> tuple[list[flint.arb], list[flint.arb]]:
        """b where it is a state, without and with what its residue of M will add."""
        tau, norms, sizes = self.reach.tensor_norm, self.reach.contexts, self.reach.sizes
        own, stray = now.empty + reads.own_empty, tau * reads.no_state * reads.no_state
        kept = now.empty + (1 + now.identity) * own  # of an inactive node
        beside = now.vanished * (now.state + reads.next_state) + stray
        drift = now.vanished.min(self.norm * now.sources) * self.size + beside
        by_split, by_jump, by_keeping = residues
        states, totals = [flint.arb(0)], [flint.arb(0)]
        for m in range(1, len(sizes)):
            off = [now.states[i] + reads.state for i in range(m)]
            total = now.totals[m] + by_keeping + beside + losses.kept_state(m)
            old = (now.states[m] + drift + losses.kept_state(m)).min(total)
            splits, jumps = [flint.arb(0)], [flint.arb(0)]
            for i in range(1, m):
                j, sibling = m - i, self.reach.siblings
                both = sibling[i] * off[j] + sibling[j] * off[i] + tau * off[i] * off[j]
                read = now.states[j] + reads.next_state
                jump = norms[i] * read + now.maps[i] * (sizes[j] + read)
                splits.append(kept + both + losses.split(i, j))
                jumps.append(now.empty + jump + stray + losses.jump(i, j))
            split, jump = largest(splits), largest(jumps)
            states.append(largest([split, jump, old]))
            totals.append(largest([split + by_split, jump + by_jump, total]))
        return states, totals


def _leak(constant: flint.arb) -> flint.arb:
    """2 Σ_{m≥1} e^{-C m²} ≤ 2 e^{-C} / (1 - e^{-3C})."""
    return 2 * (-constant).exp() / (1 - (-3 * constant).exp())


def _leak_to_others(constant: flint.arb) -> flint.arb:
    """Σ_{j≥1} e^{-C(j²+3j)} ≤ e^{-4C} / (1 - e^{-6C})."""
    return (-4 * constant).exp() / (1 - (-6 * constant).exp())


def _up(value: flint.arb) -> flint.arb:
    return flint.arb(value.upper())
