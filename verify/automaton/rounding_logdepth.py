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
Roundings     entry by entry, B and P bounding what is computed of states and contexts. A leaf: u B + η.
              T(x, y): a weight is rounded, x y, w x y, and n² terms are added: γ_{n²+2} |T|(B, B). C x and
              C C': γ_n P B and γ_n P P'. T(x, ·): n terms w x, to which on the diagonal 1 and -1 are added;
              each of n + 1 sums is a sum of some of these terms, at most 1 + |T|(B, ·): γ_{n+3} |T|(B, ·),
              and γ_{n+1} on the diagonal. A product may lose η, a weight η times what it multiplies
Range         no product or sum exceeds (size² + 2)(1 + n² max |T|), size the largest B or P
Notation      u, η, γ of `floating`; T the tensor, N, s, σ, τ, B, P of `verify.bounds.reachable`
"""

from __future__ import annotations

from collections.abc import Sequence

import flint

from verify.bounds.floating import Precision
from verify.bounds.norms import frobenius_norm, largest
from verify.bounds.reachable import ReachableBounds
from verify.bounds.states import Vector, sibling_table

MOST_LEAVES = 40  # the recursion takes N⁴/12 steps


def state_error(precision: Precision, found: ReachableBounds, length: int) -> flint.arb:
    """A bound on the rounding error of every state of every tree, if heads look right.

    Infinite where a number may overflow, where a pointer may not be exact, or for too many leaves.
    """
    exact_places = 4 * (length + 1) < 1 << precision.bits
    if not exact_places or found.leaves > MOST_LEAVES:
        return flint.arb("inf")
    followed = Followed(precision, found)
    followed.run()
    worst = largest(followed.errors)
    return worst.upper() if followed.fits() else flint.arb("inf")


class Followed:
    """X, Y, e and d, filled in by the number of leaves."""

    def __init__(self, precision: Precision, found: ReachableBounds) -> None:
        self.precision, self.found = precision, found
        self.errors, self.maps = [flint.arb(0)], [flint.arb(0)]
        self.moved: dict[tuple[int, int], flint.arb] = {}
        self.bent: dict[tuple[int, int, int], flint.arb] = {}

    def run(self) -> None:
        """All leaves up to the largest tree."""
        for m in range(1, self.found.leaves + 1):
            self._follow_states(m)
            if m < self.found.leaves:
                self._follow_maps(m)

    def fits(self) -> bool:
        """Whether nothing overflows."""
        weights = [w for rows in self.found.entrywise.tensor for row in rows for w in row]
        n, top = self.n, largest(weights)
        states = [w for m in range(1, self.found.leaves + 1) for w in self.state(m)]
        tables = [w for a in range(self.found.leaves) for w in self.table(a).entries()]
        size = largest([*states, *tables])
        reach = (size * size + 2) * (1 + n * n * top)
        return bool(reach.is_finite() and 2 * reach < self.precision.largest)

    @property
    def n(self) -> int:
        """The number of states."""
        return len(self.found.states[0])

    def state(self, m: int) -> Vector:
        """A bound on each entry of a computed state of m leaves."""
        return [b + self.errors[m] for b in self.found.states[m - 1]]

    def table(self, a: int) -> flint.arb_mat:
        """A bound on each entry of a computed map of a leaves."""
        off, n = self.maps[a], self.n
        return flint.arb_mat(n, n, [p + off for p in self.found.tables[a].entries()])

    def _follow_states(self, m: int) -> None:
        """X(k, m) for every k, and e_m."""
        norm, most = self.found.contexts, self.found.leaves
        if m == 1:
            first = self._stored()
            self.moved |= {(k, 1): (norm[k] * first).upper() for k in range(most)}
        else:
            splits = [(i, m - i, self._split_loss(i, m - i)) for i in range(1, m)]
            jumps = [(a, m - a, self._jump_loss(a, m - a)) for a in range(1, m - 1)]
            for k in range(most - m + 1):
                found = [self.moved[k + j, i] + self.moved[k + i, j] + norm[k] * lost
                         for i, j, lost in splits]  # fmt: skip
                found += [self.bent[k, a, j] + self.moved[k + a, j] + norm[k] * lost
                          for a, j, lost in jumps]  # fmt: skip
                self.moved[k, m] = largest(found).upper()
        self.errors.append(self.moved[0, m])

    def _follow_maps(self, a: int) -> None:
        """d_a, and Y(k, a, j) for every k and j."""
        found, norm, most = self.found, self.found.contexts, self.found.leaves
        base = self._base_loss(a)
        parts = [(b, a - b, self._product_loss(b, a - b)) for b in range(1, a)]
        sizes = [found.tensor_norm * self.errors[a] + base]
        sizes += [self.maps[b] * norm[c] + norm[b] * self.maps[c] + lost for b, c, lost in parts]
        self.maps.append(largest(sizes).upper())
        for k in range(most - a):
            for j in range(2, most - a - k + 1):
                size = norm[k] * found.sizes[j]
                values = [self.moved[k + j, a] + size * base]
                values += [self.bent[k, b, c + j] + self.bent[k + b, c, j] + size * lost
                           for b, c, lost in parts]  # fmt: skip
                self.bent[k, a, j] = largest(values).upper()

    def _stored(self) -> flint.arb:
        step = self.precision
        return norm_of([step.roundoff * b + step.smallest for b in self.found.states[0]])

    def _split_loss(self, i: int, j: int) -> flint.arb:
        """δ of T(x, y), and τ e_i e_j."""
        known, step, left, right = (
            self.found.entrywise,
            self.precision,
            self.state(i),
            self.state(j),
        )
        share, product = step.gamma(self.n**2 + 2), largest(left) * largest(right)
        lost = [sum((w + 1 + product for row in rows for w in row if w != 0), flint.arb(0))
                for rows in known.tensor]  # fmt: skip
        rounded = [share * x + step.smallest * y
                   for x, y in zip(known.apply(left, right), lost, strict=True)]  # fmt: skip
        second = self.found.tensor_norm * self.errors[i] * self.errors[j]
        return (norm_of(rounded) + second).upper()

    def _jump_loss(self, a: int, j: int) -> flint.arb:
        """δ of C x, and d_a e_j."""
        step, n = self.precision, self.n
        sums = (self.table(a) * flint.arb_mat([[w] for w in self.state(j)])).entries()
        rounded = norm_of([step.gamma(n) * x + n * step.smallest for x in sums])
        return (rounded + self.maps[a] * self.errors[j]).upper()

    def _base_loss(self, a: int) -> flint.arb:
        """ρ of I + T(x, ·) - I."""
        step, n, state = self.precision, self.n, self.state(a)
        table = flint.arb_mat(sibling_table(self.found.entrywise, state))
        tiny = n * n * step.smallest * (1 + largest(state))
        sums = step.gamma(n + 3) * frobenius_norm(table) + step.gamma(n + 1)
        return (sums + tiny).upper()

    def _product_loss(self, b: int, c: int) -> flint.arb:
        """ρ of C C', and d_b d_c."""
        one, two, step, n = self.table(b), self.table(c), self.precision, self.n
        rounded = step.gamma(n) * frobenius_norm(one * two) + n * n * step.smallest
        return (rounded + self.maps[b] * self.maps[c]).upper()


def norm_of(entries: Sequence[flint.arb]) -> flint.arb:
    """The Euclidean norm."""
    return sum((x * x for x in entries), flint.arb(0)).nonnegative_part().sqrt().upper()
