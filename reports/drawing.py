"""A tree with its string, its depths, and where each head attends: drawn here and nowhere else.

Constructs    an SVG with one panel for each head: the tree, arcs from a position to what it
              attends to (a dot marks the end), the string, and under it position i and depth d
Takes         plain data: tokens, depths, heads with arcs, positions from 1; "[" and "]" make the
              tree; `missed` names the arcs that end at a wrong place, drawn dashed with a cross
Colours       letters and lines take the colour of the page around them (currentColor), so that
              a drawing can be read on light and on dark
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from reports.escape import one_line, visible
from reports.figures import CURVES

Data = Mapping[str, Any]
OPEN, CLOSE = "[", "]"
FOUND, MISSED = CURVES[0], CURVES[1]
PITCH, LETTER, LEVEL, MARGIN, TITLE, ARCS, STRING = 28, 10, 36, 20, 46, 84, 52
WIDEST, BESIDE = 640, 2
HINT, WARNING = "dot: attended to", "; dashed ✗: wrong place"


@dataclass(frozen=True)
class Sheet:
    """Sizes of a drawing: distance of tokens, size of a panel, number of columns and rows."""

    pitch: int
    width: int
    height: int
    columns: int
    rows: int

    @property
    def frame(self) -> str:
        """The SVG's viewBox."""
        return f"0 0 {self.width * self.columns} {self.height * self.rows}"

    def corner(self, number: int) -> tuple[int, int]:
        """Upper left corner of a panel."""
        row, column = divmod(number, self.columns)
        return column * self.width, row * self.height


def sheet(drawing: Data) -> Sheet:
    """Sizes for a drawing: panels side by side, or one below the other for a long string."""
    tokens, heads = drawing["tokens"], drawing["heads"]
    longest = max(len(one_line(token)) for token in tokens)
    pitch = max(PITCH, LETTER * longest + 8)
    words = max(5 * len(HINT + WARNING), *(8 * len(one_line(head["label"])) for head in heads))
    width = max(pitch * len(tokens), words) + 2 * MARGIN
    columns = min(BESIDE, len(heads)) if width <= WIDEST else 1
    height = TITLE + LEVEL * (max(levels(tokens)) + 1) + ARCS + STRING
    return Sheet(pitch, width, height, columns, -(-len(heads) // columns))


def levels(tokens: Sequence[str]) -> list[int]:
    """Number of brackets that are open before each position."""
    found, level = [], 0
    for token in tokens:
        found.append(level)
        level = max(0, level + (token == OPEN) - (token == CLOSE))
    return found


def edges(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """From each opening bracket to its children."""
    above: list[int] = []
    for i, token in enumerate(tokens, 1):
        if token == CLOSE:
            del above[-1:]
            continue
        if above:
            yield above[-1], i
        if token == OPEN:
            above.append(i)


class Canvas:
    """An SVG element that things are drawn on."""

    def __init__(self, drawing: Data, box: str) -> None:
        name = f"drawing-{drawing['id']}"
        self.root = ElementTree.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": box,
                "role": "img",
                "aria-labelledby": f"{name}-title {name}-alt",
                "style": "max-width:100%",
            },
        )
        for tag, key in (("title", "title"), ("desc", "alt")):
            node = ElementTree.SubElement(self.root, tag, {"id": f"{name}-{key}"})
            node.text = visible(one_line(drawing[key]))
        plain = {"id": f"{name}-body", "font-family": "sans-serif", "fill": "currentColor"}
        self.body = ElementTree.SubElement(self.root, "g", plain)

    def add(self, name: str, text: str = "", **attributes: Any) -> None:
        """An element; attribute names use - for _."""
        found = {key.replace("_", "-"): _plain(value) for key, value in attributes.items()}
        ElementTree.SubElement(self.body, name, found).text = text or None

    def word(self, x: float, y: float, text: str, size: int = 12, **more: Any) -> None:
        """Text, centred."""
        self.add(
            "text", visible(one_line(text)), x=x, y=y, font_size=size, text_anchor="middle", **more
        )

    def arc(self, start: float, end: float, y: float, missed: bool) -> None:
        """An arc above the string with a dot at its end; dashed where it ends at a wrong place."""
        top = y - (28 if start == end else 12 + min(90.0, 0.9 * abs(end - start)))
        path = f"M {start:g} {y:g} Q {(start + end) / 2:g} {top:g} {end:g} {y:g}"
        if start == end:
            path = (
                f"M {start:g} {y:g} C {start - 14:g} {top:g} {start + 14:g} {top:g} {end:g} {y:g}"
            )
        colour = MISSED if missed else FOUND
        dash = {"stroke_dasharray": "5 3"} if missed else {}
        self.add("path", d=path, fill="none", stroke=colour, stroke_width=1.8, **dash)
        self.add("circle", cx=end, cy=y, r=3.2, fill=colour)
        if missed:
            self.word((start + end) / 2, (y + top) / 2 - 4, "✗", 13, fill=colour)

    def text(self) -> str:
        """The drawing as SVG."""
        return ElementTree.tostring(self.root, encoding="unicode") + "\n"


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def inline(drawing: Data) -> str:
    """The drawing as an SVG element for a page."""
    room = sheet(drawing)
    canvas = Canvas(drawing, room.frame)
    for number, head in enumerate(drawing["heads"]):
        _panel(canvas, drawing, head, room, room.corner(number))
    return canvas.text()


def _panel(canvas: Canvas, drawing: Data, head: Data, room: Sheet, corner: tuple[int, int]) -> None:
    """One head: its name, the tree, its arcs, the string."""
    left, top = corner
    tokens = drawing["tokens"]
    middle = left + room.width / 2
    start = middle - room.pitch * len(tokens) / 2
    x = [start + room.pitch * (i + 0.5) for i in range(len(tokens))]
    canvas.word(middle, top + 20, head["label"], 14, font_weight=600)
    hint = HINT + WARNING if head["missed"] else HINT
    canvas.word(middle, top + 36, hint, 10, opacity=0.75)
    _tree(canvas, tokens, x, top + TITLE)
    row = top + room.height - STRING
    for source, target in head["arcs"]:
        canvas.arc(x[source - 1], x[target - 1], row - 16, source in head["missed"])
    _string(canvas, tokens, head["depths"] or drawing["depths"], x, row)


def _tree(canvas: Canvas, tokens: Sequence[str], x: Sequence[float], top: float) -> None:
    """Edges from each opening bracket to its children, then the nodes."""
    y = [top + LEVEL * (level + 0.5) for level in levels(tokens)]
    for a, b in edges(tokens):
        canvas.add(
            "line", x1=x[a - 1], y1=y[a - 1] + 10, x2=x[b - 1], y2=y[b - 1] - 10,
            stroke="currentColor", stroke_opacity=0.5,
        )  # fmt: skip
    for i, token in enumerate(tokens):
        if token != CLOSE:
            canvas.add(
                "circle", cx=x[i], cy=y[i], r=10, fill="none",
                stroke="currentColor", stroke_opacity=0.5,
            )  # fmt: skip
            canvas.word(x[i], y[i] + 4, token, 12)


def _string(
    canvas: Canvas, tokens: Sequence[str], depths: Sequence[int], x: Sequence[float], row: float
) -> None:
    """The string, and under each symbol its position and its depth."""
    for i, token in enumerate(tokens):
        canvas.word(x[i], row, token, 16)
        canvas.word(x[i], row + 20, str(i + 1), 11, opacity=0.75)
        canvas.word(x[i], row + 38, str(depths[i]), 12)
    start = 2 * x[0] - x[1] if len(x) > 1 else x[0] - PITCH
    for y, label in ((row + 20, "i"), (row + 38, "d")):
        canvas.word(start + 6, y, label, 11, opacity=0.75, font_style="italic")
