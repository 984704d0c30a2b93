"""Weighted tree automata: two evaluations that agree, and one clear line for bad tensors."""

from fractions import Fraction

import pytest

from constructions.errors import InputError
from constructions.random_trees import random_tree, random_wta
from constructions.trees import tokens
from constructions.wta import WTA

PAIRS = WTA.of([1], [[[1]]], {"a": [2], "b": ["1/3"]})


def test_the_figure_of_the_paper_is_computed_bottom_up():
    assert PAIRS.weight(("a", (("b", "b"), "b"))) == Fraction(2, 27)


@pytest.mark.parametrize("seed", range(6))
def test_recursion_and_scan_agree(seed):
    automaton, tree = random_wta(1 + seed % 3, seed), random_tree(9, seed)
    assert automaton.states(tokens(tree))[1] == automaton.state(tree)


def test_the_first_index_of_the_tensor_is_the_parent():
    automaton = WTA.of([1, 0], [[[0, 1], [0, 0]], [[0, 0], [0, 0]]], {"a": [1, 0], "b": [0, 1]})
    assert automaton.state(("a", "b")) == (1, 0)
    assert automaton.state(("b", "a")) == (0, 0)


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
