"""How runs decide: scores that are too near, rows in parts, states that round to an integer, sizes."""

from fractions import Fraction
from types import SimpleNamespace as Part

import numpy as np
import pytest

from constructions.core.transformer import Attention, Mask
from verify.coq import runs, samples
from verify.coq.printed import Unread
from verify.coq.samples import Draw

NEAR = 2.0**-40
DRAW = Draw(3, "free", 0, 2, 10)


@pytest.mark.parametrize(
    ("scores", "near"),
    [([1.0, 1.0 - NEAR], True), ([1.0, 1.0 - 2 * NEAR], False), ([-8.0, 1.0, 1.0 - 8 * NEAR], True),
     ([-8.0, 1.0, 1.0 - 9 * NEAR], False), ([NEAR / 8, 0.0], False),
     ([NEAR / 8, 0.0, -np.inf], False), ([2.0, 1.0, -np.inf], False),
     ([-3.0, -3.0 - 3 * NEAR], True), ([-3.0, -3.0 - 4 * NEAR], False)],
)  # fmt: skip
def test_a_choice_is_certain_beside_the_largest_score_that_a_row_has(scores, near):
    """Two scores are too near if they differ by no more than 2^-40 of it, above or below 0."""
    row = np.array([scores])
    if near:
        with pytest.raises(Unread, match="two scores of row 0 are too near for float64"):
            runs._certain(row)
    else:
        assert runs._certain(row).tolist() == [int(np.argmax(scores))]


def test_the_first_row_that_is_not_certain_is_named():
    with pytest.raises(Unread, match="row 1 "):
        runs._certain(np.array([[1.0, 0.0], [1.0, 1.0], [2.0, 2.0]]))


@pytest.mark.parametrize("mask", list(Mask))
@pytest.mark.parametrize("attention", [Attention.HARD, Attention.SATURATED, Attention.SOFT])
def test_rows_that_are_mixed_in_parts_are_those_that_are_mixed_at_once(
    attention, mask, monkeypatch
):
    certain = runs.Certain()
    scores = certain.scores(np.arange(5.0)[:, None] + 1, np.array([[2.0], [1], [4], [3], [7]]))
    values = np.array([[1.0], [2], [4], [8], [16]])
    seen = [list(mask.visible(t, 5)) for t in range(5)]
    at_once = certain.mix(scores, values, attention, mask) if all(seen) else None
    monkeypatch.setattr(runs, "ROWS", 2)
    found = certain.mix(scores, values, attention, mask) if all(seen) else None
    assert (found is None) == (at_once is None)
    if found is not None:
        assert found.tolist() == at_once.tolist()
        keys = [2, 1, 4, 3, 7]
        best = [max(row, key=keys.__getitem__) for row in seen]
        if attention is not Attention.SOFT:
            assert found[:, 0].tolist() == [2.0**j for j in best]


def test_weights_of_attention_are_those_of_softmax_or_of_the_largest_scores_alike():
    scores = np.array([[0.0, np.log(3.0), -np.inf], [5.0, 5.0, 4.0]])
    soft = runs._weighted(scores, Attention.SOFT)
    assert soft[0] == pytest.approx([0.25, 0.75, 0], rel=1e-12)
    tied = np.array([1, 1, np.exp(-1.0)])
    assert soft[1] == pytest.approx(tied / tied.sum(), rel=1e-12)
    assert runs._weighted(scores, Attention.SATURATED).tolist() == [[0, 1, 0], [0.5, 0.5, 0]]


@pytest.mark.parametrize(
    ("value", "near"), [(0.24, True), (-0.24, True), (0.25, False), (1, False)]
)
def test_a_state_rounds_to_an_integer_that_is_less_than_a_quarter_away(value, near):
    assert runs._near(3 + value, Fraction(3)) is near


def mistakes(monkeypatch, pairs):
    monkeypatch.setitem(runs.RUNS, "free", (((2, 2), (10, 10), pairs),))
    return runs.mistakes("free", 3)


def test_the_first_state_that_is_another_is_told_with_its_place_and_both_numbers(monkeypatch):
    where = "seed 3, n = 2, T = 10"
    exact = [(1, 0), (0, 1), (-1, 0)]
    assert mistakes(monkeypatch, lambda draw: ([(1.1, -0.2), (0, 1), (-1, 0)], exact)) == []
    wrong = [(1, 0), (5, 0.5), (0, 9)]
    assert mistakes(monkeypatch, lambda draw: (wrong, exact)) == [
        (where, "state 1, entry 0", "5, the automaton has 0")]  # fmt: skip
    with pytest.raises(ValueError, match="zip"):
        mistakes(monkeypatch, lambda draw: (exact[:2], exact))
    with pytest.raises(ValueError, match="zip"):
        mistakes(monkeypatch, lambda draw: ([(1,)], [(1, 0)]))

    def refuse(draw):
        raise Unread("too near")

    assert mistakes(monkeypatch, refuse) == [(where, "scores", "too near")]


def test_states_of_subtrees_are_read_where_they_begin_and_of_decoders_where_they_end(monkeypatch):
    symbols, expected = tuple("[a[bc]]"), {1: 0, 2: 0, 3: 0, 4: 0, 5: 0}
    assert runs._places(Part(), symbols, expected) == {i: i - 1 for i in expected}
    decoder = runs._tree_decoder(samples.trees_automaton(DRAW), DRAW, "a")
    assert runs._places(decoder, symbols, expected) == {1: 7, 2: 2, 3: 6, 4: 4, 5: 5}


def test_hidden_units_have_100_digits_and_encoders_of_logarithmic_depth_200():
    assert runs._digits().context.dps == 100 and runs._further_digits().context.dps == 200
    assert Fraction(1, 10**20) == runs.PRECISION and runs.FINENESS == 120


def test_models_without_masks_have_two_layers_for_each_level_of_a_tree():
    automaton, tree = samples.trees_automaton(DRAW), ("a", ("b", "a"))
    for build in (runs._maskless, runs._clean_trees):
        low, high = (len(build(automaton, DRAW, each).transformer.layers)
                     for each in (tree, ("a", tree)))  # fmt: skip
        assert high - low == 2


def test_a_new_seed_has_up_to_nine_digits(monkeypatch):
    monkeypatch.delenv(samples.SEED, raising=False)
    monkeypatch.setattr(samples.secrets, "randbelow", lambda bound: bound)
    assert samples.new_seed() == 10**9
    monkeypatch.setenv(samples.SEED, "seven")
    assert samples.new_seed() == 10**9
