"""Facts on strings of trees: each seen to hold, and seen to fail where something is changed."""

import pytest

from verify.exactness import tree_positions as tree_rules
from verify.facts import tree_strings

DEPTH = {"given": "sum of m_j over j < i", "wanted": "level"}
EQUAL = [
    ("sum of m_j over j < i", "level"),
    ("level", "enclosing brackets"),
    ("i times that mean", "sum of m_j over j < i"),
    ("i + 1", "left child"),
    ("second tree one level down", "right child"),
    ("closest j > i + 1 one level down", "right child"),
]
DIFFERENT = [
    ("sum of m_{j+1} over j ≤ i", "level", ("[ab]", 2, "0", "1")),
    ("mean of m_{j-1} over j ≤ i", "sum of m_j over j < i", ("[ab]", 2, "1/2", "1")),
    ("m_{i+1}", "m_{i-1}", ("[ab]", 2, "0", "1")),
    ("height of the subtree", "level", ("[ab]", 1, "1", "0")),
]


@pytest.mark.parametrize(("given", "wanted"), EQUAL)
def test_numbers_of_positions_that_are_the_same_agree_on_all_small_trees(given, wanted):
    found = tree_strings.numbers_agree(given, wanted, 5)
    assert found.holds
    assert found.values["wrong"] == 0 < found.values["positions"]


@pytest.mark.parametrize(("given", "wanted", "witness"), DIFFERENT)
def test_numbers_that_differ_do_so_first_on_the_smallest_tree(given, wanted, witness):
    found = tree_strings.numbers_agree(given, wanted, 4)
    assert found.holds is False
    assert tuple(found.witness.values()) == witness


def test_a_tree_of_one_letter_has_depth_zero_by_both_sums():
    for given in ("sum of m_{j+1} over j ≤ i", "sum of m_j over j < i"):
        assert tree_strings.numbers_agree(given, "level", 1).holds


def test_a_marker_with_the_other_sign_is_noticed(monkeypatch):
    sums = tree_rules.FUNCTIONS[DEPTH["given"]]
    flipped = lambda s: {i: -d for i, d in sums(s).items()}  # noqa: E731
    monkeypatch.setitem(tree_rules.FUNCTIONS, DEPTH["given"], flipped)
    assert tree_strings.numbers_agree(**DEPTH, leaves=3).holds is False


def test_strings_of_trees_differ_and_their_subtrees_have_one_end():
    assert tree_strings.all_strings(2, 1).values == {"trees": 2, "positions": 2}
    assert tree_strings.all_strings(2, 4).values == {"trees": 102, "positions": 654}


def test_a_writer_that_drops_brackets_is_noticed(monkeypatch):
    write = tree_strings.tokens
    monkeypatch.setattr(
        tree_strings, "tokens", lambda t: tuple(s for s in write(t) if s not in "[]")
    )
    found = tree_strings.all_strings(1, 3)
    assert found.holds is False
    assert found.witness == {"trees": 4, "strings": 3}


def test_a_string_that_is_read_as_another_tree_or_is_too_short_is_noticed(monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(tree_strings, "parse", lambda string: ("a", "a"))
        found = tree_strings.all_strings(1, 2)
        assert found.witness == {"string": "a", "nodes": 1, "positions": 1}
    with monkeypatch.context() as patched:
        patched.setattr(tree_strings, "positions", lambda string: [1, 2])
        found = tree_strings.all_strings(1, 2)
        assert found.witness == {"string": "a", "nodes": 1, "positions": 2}
    with monkeypatch.context() as patched:
        patched.setattr(tree_strings, "height", lambda tree: 1)
        found = tree_strings.all_strings(1, 2)
        assert found.witness == {"string": "a", "tokens": 1, "height": 1}
    monkeypatch.setattr(tree_strings, "CLOSE", "a")
    assert tree_strings.all_strings(1, 2).witness == {"string": "a", "tokens": 1, "height": 0}


def test_only_words_of_letters_and_single_brackets_lie_in_the_printed_set():
    assert tree_strings.strings_lie_in("Σ* ∪ {[, ]}", 2, 1).holds
    assert tree_strings.strings_lie_in("Σ* ∪ {[, ]}", 2, 2).witness == {"string": "[aa]"}
    assert tree_strings.strings_lie_in("(Σ ∪ {[, ]})*", 2, 4).holds
    with pytest.raises(ValueError, match="expected one of"):
        tree_strings.strings_lie_in("Σ", 2, 2)


def test_trees_have_one_length_only_where_one_letter_is_all():
    assert tree_strings.one_length(1).holds
    assert tree_strings.one_length(4).witness == {"string": "a", "tokens": 1, "length": 4}


def test_a_closing_bracket_is_no_tree_and_a_pair_is_one():
    assert tree_strings.no_tree_has_string("]").holds
    assert tree_strings.no_tree_has_string("[ab]").witness == {"nodes": 3}


def test_markers_must_differ():
    assert tree_strings.markers_differ(0, 1, -1).holds
    assert tree_strings.markers_differ(0, 1, 1).holds is False


def test_strings_of_which_one_begins_another_are_noticed(monkeypatch):
    monkeypatch.setattr(tree_strings, "prefix_free", lambda strings: False)
    assert tree_strings.all_strings(1, 2).witness == {"trees": 2, "strings": 2}


def test_trees_of_at_most_a_length_that_no_tree_has_are_shorter():
    assert tree_strings.one_length(6).values == {"lengths": [1, 4]}
    assert tree_strings.one_length(7).values == {"lengths": [1, 4, 7]}
