"""Where heads look is confirmed by exact angles and intervals; anything else is refused."""

from fractions import Fraction

import pytest
from confirm_support import Case, Questions
from facts_support import refused, refuses

from verify.facts import tree_heads
from verify.recheck.kinds import tree_heads as confirming

CASES = [
    Case("tree.left-head", tree_heads.left_head, {"longest": 6}),
    Case(
        "tree.right-head",
        tree_heads.right_head,
        {"depth": "printed", "step": "literal", "terms": [0, 1], "leaves": 3},
    ),
    Case(
        "tree.right-head",
        tree_heads.right_head,
        {"depth": "before", "step": "exact", "terms": [0], "leaves": 3},
    ),
    Case(
        "tree.right-head",
        tree_heads.right_head,
        {"depth": "before", "step": "repaired", "terms": [0, 4], "leaves": 3},
    ),
    Case(
        "tree.right-head",
        tree_heads.right_head,
        {"depth": "before", "step": "scaled", "terms": [1], "leaves": 3},
    ),
    Case(
        "tree.right-heads",
        tree_heads.right_heads,
        {"string": "[a[bc]]", "terms": 2},
        (("terms", 0),),
    ),
    Case("tree.right-heads", tree_heads.right_heads, {"string": "a", "terms": 0}, (("terms", 0),)),
    Case(
        "step.near",
        tree_heads.near_step,
        {"formula": "literal", "lengths": [4], "terms": [0, 3], "within": "1/2"},
    ),
    Case(
        "step.near",
        tree_heads.near_step,
        {"formula": "repaired", "lengths": [4], "terms": [8], "within": "1/4"},
    ),
    Case("step.some-count", tree_heads.some_count, {"most": 2, "longest": 20}, (("most", 0),)),
    Case("step.some-count", tree_heads.some_count, {"most": 4, "longest": 7}, (("most", 0),)),
    Case(
        "score.rank", tree_heads.score_rank, {"pattern": "equal on j ≤ i", "length": 9, "width": 7}
    ),
    Case("score.rank", tree_heads.score_rank, {"pattern": "[j ≥ i+2]", "length": 9, "width": 7}),
    Case(
        "softmax.depths",
        tree_heads.softmax_depths,
        {"leaves": 3, "growths": [64, 1024], "below": "1/100"},
    ),
    Case(
        "softmax.depths",
        tree_heads.softmax_depths,
        {"leaves": 2, "growths": [64], "below": "1/1000000"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("tree.right-head", {"depth": "true"}),
        ("tree.right-head", {"step": "none"}),
        ("score.rank", {"pattern": "j > i"}),
    ],
)
def test_names_that_are_not_known_are_refused(name, change):
    case = next(case for case in CASES if case.name == name)
    assert refused(name, {**case.parameters, **change}, **case.stated)


def test_a_number_of_terms_that_stands_twice_is_refused():
    parameters = {"depth": "before", "step": "exact", "terms": [0, 0], "leaves": 2}
    refuses("tree.right-head", parameters, "stands twice")


@pytest.mark.parametrize(
    ("rows", "rank"),
    [([[0, 2, 4], [0, 1, 2], [3, 0, 1]], 2), ([[0, 0], [0, 0]], 0), ([[0, 1], [1, 0]], 2),
     ([[1, 2], [2, 4], [3, 6]], 1), ([[1, 2, 3], [1, 2, 4]], 2), ([[2, 1], [1, 2], [5, 4]], 2),
     ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 2), ([[1, 2, 3], [4, 5, 6], [7, 8, 10]], 3)],
)  # fmt: skip
def test_ranks_of_small_matrices_are_known(rows, rank):
    assert confirming.eliminated([list(map(Fraction, row)) for row in rows]) == rank


@pytest.mark.parametrize(("pattern", "rank"), [("[j ≥ i+2]", 3), ("equal on j ≤ i", 4)])
def test_a_pattern_of_five_tokens_has_its_rank_and_needs_as_many_columns(pattern, rank):
    for width, holds in ((rank, True), (rank - 1, False)):
        answer = confirming.score_rank({"pattern": pattern, "length": 5, "width": width}, {})
        shown = {"T": 5, "rank": rank, "columns": width}
        assert (answer.holds, answer.values) == (holds, shown)
        assert answer.witness == (None if holds else shown)
