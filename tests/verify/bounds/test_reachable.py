"""States and contexts that trees reach: listed where they are few, bounded beyond, never exceeded."""

from types import SimpleNamespace

import flint
import numpy as np
import pytest

from constructions.automata.random_trees import rational_wta
from constructions.automata.wta import WTA
from verify.bounds import reachable
from verify.bounds.reachable import Reach, TreeListing, reachable_bounds

COIN = WTA.of([1], [[["1/2"]]], {"a": [1]})
# T(x, y) = (x₁y₂ - x₂y₁, x₁y₁): the first entry cancels where both children are alike.
CANCELLING = WTA.of([1, 0], [[[0, 1], [-1, 0]], [[1, 0], [0, 0]]], {"a": [1, 1]})


def all_states(automaton, leaves):
    """The states of all trees with m leaves in floating point, m = 1, 2, …, by pairs of subtrees."""
    tensor = np.array([[[float(w) for w in row] for row in rows] for rows in automaton.tensor])
    states = {1: np.array([[float(w) for w in leaf] for leaf in automaton.leaves.values()])}
    for m in range(2, leaves + 1):
        pairs = [np.einsum("aij,pi,qj->pqa", tensor, states[i], states[m - i])
                 for i in range(1, m)]  # fmt: skip
        states[m] = np.concatenate([rows.reshape(-1, automaton.n) for rows in pairs])
    return tensor, states


def all_contexts(automaton, leaves):
    """The contexts of k leaves, k = 0, 1, …, as products of the maps of siblings."""
    tensor, states = all_states(automaton, leaves)
    maps = {m: np.concatenate([np.einsum("aij,pi->paj", tensor, rows),
                               np.einsum("aij,pj->pai", tensor, rows)])
            for m, rows in states.items()}  # fmt: skip
    contexts = {0: np.eye(automaton.n)[None]}
    for k in range(1, leaves):
        parts = [np.einsum("pab,qbc->pqac", maps[i], contexts[k - i]) for i in range(1, k + 1)]
        contexts[k] = np.concatenate([rows.reshape(-1, automaton.n, automaton.n) for rows in parts])
    return maps, contexts


def test_what_is_listed_meets_its_bound():
    automaton = rational_wta(2, 2, "ab")
    found = reachable_bounds(automaton, 5)
    _, states = all_states(automaton, 5)
    _, contexts = all_contexts(automaton, 4)
    for m, rows in states.items():
        assert float(found.sizes[m]) == pytest.approx(np.linalg.norm(rows, axis=1).max())
    for k, maps in contexts.items():
        assert float(found.contexts[k]) == pytest.approx(np.linalg.norm(maps, 2, axis=(1, 2)).max())


def test_a_coin_by_hand():
    """μ = 2^(1-m), and a sibling of i leaves multiplies by 2^-i."""
    found = reachable_bounds(COIN, 5)
    assert [float(s) for s in found.sizes] == [0, 1, 0.5, 0.25, 0.125, 0.0625]
    assert [float(s) for s in found.siblings[1:]] == [0.5, 0.25, 0.125, 0.0625, 0.03125]
    assert [float(s) for s in found.contexts] == [1, 0.5, 0.25, 0.125, 0.0625]
    assert (found.leaves, float(found.largest_size), float(found.largest_context)) == (5, 1, 1)


def test_what_cancels_is_seen_where_absolute_values_do_not_see_it():
    """Of two leaves the state is (0, 1); |T| gives (2, 1)."""
    found = reachable_bounds(CANCELLING, 2)
    assert [float(w) for w in found.states[1]] == [0, 1]
    assert [float(w) for w in found.entrywise.states[1]] == [2, 1]
    assert float(found.sizes[2]) == 1


def test_states_that_are_too_many_are_not_listed():
    listing = TreeListing(rational_wta(2, 2, "ab"), 8)
    assert [len(states) for states in listing.states] == [0, 2, 4, 16, 80, 448]
    assert [len(maps) for maps in listing.contexts] == [1, 4, 24, 160]


def reach_of(states, contexts, leaves=9):
    """The recursion with numbers of our choice: states and contexts are listed up to so many leaves."""
    made = object.__new__(Reach)
    made.n, made.leaves, made.tau = 2, leaves, flint.arb(5)
    made.listing = SimpleNamespace(states=[[]] * (states + 1), contexts=[[]] * (contexts + 1))
    made.contexts = [flint.arb(x) for x in (1, 7, 3, 11, 2, 13, 5, 17, 4)]
    made.sizes = [flint.arb(x) for x in (0, 3, 8, 2, 9, 1, 6, 5, 7)]
    made.siblings = [flint.arb(x) for x in (0, 2, 9, 4, 8, 1, 7, 3, 6)]
    return made


@pytest.mark.parametrize(("m", "listed"), [(2, 1), (3, 2), (6, 2), (6, 5), (8, 1), (8, 7)])
def test_states_beyond_the_listed_ones_are_those_of_a_subtree_in_a_context(m, listed):
    """A walk to the larger child ends at j leaves, K/2 < j ≤ K, for every cut K; the least counts."""
    made = reach_of(listed, 1)
    low, size = ([float(x) for x in own] for own in (made.contexts, made.sizes))
    wanted = min(
        max(low[m - j] * size[j] for j in range(1, k + 1) if 2 * j > k) for k in range(1, m)
    )
    assert made._size_by_context(m) == wanted


@pytest.mark.parametrize(("k", "listed"), [(1, 0), (2, 0), (2, 1), (4, 3), (8, 0), (8, 3)])
def test_contexts_beyond_the_listed_ones_are_cut_at_or_within_a_sibling(k, listed):
    made = reach_of(1, listed)
    low, beside = ([float(x) for x in own] for own in (made.contexts, made.siblings))

    def by_cut(most):
        """An upper part of K leaves; or of p < K, and a sibling of i > K - p leaves."""
        whole = [low[most] * low[k - most]] if most else []
        parts = [
            low[p] * beside[i] * low[k - p - i]
            for p in range(k)
            for i in range(1, k - p + 1)
            if (p < most or p == most == 0) and p + i > most
        ]
        return max(whole + parts)

    found = made._context_by_parts(k)
    assert found == min(by_cut(most) for most in {listed, *range(1, k)})


@pytest.mark.parametrize(("n", "limit"), [(1, 512), (16, 512), (17, 426)])
def test_fewer_states_are_listed_where_products_take_longer(n, limit):
    """2^21/n³, at most 512."""
    zero = [[[0] * n] * n] * n
    assert TreeListing(WTA.of([1] * n, zero, {"a": [1] * n}), 1).limit == limit


@pytest.mark.parametrize("values", [(3, 2, 5), (2,), ()])
def test_the_least_of_nothing_is_without_a_bound(values):
    found = reachable.least(map(flint.arb, values))
    assert found == 2 if values else not found.is_finite()
