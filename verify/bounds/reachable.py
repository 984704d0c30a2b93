"""States and contexts of a tree automaton that trees really reach, by listing the small ones.

Claimed       by us, for all trees: ‖μ(t)‖₂ ≤ s_m for m leaves; ‖T(x, ·)‖₂ and ‖T(·, x)‖₂ ≤ σ_m for the
              state x of a tree with m leaves; ‖C‖₂ ≤ N_k for every context C, the linear map from the
              state of a node to that of a node above it with k more leaves
Why           the entrywise bounds of `states` add absolute values at every node: where weights have both
              signs, they grow by a factor with every leaf although the states themselves do not
Listed        all distinct states of trees with m leaves and all distinct contexts of k leaves, exactly,
              as long as they are few: m ≤ L and k ≤ K. Their norms are enclosed
States        beyond L leaves walk from the root to the child with more leaves until a subtree has at most L:
              it has j > L/2 leaves, since its parent has more than L. So s_m = max_j N_{m-j} s_j over
              L/2 < j ≤ L, and σ_m = τ s_m, where ‖T(x, y)‖ ≤ τ ‖x‖ ‖y‖
Contexts      beyond K leaves take the longest upper part with at most K leaves, p of them. Either p = K, and
              N_K N_{k-K} bounds the context, or the next sibling has i > K - p leaves, and N_p σ_i N_{k-p-i}
              does. The largest of all is N_k
Cuts          at other places than L and K hold for the same reasons. The least bound counts, over L and K and
              over cuts at 1 … 8 leaves, for trees that are not too large
Both          are at most what the entrywise bounds give, which are the better ones where nothing cancels;
              the entrywise bounds are replaced by those of the listed ones, and cut at s_m and N_k
Notation      T the tensor; τ the norm of T as an n × n² matrix
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import flint

from constructions.automata.wta import WTA
from constructions.core.exact import ball, rational_matrix
from verify.bounds.norms import frobenius_norm, largest, largest_norm, simple_bound
from verify.bounds.states import (
    StateBounds,
    Vector,
    context_tables,
    entrywise_leaves,
    maximum,
    sibling_table,
    state_bounds,
)

LISTED, WORK, BITS = 512, 1 << 21, 128
MOST_WORK, LONG = 1 << 25, 32  # products of entries, in numbers of so many binary digits
MOST_PARTS = 256  # leaves of contexts that are taken apart: K k steps for each k
CUTS, MOST_CUT = 8, 64  # where else, and up to how many leaves
Exact = Any  # an fmpq_mat


@dataclass(frozen=True)
class ReachableBounds:
    """B_m, s_m and σ_m for m = 1 … N (the entry before is 0), N_k and P_k for k = 0 … N - 1, and τ."""

    states: tuple[Vector, ...]
    sizes: tuple[flint.arb, ...]
    siblings: tuple[flint.arb, ...]
    contexts: tuple[flint.arb, ...]
    tables: tuple[flint.arb_mat, ...]
    tensor_norm: flint.arb
    entrywise: StateBounds

    @property
    def leaves(self) -> int:
        """N, the leaves of the largest tree."""
        return len(self.sizes) - 1

    @cached_property
    def largest_size(self) -> flint.arb:
        """The largest ‖μ(t)‖₂."""
        return largest(self.sizes)

    @cached_property
    def largest_context(self) -> flint.arb:
        """The largest ‖C‖₂; that of the empty context is 1."""
        return largest(self.contexts)


class TreeListing:
    """The distinct states of m leaves and the distinct contexts of k leaves, while they are few."""

    def __init__(self, automaton: WTA, leaves: int) -> None:
        n = self.n = automaton.n
        self.limit = min(LISTED, WORK // n**3)
        slices, r = automaton.tensor, range(n)
        self.tensor = [[[ball(w) for w in row] for row in rows] for rows in slices]
        left = [[slices[a][i][j] for i in r] for a in r for j in r]
        right = [[slices[a][i][j] for j in r] for a in r for i in r]
        self.from_left, self.from_right = rational_matrix(left), rational_matrix(right)
        vectors = [rational_matrix([[w] for w in leaf]) for leaf in automaton.leaves.values()]
        self.states: list[list[Exact]] = [[], distinct(vectors)]
        self.digits = digits(self.from_left) + max(map(digits, vectors))
        while len(self.states) <= leaves and self._add_states():
            pass
        self.siblings = [self._sibling_maps(states) for states in self.states]
        one = flint.fmpq_mat(n, n, [int(a == b) for a in r for b in r])
        self.contexts: list[list[Exact]] = [[one]]
        while len(self.contexts) < min(leaves, len(self.states)) and self._add_contexts():
            pass

    def _maps(self, unfolded: Exact, states: Sequence[Exact]) -> list[Exact]:
        return [flint.fmpq_mat(self.n, self.n, (unfolded * x).entries()) for x in states]

    def _sibling_maps(self, states: Sequence[Exact]) -> list[Exact]:
        """T(x, ·) and T(·, x) for the states x; of letters all, of others those listed."""
        return distinct([*self._maps(self.from_left, states), *self._maps(self.from_right, states)])

    def _is_too_much(self, pairs: Iterable[tuple[list[Exact], list[Exact]]], leaves: int) -> bool:
        """True if there are too many products of `leaves` leaves, given the length of their numbers."""
        count = sum(len(one) * len(two) for one, two in pairs)
        work = count * self.n**3 * (1 + leaves * self.digits // LONG)
        return count > 4 * self.limit or work > MOST_WORK

    def _add_states(self) -> bool:
        """Lists the states of one leaf more; False where they are too many."""
        m, products = len(self.states), list[Exact]()
        pairs = [(self.states[i], self.states[m - i]) for i in range(1, m)]
        if self._is_too_much(pairs, m):
            return False
        for one, two in pairs:
            maps = self._maps(self.from_left, one)
            products += [rows * y for rows in maps for y in two]
        return _append(self.states, distinct(products), self.limit)

    def _add_contexts(self) -> bool:
        """Lists the contexts of one leaf more; False where they are too many."""
        k = len(self.contexts)
        pairs = [(self.siblings[i], self.contexts[k - i]) for i in range(1, k + 1)]
        if self._is_too_much(pairs, k):
            return False
        products = [rows * below for one, two in pairs for rows in one for below in two]
        return _append(self.contexts, distinct(products), self.limit)


def digits(entries: Exact) -> int:
    """The binary digits of the common denominator and of the largest numerator over it."""
    numerators, denominator = entries.numer_denom()
    return int(denominator).bit_length() + max(int(x).bit_length() for x in numerators.entries())


def distinct(matrices: Iterable[Exact]) -> list[Exact]:
    """The matrices without repetitions."""
    return list({tuple(a.entries()): a for a in matrices}.values())


def _append(lists: list[list[Exact]], more: list[Exact], limit: int) -> bool:
    """Adds a list that is not too long."""
    if len(more) > limit:
        return False
    lists.append(more)
    return True


def reachable_bounds(automaton: WTA, leaves: int) -> ReachableBounds:
    """The bounds for all trees with at most that many leaves.

    Examples:
        >>> from constructions.automata.random_trees import rational_wta
        >>> found = reachable_bounds(rational_wta(2, 2, "ab"), 8)
        >>> bool(found.largest_size < 1), bool(found.entrywise.largest()[0] > 20)
        (True, True)

    """
    with flint.ctx.workprec(BITS):
        return Reach(automaton, leaves).bounds()


class Reach:
    """The recursion for s_m, σ_m and N_k, from the listed ones on."""

    def __init__(self, automaton: WTA, leaves: int) -> None:
        self.n, self.leaves = automaton.n, leaves
        self.listing = TreeListing(automaton, leaves)
        self.entrywise = state_bounds(automaton, leaves)
        unfolded = flint.arb_mat(
            [[w for row in rows for w in row] for rows in self.entrywise.tensor]
        )
        exact = flint.arb_mat(
            rational_matrix([[w for row in rows for w in row] for rows in automaton.tensor])
        )
        gram = exact * exact.transpose()
        self.tau = largest_norm([gram]).sqrt().min(simple_bound(unfolded)).upper()
        self.tables = context_tables(self.entrywise)
        self.states: list[Vector] = []
        self.sizes, self.siblings = [flint.arb(0)], [flint.arb(0)]
        self.contexts = [flint.arb(1)]

    def bounds(self) -> ReachableBounds:
        """All numbers, in the order of the leaves."""
        for m in range(1, self.leaves + 1):
            self._add_state(m)
            if m < self.leaves:
                self._add_context(m)
        return ReachableBounds(
            tuple(self.states),
            tuple(self.sizes),
            tuple(self.siblings),
            tuple(self.contexts),
            tuple(self.tables),
            self.tau,
            self.entrywise,
        )

    def _add_state(self, m: int) -> None:
        listed, entries = self.listing.states, self.entrywise.states[m - 1]
        table = self._entrywise_sibling(m)
        if m < len(listed):
            vectors = [flint.arb_mat(x) for x in listed[m]]
            size = largest(map(frobenius_norm, vectors)).upper()
            seen = maximum([[abs(w) for w in x.entries()] for x in vectors])
            sibling = largest_norm([flint.arb_mat(a) for a in self.listing.siblings[m]]).upper()
        else:
            size = self._size_by_context(m).min(_norm(entries)).upper()
            seen, sibling = [size] * self.n, (self.tau * size).upper()
        self.sizes.append(size)
        self.siblings.append(sibling.min(table))
        self.states.append([a.min(b) for a, b in zip(entries, seen, strict=True)])

    def _entrywise_sibling(self, m: int) -> flint.arb:
        """σ_m from the entrywise bound, where that was computed."""
        if m > entrywise_leaves(self.n):
            return flint.arb("inf")
        return simple_bound(
            flint.arb_mat(sibling_table(self.entrywise, self.entrywise.states[m - 1]))
        )

    def _size_by_context(self, m: int) -> flint.arb:
        """max N_{m-j} s_j over the subtrees that a walk to the larger child may end in; the least one."""
        walks = [
            largest(self.contexts[m - j] * self.sizes[j] for j in range(most // 2 + 1, most + 1))
            for most in _cuts(len(self.listing.states) - 1, m)
        ]
        return least(walks).upper()

    def _add_context(self, k: int) -> None:
        listed, table = self.listing.contexts, self.tables[k]
        if k < len(listed):
            matrices = [flint.arb_mat(a) for a in listed[k]]
            norm = largest_norm(matrices).upper()
            seen = maximum([[abs(w) for w in a.entries()] for a in matrices])
        else:
            norm = self._context_by_parts(k) if k <= MOST_PARTS else flint.arb("inf")
            seen = [norm] * self.n**2
        norm = norm.min(simple_bound(table))
        self.contexts.append(norm)
        entries = [a.min(b).min(norm) for a, b in zip(table.entries(), seen, strict=True)]
        self.tables[k] = flint.arb_mat(self.n, self.n, entries)

    def _context_by_parts(self, k: int) -> flint.arb:
        """The least bound that a cut gives."""
        cuts = _cuts(len(self.listing.contexts) - 1, k)
        return least(self._context_by_cut(k, most) for most in cuts).upper()

    def _context_by_cut(self, k: int, most: int) -> flint.arb:
        """The largest of N_K N_{k-K} and N_p σ_i N_{k-p-i}, p < K < p + i."""
        norms = self.contexts
        cut = [norms[most] * norms[k - most]] if most else []
        cut += [
            norms[p] * self.siblings[i] * norms[k - p - i]
            for p in range(max(most, 1))
            for i in range(most - p + 1, k - p + 1)
        ]
        return largest(cut)


def _cuts(listed: int, leaves: int) -> set[int]:
    """Numbers of leaves at which to cut a tree or a context of `leaves` leaves."""
    return {listed, *range(1, min(CUTS, leaves - 1) + 1 if leaves <= MOST_CUT else 1)}


def least(values: Iterable[flint.arb]) -> flint.arb:
    """A ball that contains the minimum."""
    bottom = flint.arb("inf")
    for value in values:
        bottom = bottom.min(value)
    return bottom


def _norm(entries: Sequence[Any]) -> flint.arb:
    """The Euclidean norm."""
    return sum((x * x for x in entries), flint.arb(0)).sqrt()
