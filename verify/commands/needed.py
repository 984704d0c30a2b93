"""`assay needed FILE|FAMILY --lengths 8:64`: the C that softmax needs against T, circle and decoder.

Every C is certified for all words of its length: the errors of all T + 1 states together stay within ε
(Definition 3.2). Lengths double from A to B.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from constructions.automata.entries import check_rational
from constructions.core.atomic_files import write_file
from verify.automaton.numbers import shown
from verify.bounds.decoder_sweep import NeededSaturation, needed_saturations
from verify.display.arguments import automaton_of, ends, positive
from verify.display.figure import kind, logarithmic
from verify.display.progress import Progress
from verify.display.screen import Screen
from verify.display.terminal import say

LONGEST = 1024

HELP = "the C that softmax needs against T: the paper's circle and the decoder"
DESCRIPTION = "A family such as hmm:2:7, or a FILE with an automaton over words."
EXAMPLES = """examples:
  assay needed hmm:2:7
  assay needed hmm.json --lengths 8:128 --eps 1e-9 --plot needed.svg

exit status: 0; 4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("automaton", metavar="FILE|FAMILY")
    parser.add_argument("--lengths", default="8:64", metavar="A:B", help="A, 2A, … up to B (8:64)")
    parser.add_argument("--eps", default="1e-6", metavar="E", help="error to stay below (1e-6)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--plot", type=Path, metavar="FIGURE", help="draw both against T")


def command(args: argparse.Namespace) -> int:
    """Compute, then show or draw."""
    eps, (start, end) = positive(args.eps, "--eps"), ends(args.lengths, "--lengths", 2, LONGEST)
    wanted = [start << k for k in range(LONGEST.bit_length()) if start << k <= end]
    form = None if args.plot is None else kind(args.plot, "--plot")
    automaton = automaton_of(args.automaton)
    check_rational(automaton)
    with Progress(Screen(stderr=True), f"constants for {len(wanted)} lengths"):
        rows = needed_saturations(automaton, wanted, eps)
    if form is not None:
        write_file(args.plot, plot(rows, form), "--plot")
    if args.json:
        say(json.dumps([{name: str(value) for name, value in vars(row).items()} for row in rows]))
    else:
        show(rows, eps, Screen())
    return 0


def show(rows: Sequence[NeededSaturation], eps: Fraction, console: Screen) -> None:
    """Print the C that the longest words need, then one line for each length."""
    console.text(sentence(rows[-1], eps))
    numbers = [(row.length, row.circle, row.decoder, row.ratio) for row in rows]
    names = ("T", "C, circle", "C, decoder", "circle / decoder")
    console.table(names, ([str(t), *(f"{float(x):.6g}" for x in more)] for t, *more in numbers))


def sentence(row: NeededSaturation, eps: Fraction) -> str:
    """The answer at one length."""
    return (
        f"Up to T = {row.length}, to stay within {shown(eps)}: C = {float(row.circle):.6g} on "
        f"Theorem 2's circle, {float(row.decoder):.6g} in the decoder."
    )


def plot(rows: Sequence[NeededSaturation], form: str) -> bytes:
    """Both constants against T, on logarithmic axes."""
    from reports.figures import image

    at = [str(row.length) for row in rows]
    constants = {
        "Theorem 2 (circle)": [str(float(row.circle)) for row in rows],
        "decoder": [str(float(row.decoder)) for row in rows],
    }
    series = [{"label": label, "style": "line", "x": at, "y": y} for label, y in constants.items()]
    alt = f"C against T from {at[0]} to {at[-1]}, for Theorem 2's circle and for the decoder"
    figure = logarithmic(
        "needed", "The C that softmax needs", alt, ("T", "C that certainly suffices"), series
    )
    return image(figure, form)
