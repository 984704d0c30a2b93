"""States and contexts that trees reach: listed where they are few, bounded beyond, never exceeded."""

from itertools import product
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
LEAVES = 6


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


def assert_above(bound, values):
    """A ball is at or above floats, but for their rounding."""
    assert bound >= flint.arb(float(values.max()) * (1 - 1e-12))


@pytest.mark.parametrize("listed", [2, 20, 512])
@pytest.mark.parametrize(("n", "seed"), [(1, 1), (2, 2), (2, 7), (3, 3)])
def test_no_state_and_no_context_exceeds_its_bound(monkeypatch, n, seed, listed):
    monkeypatch.setattr(reachable, "LISTED", listed)
    automaton = rational_wta(n, seed, "ab")
    found = reachable_bounds(automaton, LEAVES)
    _, states = all_states(automaton, LEAVES)
    maps, contexts = all_contexts(automaton, LEAVES)
    for m in range(1, LEAVES + 1):
        assert_above(found.sizes[m], np.linalg.norm(states[m], axis=1))
        assert_above(found.siblings[m], np.linalg.norm(maps[m], 2, axis=(1, 2)))
        for a, bound in enumerate(found.states[m - 1]):
            assert_above(bound, abs(states[m][:, a]))
    for k in range(LEAVES):
        assert_above(found.contexts[k], np.linalg.norm(contexts[k], 2, axis=(1, 2)))
        assert_above(found.rows[k], np.linalg.norm(contexts[k], axis=2))
        entries = found.tables[k].entries()
        for bound, (a, b) in zip(entries, product(range(n), repeat=2), strict=True):
            assert_above(bound, abs(contexts[k][:, a, b]))


def test_what_is_listed_meets_its_bound():
    automaton = rational_wta(2, 2, "ab")
    found = reachable_bounds(automaton, 5)
    _, states = all_states(automaton, 5)
    _, contexts = all_contexts(automaton, 4)
    for m, rows in states.items():
        assert float(found.sizes[m]) == pytest.approx(np.linalg.norm(rows, axis=1).max())
    for k, maps in contexts.items():
        assert float(found.contexts[k]) == pytest.approx(np.linalg.norm(maps, 2, axis=(1, 2)).max())
        assert float(found.rows[k]) == pytest.approx(np.linalg.norm(maps, axis=2).max())


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


def test_entrywise_bounds_are_taken_where_they_are_the_better_ones(monkeypatch):
    """The adder grows by 5 a leaf; norms of single maps would multiply."""
    monkeypatch.setattr(reachable, "LISTED", 2)
    adder = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, -1]})
    found = reachable_bounds(adder, 9)
    assert len(TreeListing(adder, 9).states) == 2
    assert float(found.largest_size) < 46 and float(found.contexts[8]) < 42


def test_states_that_are_too_many_are_not_listed():
    listing = TreeListing(rational_wta(2, 2, "ab"), 8)
    assert [len(states) for states in listing.states] == [0, 2, 4, 16, 80, 448]
    assert [len(maps) for maps in listing.contexts] == [1, 4, 24, 160]


def test_states_with_many_digits_are_not_listed(monkeypatch):
    """Numbers grow by their digits with every leaf, and products of long ones take long."""
    monkeypatch.setattr(reachable, "MOST_WORK", 1 << 20)
    leaves = {"a": [1, 2], "b": [3, 5]}
    short, long = (
        TreeListing(WTA.of([1, 0], [[[1, weight], [1, 2]], [[weight, 0], [3, 1]]], leaves), 8)
        for weight in (5, "1e3999")
    )
    assert [len(states) for states in short.states] == [0, 2, 4, 16, 80, 448]
    assert [len(maps) for maps in short.contexts] == [1, 4, 24, 160]
    assert [len(states) for states in long.states] == [0, 2, 4, 16]
    assert [len(maps) for maps in long.contexts] == [1, 4, 24]


@pytest.mark.parametrize(("listed", "leaves", "cuts"), [
    (3, 2, {1, 3}), (0, 4, {0, 1, 2, 3}), (2, 9, {*range(1, 9)}), (20, 10, {20, *range(1, 9)}),
    (1, 64, {*range(1, 9)}), (5, 65, {5}), (0, 1, {0}),
])  # fmt: skip
def test_trees_are_cut_where_they_are_listed_and_at_up_to_eight_leaves_below_their_own(
    listed, leaves, cuts
):
    assert reachable._cuts(listed, leaves) == cuts


def reach_of(states, contexts, leaves=9):
    """The recursion with numbers of our choice: states and contexts are listed up to so many leaves."""
    made = object.__new__(Reach)
    made.n, made.leaves, made.tau = 2, leaves, flint.arb(5)
    made.listing = SimpleNamespace(states=[[]] * (states + 1), contexts=[[]] * (contexts + 1))
    made.contexts = [flint.arb(x) for x in (1, 7, 3, 11, 2, 13, 5, 17, 4)]
    made.rows = [flint.arb(x) for x in (1, 6, 2, 10, 1, 12, 4, 16, 3)]
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
@pytest.mark.parametrize("upper", ["contexts", "rows"])
def test_contexts_beyond_the_listed_ones_are_cut_at_or_within_a_sibling(upper, k, listed):
    made = reach_of(1, listed)
    top, low, beside = (
        [float(x) for x in getattr(made, name)] for name in (upper, "contexts", "siblings")
    )

    def by_cut(most):
        """An upper part of K leaves; or of p < K, and a sibling of i > K - p leaves."""
        whole = [top[most] * low[k - most]] if most else []
        parts = [
            top[p] * beside[i] * low[k - p - i]
            for p in range(k)
            for i in range(1, k - p + 1)
            if (p < most or p == most == 0) and p + i > most
        ]
        return max(whole + parts)

    found = made._context_by_parts(k, getattr(made, upper))
    assert found == min(by_cut(most) for most in {listed, *range(1, k)})


@pytest.mark.parametrize(("count", "leaves", "much"), [
    (2048, 1, False), (2049, 1, True), (2048, 32, False), (1986, 400, False), (1986, 650, False),
])  # fmt: skip
def test_products_are_too_many_beyond_four_times_the_limit(count, leaves, much):
    listing = SimpleNamespace(n=2, limit=512, digits=1)
    pairs = [([0] * count, [0])]
    assert TreeListing._is_too_much(listing, pairs, leaves) is much


@pytest.mark.parametrize(("digits", "much"), [(32 * 2047, False), (32 * 2048, True)])
def test_products_are_too_much_beyond_the_work_of_their_digits(digits, much):
    """2 · 1024 products of 8 entries for each 32 digits of one leaf: 2^25 is the most."""
    listing = SimpleNamespace(n=2, limit=512, digits=digits)
    pairs = [([0] * 32, [0] * 32), ([0] * 1024, [0])]
    assert TreeListing._is_too_much(listing, pairs, 1) is much
    listing.digits = digits // 4 + (8 if much else 7)
    assert TreeListing._is_too_much(listing, pairs, 4) is much


@pytest.mark.parametrize(("n", "limit"), [(1, 512), (16, 512), (17, 426)])
def test_fewer_states_are_listed_where_products_take_longer(n, limit):
    """2^21/n³, at most 512."""
    zero = [[[0] * n] * n] * n
    assert TreeListing(WTA.of([1] * n, zero, {"a": [1] * n}), 1).limit == limit


def test_contexts_of_very_many_leaves_are_not_taken_apart(monkeypatch):
    monkeypatch.setattr(reachable, "LISTED", 1)
    automaton = rational_wta(2, 2, "ab")
    near = reachable_bounds(automaton, 5)
    monkeypatch.setattr(reachable, "MOST_PARTS", 2)
    far = reachable_bounds(automaton, 5)
    assert far.contexts[:3] == near.contexts[:3] and far.rows[:3] == near.rows[:3]
    assert far.contexts[3] > near.contexts[3] and far.rows[3] > near.rows[3]


@pytest.mark.parametrize("values", [(3, 2, 5), (2,), ()])
def test_the_least_of_nothing_is_without_a_bound(values):
    found = reachable.least(map(flint.arb, values))
    assert found == 2 if values else not found.is_finite()


@pytest.mark.parametrize(("k", "apart"), [(256, True), (257, False)])
def test_contexts_are_taken_apart_up_to_256_leaves(k, apart, monkeypatch):
    made, asked = reach_of(1, 0), []
    made.tables = [flint.arb_mat([[2, 0], [0, 3]])] * (k + 1)
    monkeypatch.setattr(
        made, "_context_by_parts", lambda *given: asked.append(given) or flint.arb(1)
    )
    made._add_context(k)
    assert len(asked) == (2 if apart else 0)
    assert made.contexts[-1] == (1 if apart else 3) and made.rows[-1] == (1 if apart else 3)
    assert made.tables[k].tolist() == ([[1, 0], [0, 1]] if apart else [[2, 0], [0, 3]])
