"""Rounding errors of the log-depth model's states, over all trees, by the leaves below a node.

Shown         if heads look right, no state of a tree with m leaves misses by more than X(0, m), in the
              Euclidean norm, whatever steps it was computed in
Computed      a leaf's state x is stored; a node's state is T(x, y) of its children's, or C x for a node
              below it that is known. The map C of a context is T(x, ·) or T(·, x) of one sibling, computed
              as I + T(x, ·) - I, or the product of two such maps. Marks and pointers are integers, and
              exact; copies, sums with zeros and products with 0, 1 and I are exact
Derivation    computed x + e and C + D. Then e = T(e_x, y) + T(x, e_y) + T(e_x, e_y) + δ, or
              e = C e_x + D x + D e_x + δ; and D = T(e_x, ·) + ρ, or D = C D' + D'' C' + D'' D' + ρ. Unrolled,
              an error at a node reaches a node above through the true context between them, whose norm
              is at most N_k for k leaves. So with X(k, m) ≥ ‖C e‖ for a state of m leaves and contexts C
              of k leaves above it, and Y(k, a, j) ≥ ‖C D x‖ for a map D of a leaves and states x of j
              leaves below it:
  X(k, 1)     N_k δ_1
  X(k, m)     max over i + j = m of X(k+j, i) + X(k+i, j) + N_k (δ + τ e_i e_j), and over a + j = m, j ≥ 2,
              of Y(k, a, j) + X(k+a, j) + N_k (δ + d_a e_j), where e_m = X(0, m); what a pointer names is no
              leaf, since leaves are known from the beginning
  Y(k, a, j)  max of X(k+j, a) + N_k s_j ρ and, over a = b + c,
              Y(k, b, c+j) + Y(k+b, c, j) + N_k s_j (ρ + d_b d_c)
  d_a         ≥ ‖D‖: max of τ e_a + ρ and, over a = b + c, d_b N_c + N_b d_c + d_b d_c + ρ
Entries       one entry of a state is bounded by the same recursion with R_k, the largest norm of a row of a
              context, in place of N_k: no entry of C e exceeds R_k ‖e‖. Products of errors are those of
              the norms e and d, which are computed first
Roundings     δ and ρ are those of `losses_logdepth`
Notation      T the tensor, N, R, s, τ of `verify.bounds.reachable`
"""

from __future__ import annotations

from collections.abc import Sequence

import flint

from verify.automaton.losses_logdepth import LocalLosses
from verify.bounds.floating import Precision
from verify.bounds.norms import largest
from verify.bounds.reachable import ReachableBounds

MOST_LEAVES = 40  # the recursion takes N⁴/12 steps
Pair = tuple[int, int]


def state_error(precision: Precision, found: ReachableBounds, length: int) -> flint.arb:
    """A bound on the rounding error of every entry of every state of every tree, if heads look right.

    Infinite where a number may overflow, where a pointer may not be exact, or for too many leaves.
    """
    exact_places = 4 * (length + 1) < 1 << precision.bits
    if not exact_places or found.leaves > MOST_LEAVES:
        return flint.arb("inf")
    losses = LocalLosses(precision, found)
    norms = Followed(losses, found.contexts)
    norms.run(losses)
    if not losses.fits():
        return flint.arb("inf")
    entries = Followed(losses, found.rows)
    entries.run()
    return largest(entries.errors).upper()


class Followed:
    """X and Y, filled in by the number of leaves, for norms of contexts or of their rows."""

    def __init__(self, losses: LocalLosses, norms: Sequence[flint.arb]) -> None:
        self.losses, self.norms, self.found = losses, norms, losses.found
        self.errors = [flint.arb(0)]
        self.moved: dict[Pair, flint.arb] = {}
        self.bent: dict[tuple[int, int, int], flint.arb] = {}

    def run(self, sizes: LocalLosses | None = None) -> None:
        """Follow all leaves up to the largest tree; with `sizes`, record the norms of the errors there."""
        for m in range(1, self.found.leaves + 1):
            self._follow_states(m)
            if sizes is not None:
                sizes.add_state(self.errors[m])
            if m < self.found.leaves:
                self._follow_maps(m)
                if sizes is not None:
                    sizes.add_map(m)

    def _follow_states(self, m: int) -> None:
        """X(k, m) for every k, and e_m."""
        norm, most, losses = self.norms, self.found.leaves, self.losses
        if m == 1:
            self.moved |= {(k, 1): (norm[k] * losses.stored).upper() for k in range(most)}
        else:
            splits = [(i, m - i, losses.split(i, m - i)) for i in range(1, m)]
            jumps = [(a, m - a, losses.jump(a, m - a)) for a in range(1, m - 1)]
            for k in range(most - m + 1):
                found = [self.moved[k + j, i] + self.moved[k + i, j] + norm[k] * lost
                         for i, j, lost in splits]  # fmt: skip
                found += [self.bent[k, a, j] + self.moved[k + a, j] + norm[k] * lost
                          for a, j, lost in jumps]  # fmt: skip
                self.moved[k, m] = largest(found).upper()
        self.errors.append(self.moved[0, m])

    def _follow_maps(self, a: int) -> None:
        """Y(k, a, j) for every k and j."""
        norm, most, base = self.norms, self.found.leaves, self.losses.base(a)
        parts = [(b, a - b, self.losses.product(b, a - b)) for b in range(1, a)]
        for k in range(most - a):
            for j in range(2, most - a - k + 1):
                size = norm[k] * self.found.sizes[j]
                values = [self.moved[k + j, a] + size * base]
                values += [self.bent[k, b, c + j] + self.bent[k + b, c, j] + size * lost
                           for b, c, lost in parts]  # fmt: skip
                self.bent[k, a, j] = largest(values).upper()
