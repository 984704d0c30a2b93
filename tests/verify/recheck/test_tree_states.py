"""States and runs on trees are confirmed by recursion on polynomials; anything else is refused."""

from itertools import product

import pytest
from confirm_support import Case, Questions
from facts_support import refused, refuses

from verify.facts import tree_automata, tree_states
from verify.recheck.errors import Refused
from verify.recheck.kinds import tree_states as confirming

ALL = {
    "n": 2,
    "leaves": {"a": [0, 1]},
    "rules": [
        [0, 0, 0],
        [0, 0, 1],
        [0, 1, 0],
        [0, 1, 1],
        [1, 0, 0],
        [1, 0, 1],
        [1, 1, 0],
        [1, 1, 1],
    ],
}
CASES = [
    Case(
        "wta.states",
        tree_states.states_on_all_trees,
        {"construction": "masked", "n": 2, "leaves": 3},
    ),
    Case(
        "wta.states",
        tree_states.states_on_all_trees,
        {"construction": "maskless", "n": 2, "leaves": 3},
    ),
    Case(
        "wta.states",
        tree_states.states_on_all_trees,
        {"construction": "clean", "n": 2, "leaves": 3},
    ),
    Case(
        "wta.states",
        tree_states.states_on_all_trees,
        {"construction": "closing", "n": 2, "leaves": 3},
    ),
    Case(
        "wta.states",
        tree_states.states_on_all_trees,
        {"construction": "printed", "n": 2, "leaves": 3},
    ),
    Case(
        "wta.sizes",
        tree_states.model_sizes,
        {
            "construction": "clean",
            "most": 2,
            "lengths": [4, 10],
            "embedding": "2n+8",
            "heads": 3,
            "depth": "2h",
        },
        (("heads", 0),),
    ),
    Case(
        "wta.sizes",
        tree_states.model_sizes,
        {
            "construction": "masked",
            "most": 2,
            "lengths": [4, 10],
            "embedding": "n+7",
            "heads": 3,
            "depth": "2h",
        },
        (("heads", 0),),
    ),
    Case("wta.modes", tree_states.modes_agree, {"n": 1}),
    Case("wta.modes", tree_states.modes_agree, {"n": 3}),
    Case("wta.hidden-units", tree_states.hidden_units, {"most": 3, "bound": "n²+6n+10"}),
    Case("wta.hidden-units", tree_states.hidden_units, {"most": 3, "bound": "20n"}),
    Case("comb.word", tree_states.comb_word, {"n": 2, "longest": 3}),
    Case("tree-automaton.runs", tree_automata.run_counts_decide, {"automata": [ALL], "leaves": 3}),
    Case(
        "tree-automaton.bits",
        tree_automata.bits_of_run_counts,
        {"machine": ALL, "heights": 3, "per_leaf": 2},
    ),
    Case(
        "tree-automaton.bits",
        tree_automata.bits_of_run_counts,
        {"machine": ALL, "heights": 3, "per_leaf": 3},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("wta.states", {"construction": "any"}),
        ("wta.sizes", {"construction": "any"}),
    ],
)
def test_names_that_are_not_known_are_refused(name, change):
    case = next(case for case in CASES if case.name == name)
    assert refused(name, {**case.parameters, **change}, **case.stated)


def test_the_clean_construction_is_asked_about_from_two_leaves_on():
    case = next(
        c for c in CASES if c.name == "wta.sizes" and c.parameters["construction"] == "clean"
    )
    refuses("wta.sizes", {**case.parameters, "lengths": [3]}, "T = 3, expected an integer from 4")


@pytest.mark.parametrize("ended", [False, True])
def test_a_bracket_reads_its_right_child_one_layer_after_its_left_ones_length(ended):
    wta = confirming.generic(1, 3)
    a, b, c = (wta.leaves[letter] for letter in "abc")
    none, inner = (0,), wta.product(b, c)
    end = [none] * ended
    rows = list(confirming.by_length(wta, list("[a[bc]]"), 3, ended))
    assert rows[0] == rows[1] == [none, a, none, b, c, none, none, *end]
    assert rows[2] == [none, a, inner, b, c, none, none, *end]
    assert rows[3] == [wta.product(a, inner), a, inner, b, c, none, none, *end]


def test_sizes_are_compared_up_to_the_most_states_and_the_longest_length():
    """n + 6 coordinates; n² - 2n + 8 are as many for one and two states and more for three."""
    asked = {"construction": "masked", "lengths": [4], "heads": 3, "depth": "h+2"}
    asked["embedding"] = "n²-2n+8"
    assert confirming.sizes({**asked, "most": 2}, {}).values == {"models": 2}
    witness = confirming.sizes({**asked, "most": 3}, {}).witness
    assert witness == {"n": 3, "T": 4, "measured": [9, 9, 3, 3], "stated": [11, 11, 3, 3]}
    clean = {"construction": "clean", "most": 1, "embedding": "2n+8", "heads": 3, "depth": "2h"}
    assert confirming.sizes({**clean, "lengths": [4, 1000]}, {}).values == {"models": 2}
    assert confirming.sizes({**clean, "lengths": [1000], "depth": "h"}, {}).witness == {
        "n": 1, "T": 1000, "measured": [10, 10, 3, 2 * 333], "stated": [10, 10, 3, 333]
    }  # fmt: skip
    refuses("wta.sizes", {**clean, "lengths": [4, 3]}, "T = 3, expected an integer from 4 to 1000")


SPARSE = {"n": 3, "leaves": {"a": [0], "b": [1, 2]}, "rules": [[0, 1, 2], [2, 0, 1], [1, 1, 0]]}


def test_runs_and_possible_states_of_a_node_follow_from_its_children():
    machine = confirming.TreeAutomaton.of(SPARSE)
    assert machine.joined((2, 3, 5), (7, 11, 13)) == (3 * 11, 5 * 7, 2 * 11)
    states = [frozenset(s) for s in ((0,), (1,), (2,), (0, 1), (1, 2))]
    found = {(min(p), max(r)): machine.may(p, r) for p in states[:3] for r in states[:3]}
    assert found == {**dict.fromkeys(found, frozenset()), (0, 1): {2}, (2, 0): {1}, (1, 1): {0}}
    assert machine.may(states[3], states[3]) == {2, 0} and machine.may(states[4], states[0]) == {1}


def test_trees_with_the_same_runs_are_counted_together():
    """Of one leaf two trees; [ab], [ba], [bb] have runs, [aa] has none."""
    machine = confirming.TreeAutomaton.of(SPARSE)
    one, two = machine.levels(2)
    assert one == {((1, 0, 0), frozenset({0})): 1, ((0, 1, 1), frozenset({1, 2})): 1}
    assert two == {((0, 0, 0), frozenset()): 1, ((0, 0, 1), frozenset({2})): 1,
                   ((0, 1, 0), frozenset({1})): 1, ((1, 0, 0), frozenset({0})): 1}  # fmt: skip
    three = machine.levels(3)[2]
    assert three.total() == 2 * 2**3
    answer = confirming.runs({"automata": [SPARSE], "leaves": 2}, {})
    assert answer.values == {"positions": 2 * 1 + 4 * 3, "largest": ["1"]}


TRIPLES = [list(rule) for rule in product(range(6), repeat=3)]
LIMITS = [
    ({"n": 0}, "n = 0, expected an integer from 1 to 6"),
    ({"n": 7}, "n = 7, expected an integer from 1 to 6"),
    ({"rules": []}, "rules: expected a list of 1 to 216"),
    ({"rules": [*TRIPLES, [0, 0, 0]]}, "rules: expected a list of 1 to 216"),
    ({"leaves": {letter: [0] for letter in "abcd"}}, "one to three letters"),
    ({"leaves": {}}, "one to three letters"),
    ({"leaves": {"a": [6]}}, "a state is not one of 0 … 5"),
    ({"leaves": {"a": [-1]}}, "a state is not one of 0 … 5"),
    ({"n": 4, "rules": [[0, 0, 4]]}, "a state is not one of 0 … 3"),
    ({"rules": [[0, 0, 0, 0]]}, "different triples"),
]


@pytest.mark.parametrize(("change", "because"), LIMITS)
def test_tree_automata_are_read_up_to_their_limits(change, because):
    whole = {"n": 6, "leaves": {"a": [0, 5], "b": [1], "c": []}, "rules": TRIPLES}
    assert len(confirming.TreeAutomaton.of(whole).rules) == 216
    with pytest.raises(Refused, match=because):
        confirming.TreeAutomaton.of({**whole, **change})


def test_runs_on_balanced_trees_are_squared_height_by_height():
    """With one rule there is one run; with all rules 2² and then (4 + 4)², and a bit for the sign."""
    one = {"n": 1, "leaves": {"a": [0]}, "rules": [[0, 0, 0]]}
    answer = confirming.bits({"machine": one, "heights": 3, "per_leaf": 1}, {})
    shown = {"leaves": [2, 4, 8], "bits": [2, 2, 2]}
    assert (answer.holds, answer.values, answer.witness) == (False, shown, shown)
    answer = confirming.bits({"machine": ALL, "heights": 2, "per_leaf": 2}, {})
    assert answer.values == {"leaves": [2, 4], "bits": [4, 8]}
    assert confirming.bits({"machine": {**ALL, "leaves": {"b": [0]}}, "heights": 1, "per_leaf": 1},
                           {}).values == {"leaves": [2], "bits": [1]}  # fmt: skip
