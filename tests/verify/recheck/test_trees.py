"""Facts on strings of trees are confirmed by recursion on pairs; anything else is refused."""

from fractions import Fraction

import pytest
from confirm_support import Case, Questions
from facts_support import refused

from verify.facts import tree_strings
from verify.recheck.kinds import tree_strings as kinds

CASES = [
    Case("tree.strings", tree_strings.all_strings, {"letters": 2, "leaves": 4}),
    Case(
        "tree.strings-in",
        tree_strings.strings_lie_in,
        {"among": "Σ* ∪ {[, ]}", "letters": 2, "leaves": 3},
    ),
    Case(
        "tree.strings-in",
        tree_strings.strings_lie_in,
        {"among": "(Σ ∪ {[, ]})*", "letters": 2, "leaves": 3},
    ),
    Case("tree.one-length", tree_strings.one_length, {"length": 1}),
    Case("tree.one-length", tree_strings.one_length, {"length": 5}),
    Case("tree.not-a-string", tree_strings.no_tree_has_string, {"string": "[a]"}),
    Case("tree.not-a-string", tree_strings.no_tree_has_string, {"string": "[[ab]c]"}),
    Case(
        "tree.markers",
        tree_strings.markers_differ,
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
        tree_strings.markers_differ,
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
        tree_strings.numbers_agree,
        {"given": "sum of m_{j+1} over j ≤ i", "wanted": "level", "leaves": 4},
    ),
    Case(
        "tree.rule",
        tree_strings.numbers_agree,
        {"given": "sum of m_j over j < i", "wanted": "enclosing brackets", "leaves": 4},
    ),
    Case(
        "tree.rule",
        tree_strings.numbers_agree,
        {"given": "mean of m_{j-1} over j ≤ i", "wanted": "i times that mean", "leaves": 4},
    ),
    Case(
        "tree.rule",
        tree_strings.numbers_agree,
        {"given": "m_{i+1}", "wanted": "m_{i-1}", "leaves": 4},
    ),
    Case(
        "tree.rule",
        tree_strings.numbers_agree,
        {"given": "height of the subtree", "wanted": "level", "leaves": 4},
    ),
    Case(
        "tree.rule",
        tree_strings.numbers_agree,
        {"given": "i + 1", "wanted": "left child", "leaves": 4},
    ),
    Case(
        "tree.rule",
        tree_strings.numbers_agree,
        {
            "given": "second tree one level down",
            "wanted": "closest j > i + 1 one level down",
            "leaves": 4,
        },
    ),
    Case(
        "tree.rule",
        tree_strings.numbers_agree,
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


# Of [[ab]c], whose markers are 1, 1, 0, 0, -1, 0, -1; its trees begin at 1, 2, 3, 4 and 6.
SUMS = {1: 0, 2: 1, 3: 2, 4: 2, 6: 1}
NUMBERS = {
    "sum of m_{j+1} over j ≤ i": {1: 1, 2: 1, 3: 1, 4: 0, 6: -1},
    "sum of m_j over j < i": SUMS,
    "mean of m_{j-1} over j ≤ i": {i: Fraction(total, i) for i, total in SUMS.items()},
    "i times that mean": SUMS,
    "m_{i+1}": {1: 1, 2: 0, 3: 0, 4: -1, 6: -1},
    "m_{i-1}": {1: 0, 2: 1, 3: 1, 4: 0, 6: -1},
    "level": SUMS,
    "enclosing brackets": SUMS,
    "height of the subtree": {1: 2, 2: 1, 3: 0, 4: 0, 6: 0},
    "i + 1": {1: 2, 2: 3},
    "left child": {1: 2, 2: 3},
    "right child": {1: 6, 2: 4},
    "second tree one level down": {1: 6, 2: 4},
    "closest j > i + 1 one level down": {1: 6, 2: 4},
}


def test_every_number_at_every_tree_of_one_string():
    shape = (("a", "b"), "c")
    nodes, tokens = kinds.tree.nodes(shape), kinds.tree.written(shape)
    assert {name: rule(nodes, tokens) for name, rule in kinds.RULES.items()} == NUMBERS


@pytest.mark.parametrize(
    ("string", "holds"), [("a" * 200, True), ("[" * 66 + "a" + "a]" * 66, None), ("a", None)]
)
def test_strings_of_one_to_two_hundred_symbols_are_read(string, holds):
    answer = kinds.not_a_string({"string": string}, {})
    assert answer.holds is bool(holds)
    if not holds:
        assert answer.witness == {"nodes": 2 * string.count("a") - 1}


@pytest.mark.parametrize(
    ("length", "lengths"), [(1, [1]), (2, [1]), (4, [1, 4]), (10, [1, 4, 7, 10])]
)
def test_strings_have_one_token_more_than_three_times_as_many(length, lengths):
    answer = kinds.one_length({"length": length}, {})
    assert (answer.holds, answer.values) == (length == 1, {"lengths": lengths})


@pytest.mark.parametrize(
    ("letters", "leaves", "trees", "positions"), [(1, 1, 1, 1), (2, 2, 6, 14), (3, 3, 66, 300)]
)
def test_trees_and_their_positions_are_counted_with_their_letters(
    letters, leaves, trees, positions
):
    """One shape of one and of two leaves, two of three; 2k - 1 trees within one of k leaves."""
    answer = kinds.strings({"letters": letters, "leaves": leaves}, {})
    assert answer.values == {"trees": trees, "positions": positions}
    asked = {"among": kinds.SETS[1], "letters": letters, "leaves": leaves}
    assert kinds.strings_in(asked, {}).values == {"trees": trees}


def test_trees_of_one_leaf_are_letters_and_the_first_of_two_is_not():
    asked = {"among": kinds.SETS[0], "letters": 2}
    assert kinds.strings_in({**asked, "leaves": 1}, {}).values == {"trees": 2}
    assert kinds.strings_in({**asked, "leaves": 2}, {}).witness == {"string": "[aa]"}
