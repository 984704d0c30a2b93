"""Bounds on states and contexts of small tree automata, by hand."""

from fractions import Fraction

import flint
import pytest

from constructions.automata.random_trees import rational_wta
from constructions.automata.trees import shapes, tokens
from constructions.automata.wta import WTA
from verify.bounds.states import context_bounds, state_bounds

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, -1]})
# T(x, y) = (2 x₁ y₂, -x₂ y₁): the left and the right factor differ, and so do the two entries.
TURNED = WTA.of([1, 0], [[[0, 2], [0, 0]], [[0, 0], [-1, 0]]], {"a": [1, 3], "b": [-2, 1]})


def float_vectors(vectors):
    return [[float(x) for x in vector] for vector in vectors]


def test_states_with_up_to_three_leaves_by_hand():
    """B_1 = (2, 3); |T|(B_1, B_1) = (12, 6); B_3 = max(|T|(B_1, B_2), |T|(B_2, B_1))."""
    found = state_bounds(TURNED, 3)
    assert float(found.kappa) == 2
    assert [float(x) for x in found.totals] == [4, 32, 256]
    assert float_vectors(found.states) == [[2, 3], [12, 6], [72, 36]]
    assert float_vectors([found.largest()]) == [[72, 36]]
    assert float_vectors(
        [found.apply(list(map(flint.arb, (1, 2))), list(map(flint.arb, (3, 5))))]
    ) == [[10, 6]]


def test_the_one_norm_is_the_better_bound_for_probabilities():
    """Entries 1/2 everywhere: |T|(x, y) = (x₁+x₂)(y₁+y₂)/2 twice, κ = 1."""
    half = Fraction(1, 2)
    even = WTA.of([1, 1], [[[half] * 2] * 2] * 2, {"a": [half, half], "b": [0, 1]})
    found = state_bounds(even, 4)
    assert [float(x) for x in found.totals] == [1, 1, 1, 1]
    assert float_vectors(found.states)[0] == [0.5, 1] and all(
        max(s) <= 1 for s in float_vectors(found.states)
    )


def test_one_leaf_is_bounded_by_the_leaves_alone():
    found = state_bounds(ADDER, 1)
    assert float_vectors(found.states) == [[5, 1]] and [float(x) for x in found.totals] == [6]
    assert float_vectors(context_bounds(found)) == [[1, 0], [0, 1]]


def test_contexts_of_the_adder_grow_with_the_leaves_beside_the_path():
    """T(x, y) = (x₁y₂ + x₂y₁, x₂y₂): a sibling adds at most 5 for each of its leaves."""
    assert float_vectors(context_bounds(state_bounds(ADDER, 9))) == [[1, 40], [0, 1]]


def test_contexts_of_two_and_three_leaves_by_hand():
    """Beside B_1 = (2, 3): T(·, B_1) = (6 x₁, -2 x₂)... and T(B_1, ·) = (4 y₂, -3 y₁)."""
    assert float_vectors(context_bounds(state_bounds(TURNED, 2))) == [[6, 4], [3, 2]]
    third = [[36 + 12, 24 + 8], [18 + 6, 12 + 4]]
    beside_two = [[12, 24], [6, 12]]
    wanted = [[max(a, b, c, int(i == j)) for j, (a, b, c) in enumerate(zip(*rows, strict=True))]
              for i, rows in enumerate(zip(third, beside_two, [[6, 4], [3, 2]], strict=True))]  # fmt: skip
    assert float_vectors(context_bounds(state_bounds(TURNED, 3))) == wanted


@pytest.mark.parametrize("seed", range(3))
def test_no_state_of_a_small_tree_exceeds_its_bound(seed):
    automaton = rational_wta(2, seed, "ab")
    found = float_vectors(state_bounds(automaton, 4).states)
    for leaves in (1, 2, 3, 4):
        for shape in shapes(leaves):
            letters = iter("abba")
            symbols = [next(letters) if s not in "[]" else s for s in tokens(shape)]
            root = automaton.states(symbols)[min(automaton.states(symbols))]
            assert all(
                abs(x) <= bound + 1e-9 for x, bound in zip(root, found[leaves - 1], strict=True)
            )
