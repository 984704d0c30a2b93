"""Classes of automata: membership by definition, and a witness that names the place."""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from verify.automaton import classes, conditions
from verify.automaton.report_data import Status

IDENTITY = [[1, 0], [0, 1]]
HALVES = [["1/2", 0], [0, "1/2"]]


def automaton(alpha=(1, 0), beta=(1, 1), **maps):
    return WFA.of(alpha, maps or {"a": IDENTITY}, beta)


WEIGHTS = st.sampled_from([0, 0, 0, 1, 1, "1/2", "1/4", -1, 2])
ROWS = st.lists(WEIGHTS, min_size=2, max_size=2)
STEP = Fraction(1, 10**7)


@st.composite
def near_the_classes(draw):
    """Two states and one or two letters, with weights of which many add up to 1."""
    maps = {letter: [draw(ROWS), draw(ROWS)] for letter in "ab"[: draw(st.integers(1, 2))]}
    return WFA.of(draw(ROWS), maps, draw(ROWS))


def weights(automaton):
    moves = [w for rows in automaton.transitions.values() for row in rows for w in row]
    return [*automaton.alpha, *automaton.beta, *moves]


def definitions(given):
    """The classes that an automaton belongs to by their definitions."""
    positive, maps = min(weights(given)) >= 0, given.transitions.values()
    leaving = [sum(w for rows in maps for w in rows[q]) for q in range(given.n)]
    stopping = [a + b for a, b in zip(leaving, given.beta, strict=True)]
    return {
        "PFA": positive and sum(given.alpha) == 1 and set(stopping) == {1},
        "HMM": positive and sum(given.alpha) == 1 and set(leaving) == set(given.beta) == {1},
        "DFA": set(weights(given)) <= {0, 1} and sum(given.alpha) == 1
        and all(sum(row) <= 1 for rows in maps for row in rows),
    }  # fmt: skip


def rows_of(given):
    """The rows of an automaton by the abbreviation in their names."""
    return {row.name.rpartition("(")[2].rstrip(")"): row for row in classes.classes(given)}


@settings(max_examples=300)
@given(near_the_classes())
@example(automaton())
@example(automaton(a=HALVES, b=HALVES))
@example(automaton(beta=["1/2", "1/4"], a=[["1/2", 0], ["1/2", "1/4"]]))
@example(automaton(a=IDENTITY, b=[[0, 1], [1, 1]]))
def test_an_automaton_belongs_to_the_classes_of_its_definition(given):
    wanted, rows = definitions(given), rows_of(given)
    assert {name: row.belongs for name, row in rows.items()} == wanted
    order = [name for name in ("DFA", "HMM", "PFA") if wanted[name]]
    assert classes.name(given) == (order[0] if order else "weighted automaton")


@pytest.mark.parametrize(
    ("given", "name", "witness"),
    [
        (automaton(beta=[1, "1/2"]), "DFA", "beta[1] = 1/2, expected 0 or 1"),
        (automaton([1, 1]), "DFA", "2 initial states"),
        (automaton(a=IDENTITY, b=[[0, 0], [-3, 0]]), "PFA", "the weight of b from 1 to 0 is -3"),
        (automaton(beta=[0, "1/2"]), "PFA", "what leaves state 1, with stopping, sums to 3/2"),
        (automaton(["1/2", "1001/2000"], [0, 0]), "PFA", "alpha sums to 1 + 1/2000"),
        (automaton(beta=[1, 0]), "HMM", "beta[1] = 0, expected 1"),
    ],
)
def test_a_witness_names_the_place(given, name, witness):
    assert rows_of(given)[name].witness == witness


def test_sums_may_miss_1_by_the_tolerance_of_the_readers():
    rounded = automaton([1 - STEP, 0], [0, 0], a=[[1 + 2 * STEP, 0], [0, 1]])
    assert rows_of(rounded)["PFA"].belongs and rows_of(rounded)["PFA"].rounding == "2e-07"
    beyond = rows_of(automaton([1 + 11 * STEP, 0], [0, 0]))["PFA"]
    assert not beyond.belongs and beyond.witness.startswith("alpha sums to 1 + ")


@pytest.mark.parametrize(("weight", "belongs"), [(0, True), ("-1/3", False)])
def test_a_tree_automaton_has_no_negative_weight(weight, belongs):
    for tensor, leaf in (([[[weight]]], 1), ([[[1]]], weight)):
        (found,) = classes.classes(WTA.of([1], tensor, {"a": [leaf], "b": [2]}))
        assert found.belongs is belongs
        assert belongs or found.witness.startswith("a weight of -1/3: terms may cancel")


def test_all_trees_are_balanced_up_to_three_leaves():
    """Three leaves have height 2, and so has ⌈log2 3⌉; four leaves have height 3."""
    for leaves in (1, 2, 3):
        assert conditions.balanced(leaves, leaves - 1).status is Status.MET
    assert conditions.balanced(3, 2).witness.endswith("3 leaves has height at most ⌈log2 3⌉")
    assert conditions.balanced(4, 3).status is Status.NOT_MET
    assert conditions.balanced(5, 4).witness == (
        "the comb with 5 leaves has height 4, balanced trees have 3: "
        "6 layers for all trees, 5 for balanced ones"
    )
