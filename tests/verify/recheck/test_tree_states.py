"""States and runs on trees are confirmed by recursion on polynomials; anything else is refused."""

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


def test_a_product_that_is_not_the_state_of_the_comb_is_noticed(monkeypatch):
    monkeypatch.setattr(confirming, "_times", lambda matrix, vector: vector)
    with pytest.raises(Refused, match="aa: the product is not the state"):
        confirming.comb_word({"n": 1, "longest": 2}, {})


def test_the_clean_construction_is_asked_about_from_two_leaves_on():
    case = next(
        c for c in CASES if c.name == "wta.sizes" and c.parameters["construction"] == "clean"
    )
    refuses("wta.sizes", {**case.parameters, "lengths": [3]}, "T = 3, expected an integer from 4")
