"""The weights of an automaton by the names of their fields."""

from constructions.automata.entries import entries
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA


def test_every_weight_of_words_has_the_field_of_a_file():
    automaton = WFA.of([1, 2], {"a": [[3, 4], [5, 6]]}, [7, 8])
    assert {field: int(weight) for field, weight in entries(automaton)} == {
        "alpha[0]": 1, "alpha[1]": 2, "transitions[a][0][0]": 3, "transitions[a][0][1]": 4,
        "transitions[a][1][0]": 5, "transitions[a][1][1]": 6, "beta[0]": 7, "beta[1]": 8,
    }  # fmt: skip


def test_every_weight_of_trees_has_the_field_of_a_file():
    automaton = WTA.of([1], [[[2]]], {"a": [3], "b": [4]})
    assert {field: int(weight) for field, weight in entries(automaton)} == {
        "alpha[0]": 1, "tensor[0][0][0]": 2, "leaves[a][0]": 3, "leaves[b][0]": 4,
    }  # fmt: skip
