"""The drawing of a tree and its heads: all that is in the data, escaped, on light and on dark."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from reports_support import HOSTILE, TREE

from reports.drawing import FOUND, MISSED, edges, inline, levels, sheet

Record = dict[str, Any]
SVG = "{http://www.w3.org/2000/svg}"


def tree(text: str, *heads: dict[str, Any]) -> Record:
    plain = {"label": "a head", "arcs": [], "missed": [], "depths": []}
    return {
        "id": "t", "title": "T", "alt": "A", "tokens": list(text), "depths": levels(text),
        "heads": [plain | head for head in heads] or [plain],
    }  # fmt: skip


def drawn(drawing: Record) -> ET.Element:
    return ET.fromstring(inline(drawing))


def words(root: ET.Element) -> list[str]:
    return [node.text or "" for node in root.iter(f"{SVG}text")]


def test_the_edges_join_each_bracket_with_its_children() -> None:
    assert list(edges("[a[bc]]")) == [(1, 2), (1, 3), (3, 4), (3, 5)]
    assert levels("[a[bc]]") == [0, 1, 1, 2, 2, 2, 1]


def test_a_string_that_is_no_tree_is_drawn_all_the_same() -> None:
    assert list(edges("]]a[b")) == [(4, 5)]
    assert words(drawn(tree("]]a[b"))).count("]") == 2


def test_a_missed_arc_is_dashed_and_crossed_and_one_that_is_found_is_not() -> None:
    head = {"arcs": [[1, 2], [3, 5]], "missed": [1]}
    root = drawn(tree("[a[bc]]", head))
    strokes = [(p.get("stroke"), bool(p.get("stroke-dasharray"))) for p in root.iter(f"{SVG}path")]
    assert strokes == [(MISSED, True), (FOUND, False)]
    assert words(root).count("✗") == 1


def test_a_head_shows_its_own_depths_or_else_those_of_the_tree() -> None:
    own = words(drawn(tree("[ab]", {"depths": [0, 0, -7, -8]})))
    assert {"-7", "-8"} <= set(own)
    assert "-7" not in words(drawn(tree("[ab]")))


def test_short_panels_are_side_by_side_and_long_ones_are_not() -> None:
    short, long = (tree(s, {}, {}) for s in ("[ab]", "[a" * 9 + "a" + "]" * 9))
    one = tree("[ab]")
    width, height = (float(v) for v in sheet(one).frame.split()[2:])
    assert sheet(short).frame == f"0 0 {2 * width:g} {height:g}"
    assert float(sheet(long).frame.split()[2]) == 28 * 28 + 40


@pytest.mark.parametrize("text", ["a", "[ab]", "[a[b[c[d[ef]]]]]", "[[[[ab]c]d]e]"])
def test_nothing_leaves_the_frame(text: str) -> None:
    every = [[i, j] for i in range(1, len(text) + 1) for j in range(1, len(text) + 1)]
    drawing = tree(text, {"arcs": every}, {"label": "a long label " * 4})
    width, height = (float(v) for v in sheet(drawing).frame.split()[2:])
    for node in drawn(drawing).iter():
        for name, limit in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            assert 0 <= float(node.get(name, "0")) <= limit


DRAWING = {"id": "two", "title": "A drawing", "alt": "What is seen", **TREE}


def test_hostile_text_stays_text_and_colours_are_those_of_the_page() -> None:
    source = inline(DRAWING)
    assert "<script>" not in source and "<b>" not in source
    root = ET.fromstring(source)
    assert "<b>" in words(root) and HOSTILE in words(root)
    fills = {node.get("fill") for node in root.iter()} - {None}
    assert fills <= {"currentColor", "none", FOUND, MISSED}


def test_a_drawing_has_a_title_and_is_in_page_and_markdown(
    files: dict[str, bytes],
) -> None:
    root = drawn(DRAWING)
    assert root.findtext(f"{SVG}title") == "A drawing"
    assert root.findtext(f"{SVG}desc") == "What is seen"
    page = files["index.html"].decode()
    assert page.count('id="drawing-tree-body"') == 1
    assert page.count('href="#drawing-tree-body"') == 1
    assert "](figures/tree.svg)" in files["report.md"].decode()
