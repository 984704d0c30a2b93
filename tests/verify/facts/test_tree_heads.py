"""Facts on the heads of Appendix C: where they look, what a step costs, depths without a mask."""

from fractions import Fraction

import pytest
from tests_support import arguments_of_calls

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


def test_heads_that_miss_at_different_places_decide_nothing(monkeypatch):
    cases = iter([{("[ab]", 1): 2}, {("[a[bc]]", 1): 2}])
    monkeypatch.setattr(tree_heads, "_missed_children", lambda head, leaves: next(cases))
    assert tree_heads.right_head("before", "repaired", [0, 1], 3).holds is None


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


def test_a_sum_that_balls_do_not_place_is_undecided(monkeypatch):
    monkeypatch.setattr(tree_heads, "step_value", lambda *_: tree_heads.flint.arb("0.5 +/- 0.1"))
    with pytest.raises(Undecided, match="at 128 bits"):
        tree_heads.near_step("repaired", [4], [3], "1/2")


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


def test_depths_that_are_a_little_off_are_noticed(monkeypatch):
    exact, third = tree_heads.open_before, tree_heads.flint.arb(1) / 3
    monkeypatch.setattr(tree_heads, "open_before", lambda s: [d + third for d in exact(s)])
    assert tree_heads.softmax_depths(2, [64, 1024], "1/100").holds is False


def test_a_left_head_that_looks_too_far_is_noticed(monkeypatch):
    monkeypatch.setattr(tree_heads, "left_targets", lambda i, length: [i + 1])
    assert tree_heads.left_head(3).witness == {"T": 1, "i": 1, "attended": [2]}


def test_a_place_that_all_numbers_of_terms_miss_is_named_and_no_other(monkeypatch):
    cases = iter([{("[ab]", 1): 2, ("[a[bc]]", 3): 4}, {("[a[bc]]", 3): 6, ("[[ab]c]", 1): 2}])
    monkeypatch.setattr(tree_heads, "_missed_children", lambda head, leaves: next(cases))
    found = tree_heads.right_head("before", "repaired", [0, 1], 3)
    assert found.values == {"brackets": 5, "missed": [2, 2]}
    assert found.witness == {"string": "[a[bc]]", "position": 3, "child": 5, "looks": [4, 6]}


def test_the_step_is_compared_at_all_offsets_of_a_length(monkeypatch):
    call = lambda: tree_heads.near_step("repaired", [4], [2], "1/3")  # noqa: E731
    found = arguments_of_calls(monkeypatch, tree_heads, "step_value", call, lambda i, j, *_: j >= 2)
    literal = tree_heads.StepReading("repaired")
    assert found == [(0, m, 4, 2, literal) for m in (-3, -2, -1, 0, 1, 2, 3)]
    monkeypatch.setattr(tree_heads, "step_value", lambda i, j, *_: int(j == 1))
    assert tree_heads.near_step("repaired", [2], [2], "1/3").witness == {
        "T": 2,
        "offset": 1,
        "step": 0,
    }


def test_rivals_are_the_left_child_and_the_bracket_after_a_right_leaf():
    assert tree_heads.rivals(4) == [(2, 1), (2, 3)]
    assert tree_heads.rivals(10) == [(2, 1), (2, 3), (5, 1), (5, 6), (8, 1), (8, 9)]


@pytest.mark.parametrize(("longest", "lengths"), [(9, [4, 7]), (10, [4, 7, 10])])
def test_all_lengths_of_trees_up_to_the_longest_are_looked_at(longest, lengths, monkeypatch):
    call = lambda: tree_heads.some_count(0, longest)  # noqa: E731
    found = arguments_of_calls(monkeypatch, tree_heads, "rivals", call, lambda _: [])
    assert found == [(length,) for length in lengths]


@pytest.mark.parametrize("near", [tree_heads.flint.arb(1), tree_heads.flint.arb(0, "0.25")])
def test_a_rival_that_may_score_alike_is_undecided(near, monkeypatch):
    monkeypatch.setattr(tree_heads.PrintedHead, "nearness", lambda *_: near)
    with pytest.raises(Undecided, match="T = 4, offsets 2, 1 at 128 bits"):
        tree_heads.some_count(0, 4)


def test_patterns_of_scores_are_those_of_their_names():
    """Where the scores leave an entry open it is a multiple of i + 2j, counted from 0."""
    equal = [[-1, -14, -28], [0, -1, -35], [0, 0, -1]]
    assert tree_heads._pattern("equal on j ≤ i", 4, -7).tolist() == equal
    step = [[0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert tree_heads._pattern("[j ≥ i+2]", 4, -7).tolist() == step


def test_open_scores_are_filled_in_three_ways_and_the_least_rank_counts(monkeypatch):
    ranks = {0: 3, 1: 2, -7: 4}
    pattern = lambda name, length, filling: tree_heads.flint.fmpq_mat(  # noqa: E731
        [[int(i == j < ranks[filling]) for j in range(5)] for i in range(5)]
    )
    call = lambda: tree_heads.score_rank("equal on j ≤ i", 6, 3)  # noqa: E731
    found = arguments_of_calls(monkeypatch, tree_heads, "_pattern", call, pattern)
    assert found == [("equal on j ≤ i", 6, filling) for filling in (0, 1, -7)]
    assert call().values == {"T": 6, "rank": 2, "columns": 3} and call().holds


def test_depths_may_be_as_far_off_as_the_bound_says(monkeypatch):
    errors = {2: Fraction(1, 10), 3: Fraction(1, 100), 4: Fraction(1, 100)}
    monkeypatch.setattr(tree_heads, "_largest_error", lambda leaves, growth: errors[growth])
    assert tree_heads.softmax_depths(2, [2, 3], "1/100").values == {"errors": ["1/10", "1/100"]}
    assert tree_heads.softmax_depths(2, [2, 3], "1/100").holds
    assert not tree_heads.softmax_depths(2, [2, 3], "1/101").holds
    assert not tree_heads.softmax_depths(2, [2, 3, 4], "1/10").holds


def test_the_largest_error_is_that_of_the_worst_position_of_the_worst_tree(monkeypatch):
    """[ab] has the depths 0, 1, 1 and 1, and a the depth 0."""
    given = {1: [[0.25]], 4: [[0.0], [1.5], [0.25], [1.0]]}
    monkeypatch.setattr(tree_heads, "depths", lambda symbols, *_: given[len(symbols)])
    assert tree_heads._largest_error(2, 64) == Fraction(3, 4)
    given[1] = [[-0.875]]
    assert tree_heads._largest_error(2, 64) == Fraction(7, 8)
