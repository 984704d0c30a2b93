"""The pebbling game: small cases by hand, the bound, and rules that would break it."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.pebbling import (
    Mark,
    comb_steps,
    extremal,
    least_leaves,
    most_steps,
    padovan,
    play,
    random_split,
    random_tree,
    steps,
    times,
    unordered_shapes,
)
from constructions.trees import balanced, comb, from_text, height, shapes, tokens, zigzag


def test_a_leaf_takes_no_step_and_a_pair_takes_one():
    assert [steps("a"), steps(("a", "a"))] == [0, 1]


def test_the_comb_with_three_leaves_is_played_as_by_hand():
    states = list(play(from_text("[a[bc]]")))
    assert [state.marks[1] for state in states] == [Mark.INACTIVE, Mark.ACTIVE, Mark.PEBBLED]
    assert states[1].pointers[1] == 3
    assert times(from_text("[a[bc]]")) == {1: 2, 2: 0, 3: 1, 4: 0, 5: 0}


def test_all_shapes_with_up_to_twelve_leaves_keep_the_bound_and_attain_it():
    found = [max(map(steps, unordered_shapes(n))) for n in range(1, 13)]
    assert found == [most_steps(n) for n in range(1, 13)]


def test_a_bound_one_smaller_would_be_broken():
    found = [max(map(steps, unordered_shapes(n))) for n in range(2, 13)]
    assert any(count > most_steps(n) - 1 for n, count in enumerate(found, 2))


def test_the_number_of_unordered_shapes_is_the_known_one():
    assert [len(unordered_shapes(n)) for n in range(1, 11)] == [1, 1, 1, 2, 3, 6, 11, 23, 46, 98]


def test_the_order_of_children_does_not_matter():
    assert max(map(steps, shapes(8))) == max(map(steps, unordered_shapes(8)))


@pytest.mark.parametrize("k", range(18))
def test_extremal_trees_take_k_steps_with_the_fewest_leaves(k):
    assert steps(extremal(k)) == k
    assert tokens(extremal(k)).count("a") == least_leaves(k) == padovan(k) - 1


def test_combs_and_zigzags_take_a_logarithm_balanced_trees_their_height():
    for leaves in (1, 2, 3, 4, 5, 9, 10, 11, 64, 100):
        assert steps(comb("a" * leaves)) == steps(zigzag("a" * leaves)) == comb_steps(leaves)
    assert steps(balanced("a" * 64)) == 6


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.integers(0, 2**32))
def test_random_trees_keep_both_bounds(leaves, seed):
    for make in (random_tree, random_split):
        tree = make(leaves, Random(seed))
        assert tokens(tree).count("a") == leaves
        assert steps(tree) <= min(most_steps(leaves), height(tree))


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        most_steps(0)
    with pytest.raises(ValueError, match="k ≥ -3"):
        padovan(-4)
