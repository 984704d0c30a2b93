"""Tree automata: Boolean sets against counts of runs, and bad states."""

from fractions import Fraction

import pytest
from trees_support import random_automaton

from constructions.automata.tree_automaton import (
    TreeAutomaton,
    run_counting_automaton,
    states_above_half,
)
from constructions.automata.trees import balanced_tree, shapes, tokens
from constructions.core.errors import InputError

PARITY = TreeAutomaton.of(
    2, {"a": [1], "b": [0]}, [(p, r, (p + r) % 2) for p in (0, 1) for r in (0, 1)], [1]
)


def test_a_deterministic_automaton_has_one_run():
    assert PARITY.accepts("[a[bb]]")
    assert not PARITY.accepts("[aa]")
    assert max(run_counting_automaton(PARITY).state(balanced_tree("abab"))) == 1


@pytest.mark.parametrize("seed", range(5))
def test_a_state_is_possible_where_its_count_is_above_one_half(seed):
    automaton = random_automaton(3, seed)
    counts = run_counting_automaton(automaton)
    for leaves in range(1, 5):
        for shape in shapes(leaves):
            found = counts.states(tokens(shape))
            for i, possible in automaton.possible_states(tokens(shape)).items():
                assert states_above_half(found[i]) == possible


def test_an_error_below_one_half_does_no_harm_and_one_half_may():
    assert states_above_half([Fraction(49, 100), Fraction(51, 100)]) == {1}
    assert states_above_half([Fraction(1, 2)]) == frozenset()


@pytest.mark.parametrize("rules", [[(0, 0, 2)], [(0, -1, 0)], [(0, True, 0)]])
def test_a_rule_with_an_unknown_state_is_named(rules):
    with pytest.raises(InputError, match="a state from 0 to 1"):
        TreeAutomaton.of(2, {"a": [0]}, rules, [1])


def test_an_unknown_leaf_lists_the_alphabet():
    with pytest.raises(InputError, match="alphabet a, b"):
        PARITY.possible_states("[az]")


@pytest.mark.parametrize("state", [-1, 2, True, "0"])
def test_a_state_that_is_not_there_is_named(state):
    for leaves, rules, final, field in (
        ({"a": [state]}, [], [], r"leaves\[a\]"), ({"a": [0]}, [(0, 0, state)], [], "rule"),
        ({"a": [0]}, [], [state], "final"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=rf"{field}.*: found .*, expected a state from 0 to 1"):
            TreeAutomaton.of(2, leaves, rules, final)
