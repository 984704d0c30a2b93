"""Draw attention as SVG: tokens in columns, layers from the bottom up, a line for each read.

Draws         a node for each token before the first layer and after each one, with what it holds; lines
              from a node to the tokens of the layer below that it reads, one colour and dash a head
Notation      levels count from 0 (the embedding), columns from 0 (the first token drawn)
Colours       letters take the colour of the page around them, so that it reads on light and on dark
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

COLOURS = ("#2f7fbf", "#d0602a", "#2b9069", "#9f63c4", "#a97f1f")
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 2")
LETTER, PITCH, LEVEL, MARGIN, LEGEND, ENTRY = 8, 44, 74, 24, 30, 80
APART = 3
Arc = tuple[int, str, int, int]


@dataclass(frozen=True)
class TokenNode:
    """A token after a layer, and its contents."""

    level: int
    column: int
    text: str


class Svg(str):
    """The text of an SVG, which a notebook shows as the picture that it is."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self)


def draw(nodes: Sequence[TokenNode], arcs: Sequence[Arc], title: str) -> Svg:
    """An SVG; an arc is (layer, head, column that reads, column that is read)."""
    pitch = max(PITCH, LETTER * max(len(node.text) for node in nodes) + 12)
    columns = 1 + max(node.column for node in nodes)
    levels = 1 + max(node.level for node in nodes)
    heads = list(dict.fromkeys(head for _, head, _, _ in arcs))
    width = max(pitch * columns, sum(LETTER * len(head) + ENTRY for head in heads)) + 2 * MARGIN
    height = LEVEL * (levels - 1) + LEGEND + 2 * MARGIN
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width} {height}",
            "role": "img",
            "font-family": "sans-serif",
            "font-size": "13",
            "fill": "currentColor",
            "style": "max-width:100%",
        },
    )
    ElementTree.SubElement(root, "title").text = xml_text(title)

    def place(level: int, column: int) -> tuple[int, int]:
        return MARGIN + pitch * column + pitch // 2, height - MARGIN - LEVEL * level

    for layer, head, reader, target in arcs:
        _line(root, place(layer, reader), place(layer - 1, target), heads.index(head))
    for node in nodes:
        x, y = place(node.level, node.column)
        _text(root, x, y, node.text, "middle")
    _legend(root, heads)
    return Svg(ElementTree.tostring(root, encoding="unicode") + "\n")


def _line(
    root: ElementTree.Element, reader: tuple[int, int], target: tuple[int, int], head: int
) -> None:
    """A line from below the reading token to above the token read, a little shifted for each head."""
    shift = APART * head
    attributes = {
        "x1": str(reader[0] + shift),
        "y1": str(reader[1] + 7),
        "x2": str(target[0] + shift),
        "y2": str(target[1] - 15),
        "stroke": COLOURS[head % len(COLOURS)],
        "stroke-width": "1.6",
        "stroke-dasharray": DASHES[head % len(DASHES)],
    }
    ElementTree.SubElement(root, "line", {k: v for k, v in attributes.items() if v})


def _legend(root: ElementTree.Element, heads: Sequence[str]) -> None:
    x = MARGIN
    for number, head in enumerate(heads):
        start = x - APART * number
        _line(root, (start, 8), (start + 24, 30), number)
        _text(root, x + 34, 20, f"{head} head", "start")
        x += LETTER * len(head) + ENTRY


def _text(root: ElementTree.Element, x: int, y: int, text: str, anchor: str) -> None:
    where = {"x": str(x), "y": str(y), "text-anchor": anchor}
    ElementTree.SubElement(root, "text", where).text = xml_text(text)


def xml_text(text: str) -> str:
    """Text without the characters that XML forbids."""
    return "".join(c if c.isprintable() else "�" for c in text)
