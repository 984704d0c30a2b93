"""Facts on tree automata: counts of runs against possible states, and the bits that counts need."""

from verify.facts import tree_automata

DEAD = {"n": 1, "leaves": {"a": [0], "b": []}, "rules": [[0, 0, 0]]}
PAIR = {"n": 2, "leaves": {"a": [0, 1], "b": [1]}, "rules": [[0, 0, 0], [0, 1, 1]]}
ALL = {
    "n": 2,
    "leaves": {"a": [0, 1]},
    "rules": [[p, r, q] for p in (0, 1) for r in (0, 1) for q in (0, 1)],
}


def test_states_with_a_run_are_the_possible_ones():
    assert tree_automata.run_counts_decide([DEAD], 1).values == {"positions": 2, "largest": ["1"]}
    assert tree_automata.run_counts_decide([DEAD, PAIR], 4).holds


def test_a_threshold_at_three_halves_is_noticed(monkeypatch):
    high = lambda counts: frozenset(q for q, k in enumerate(counts) if 2 * k > 3)  # noqa: E731
    monkeypatch.setattr(tree_automata, "states_above_half", high)
    found = tree_automata.run_counts_decide([DEAD, PAIR], 2)
    assert found.witness == {"automaton": 1, "string": "a", "position": 1}


def test_a_weight_of_two_runs_for_a_rule_changes_no_possible_state(monkeypatch):
    counted = tree_automata.run_counting_automaton

    def doubled(machine):
        found = counted(machine)
        tensor = [[[2 * w for w in row] for row in rows] for rows in found.tensor]
        return found.of(found.alpha, tensor, found.leaves)

    monkeypatch.setattr(tree_automata, "run_counting_automaton", doubled)
    assert tree_automata.run_counts_decide([PAIR], 3).holds


def test_counts_need_two_bits_for_each_leaf():
    assert tree_automata.bits_of_run_counts(ALL, 4, 2).values["bits"] == [4, 8, 16, 32]
    assert tree_automata.bits_of_run_counts(ALL, 4, 1).holds is False
    assert tree_automata.bits_of_run_counts(PAIR, 3, 2).holds is False


def test_positions_and_largest_counts_are_those_of_each_automaton():
    """Two letters and four trees of two leaves; b runs nowhere, [aa] runs once or twice."""
    none = {"n": 1, "leaves": {"b": []}, "rules": []}
    found = tree_automata.run_counts_decide([none, DEAD, ALL], 2)
    assert found.holds and found.values == {"positions": 4 + 14 + 4, "largest": ["0", "1", "4"]}


def test_counts_of_balanced_trees_are_looked_at_up_to_their_height():
    found = tree_automata.bits_of_run_counts(ALL, 3, 2)
    assert found.holds and found.values == {"leaves": [2, 4, 8], "bits": [4, 8, 16]}
