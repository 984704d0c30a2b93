"""Bounds on the states of a tree automaton, entry by entry, over all trees of a number of leaves.

Shown         N_1 = max_σ ‖v_σ‖₁, N_m = κ N_1 N_{m-1} = κ^(m-1) N_1^m bounds the 1-norm of every state
              of a tree with m leaves, and B_1 = max_σ |v_σ|, B_m = min(max_{i+j=m} |T|(B_i, B_j), N_m) the
              state entry by entry, by induction on m: the root of such a tree splits m
              P_0 = I, P_m = min(max_{1≤i≤m} Q_i P_{m-i}, K_m) with Q_i the entrywise maximum of
              |T|(B_i, ·) and |T|(·, B_i), K_m = (κ N_1)^m, bounds the linear map
              from the state of a node to that of a node above it with m more leaves: it is a
              product of such maps along the path
Notation      |T| entrywise absolute values, |T|(x, y) the contraction, κ = max_jk Σ_i |T_ijk|, so
              that ‖T(x, y)‖₁ ≤ κ ‖x‖₁ ‖y‖₁. The first bound is the better one for automata that
              count, the second for probabilities
Work          all splits of m leaves for every m take N² n³/2 products; beyond MOST_WORK of them only
              the 1-norm is used
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import flint

from constructions.automata.wta import WTA
from constructions.core.exact import ball
from verify.bounds.norms import identity, largest

MOST_WORK = 1 << 20
Vector = list[flint.arb]
Table = list[Vector]


@dataclass(frozen=True)
class StateBounds:
    """|T|, κ, and B_m and N_m for m = 1 … N."""

    tensor: tuple[tuple[Vector, ...], ...]
    kappa: flint.arb
    states: tuple[Vector, ...]
    totals: tuple[flint.arb, ...]

    def apply(self, left: Vector, right: Vector) -> Vector:
        """|T|(left, right)."""
        return [
            sum(
                (w * left[j] * right[k] for j, row in enumerate(rows) for k, w in enumerate(row)),
                flint.arb(0),
            ).upper()
            for rows in self.tensor
        ]

    def largest(self) -> Vector:
        """The entrywise bound over all trees."""
        return maximum(self.states)

    def with_one_leaf_more(self, entrywise: bool) -> StateBounds:
        """The bounds with one leaf more."""
        states, totals, m = self.states, self.totals, len(self.states) + 1
        total = (self.kappa * totals[0] * totals[-1]).upper()
        entries = [total] * len(self.tensor)
        if entrywise:
            largest = over_splits(m, lambda i, j: self.apply(states[i - 1], states[j - 1]))
            entries = [entry.min(total) for entry in largest]
        return StateBounds(self.tensor, self.kappa, (*states, entries), (*totals, total))


def state_bounds(automaton: WTA, leaves: int) -> StateBounds:
    """B_m and N_m for every m up to a number of leaves."""
    tensor = tuple(tuple([abs(ball(w)) for w in row] for row in rows) for rows in automaton.tensor)
    n, exact = range(automaton.n), automaton.tensor
    kappa = max(sum(abs(exact[i][j][k]) for i in n) for j in n for k in n)
    total = max(sum(abs(w) for w in leaf) for leaf in automaton.leaves.values())
    first = maximum([[abs(ball(w)) for w in leaf] for leaf in automaton.leaves.values()])
    bounds = StateBounds(tensor, ball(Fraction(kappa)), (first,), (ball(Fraction(total)),))
    few = entrywise_leaves(automaton.n)
    for m in range(2, leaves + 1):
        bounds = bounds.with_one_leaf_more(entrywise=m <= few)
    return bounds


def entrywise_leaves(n: int) -> int:
    """Largest number of leaves for which all splits are tried; beyond, and for contexts, B_m = N_m."""
    return isqrt(2 * MOST_WORK // n**3)


def over_splits(leaves: int, at: Callable[[int, int], Vector]) -> Vector:
    """The entrywise maximum over all ways to split `leaves` leaves into two."""
    return maximum([at(i, leaves - i) for i in range(1, leaves)])


def maximum(vectors: Sequence[Vector]) -> Vector:
    """The entrywise maximum."""
    return [largest(column).upper() for column in zip(*vectors, strict=True)]


def context_bounds(found: StateBounds) -> Table:
    """The entrywise bound on the maps from a node to a node above, over all trees."""
    n = len(found.tensor)
    most = maximum([product.entries() for product in context_tables(found)])
    return [most[i * n : (i + 1) * n] for i in range(n)]


def context_tables(found: StateBounds) -> list[flint.arb_mat]:
    """P_0, P_1, …: the same for maps that add m leaves, m less than those of the largest tree."""
    n, few = len(found.tensor), entrywise_leaves(len(found.tensor))
    maps = [flint.arb_mat(sibling_table(found, states)) for states in found.states[:few]]
    products, norm = [identity(n)], flint.arb(1)
    for m in range(1, len(found.states)):
        norm = (found.kappa * found.totals[0] * norm).upper()
        entries = [norm] * n**2
        if m < few:
            tried = maximum([(maps[i - 1] * products[m - i]).entries() for i in range(1, m + 1)])
            entries = [entry.min(norm) for entry in tried]
        products.append(flint.arb_mat(n, n, entries))
    return products


def sibling_table(found: StateBounds, state: Vector) -> Table:
    """Q: one child is any node, the other one has a state of at most the given size."""
    n = range(len(state))
    left = [[_weighted_sum(state, [rows[j][q] for j in n]) for q in n] for rows in found.tensor]
    right = [[_weighted_sum(state, rows[q]) for q in n] for rows in found.tensor]
    return _entrywise_maximum([left, right])


def _weighted_sum(state: Vector, weights: Sequence[flint.arb]) -> flint.arb:
    return sum((b * w for b, w in zip(state, weights, strict=True)), flint.arb(0)).upper()


def _entrywise_maximum(tables: Sequence[Table]) -> Table:
    return [maximum(rows) for rows in zip(*tables, strict=True)]
