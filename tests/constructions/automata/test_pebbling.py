"""The pebbling game: small cases by hand, the bound, and rules that would break it."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.automata.pebbling import (
    PebbleMark,
    comb_steps,
    extremal_tree,
    least_leaves,
    most_steps,
    padovan,
    play,
    random_shape,
    steps,
    times,
    unordered_shapes,
)
from constructions.automata.trees import (
    balanced_tree,
    comb,
    from_text,
    height,
    shapes,
    tokens,
    zigzag,
)


def random_split(leaves, random, label="a"):
    """A tree whose nodes divide their leaves at a uniformly random place."""
    if leaves == 1:
        return label
    left = random.randrange(1, leaves)
    return (random_split(left, random, label), random_split(leaves - left, random, label))


def test_a_leaf_takes_no_step_and_a_pair_takes_one():
    assert [steps("a"), steps(("a", "a"))] == [0, 1]


def test_the_comb_with_three_leaves_is_played_as_by_hand():
    states = list(play(from_text("[a[bc]]")))
    assert [state.marks[1] for state in states] == [
        PebbleMark.INACTIVE,
        PebbleMark.ACTIVE,
        PebbleMark.PEBBLED,
    ]
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
    assert steps(extremal_tree(k)) == k
    assert tokens(extremal_tree(k)).count("a") == least_leaves(k) == padovan(k) - 1


def test_combs_and_zigzags_take_a_logarithm_balanced_trees_their_height():
    for leaves in (1, 2, 3, 4, 5, 9, 10, 11, 64, 100):
        assert steps(comb("a" * leaves)) == steps(zigzag("a" * leaves)) == comb_steps(leaves)
    assert steps(balanced_tree("a" * 64)) == 6


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.integers(0, 2**32))
def test_random_trees_keep_both_bounds(leaves, seed):
    for make in (random_shape, random_split):
        tree = make(leaves, Random(seed))
        assert tokens(tree).count("a") == leaves
        assert steps(tree) <= min(most_steps(leaves), height(tree))


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        most_steps(0)
    with pytest.raises(ValueError, match="k ≥ -3"):
        padovan(-4)


def test_padovan_numbers_leaves_and_steps_by_hand():
    assert [padovan(k) for k in range(-3, 10)] == [1, 1, 2, 2, 3, 4, 5, 7, 9, 12, 16, 21, 28]
    assert [most_steps(n) for n in range(1, 12)] == [0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6]
    assert [comb_steps(n) for n in (1, 2, 3, 4, 5, 6, 7, 10, 11)] == [0, 1, 2, 3, 3, 4, 4, 5, 5]
    assert [extremal_tree(k) for k in range(4)] == [
        "a", ("a", "a"), ("a", ("a", "a")), ("a", ("a", ("a", "a"))),
    ]  # fmt: skip
    assert extremal_tree(1, "x") == ("x", "x")


def test_remy_draws_shapes_alike():
    """5 shapes, 1000 draws of a seeded generator: each is drawn between 160 and 240 times."""
    random = Random(2)
    counts = Counter(random_shape(4, random) for _ in range(1000))
    assert len(counts) == 5
    assert all(160 <= count <= 240 for count in counts.values())
