"""Drawing of the product of transition matrices that each token holds, layer by layer.

Constructs    an SVG with a row for the embedding and for each layer, a column for each position;
              lines show what the two heads of each layer read
Takes         plain data: `length`, `positions`, and `rows` of cells, each the letters of its product
Colours       letters and lines take the colour of the page around them (currentColor)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.drawing import Canvas
from reports.figures import CURVES

Data = Mapping[str, Any]
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
LEFT, RIGHT, PREFIX = CURVES[1], CURVES[0], CURVES[2]
COLUMN, LINE, LABELS, TOP, BELOW, BOX = 92, 78, 104, 34, 12, 34
WIDEST = 4  # matrices that are written out in a cell


def product(letters: Sequence[int]) -> str:
    """A₁A₂A₃, or A₁⋯A₈ where it is long; I for no letter."""
    names = [f"A{str(t).translate(LOWERED)}" for t in letters]
    if len(names) > WIDEST:
        return f"{names[0]}⋯{names[-1]}"
    return "".join(names) or "I"


def inline(drawing: Data) -> str:
    """The drawing as an SVG element for a page."""
    columns, rows = len(drawing["positions"]), len(drawing["rows"])
    width, height = LABELS + COLUMN * columns + 8, TOP + LINE * rows + BELOW
    canvas = Canvas(drawing, f"0 0 {width} {height}")
    canvas.add(
        "text", "position", x=LABELS - 12, y=18, font_size=12, text_anchor="end", opacity=0.75
    )
    for column, t in enumerate(drawing["positions"]):
        canvas.word(_middle(column), 18, str(t).replace("-", "−"), 12, opacity=0.75)
    for layer, cells in enumerate(drawing["rows"]):
        label = f"after layer {layer}" if layer else "embedding"
        y = TOP + LINE * layer + BOX / 2 + 4
        canvas.add("text", label, x=LABELS - 12, y=y, font_size=13, text_anchor="end")
        for column, letters in enumerate(cells):
            _cell(canvas, drawing, layer, column, letters)
    _legend(canvas, TOP + LINE * len(drawing["rows"]) - 30)
    return canvas.text()


def _middle(column: int) -> float:
    return LABELS + COLUMN * (column + 0.5)


def _cell(canvas: Canvas, drawing: Data, layer: int, column: int, letters: Sequence[int]) -> None:
    """Draw the contents of a token, and from the second row on the tokens it reads."""
    x, y = _middle(column), TOP + LINE * layer
    if layer:
        _reads(canvas, column, 1 << (layer - 1), y)
    t = drawing["positions"][column]
    done = t >= 0 and list(letters) == list(range(1, t + 1))
    colour = PREFIX if done else "currentColor"
    canvas.add(
        "rect", x=x - COLUMN / 2 + 4, y=y, width=COLUMN - 8, height=BOX, rx=6, fill=colour,
        fill_opacity=0.2 if done else 0.05, stroke=colour, stroke_opacity=1 if done else 0.35,
        stroke_dasharray="none" if t >= 0 else "4 3",
    )  # fmt: skip
    canvas.word(x, y + BOX / 2 + 5, product(letters), 15)


def _reads(canvas: Canvas, column: int, back: int, y: float) -> None:
    """A line from the token that the right head reads, and one from that of the left head."""
    x, above = _middle(column), y - LINE + BOX
    line: dict[str, Any] = {"fill": "none", "stroke_width": 1.4, "stroke_opacity": 0.8}
    canvas.add("path", d=f"M {x + 7:g} {above:g} L {x + 7:g} {y:g}", stroke=RIGHT, **line)
    if column >= back:
        source = _middle(column - back) + 14
        bend = (above + y) / 2
        path = f"M {source:g} {above:g} C {source:g} {bend:g} {x - 7:g} {bend:g} {x - 7:g} {y:g}"
        canvas.add("path", d=path, stroke=LEFT, **line)


def _legend(canvas: Canvas, y: float) -> None:
    """Legend in two lines: the meaning of the lines and of the cells."""
    lines = (
        ((LEFT, "left head: 2^(l−1) positions back"), (RIGHT, "right head: its own position")),
        ((PREFIX, "the product of the whole prefix"),
         ("currentColor", "dashed: pads, on which letters come round the circle")),
    )  # fmt: skip
    for row, parts in enumerate(lines):
        for column, (colour, text) in enumerate(parts):
            x, top = LABELS + 4 + 260 * column, y + 20 * row
            canvas.add("rect", x=x, y=top, width=11, height=11, rx=2, fill=colour, fill_opacity=0.7)
            canvas.add("text", text, x=x + 17, y=top + 10, font_size=12)
