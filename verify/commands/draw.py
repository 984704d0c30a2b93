"""`verify draw TREE`: a tree, its string, its depths, and where each head attends, as SVG.

Two panels, one above the other for long trees and side by side for short ones: the heads of
Appendix C as printed, and the repaired ones. Under each symbol stand its position i and its depth
d: the printed sum Σ m_{j+1} in the one, the brackets open before i in the other. Arcs above the
string go from an opening bracket to what its right head attends to, arcs below it to what its left
head attends to; a wrong target is drawn dashed and marked with a cross.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from constructions.errors import InputError
from constructions.exact import Undecided
from constructions.theorem3_printed import (
    Depth,
    Printed,
    Step,
    left_attended,
    open_before,
    summed_depths,
)
from constructions.trees import CLOSE, children, from_text, tokens
from verify.engines.tree_rules import openings
from verify.engines.trees import Batch

MOST_TOKENS = 120
PITCH, LEVEL, MARGIN, TITLE = 34, 40, 24, 44
RIGHT, WRONG, LEFT, INK = "#1f5fa8", "#b3261e", "#3a7d44", "#222222"
SANS = "font-family:sans-serif"


@dataclass(frozen=True)
class Panel:
    """One drawing: a title, the depths shown, and where the two heads attend."""

    title: str
    depths: Sequence[int]
    left: Mapping[int, int]
    right: Mapping[int, int]


def panels(symbols: Sequence[str], length: int) -> tuple[Panel, Panel]:
    """The heads as printed (k = 0, the only k that fits seven columns) and as repaired."""
    printed = Printed(Depth.PRINTED, Step.LITERAL, 0, length)
    looks = {i: _attended(printed, i, symbols) for i in openings(symbols)}
    ahead = {i: min(left_attended(i, length)) for i in openings(symbols)}
    batch = Batch((tuple(symbols),))
    left, right = batch.attended("left")[0], batch.attended("right")[0]
    return (
        Panel("as printed", summed_depths(symbols), ahead, looks),
        Panel(
            "as repaired",
            open_before(symbols),
            {i: int(left[i - 1]) + 1 for i in openings(symbols)},
            {i: int(right[i - 1]) + 1 for i in openings(symbols)},
        ),
    )


def _attended(head: Printed, i: int, symbols: Sequence[str]) -> int:
    """Where a printed head looks; 0 if even many digits do not tell."""
    try:
        return head.attended(i, symbols)
    except Undecided:
        return 0


class Canvas:
    """An SVG element that things are drawn on."""

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        self.root = ElementTree.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "width": f"{width:g}",
                "height": f"{height:g}",
                "viewBox": f"0 0 {width:g} {height:g}",
                "role": "img",
            },
        )
        ElementTree.SubElement(self.root, "title").text = title
        ElementTree.SubElement(self.root, "desc").text = description
        self.add("rect", width=width, height=height, fill="#ffffff")

    def add(self, name: str, text: str = "", **attributes: Any) -> None:
        """An element; attribute names use - for _."""
        found = {key.replace("_", "-"): _plain(value) for key, value in attributes.items()}
        ElementTree.SubElement(self.root, name, found).text = text or None

    def word(self, x: float, y: float, text: str, size: int = 12, fill: str = INK) -> None:
        """Text, centred."""
        self.add(
            "text", text, x=x, y=y, font_size=size, fill=fill, text_anchor="middle", style=SANS
        )

    def line(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """An edge of the tree."""
        self.add("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], stroke="#888888")

    def arc(self, start: float, end: float, y: float, up: bool, right: bool, colour: str) -> None:
        """An arc from one position to another, with a dot at its end; dashed where it is wrong."""
        lift = 10 + min(60.0, abs(end - start) / 4)
        middle = y - lift if up else y + lift
        dash = {} if right else {"stroke_dasharray": "5 3"}
        stroke = colour if right else WRONG
        path = f"M {start:g} {y:g} Q {(start + end) / 2:g} {middle:g} {end:g} {y:g}"
        if start == end:
            sides = f"{start - 14:g} {middle:g} {start + 14:g} {middle:g}"
            path = f"M {start:g} {y:g} C {sides} {end:g} {y:g}"
        self.add("path", d=path, fill="none", stroke=stroke, stroke_width=1.6, **dash)
        self.add("circle", cx=end, cy=y, r=2.6, fill=stroke)
        if not right:
            self.word((start + end) / 2, (y + middle) / 2 + 4, "✗", 13, WRONG)

    def text(self) -> str:
        """The drawing as SVG."""
        ElementTree.indent(self.root)
        return ElementTree.tostring(self.root, encoding="unicode") + "\n"


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def draw(symbols: Sequence[str], length: int) -> str:
    """The SVG of a tree given by its string, for positions up to `length`."""
    both = panels(symbols, length)
    wide = PITCH * len(symbols) + 2 * MARGIN
    beside = wide <= 640
    high = panel_height(symbols)
    size = (2 * wide, high) if beside else (wide, 2 * high)
    name = "".join(symbols)
    canvas = Canvas(*size, f"Heads on {name}", describe(symbols, both))
    for k, panel in enumerate(both):
        origin = (k * wide, 0.0) if beside else (0.0, k * high)
        draw_panel(canvas, symbols, panel, origin)
    return canvas.text()


def describe(symbols: Sequence[str], both: Sequence[Panel]) -> str:
    """The drawing in words: how many heads look at the wrong place."""
    wanted = children(symbols)
    counts = [sum(panel.right[i] != wanted[i][1] for i in wanted) for panel in both]
    return (
        f"{len(wanted)} opening brackets; right heads that miss the right child: {counts[0]} as "
        f"printed, {counts[1]} as repaired."
    )


def panel_height(symbols: Sequence[str]) -> float:
    """Room for the title, the tree, arcs, the string, three rows of numbers, arcs below."""
    return TITLE + LEVEL * (max(open_before(symbols)) + 1) + 80 + 80 + 90


def draw_panel(
    canvas: Canvas, symbols: Sequence[str], panel: Panel, origin: tuple[float, float]
) -> None:
    """One panel: tree, arcs, string, numbers."""
    left, top = origin
    x = {i: left + MARGIN + PITCH * (i - 0.5) for i in range(1, len(symbols) + 1)}
    levels = open_before(symbols)
    y = {i: top + TITLE + LEVEL * (level + 0.5) for i, level in enumerate(levels, 1)}
    middle = left + MARGIN + PITCH * len(symbols) / 2
    canvas.word(middle, top + 20, panel.title, 15)
    canvas.word(middle, top + 36, "above: right heads, below: left heads", 10, "#666666")
    draw_tree(canvas, symbols, x, y)
    row = top + TITLE + LEVEL * (max(levels) + 1) + 70
    draw_string(canvas, symbols, panel, x, row)
    for i, (first, second) in children(symbols).items():
        if panel.right[i]:
            canvas.arc(x[i], x[panel.right[i]], row - 16, True, panel.right[i] == second, RIGHT)
        canvas.arc(x[i], x[panel.left[i]], row + 62, False, panel.left[i] == first, LEFT)


def draw_tree(
    canvas: Canvas, symbols: Sequence[str], x: Mapping[int, float], y: Mapping[int, float]
) -> None:
    """Edges from each opening bracket to its children, then the nodes."""
    for i, pair in children(symbols).items():
        for child in pair:
            canvas.line((x[i], y[i]), (x[child], y[child]))
    for i, symbol in enumerate(symbols, 1):
        if symbol != CLOSE:
            canvas.add("circle", cx=x[i], cy=y[i], r=9, fill="#eeeeee", stroke="#888888")
            canvas.word(x[i], y[i] + 4, symbol, 11)


def draw_string(
    canvas: Canvas, symbols: Sequence[str], panel: Panel, x: Mapping[int, float], row: float
) -> None:
    """The string, and under each symbol its position and its depth in this panel."""
    for i, symbol in enumerate(symbols, 1):
        canvas.word(x[i], row, symbol, 16)
        canvas.word(x[i], row + 20, str(i), 10, "#666666")
        canvas.word(x[i], row + 38, str(panel.depths[i - 1]), 12)
    start = x[1] - PITCH / 2 - 2
    for y, label in ((row + 20, "i"), (row + 38, "d")):
        canvas.word(start, y, label, 10, "#666666")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser(
        "draw",
        help="draw a tree and where each head attends (SVG)",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("tree", help="a tree, such as '[a[bb]]' or '[ x [ y z ] ]'")
    parser.add_argument("--out", type=Path, help="file to write; standard output if left out")
    parser.add_argument("--length", type=int, help="T; the tree's own length if left out")
    parser.set_defaults(func=main)


def main(args: argparse.Namespace) -> int:
    """Draw the tree; bad input raises `InputError`."""
    symbols = tokens(from_text(args.tree))
    length = args.length if args.length is not None else len(symbols)
    if len(symbols) > MOST_TOKENS:
        raise InputError("tree", f"{len(symbols)} tokens", f"at most {MOST_TOKENS} to draw")
    if length < len(symbols):
        raise InputError("--length", length, f"at least {len(symbols)}, the tree's own length")
    text = draw(symbols, length)
    if args.out is None:
        sys.stdout.write(text)
        return 0
    try:
        args.out.write_text(text, encoding="utf-8")
    except OSError as error:
        expected = f"a file that can be written ({error.strerror})"
        raise InputError("--out", str(args.out), expected) from None
    return 0
