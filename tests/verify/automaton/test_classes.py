"""What keeps an automaton from a class is said with its place, and sizes are those of the formulas."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from verify.automaton import classes, conditions, sizes
from verify.automaton.report_data import Status

IDENTITY = [[1, 0], [0, 1]]
HALVES = [["1/2", 0], [0, "1/2"]]


def automaton(alpha=(1, 0), beta=(1, 1), **maps):
    return WFA.of(alpha, maps or {"a": IDENTITY}, beta)


DETERMINISTIC = {
    "one next state": (automaton(), ""),
    "none": (automaton(a=[[0, 0], [0, 1]]), ""),
    "a final weight": (automaton(beta=[1, "1/2"]), "beta[1] = 1/2, expected 0 or 1"),
    "an initial weight": (automaton([0, 2]), "alpha[1] = 2, expected 0 or 1"),
    "two initial states": (automaton([1, 1]), "2 initial states"),
    "no initial state": (automaton([0, 0]), "0 initial states"),
    "two next states": (automaton(a=IDENTITY, b=[[0, 1], [1, 1]]),
                        "b leads from state 1 to more than one state, or by a weight"),
    "a weight": (automaton(a=[["1/2", 0], [0, 1]]),
                 "a leads from state 0 to more than one state, or by a weight"),
}  # fmt: skip
PROBABILISTIC = {
    "stopping": (automaton(beta=["1/2", "1/4"], a=[["1/2", 0], ["1/2", "1/4"]]), ""),
    "two letters": (automaton(beta=[0, 0], a=HALVES, b=HALVES), ""),
    "alpha": (automaton([1, -1]), "alpha[1] = -1 is negative"),
    "beta": (automaton(beta=["-1/2", 1]), "beta[0] = -1/2 is negative"),
    "a map": (automaton(a=IDENTITY, b=[[0, 0], [-3, 0]]), "the weight of b from 1 to 0 is -3"),
    "a sum": (automaton(beta=[0, "1/2"]), "what leaves state 1, with stopping, sums to 3/2"),
    "the first sum": (automaton(["1/2", "1/4"], [0, 0]), "alpha sums to 3/4"),
    "a thousandth": (automaton(["1001/1000", 0], [0, 0]), "alpha sums to 1001/1000"),
    "more than 1": (automaton(["1/2", "1001/2000"], [0, 0]), "alpha sums to 1 + 1/2000"),
    "less than 1": (automaton(["1999/2000", 0], [0, 0]), "alpha sums to 1 - 1/2000"),
}
HIDDEN = {
    "one": (automaton(a=HALVES, b=HALVES), ""),
    "beta": (automaton(beta=[1, 0]), "beta[1] = 0, expected 1"),
    "a weight": (automaton(a=[[2, -1], [0, 1]]), "the weight of a from 0 to 1 is -1"),
    "a sum": (automaton(a=HALVES), "what leaves state 0 sums to 1/2"),
}


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_what_is_deterministic_has_one_state_at_a_time(name):
    given, trouble = DETERMINISTIC[name]
    assert classes._dfa(given).trouble == trouble


@pytest.mark.parametrize("name", PROBABILISTIC)
def test_what_is_probabilistic_has_sums_of_1(name):
    given, trouble = PROBABILISTIC[name]
    assert classes._pfa(given).trouble == trouble


@pytest.mark.parametrize("name", HIDDEN)
def test_a_hidden_markov_model_never_stops(name):
    given, trouble = HIDDEN[name]
    assert classes._hmm(given).trouble == trouble


def test_the_largest_distance_of_a_sum_from_1_is_told():
    step = Fraction(1, 10**7)
    given = automaton([1 - step, 0], [0, 0], a=[[1 + 2 * step, 0], [0, 1]])
    assert classes._pfa(given) == classes.Look(off=2 * step)
    edge = automaton([1 + Fraction(1, 10**6), 0], [0, 0])
    assert classes._pfa(edge).trouble == ""
    beyond = automaton([1 + Fraction(1, 10**6) + step, 0], [0, 0])
    assert classes._pfa(beyond).trouble.startswith("alpha sums to 1 + ")


def test_the_shortest_name_that_fits_is_taken():
    given = (
        automaton(),
        automaton(a=HALVES, b=HALVES),
        PROBABILISTIC["stopping"][0],
        automaton([2, 0]),
    )
    assert [classes.name(each) for each in given] == ["DFA", "HMM", "PFA", "weighted automaton"]


@pytest.mark.parametrize(("weight", "belongs"), [(0, True), ("-1/3", False)])
def test_a_tree_automaton_has_no_negative_weight(weight, belongs):
    for tensor, leaf in (([[[weight]]], 1), ([[[1]]], weight)):
        (found,) = classes.classes(WTA.of([1], tensor, {"a": [leaf], "b": [2]}))
        assert found.belongs is belongs
        assert belongs or found.witness.startswith("a weight of -1/3: terms may cancel")


# Depth L, embedding d = 2n² + 2, tokens 2M; a layer has two heads, each with 2 · 2 d entries for scores and
# d² for values, two outputs of d², and its block; the readout has d n
def test_the_sizes_of_models_for_words_are_those_of_their_matrices():
    """n = 2 and T = 5: L = 3, d = 10, M = 8."""
    exact, slim, printed = sizes.for_sequences(SimpleNamespace(n=2), 5)
    heads = 2 * (2 * 2 * 10 + 100) + 2 * 100
    blocks = {
        exact: (8, 3 * 10 * 4 + 4**3),
        slim: (32, 2 * 10 * 32 + 32 + 10),
        printed: (45, 2 * 10 * 45 + 45 + 10),
    }
    for found, (width, block) in blocks.items():
        assert (found.depth, found.embedding, found.attention) == (3, 10, 10)
        assert (found.feedforward, found.heads, found.tokens) == (width, 2, 16)
        assert found.parameters == 3 * (heads + block) + 10 * 2


def test_one_letter_takes_no_layer_and_the_readout_alone():
    for found in sizes.for_sequences(SimpleNamespace(n=3), 1):
        assert (found.depth, found.attention, found.feedforward, found.heads) == (0, 0, 0, 0)
        assert (found.embedding, found.tokens, found.parameters) == (20, 2, 60)


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
