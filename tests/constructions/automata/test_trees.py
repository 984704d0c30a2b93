"""Trees and their strings: round trips, positions, and one clear line for malformed ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees_support import caterpillar, end_index

from constructions.automata.trees import (
    balanced_tree,
    children,
    comb,
    depths,
    ends,
    from_text,
    height,
    parse,
    positions,
    shapes,
    split_tokens,
    string,
    tokens,
    zigzag,
)
from constructions.core.errors import InputError

TREES = st.recursive(st.sampled_from("ab"), lambda inner: st.tuples(inner, inner), max_leaves=12)


@given(TREES)
@settings(max_examples=60, deadline=None)
def test_a_tree_comes_back_from_its_string(tree):
    symbols = tokens(tree)
    assert parse(symbols) == tree
    assert len(symbols) == 3 * sum(s not in "[]" for s in symbols) - 2
    assert 3 * height(tree) <= len(symbols) - 1


@given(TREES)
@settings(max_examples=40, deadline=None)
def test_every_position_begins_exactly_one_subtree(tree):
    symbols = tokens(tree)
    last = ends(symbols)
    for i in positions(symbols):
        found = symbols[i - 1 : end_index(symbols, i)]
        assert tokens(parse(found)) == found
        assert last[i] == end_index(symbols, i)


def test_children_stand_where_their_strings_begin():
    assert children("[[ab]c]") == {1: (2, 6), 2: (3, 4)}
    assert depths("[[ab]c]") == [0, 1, 2, 2, 1, 1, 0]


def test_there_are_catalan_many_shapes():
    assert [len(list(shapes(n))) for n in range(1, 8)] == [1, 1, 2, 5, 14, 42, 132]


@pytest.mark.parametrize(
    ("family", "high"), [(comb, 7), (zigzag, 7), (balanced_tree, 3), (caterpillar, 4)]
)
def test_families_have_their_heights_and_leaves(family, high):
    tree = family(list("abcdefgh"))
    assert height(tree) == high
    assert sorted(s for s in tokens(tree) if s not in "[]") == list("abcdefgh")


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("[ab", "position 4", "closing ]"),
        ("[a]", "position 3", "two subtrees"),
        ("[abc]", "position 4", "third subtree"),
        ("ab", "position 2", "second tree"),
        ("]", "position 1", "without an opening one"),
        ("[]", "position 2", "two subtrees"),
        ("", "position 1", "nothing"),
    ],
)
def test_a_malformed_tree_gets_one_line_with_its_position(text, place, words):
    with pytest.raises(InputError) as caught:
        from_text(text)
    line = str(caught.value)
    assert place in line
    assert words in line
    assert "\n" not in line


def test_texts_are_split_into_symbols():
    assert split_tokens("[a[bb]]") == list("[a[bb]]") == split_tokens("(a(bb))")
    assert split_tokens("[aa [b, cc]]") == ["[", "aa", "[", "b", "cc", "]", "]"]
    assert split_tokens("[f( x]") == ["[", "f(", "x", "]"]
    assert split_tokens(" [ab] ") == list("[ab]")


@pytest.mark.parametrize(
    "tree",
    [
        ("a", ("b", "b")),
        "[a [b b]]",
        "(a(bb))",
        list("[a[bb]]"),
        tuple("[a[bb]]"),
        ("a", ["b", "b"]),
    ],
)
def test_every_form_of_a_tree_has_one_string(tree):
    assert string(tree) == tuple("[a[bb]]")


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        (5, "tree: found 5, expected a pair, text such as [a [b b]], tokens, or an nltk tree"),
        (("a", ("b",)), "tree: found a node with 1 subtrees, expected pairs, with symbols"),
        (("a", 3), "tree: found 3, expected pairs, with symbols at the leaves"),
        (("a", ("b", "b", "b")), "tree: found a node with 3 subtrees"),
        ("[", "position 2: found the end, expected a closing ]"),
        ("]", "position 1: found ], expected no closing bracket without an opening one"),
    ],
)
def test_what_is_no_tree_is_named(tree, words):
    with pytest.raises(InputError) as caught:
        string(tree)
    assert words in str(caught.value)


class Nltk(list):
    """A tree as nltk has it, as far as it is read: a list with a label."""

    treepositions = None

    def label(self) -> str:
        return "S"


def test_trees_of_nltk_lose_labels_and_single_children():
    assert string(Nltk(["a", Nltk([Nltk(["b", "c"])])])) == tuple("[a[bc]]")
    for children_ in ([], ["a", "b", "c"]):
        with pytest.raises(
            InputError, match=f"a node S with {len(children_)} subtrees, expected two"
        ):
            string(Nltk(children_))


def test_subtrees_begin_at_what_is_no_closing_bracket_and_end_at_their_own():
    assert positions("[[ab]c]") == [1, 2, 3, 4, 6]
    assert ends("[[ab]c]") == {3: 3, 4: 4, 2: 5, 6: 6, 1: 7}
