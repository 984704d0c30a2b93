"""A small drawing, its coordinates worked out by hand."""

from xml.etree import ElementTree

from constructions.running.drawing import COLOURS, DASHES, TokenNode, draw, xml_text

NODES = [TokenNode(0, 0, "a"), TokenNode(0, 1, "b"), TokenNode(1, 1, "ab")]
ARCS = [(1, "left", 1, 0), (1, "right", 1, 1)]
SVG = "{http://www.w3.org/2000/svg}"


def parts(nodes, arcs, name):
    root = ElementTree.fromstring(draw(nodes, arcs, "title"))
    return [
        dict(part.attrib) | ({"text": part.text} if part.text else {})
        for part in root.iter(SVG + name)
    ]


def test_columns_are_44_wide_and_levels_74_apart_from_the_bottom_up():
    texts = parts(NODES, ARCS, "text")
    assert [(t["x"], t["y"], t["text"]) for t in texts] == [
        ("46", "128", "a"), ("90", "128", "b"), ("90", "54", "ab"),
        ("58", "20", "left head"), ("170", "20", "right head"),
    ]  # fmt: skip
    assert [t["text-anchor"] for t in texts] == ["middle"] * 3 + ["start"] * 2


def test_lines_run_from_below_the_reader_to_above_what_it_reads_and_heads_are_apart():
    lines = parts(NODES, ARCS, "line")
    assert [tuple(line[k] for k in ("x1", "y1", "x2", "y2")) for line in lines] == [
        ("90", "61", "46", "113"), ("93", "61", "93", "113"),
        ("24", "15", "48", "15"), ("136", "15", "160", "15"),
    ]  # fmt: skip
    assert [line["stroke"] for line in lines] == [*COLOURS[:2], *COLOURS[:2]]
    assert [line.get("stroke-dasharray") for line in lines] == [None, DASHES[1], None, DASHES[1]]


def test_the_frame_holds_columns_legend_and_margins():
    (root,) = parts(NODES, ARCS, "svg")
    assert root["viewBox"] == "0 0 280 152"
    (wide,) = parts([TokenNode(0, 0, "x" * 20), TokenNode(2, 3, "y")], [(1, "own", 0, 0)], "svg")
    assert wide["viewBox"] == f"0 0 {4 * (20 * 8 + 12) + 48} {2 * 74 + 30 + 48}"
    assert root["role"] == "img"
    assert root["fill"] == "currentColor"


def test_a_sixth_head_has_the_first_colour_again():
    arcs = [(1, f"h{k}", 0, 0) for k in range(6)]
    lines = parts([TokenNode(0, 0, "a"), TokenNode(1, 0, "a")], arcs, "line")
    assert lines[5]["stroke"] == COLOURS[0] != lines[4]["stroke"]
    assert len(COLOURS) == len(DASHES) == 5


def test_titles_and_texts_are_escaped_and_printable():
    text = draw([TokenNode(0, 0, "<&\x07")], [], "a < b")
    assert "a &lt; b" in text
    assert "&lt;&amp;�" in text
    assert text.endswith("</svg>\n")
    assert xml_text("a\x00b") == "a�b"
