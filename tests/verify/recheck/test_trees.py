"""Facts on strings of trees are confirmed by recursion on pairs; anything else is refused."""

import pytest
from confirm_support import Case, Questions
from facts_support import refused

from verify.facts import trees

CASES = [
    Case("tree.strings", trees.all_strings, {"letters": 2, "leaves": 4}),
    Case(
        "tree.strings-in", trees.strings_lie_in, {"among": "Σ* ∪ {[, ]}", "letters": 2, "leaves": 3}
    ),
    Case(
        "tree.strings-in",
        trees.strings_lie_in,
        {"among": "(Σ ∪ {[, ]})*", "letters": 2, "leaves": 3},
    ),
    Case("tree.one-length", trees.one_length, {"length": 1}),
    Case("tree.one-length", trees.one_length, {"length": 5}),
    Case("tree.not-a-string", trees.no_tree_has_string, {"string": "[a]"}),
    Case("tree.not-a-string", trees.no_tree_has_string, {"string": "[[ab]c]"}),
    Case(
        "tree.markers",
        trees.markers_differ,
        {"letter": 0, "opening": 1, "closing": -1},
        (
            ("letter", 0),
            ("letter", -5),
            ("opening", 0),
            ("opening", -5),
            ("closing", 0),
            ("closing", -5),
        ),
    ),
    Case(
        "tree.markers",
        trees.markers_differ,
        {"letter": 0, "opening": 1, "closing": 0},
        (
            ("letter", 0),
            ("letter", -5),
            ("opening", 0),
            ("opening", -5),
            ("closing", 0),
            ("closing", -5),
        ),
    ),
    Case(
        "tree.rule",
        trees.numbers_agree,
        {"given": "sum of m_{j+1} over j ≤ i", "wanted": "level", "leaves": 4},
    ),
    Case(
        "tree.rule",
        trees.numbers_agree,
        {"given": "sum of m_j over j < i", "wanted": "enclosing brackets", "leaves": 4},
    ),
    Case(
        "tree.rule",
        trees.numbers_agree,
        {"given": "mean of m_{j-1} over j ≤ i", "wanted": "i times that mean", "leaves": 4},
    ),
    Case("tree.rule", trees.numbers_agree, {"given": "m_{i+1}", "wanted": "m_{i-1}", "leaves": 4}),
    Case(
        "tree.rule",
        trees.numbers_agree,
        {"given": "height of the subtree", "wanted": "level", "leaves": 4},
    ),
    Case("tree.rule", trees.numbers_agree, {"given": "i + 1", "wanted": "left child", "leaves": 4}),
    Case(
        "tree.rule",
        trees.numbers_agree,
        {
            "given": "second tree one level down",
            "wanted": "closest j > i + 1 one level down",
            "leaves": 4,
        },
    ),
    Case(
        "tree.rule",
        trees.numbers_agree,
        {"given": "left child", "wanted": "right child", "leaves": 4},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("tree.rule", {"given": "depth"}),
        ("tree.strings-in", {"among": "Σ"}),
        ("tree.not-a-string", {"string": ""}),
    ],
)
def test_names_that_are_not_known_are_refused(name, change):
    case = next(case for case in CASES if case.name == name)
    assert refused(name, {**case.parameters, **change}, **case.stated)
