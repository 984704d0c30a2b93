"""`assay precision FILE --lengths A:B`: how precise each model is against the length, in each format.

One sentence first, then the errors at the last length in float64 of Theorem 1's module and of the
decoder; with `--all` the sizes of states, the longest safe lengths, and all errors: absolute and
relative to each state's own size, certified for all words and measured on some. Exit status 0, 3 for
a measured error above a certified one (a fault of this program), 4 for bad input.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from constructions.core.atomic_files import write_file
from verify.display.arguments import (
    add_plot,
    automaton_of,
    ends,
    figure_kind,
    naming_options,
    positive,
)
from verify.display.progress import Progress
from verify.display.screen import Screen
from verify.display.terminal import say

if TYPE_CHECKING:
    from verify.automaton.precision import PrecisionReport, PrecisionRow

SCHEMA = "assay-precision-1"
HELP = "absolute and relative errors of every model against the length, in every format"
DESCRIPTION = "A family such as hmm:2:7, or a FILE with an automaton over words."
EXAMPLES = """examples:
  assay precision hmm.json --lengths 1:64
  assay precision model.txt --lengths 8:1024 --eps 1e-9 --plot precision.svg
  assay precision mess3 --lengths 1:256 --json

exit status: 0; 3 a fault of this program; 4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("automaton", metavar="FILE|FAMILY")
    parser.add_argument(
        "--lengths", default="1:64", metavar="A:B", help="A, B and powers of two between (1:64)"
    )
    parser.add_argument("--eps", default="1e-6", metavar="E", help="error to stay below (1e-6)")
    parser.add_argument("--all", action="store_true", help="all models, formats and lengths")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_plot(parser, "errors and sizes")


@naming_options
def command(args: argparse.Namespace) -> int:
    """Compute the errors, then print or draw them."""
    from verify.automaton.precision import LONGEST, precision

    first, last = ends(args.lengths, "--lengths", 1, LONGEST)
    eps = positive(args.eps, "--eps")
    form = figure_kind(args.plot, "--plot")
    with Progress(Screen(stderr=True)) as progress:
        report = precision(automaton_of(args.automaton), first, last, eps, progress)
    if form:
        write_file(args.plot, plot(report, form), "--plot")
    if args.json:
        say(json.dumps({"schema": SCHEMA, **asdict(report)}, indent=1, ensure_ascii=False))
    else:
        show(report, Screen(), args.all)
    return 0


def show(report: PrecisionReport, console: Screen, everything: bool = False) -> None:
    """The sentence, then the two rows that matter most, or all tables."""
    console.text(report.sentence, style="bold")
    if everything:
        _show_sizes(report, console)
    rows = [row for row in report.rows if everything or is_main(row, report)]
    errors = [tuple(asdict(row).values()) for row in rows]
    cells = [[cell or "–" for cell in row] for row in errors if any(row[3:])]
    names = ("model", "format", "T", *(f"{kind}, {evidence}" for evidence in ("certified", "measured")
                                       for kind in ("absolute", "relative")))  # fmt: skip
    title = "Errors of the states of every word of at most T letters; –: none is known"
    console.table(names, cells, title)
    console.text(report.measured)
    if not everything:
        console.print("--all: sizes of states, other models, formats and lengths", markup=False)


def is_main(row: PrecisionRow, report: PrecisionReport) -> bool:
    """Theorem 1's module and the decoder, in float64 at the last length."""
    from verify.automaton.precision import DECODERS, EXACT

    models = (EXACT, DECODERS["safetensors"])
    return row.model in models and row.format == "float64" and row.length == report.lengths[-1]


def _show_sizes(report: PrecisionReport, console: Screen) -> None:
    """The sizes of states, and the longest safe lengths."""
    sizes = [(row.length, row.least, row.evidence, row.greatest) for row in report.sizes]
    names = ("T", "least", "evidence of the least", "greatest, certified")
    console.table(names, sizes, "Sizes of states, over all words")
    safe = [(row.model, row.format, row.absolute or "none", row.relative or "none")
            for row in report.safe]  # fmt: skip
    title = f"Longest of these lengths certified within {report.eps}"
    console.table(("model", "format", "absolute", "relative"), safe, title)


def plot(report: PrecisionReport, form: str) -> bytes:
    """Certified absolute errors in each format against T, beside the greatest state."""
    from verify.automaton.precision import DECODERS, EXACT

    models = (EXACT, DECODERS["safetensors"])
    keys = dict.fromkeys((row.model, row.format) for row in report.rows if row.model in models)
    series = [
        curve(f"{model}, {form}", [(row.length, row.absolute) for row in report.rows
                                   if (row.model, row.format) == (model, form)], "line")
        for model, form in keys
    ]  # fmt: skip
    series.append(curve("greatest state", [(r.length, r.greatest) for r in report.sizes], "dashed"))
    from reports.figures import image

    figure = {
        "id": "precision",
        "title": "Certified error against length, beside the greatest state",
        "alt": report.sentence,
        "xlabel": "length T",
        "ylabel": "absolute error",
        "xscale": "log",
        "yscale": "log",
        "series": [one for one in series if len(one["x"]) > 1],
    }
    return image(figure, form)


def curve(label: str, points: Sequence[tuple[int, str | None]], style: str) -> dict[str, Any]:
    """A series of the points that are numbers which a plot can show."""
    numbers = [(str(x), y) for x, y in points if y is not None and float(y) > 0]
    x, y = ([pair[side] for pair in numbers] for side in (0, 1))
    return {"label": label, "x": x, "y": y, "style": style}
