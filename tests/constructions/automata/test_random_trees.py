"""Random trees and automata: seeded, of the given size, with weights in their range."""

from fractions import Fraction

import pytest

from constructions.automata.random_trees import (
    labelled_shape,
    random_tree,
    random_wta,
    rational_wta,
)
from constructions.automata.trees import comb, height, leaves, tokens

SEEDS = range(40)


@pytest.mark.parametrize("count", [1, 2, 3, 17])
def test_a_tree_has_its_number_of_leaves_and_its_letters(count):
    for seed in SEEDS:
        tree = random_tree(count, seed, "xyz")
        assert tree == random_tree(count, seed, "xyz")
        assert len(list(leaves(tree))) == count
        assert set(leaves(tree)) <= set("xyz")


def test_letters_are_a_and_b_unless_others_are_named():
    assert set(leaves(random_tree(60, 1))) == {"a", "b"}
    assert random_wta(1, 0).alphabet == ("a", "b")
    assert rational_wta(1, 0).alphabet == tuple("abcdefghi")


def test_shapes_of_all_heights_occur():
    assert {height(random_tree(4, seed)) for seed in SEEDS} == {2, 3}


def test_a_label_changes_no_shape():
    shape = comb("cccc")
    found = labelled_shape(shape, 3, "xy")
    assert [s if s in "[]" else "c" for s in tokens(found)] == list(tokens(shape))
    assert set(leaves(found)) <= {"x", "y"}


def weights(automaton):
    rows = [row for slices in automaton.tensor for row in slices]
    return [w for row in (*rows, *automaton.leaves.values()) for w in row]


def test_weights_are_multiples_within_the_bound_and_leaves_are_not_zero():
    found = [random_wta(2, seed) for seed in SEEDS]
    assert {w for automaton in found for w in weights(automaton)} == {-2, -1, 0, 1, 2}
    assert {automaton.leaf("a")[0] for automaton in found} == {1, 2}
    thirds = [random_wta(3, seed, 4, "c", denominator=3) for seed in SEEDS]
    assert {w for a in thirds for w in weights(a)} == {Fraction(k, 3) for k in range(-4, 5)}
    assert all(a.alpha == (1, 1, 1) and a.alphabet == ("c",) and a.n == 3 for a in thirds)


def test_rational_weights_are_proper_fractions():
    found = {w for seed in SEEDS for w in weights(rational_wta(2, seed, "a"))}
    proper = {Fraction(p, q) for q in range(2, 8) for p in range(1, q)}
    assert found == proper | {-w for w in proper}
    assert rational_wta(2, 5).alpha == (1, 1)


def test_the_same_seed_gives_the_same_automaton():
    assert random_wta(2, 5) == random_wta(2, 5) != random_wta(2, 6)
    assert rational_wta(2, 5) == rational_wta(2, 5) != rational_wta(2, 6)
