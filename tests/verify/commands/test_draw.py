"""`assay draw`: a well-formed SVG that shows both heads, escapes text, and refuses bad trees."""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from constructions.automata.strategies import trees
from constructions.automata.trees import children, tokens
from verify.cli import main
from verify.commands.draw import draw, drawing

SVG = "{http://www.w3.org/2000/svg}"


def titles(root):
    """Where the names of the heads stand."""
    words = [node for node in root.iter(f"{SVG}text") if " head as " in node.text]
    return [(node.get("x"), node.get("y")) for node in words]


def test_printed_and_repaired_heads_stand_side_by_side():
    root = ElementTree.fromstring(draw(tuple("[[ab]c]")))
    text = [node.text for node in root.iter(f"{SVG}text")]
    assert {"right head as printed", "right head as repaired"} <= set(text)
    dashed = [node for node in root.iter(f"{SVG}path") if node.get("stroke-dasharray")]
    assert len(dashed) == 2
    assert text.count("✗") == 2
    said = root.find(f"{SVG}desc").text
    assert "right head as printed 2, right head as repaired 0" in said


@settings(max_examples=20, deadline=None)
@given(trees("ab"))
def test_the_repaired_heads_show_the_children_of_every_node(tree):
    symbols = tokens(tree)
    _, right, _, left = drawing(symbols)["heads"]
    looks = dict(right["arcs"])
    pairs = {i: (first, looks[i]) for i, first in left["arcs"]}
    assert pairs == dict(children(symbols)) and right["missed"] == left["missed"] == []


def test_the_printed_right_head_misses_children():
    printed, right, _, _ = drawing(tuple("[[ab]c]"))["heads"]
    assert printed["arcs"] != right["arcs"] and printed["missed"] == [1, 2]


def test_the_printed_depths_stand_under_the_printed_right_head_alone():
    found = drawing(tuple("[[ab]c]"))
    assert found["depths"] == [0, 1, 2, 2, 2, 1, 1]
    assert [head["depths"] for head in found["heads"]] == [[1, 1, 1, 0, 0, -1, -1], [], [], []]


def test_the_panels_of_a_long_tree_stand_one_above_the_other():
    comb = "[a" * 9 + "a" + "]" * 9
    short, long = (ElementTree.fromstring(draw(tuple(s))) for s in ("[ab]", comb))
    columns = [len({x for x, _ in titles(root)}) for root in (short, long)]
    rows = [len({y for _, y in titles(root)}) for root in (short, long)]
    assert (columns, rows) == ([2, 1], [2, 4])


def test_a_leaf_alone_can_be_drawn(capsys):
    assert main(["draw", "a"]) == 0
    assert ElementTree.fromstring(capsys.readouterr().out).tag == f"{SVG}svg"


def test_text_of_the_user_is_escaped(tmp_path):
    out = tmp_path / "tree.svg"
    assert main(["draw", "[ <script> [ & b ] ]", "--out", str(out)]) == 0
    source = out.read_text("utf-8")
    assert "<script>" not in source
    assert "&lt;script&gt;" in source
    ElementTree.fromstring(source)


def test_the_same_tree_gives_the_same_bytes():
    assert draw(tuple("[ab]")) == draw(tuple("[ab]"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["[ab"], "position 4"),
        (["[abc]"], "third subtree"),
        (["[a" * 50 + "a" + "]" * 50], "at most 120"),
        (["[ab]", "--out", "/dev/null/x.svg"], "--out"),
    ],
)
def test_bad_input_ends_with_one_line_and_status_four(arguments, words, capsys):
    assert main(["draw", *arguments]) == 4
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
