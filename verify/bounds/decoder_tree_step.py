"""One step of the tree decoder on errors: what becomes of each class of tokens.

Step         with N, F, x, y the reads of the children (f of the right and the left one, b of the right and
             the left one), and M_c, b_c, f_c, c_c those of the pointer, as in `constructions.decoder_tree`,
             M' = M M_c + (1 - F) T(·, x) + (1 - N) T(y, ·) - (N + F - N F) I,  b' = b + M b_c + T(y, x),
             f' = f + (1 - f - g) f_c + N F,  g' = g - N - F + N F,  c' = c_c + N (left - i) - F.
             With the exact values of each class in place of these, what remains is written below, one
             function for each of the moves of `decoder_tree_classes`, with products of errors
Marks        f of who idles moves by products of errors only, for 1 - f - g and N, F vanish. f of who is
             active adds f of whom it points to; f = 1 + κ of who is known becomes 1 + κ(1 - f_c) - g f_c
Vanished     an error D of M where that is 0 is a sum of terms L s R, one for each step in which something was
             added: a node that meets a known one has M D for its own D, and one that is known D M_c. Along
             the pointers L and R are contexts (from the node to the one where s arose, from the one then
             pointed to on), so that D ≤ N² Σ s; and D ≤ N D' + s, from one step to the next. The lesser one
             counts. No pointer leaves the subtree of its node, so that N is the largest norm of a context
             of fewer leaves than the node has
Residues     such a D adds D b_c to the state of its node, where c is known; then M_c vanishes, so that each s
             adds L s R b_c once, and R b_c is the state of the node that was pointed to when s arose, one
             with no more leaves. So `total` bounds what b misses and what D will still add: s |D| or s N Σ s
             for a node that becomes known, and only what a step adds to D for one that is
Empty        b of who is not known is off by a sum of terms L s too, N Σ s at most, since a step adds M b_c
             (or b_c for an inactive node), and T(x, ·) b of the other child if one is known
Notation     s_m, σ_m, N_k, τ of `reachable`, s and N the largest of them
"""

from __future__ import annotations

from collections.abc import Iterator

import flint

from verify.bounds.decoder_tree_classes import (
    BRACKET,
    ClassErrors,
    Moves,
    NodeErrors,
    Reads,
    gather,
)
from verify.bounds.decoder_tree_losses import ReadErrors, StepLosses, TreeSizes


class NodeStep(ReadErrors):
    """The errors after a step, from those before it and what is read."""

    def __init__(self, sizes: TreeSizes, now: NodeErrors, reads: Reads) -> None:
        super().__init__(sizes, now, reads)
        self.losses = StepLosses(self)

    def after(self, number: int) -> NodeErrors:
        """The errors after the step of that number, rounded up."""
        moves = Moves(self.reach.leaves, number, self.now)
        idle = self.idles().rounded_up() if moves.idles else None
        return NodeErrors(
            idle, gather(self._active(moves)), gather(self._known(moves)), self.now.left
        )

    def _active(self, moves: Moves) -> Iterator[tuple[int, ClassErrors]]:
        yield from ((a, self.begins(a)) for a in moves.begins())
        yield from ((a, self.keeps(a)) for a in moves.keeps())
        yield from ((a + b, self.joins(a, b)) for a, b in moves.joins())

    def _known(self, moves: Moves) -> Iterator[tuple[int, ClassErrors]]:
        yield from ((m, self.settles(m)) for m in self.now.known if m != BRACKET)
        yield BRACKET, self.opens()
        yield from ((i + j, self.splits(i, j)) for i, j in moves.splits())
        yield from ((i + j, self.jumps(i, j)) for i, j in moves.jumps())

    def idles(self) -> ClassErrors:
        """An inactive node neither child of which is known."""
        now, reads, idle, losses = self.now, self.reads, self.idle, self.losses
        near, far = self.near, self.far
        right, left = now.child_state + reads.near_empty, now.child_state + reads.far_empty
        state = self.own_state + self.tau * right * left + losses.empty
        return ClassErrors(
            mark=self.own_mark + near * far + losses.unknown,
            activity=idle.activity + near + far + near * far + losses.inactive,
            pointer=self._pointer(idle) + near * self._width + far,
            map=self.squared + self.tau * ((1 + far) * right + (1 + near) * left)
            + near + far + near * far + losses.identity,
            state=state,
            total=state,
        )  # fmt: skip

    @property
    def _width(self) -> flint.arb:
        """|left - i|, computed."""
        return self.sizes.length + 1 + self.now.left

    def _pointer(self, target: ClassErrors) -> flint.arb:
        """The error of the pointer that is read of the target."""
        return target.pointer + self.reads.next_pointer + self.losses.pointer

    def _turned_pointer(self, off: flint.arb) -> flint.arb:
        """The error of the pointer of a node that has known children, whose marks are off by that."""
        return self._pointer(self.idle) + off * self._width + self.now.left + off

    def _followed_pointer(self, target: ClassErrors) -> flint.arb:
        """The error of the pointer of who is not inactive."""
        return self._pointer(target) + self.reads.no_mark * (self._width + 1)

    def one(self, m: int) -> flint.arb:
        """The error of f of a known child of m leaves, as it is read."""
        return self.now.known[m].mark + self.reads.mark

    def off(self, m: int) -> flint.arb:
        """The error of b of a known child of m leaves, as it is read."""
        return self.now.known[m].state + self.reads.state

    def begins(self, a: int) -> ClassErrors:
        """An inactive node with one known child, of a leaves."""
        idle, losses, one, clear = self.idle, self.losses, self.one(a), self.clear
        sibling, off = self.reach.siblings[a], self.tau * self.off(a)
        own = self.own_state + losses.empty
        total = own + self.now.child_total + self.reads.empty + off * self.empty
        return ClassErrors(
            mark=self.own_mark + clear * (1 + one) + losses.unknown,
            activity=idle.activity + one + one * clear + losses.engaged,
            pointer=self._turned_pointer(one.max(clear)),
            map=self.squared + off + clear * (sibling + off)
            + one * (self.tau * self.empty + 1 + clear) + losses.begun(a),
            state=(own + (sibling + off) * self.empty).min(self.sizes.norm * total),
            total=total,
        )  # fmt: skip

    def keeps(self, a: int) -> ClassErrors:
        """An active node whose pointer names an inactive one."""
        own, beside = self.now.active[a], self.idle.map + self.next_one
        moved = self.reach.contexts[a] * beside + own.map * beside
        return self._follows(a, self.idle, own.map + moved + self.losses.kept_map(a))

    def joins(self, a: int, b: int) -> ClassErrors:
        """An active node of a leaves whose pointer names one of b leaves."""
        own, target, norms = self.now.active[a], self.now.active[b], self.reach.contexts
        moved = own.map * norms[b] + (norms[a] + own.map) * (target.map + self.other)
        return self._follows(a, target, moved + self.losses.joined(a, b))

    def _follows(self, a: int, target: ClassErrors, moved: flint.arb) -> ClassErrors:
        """An active node whose pointer names one that is not known, with the error of M M_c."""
        own, losses, norm = self.now.active[a], self.losses, self.reach.contexts[a]
        read, lost = target.state + self.reads.next_empty, self.stray_state + losses.empty
        total = own.total + target.total + self.reads.next_empty + own.map * read + lost
        direct = own.state + (norm + own.map) * read + lost
        return ClassErrors(
            mark=own.mark
            + (1 + own.mark + own.activity) * (target.mark + self.reads.next_clear)
            + self.reads.no_mark * self.reads.no_mark + losses.unknown,
            activity=own.activity + self.nothing + losses.kept_engaged,
            pointer=self._followed_pointer(target),
            map=moved + self.stray,
            state=direct.min(self.sizes.norm * total),
            total=total,
        )  # fmt: skip

    def splits(self, i: int, j: int) -> ClassErrors:
        """An inactive node with known children of i and of j leaves."""
        siblings, tau, losses = self.reach.siblings, self.tau, self.losses
        left, right, x, y = self.one(i), self.one(j), self.off(j), self.off(i)
        both = left * right
        moved = (self.squared + left * (siblings[j] + tau * x) + right * (siblings[i] + tau * y)
                 + both + losses.vanished)  # fmt: skip
        state = self.own_state + siblings[i] * x + siblings[j] * y + tau * x * y
        state = state + losses.split(i, j)
        return ClassErrors(
            mark=self.own_mark + left + right + both + losses.known,
            activity=self.idle.activity + both + losses.engaged,
            pointer=self._turned_pointer(left.max(right)),
            map=moved,
            sources=moved,
            state=state,
            total=state + self.sizes.states_within[i + j] * moved,
        )

    def jumps(self, i: int, j: int) -> ClassErrors:
        """An active node of i leaves whose pointer names a known one of j leaves."""
        own, target, losses, reads = self.now.active[i], self.now.known[j], self.losses, self.reads
        norm, reach, within = self.reach.contexts[i], self.reach, self.sizes.contexts_within[i + j]
        read, lost = target.map + self.away, self.stray + losses.dropped(i, j)
        lost = own.map * read + lost
        sources = target.sources + norm * self.away + lost
        moved = (norm * read + lost).min(within * within * sources)
        off = target.state + reads.next_state
        state = own.state + norm * off + own.map * (reach.sizes[j] + off)
        state = state + self.stray_state + losses.jump(i, j)
        active = 1 + own.mark + own.activity
        return ClassErrors(
            mark=own.activity + (target.mark + reads.next_mark) * active
            + reads.no_mark * reads.no_mark + losses.known,
            activity=own.activity + self.nothing + losses.kept_engaged,
            pointer=self._followed_pointer(target),
            map=moved,
            sources=sources,
            state=state,
            total=state + self.sizes.states_within[i + j] * moved.min(within * sources),
        )  # fmt: skip

    def settles(self, m: int) -> ClassErrors:
        """A known node of m leaves."""
        own, losses, reads = self.now.known[m], self.losses, self.reads
        any_mark = self.now.mark + reads.next_mark.max(reads.next_clear)
        return ClassErrors(
            mark=own.mark.max(own.activity) + (own.mark + own.activity) * any_mark
            + reads.no_mark * reads.no_mark + losses.kept_mark,
            activity=own.activity + self.nothing + losses.kept_engaged,
            pointer=self.now.pointer + self._followed_pointer(ClassErrors()),
            **self._residues(m),
        )  # fmt: skip

    def opens(self) -> ClassErrors:
        """An opening bracket, which points to itself."""
        own, reads = self.now.known[BRACKET], self.reads
        return ClassErrors(
            mark=own.mark + (1 + own.mark + own.activity) * (own.mark + reads.next_clear)
            + reads.no_mark * reads.no_mark + self.losses.unknown,
            activity=own.activity + self.nothing + self.losses.kept_engaged,
            pointer=self._followed_pointer(own),
            **self._residues(BRACKET),
        )  # fmt: skip

    def _residues(self, m: int) -> dict[str, flint.arb]:
        """M that is 0, and what it adds to b."""
        own, norm, size = (
            self.now.known[m],
            self.sizes.contexts_within[m],
            self.sizes.states_within[m],
        )
        added = own.map * self.any_map + self.stray + self.losses.remaining(m)
        sources = own.sources + added
        beside = own.map * (self.now.state + self.reads.next_state) + self.stray_state
        lost = beside + self.losses.kept_state(m)
        total = own.total + size * added + lost
        drift = own.map.min(norm * own.sources) * size
        return {
            "map": (norm * own.map + added).min(norm * norm * sources),
            "sources": sources,
            "state": (own.state + drift + lost).min(total),
            "total": total,
        }
