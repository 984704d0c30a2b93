"""`verify draw`: a well-formed SVG that shows both heads, escapes text, and refuses bad trees."""

from xml.etree import ElementTree

import pytest

from verify.cli import main
from verify.commands.draw import draw, panels

SVG = "{http://www.w3.org/2000/svg}"


def test_printed_and_repaired_heads_stand_side_by_side():
    root = ElementTree.fromstring(draw(tuple("[[ab]c]"), 7))
    text = [node.text for node in root.iter(f"{SVG}text")]
    assert {"as printed", "as repaired"} <= set(text)
    dashed = [node for node in root.iter(f"{SVG}path") if node.get("stroke-dasharray")]
    assert len(dashed) == 2
    assert text.count("✗") == 2
    assert "2 as printed, 0 as repaired" in root.find(f"{SVG}desc").text


def test_the_repaired_panel_shows_the_children():
    printed, repaired = panels(tuple("[[ab]c]"), 7)
    assert (dict(repaired.left), dict(repaired.right)) == ({1: 2, 2: 3}, {1: 6, 2: 4})
    assert dict(printed.right) != dict(repaired.right)


def test_a_long_tree_is_drawn_in_two_rows():
    comb = "[a" * 9 + "a" + "]" * 9
    root = ElementTree.fromstring(draw(tuple(comb), len(comb)))
    assert float(root.get("height")) > 2 * 400


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
    assert draw(tuple("[ab]"), 4) == draw(tuple("[ab]"), 4)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["[ab"], "position 4"),
        (["[abc]"], "third subtree"),
        (["[ab]", "--length", "3"], "--length: found 3"),
        (["[a" * 50 + "a" + "]" * 50], "at most 120"),
        (["[ab]", "--out", "/no/such/folder/x.svg"], "--out"),
    ],
)
def test_bad_input_ends_with_one_line_and_status_four(arguments, words, capsys):
    assert main(["draw", *arguments]) == 4
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
