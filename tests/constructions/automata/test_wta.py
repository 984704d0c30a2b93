"""Weighted tree automata: two evaluations that agree, and one clear line for bad tensors."""

from fractions import Fraction

import pytest

from constructions.automata.random_trees import random_tree, random_wta
from constructions.automata.trees import tokens
from constructions.automata.wta import WTA
from constructions.core.errors import InputError

PAIRS = WTA.of([1], [[[1]]], {"a": [2], "b": ["1/3"]})


def test_the_figure_of_the_paper_is_computed_bottom_up():
    assert PAIRS.weight(("a", (("b", "b"), "b"))) == Fraction(2, 27)


@pytest.mark.parametrize("seed", range(6))
def test_recursion_and_scan_agree(seed):
    automaton, tree = random_wta(1 + seed % 3, seed), random_tree(9, seed)
    assert automaton.states(tokens(tree))[1] == automaton.state(tree)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1], [[[1, 2]]], {"a": [1]}), "tensor[0][0]: found 2 numbers, expected 1"),
        (([1], [[[1]], [[1]]], {"a": [1]}), "tensor: found 2 slices"),
        (([1, 2], [[[1, 2], [1]], [[1, 2], [1, 2]]], {"a": [1, 2]}), "tensor[0][1]"),
        (([1], "no", {"a": [1]}), "tensor: found no"),
        (([1], [[["x"]]], {"a": [1]}), "tensor[0][0][0]: found x"),
        (([1], [[[1]]], {}), "leaves"),
        (([1], [[[1]]], {"[": [1]}), "not a bracket"),
        (([1], [[[1]]], {"a": [1, 2]}), "leaves[a]: found 2 numbers"),
    ],
)
def test_a_ragged_tensor_gets_one_line_with_its_place(arguments, words):
    with pytest.raises(InputError) as caught:
        WTA.of(*arguments)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_leaf_lists_the_alphabet():
    with pytest.raises(InputError, match="found z, expected a symbol of the alphabet a, b"):
        PAIRS.weight(("a", "z"))


def test_every_state_of_a_tree_is_found_by_its_position():
    pairs = WTA.of([1], [[[1]]], {"a": [2]})
    assert pairs.states("(a (a a))") == {1: (8,), 2: (2,), 3: (4,), 4: (2,), 5: (2,)}
    assert pairs.states("a") == {1: (2,)}


def test_the_weight_is_alpha_times_the_state_of_the_root():
    automaton = WTA.of([2, 3], [[[0, 0], [0, 0]]] * 2, {"a": [5, 7]})
    assert automaton.weight("a") == 31
    assert automaton.n == 2
    assert automaton.alphabet == ("a",)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1], 5, {"a": [1]}), "tensor: found 5, expected a list of 1 matrices"),
        (([1], {"a": 1}, {"a": [1]}), "tensor: found {a}, expected a list of 1 matrices"),
        (
            ([1, 1], [[[1, 1], [1, 1]]], {"a": [1, 1]}),
            "found 1 slices, expected 2, as many as alpha",
        ),
        (([1], [[[1]]], [1]), "leaves: found [1], expected at least one symbol with its vector"),
        (([1], [[[1]]], {"]": [1]}), "leaves: found ], expected a symbol that is not a bracket"),
        (([1, 1], [[[1, 1], [1, 1]]] * 2, {"a": [1]}), "leaves[a]: found 1 numbers, expected 2"),
    ],
)
def test_each_field_has_its_own_line(arguments, words):
    with pytest.raises(InputError) as caught:
        WTA.of(*arguments)
    assert words in str(caught.value)
