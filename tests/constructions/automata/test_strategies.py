"""The public strategies: what they promise, and the smallest cases."""

from fractions import Fraction

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from tests_support import is_pfa

from constructions.automata import strategies
from constructions.automata.trees import Tree, leaves, parse, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.files.reader import automaton_from_json, parse_json, to_json

FEW = settings(max_examples=60, deadline=None)


@FEW
@given(automaton=strategies.automata(), data=st.data())
def test_two_oracles_agree_on_drawn_automata(automaton: WFA, data: st.DataObject) -> None:
    word = data.draw(strategies.words(automaton, longest=4))
    assert automaton.weight(word) == automaton.weight_by_paths(word)


@FEW
@given(automaton=strategies.probabilistic_automata())
def test_probabilistic_automata_are_pfas(automaton: WFA) -> None:
    assert is_pfa(automaton)


@FEW
@given(automaton=strategies.automata() | strategies.tree_automata())
def test_every_drawn_automaton_survives_its_file(automaton: WFA | WTA) -> None:
    assert automaton_from_json(parse_json(to_json(automaton))) == automaton


@FEW
@given(automaton=strategies.tree_automata(), data=st.data())
def test_drawn_trees_have_states(automaton: WTA, data: st.DataObject) -> None:
    tree = data.draw(strategies.trees(automaton.alphabet))
    string = tokens(tree)
    assert parse(string) == tree
    assert automaton.states(string)[1] == automaton.state(tree)


@FEW
@given(tree=strategies.trees("ab", leaves=5))
def test_trees_respect_the_number_of_leaves(tree: Tree) -> None:
    assert 1 <= len(list(leaves(tree))) <= 5
    assert set(leaves(tree)) <= {"a", "b"}


@pytest.mark.slow
def test_examples_shrink_to_the_smallest_cases() -> None:
    afresh = settings(database=None)  # an example kept from another day would not be shrunk
    smallest = find(strategies.automata(), lambda _: True, settings=afresh)
    assert (smallest.n, smallest.alphabet) == (1, ("a",))
    assert smallest.weight("a") == 0
    assert find(strategies.trees("ab"), lambda _: True, settings=afresh) == "a"
    assert find(strategies.words(smallest), lambda _: True, settings=afresh) == ()
    assert find(strategies.weights(), lambda w: w > 0, settings=afresh) == 1


def test_weights_are_all_rationals_of_their_range() -> None:
    drawn: set[Fraction] = set()

    @settings(max_examples=300, database=None)
    @given(strategies.weights(1, 3))
    def collect(weight: Fraction) -> None:
        drawn.add(weight)

    collect()
    assert drawn == {Fraction(p, q) for q in (1, 2, 3) for p in range(-q, q + 1)}
