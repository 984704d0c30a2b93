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


def test_the_bound_on_runs_by_hand():
    """One leaf: 1; two: 2² · 1 = 4; three: 4 · 4 = 16; four: 4 · max(16, 16) = 64."""
    automaton = TreeAutomaton.of(2, {"a": [0], "b": []}, [(0, 0, 1)], [1])
    assert most_runs(automaton, 4) == [1, 4, 16, 64]
    assert most_runs(automaton, 1) == [1]
    assert most_runs(TreeAutomaton.of(2, {"a": []}, [], []), 2) == [0, 0]
    assert most_runs(TreeAutomaton.of(1, {"a": [0]}, [], []), 3) == [1, 1, 1]


def test_random_automata_have_the_density_asked_for():
    """Of 40 automata with 27 rules and 6 leaf states each, about 3/10 and 6/10 are there."""
    found = [random_automaton(3, seed) for seed in range(40)]
    assert 0.25 < sum(len(each.rules) for each in found) / (40 * 27) < 0.35
    assert 0.5 < sum(len(q) for each in found for q in each.leaves.values()) / (40 * 6) < 0.7
    assert all(each.final == {2} and set(each.leaves) == {"a", "b"} for each in found)
    assert random_automaton(3, 1, 1.0).rules == {
        (p, r, q) for p in range(3) for r in range(3) for q in range(3)
    }
    assert random_automaton(3, 1) == random_automaton(3, 1) != random_automaton(3, 2)


def test_runs_are_counted_by_a_tensor():
    automaton = TreeAutomaton.of(2, {"a": [0], "b": [0, 1]}, [(0, 1, 1), (1, 1, 0)], [1])
    counts = count_runs(automaton)
    assert counts.tensor == (((0, 0), (0, 1)), ((0, 1), (0, 0)))
    assert counts.leaves == {"a": (1, 0), "b": (1, 1)}
    assert counts.alpha == (0, 1)
    assert automaton.possible("[ab]") == {2: {0}, 3: {0, 1}, 1: {1}}
    assert automaton.accepts("[ab]")
    assert not automaton.accepts("[aa]")


@pytest.mark.parametrize("state", [-1, 2, True, "0"])
def test_a_state_that_is_not_there_is_named(state):
    for leaves, rules, final, field in (
        ({"a": [state]}, [], [], r"leaves\[a\]"), ({"a": [0]}, [(0, 0, state)], [], "rule"),
        ({"a": [0]}, [], [state], "final"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=rf"{field}.*: found .*, expected a state from 0 to 1"):
            TreeAutomaton.of(2, leaves, rules, final)


def test_only_more_than_a_half_counts():
    assert threshold([Fraction(1, 2), Fraction(51, 100), Fraction(-1)]) == {1}
