"""Tree automata: Boolean sets against counts of runs, and bad states."""

from fractions import Fraction

import pytest

from constructions.errors import InputError
from constructions.tree_automaton import (
    TreeAutomaton,
    count_runs,
    most_runs,
    random_automaton,
    threshold,
)
from constructions.trees import balanced, shapes, tokens

PARITY = TreeAutomaton.of(
    2, {"a": [1], "b": [0]}, [(p, r, (p + r) % 2) for p in (0, 1) for r in (0, 1)], [1]
)


def test_a_deterministic_automaton_has_one_run():
    assert PARITY.accepts("[a[bb]]")
    assert not PARITY.accepts("[aa]")
    assert max(count_runs(PARITY).state(balanced("abab"))) == 1


@pytest.mark.parametrize("seed", range(5))
def test_a_state_is_possible_where_its_count_is_above_one_half(seed):
    automaton = random_automaton(3, seed)
    counts = count_runs(automaton)
    for leaves in range(1, 5):
        for shape in shapes(leaves):
            found = counts.states(tokens(shape))
            for i, possible in automaton.possible(tokens(shape)).items():
                assert threshold(found[i]) == possible


def test_an_error_below_one_half_does_no_harm_and_one_half_may():
    assert threshold([Fraction(49, 100), Fraction(51, 100)]) == {1}
    assert threshold([Fraction(1, 2)]) == frozenset()


def test_runs_stay_below_their_bound():
    automaton = random_automaton(3, 2)
    bound = most_runs(automaton, 4)
    assert max(count_runs(automaton).state(balanced("abab"))) <= bound[3]


@pytest.mark.parametrize("rules", [[(0, 0, 2)], [(0, -1, 0)], [(0, True, 0)]])
def test_a_rule_with_an_unknown_state_is_named(rules):
    with pytest.raises(InputError, match="a state from 0 to 1"):
        TreeAutomaton.of(2, {"a": [0]}, rules, [1])


def test_an_unknown_leaf_lists_the_alphabet():
    with pytest.raises(InputError, match="alphabet a, b"):
        PARITY.possible("[az]")


def test_no_tree_has_more_runs_than_the_bound_of_its_number_of_leaves():
    bounds = most_runs(random_automaton(2, 3, density=0.9), 5)
    assert len(bounds) == 5
    counted = count_runs(random_automaton(2, 3, density=0.9))
    for leaves in range(1, 6):
        for shape in shapes(leaves):
            tree = balanced("a" * leaves) if leaves < 3 else shape
            assert max(counted.state(_lettered(tree))) <= bounds[leaves - 1]


def _lettered(shape):
    """The same shape with the letter a at every leaf."""
    return tuple(map(_lettered, shape)) if isinstance(shape, tuple) else "a"
