"""`assay draw TREE`: a tree, its string, its depths, and where each head attends, as SVG.

Four panels: the right and the left head of Appendix C, each as printed and as repaired. Each symbol has its
position i and its depth d: the printed sum Σ m_{j+1} for the printed right head, the number of brackets open
before i for the others. An arc goes from an opening bracket to the position that its head attends to; a wrong
target is dashed and crossed. `reports` draws; this module computes the arcs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from constructions.automata.trees import children, from_text, tokens
from constructions.core.atomic_files import write_file
from constructions.core.errors import InputError
from constructions.core.exact import Undecided
from constructions.variants.theorem3_printed import (
    DepthReading,
    PrintedHead,
    StepReading,
    left_targets,
    open_before,
)
from reports.drawing import inline
from reports.figures import standalone
from verify.display.arguments import figure_kind
from verify.display.terminal import say
from verify.exactness.theorem3 import targets
from verify.exactness.tree_positions import arcs, openings

MOST_TOKENS = 120


def heads(symbols: Sequence[str]) -> list[dict[str, Any]]:
    """Right and left heads as printed (k = 0, the only k that fits seven columns) and repaired."""
    length = len(symbols)
    printed = PrintedHead(DepthReading.PRINTED, StepReading.LITERAL, 0, length)
    places = {i: _attended(printed, i, symbols) for i in openings(symbols)}
    looks = {i: j for i, j in places.items() if j is not None}
    ahead = {i: min(left_targets(i, length)) for i in openings(symbols)}
    left = {i: first for i, (first, _) in children(symbols).items()}
    right = {i: second for i, (_, second) in children(symbols).items()}
    return [
        arcs("right head as printed", looks, right, printed.depths(symbols)),
        arcs("right head as repaired", _repaired("right", symbols), right),
        arcs("left head as printed", ahead, left),
        arcs("left head as repaired", _repaired("left", symbols), left),
    ]


def _attended(head: PrintedHead, i: int, symbols: Sequence[str]) -> int | None:
    """Return the position that a printed head attends to; None if even many digits do not decide."""
    try:
        return head.target(i, symbols)
    except Undecided:
        return None


def _repaired(side: str, symbols: Sequence[str]) -> dict[int, int]:
    """Return the position that a repaired head attends to from each opening bracket."""
    found = targets(symbols, side)
    return {i: found[i - 1] + 1 for i in openings(symbols)}


def drawing(symbols: Sequence[str]) -> dict[str, Any]:
    """Return the drawing of a tree given by its string."""
    found = heads(symbols)
    return {
        "id": "heads",
        "title": f"Heads on {''.join(symbols)}",
        "alt": describe(len(openings(symbols)), found),
        "tokens": list(symbols),
        "depths": open_before(symbols),
        "heads": found,
    }


def describe(brackets: int, found: Sequence[dict[str, Any]]) -> str:
    """The drawing in words: how many heads look at the wrong place."""
    counts = ", ".join(f"{head['label']} {len(head['missed'])}" for head in found)
    return f"{brackets} opening brackets; arcs that miss the child: {counts}."


def draw(symbols: Sequence[str]) -> str:
    """Return the SVG of a tree given by its string."""
    return standalone(inline(drawing(symbols))).decode()


HELP = "draw a tree and where each head attends (SVG)"
DESCRIPTION = (
    "Draw a tree with its string, its depths, and what the right and the left head of "
    "Appendix C attend to, as printed and as repaired. A wrong target is dashed and crossed."
)
EXAMPLES = """examples:
  assay draw '[a[bb]]' --out tree.svg

exit status: 0; 4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("tree", help="a tree, such as '[a[bb]]' or '[ x [ y z ] ]'")
    parser.add_argument(
        "--out", type=Path, metavar="FILE.svg", help="file to write; standard output if left out"
    )


def command(args: argparse.Namespace) -> int:
    """Draw the tree; bad input raises `InputError`."""
    figure_kind(args.out, "--out", ("svg",))
    symbols = tokens(from_text(args.tree))
    if len(symbols) > MOST_TOKENS:
        raise InputError("tree", f"{len(symbols)} tokens", f"at most {MOST_TOKENS} to draw")
    text = draw(symbols)
    if args.out is None:
        say(text, end="")
        return 0
    write_file(args.out, text.encode("utf-8", "backslashreplace"), "--out")
    say(f"Written: {args.out}")
    return 0
