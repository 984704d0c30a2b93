"""Facts on the heads of Appendix C: where they look, what a step costs, depths without a mask."""

import pytest

from constructions.core.exact import Undecided
from verify.facts import tree_heads

EIGHT = list(range(9))


def test_the_left_head_finds_the_next_position_from_one_token_on():
    assert tree_heads.left_head(1).values == {"positions": 1}
    assert tree_heads.left_head(8).holds


def test_a_rotation_the_other_way_is_noticed(monkeypatch):
    attended = tree_heads.left_targets
    monkeypatch.setattr(tree_heads, "left_targets", lambda i, length: attended(i, length, -1))
    assert tree_heads.left_head(3).witness == {"T": 2, "i": 1, "attended": [1]}


def test_the_right_head_is_right_with_an_exact_step_and_wrong_as_printed():
    assert tree_heads.right_head("before", "exact", [0], 4).holds
    found = tree_heads.right_head("printed", "literal", EIGHT, 2)
    assert found.witness == {"string": "[ab]", "position": 1, "child": 3, "looks": [2] * 9}


def test_one_sine_is_too_few_and_three_are_enough_for_two_leaves():
    assert tree_heads.right_head("before", "repaired", [0], 2).holds is False
    assert tree_heads.right_head("before", "repaired", [0, 2], 2).holds


def test_the_drawing_shows_arcs_that_miss_as_printed_and_none_as_repaired():
    found = tree_heads.right_heads("[a[bc]]", 8)
    printed, repaired = found.values["drawing"]["heads"]
    assert found.holds is False
    assert printed["missed"] == [1, 3]
    assert repaired["missed"] == []
    assert repaired["arcs"] == [[1, 3], [3, 5]]


def test_a_tree_without_brackets_has_no_head_that_misses():
    assert tree_heads.right_heads("a", 0).holds


def test_the_printed_sum_is_far_from_the_step_and_the_repaired_one_near():
    found = tree_heads.near_step("literal", [4], EIGHT, "1/2")
    assert found.witness == {"T": 4, "offset": 2, "step": 1}
    assert tree_heads.near_step("repaired", [4, 7], [14], "1/4").holds
    assert tree_heads.near_step("repaired", [7], [1], "1/10").holds is False


def test_every_small_number_of_terms_fails_from_some_length_on():
    found = tree_heads.some_count(3, 40)
    assert found.witness == {"k": [0, 1, 2, 3], "T": [4, 4, 7, 7]}
    assert tree_heads.some_count(3, 4).holds


def test_scores_need_more_columns_than_there_are_from_some_length_on():
    assert tree_heads.score_rank("equal on j ≤ i", 8, 7).holds
    assert tree_heads.score_rank("equal on j ≤ i", 9, 7).witness == {
        "T": 9,
        "rank": 8,
        "columns": 7,
    }
    assert tree_heads.score_rank("[j ≥ i+2]", 9, 7).holds
    assert tree_heads.score_rank("[j ≥ i+2]", 10, 7).holds is False
    with pytest.raises(ValueError, match="not known"):
        tree_heads.score_rank("j > i", 9, 7)


def test_depths_without_a_mask_come_nearer_as_the_growth_does():
    assert tree_heads.softmax_depths(2, [64, 1024], "1/100").holds
    assert tree_heads.softmax_depths(2, [1024, 64], "1").holds is False
    assert tree_heads.softmax_depths(2, [64], "1/1000000").holds is False


def test_a_left_head_that_looks_too_far_is_noticed(monkeypatch):
    monkeypatch.setattr(tree_heads, "left_targets", lambda i, length: [i + 1])
    assert tree_heads.left_head(3).witness == {"T": 1, "i": 1, "attended": [2]}


def test_rivals_are_the_left_child_and_the_bracket_after_a_right_leaf():
    assert tree_heads.rivals(4) == [(2, 1), (2, 3)]
    assert tree_heads.rivals(10) == [(2, 1), (2, 3), (5, 1), (5, 6), (8, 1), (8, 9)]


@pytest.mark.parametrize("near", [tree_heads.flint.arb(1), tree_heads.flint.arb(0, "0.25")])
def test_a_rival_that_may_score_alike_is_undecided(near, monkeypatch):
    monkeypatch.setattr(tree_heads.PrintedHead, "nearness", lambda *_: near)
    with pytest.raises(Undecided, match="T = 4, offsets 2, 1 at 128 bits"):
        tree_heads.some_count(0, 4)
