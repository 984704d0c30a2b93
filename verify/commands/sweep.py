"""`assay sweep FILE|FAMILY --length T --saturation A:B:N`: error against C, beside both bounds.

Shows for each C the largest error of a product (spectral norm, over all positions and words),
Equation (1) iterated as printed, the corrected recursion, and the two ratios; `LEGEND` says what each
column is. Every number is enclosed by balls; a row is decided when its error is known to be positive
or exactly 0. Exit status 0, or 4 for bad input.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import flint
from rich.console import Console
from rich.table import Column, Table

from constructions.automata.named import FAMILIES
from constructions.automata.wfa import WFA
from constructions.core.atomic_files import check_distinct, check_folder, write_file
from constructions.core.errors import InputError
from constructions.core.numbers import number, whole_number
from constructions.theorem1 import span
from reports.labels import count_of
from verify.bounds.leak import gap
from verify.bounds.saturation import BITS, uniform_bounds
from verify.bounds.sweep import SweepRow, chosen_words, decay_rate, grid, ratio, rows
from verify.display.arguments import add_large, automaton_of, check_patience
from verify.display.figure import kind
from verify.display.progress import Progress, silent
from verify.display.screen import Screen
from verify.display.terminal import say

LONGEST, MOST_POINTS, LARGEST_C = 128, 512, 10**7
ENTRY = 5e-5  # seconds for an entry of a state matrix at one position, measured
COLUMNS = (
    "saturation", "layer", "error", "printed", "stepwise", "redefined", "corrected", "all_words",
    "error_over_printed", "error_over_corrected", "decided", "working_digits",
)  # fmt: skip
LEGEND = (
    ("error", "largest spectral norm of a product's error, last layer"),
    ("Eq. (1) iterated", "as printed, from the measured attention error of layer 1 on"),
    ("corrected", "the corrected recursion, from what each layer measured"),
    ("error / …", "above 1, the error exceeds that bound"),
    ("decided", "whether the error is known to be positive, or exactly 0"),
    ("working digits", "decimal digits that were computed with"),
)
MORE = "--csv and --json have every layer and more bounds; --help names them."
LABELS = {
    "error": ("error, measured", "line"),
    "printed": ("Equation (1), iterated as printed", "dashed"),
    "corrected": ("corrected recursion", "dashed"),
    "all_words": ("corrected, for all words of length T", "dashed"),
}


@dataclass(frozen=True)
class Sweep:
    """All rows of a sweep, and what they are about."""

    name: str
    automaton: WFA
    length: int
    words: int
    every: bool
    rows: tuple[SweepRow, ...]
    all_words: tuple[tuple[flint.arb, ...], ...]


EXAMPLES = """examples:
  assay sweep scalar:2 --length 8 --saturation 100:400:4
  assay sweep hmm.json --length 8 --saturation 100:400:4 --csv sweep.csv --plot sweep.svg

columns of --csv and --json, for every layer:
  error        largest spectral norm of a product's error
  printed      Equation (1), iterated from the measured attention error of layer 1 on
  stepwise     Equation (1) from the measured error of the layer before
  redefined    the same with the proof's redefined error, which counts the layer's own attention error
  corrected    the corrected recursion, from what each layer measured
  all_words    the corrected recursion with norms that hold for all words of length T

exit status: 0; 4 bad input"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser(
        "sweep",
        help="error of the soft model against C, with the printed and the corrected bound",
        description=f"FAMILY is one of {', '.join(FAMILIES)}, with parameters after colons, such as "
        "scalar:2, k-counting:2, rotation:1/8, hmm:2:7; otherwise a FILE with an automaton.",
    )
    parser.add_argument("automaton", metavar="FILE|FAMILY")
    parser.add_argument("--length", required=True, metavar="T", help="length of the words")
    parser.add_argument(
        "--saturation",
        required=True,
        metavar="A:B:N",
        help="N values of C from A to B, or one value",
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write every layer as CSV")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw error and bounds")
    add_large(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Sweep, then show or write."""
    length, constants = (
        whole_number(args.length, "--length", 1, LONGEST),
        saturations(args.saturation),
    )
    form = None if args.plot is None else kind(args.plot, "--plot")
    if args.csv is not None:
        check_folder(args.csv, "--csv")
        check_distinct(args.csv, "--csv", Path(args.automaton))
    with Progress(Screen(stderr=True)) as progress:
        swept = sweep(args.automaton, length, constants, progress, args.large)
    if args.csv is not None:
        write_file(args.csv, as_csv(swept).encode(), "--csv")
    if form is not None:
        write_file(args.plot, as_plot(swept, form), "--plot")
    if args.json:
        say(json.dumps(as_data(swept), indent=2))
    else:
        show(swept, Screen())
    return 0


def saturations(text: str) -> list[Fraction]:
    """A:B:N as N values of C from A to B; a single number stands for itself."""
    parts = text.split(":") if ":" in text else [text, text, "1"]
    if len(parts) != 3:
        raise InputError("--saturation", text, "A:B:N, or one number")
    first, last = _constant(parts[0]), _constant(parts[1])
    count = whole_number(parts[2], "N of --saturation", 1, MOST_POINTS)
    if last < first:
        raise InputError("--saturation", text, "A ≤ B")
    return grid(first, last, count)


def _constant(text: str) -> Fraction:
    value = number(text, "--saturation") if len(text) <= 40 else None
    if value is None or not 0 < value <= LARGEST_C:
        raise InputError("--saturation", text, f"C > 0 and at most {LARGEST_C}")
    return value


def sweep(
    text: str,
    length: int,
    constants: Sequence[Fraction],
    progress: Callable[[str], None] = silent,
    force: bool = True,
) -> Sweep:
    """All rows, with the bounds for all words beside them; `progress` hears what is being done."""
    automaton = automaton_of(text)
    words, every = chosen_words(automaton, length)
    seconds = len(words) * length * len(constants) * automaton.n**2 * ENTRY
    size = f"{automaton.n} states, {len(words)} words, {len(constants)} values of C"
    check_patience(seconds, size, force, text)
    found = rows(
        automaton, words, length, constants, progress=lambda i, n: progress(f"word {i} of {n}")
    )
    progress("bounds for all words")
    with flint.ctx.workprec(BITS):
        known = uniform_bounds(automaton, length)
        bounds = tuple(tuple(known.errors(constant)) for constant in constants)
    return Sweep(text, automaton, length, len(words), every, found, bounds)


def text_of(value: flint.arb | None, digits: int = 6) -> str:
    """A ball as its leading digits."""
    return "–" if value is None else str(value.str(digits, radius=False))


def layer_cells(swept: Sweep, index: int, layer: int) -> dict[str, Any]:
    """The numbers of one layer at one C, as text."""
    seen = swept.rows[index]
    error = seen.errors[layer]
    bounds = {"printed": seen.printed, "stepwise": seen.stepwise, "redefined": seen.redefined,
              "corrected": seen.corrected, "all_words": swept.all_words[index]}  # fmt: skip
    with flint.ctx.workprec(seen.run.bits):
        over = [ratio(error, seen.printed[layer]), ratio(error, seen.corrected[layer])]
    return {
        "saturation": str(seen.run.saturation), "layer": layer + 1, "error": text_of(error, 15),
        **{name: text_of(values[layer], 15) for name, values in bounds.items()},
        "error_over_printed": text_of(over[0], 8), "error_over_corrected": text_of(over[1], 8),
        "decided": "yes" if seen.run.is_decided else "no", "working_digits": seen.run.digits,
    }  # fmt: skip


def every_layer(swept: Sweep) -> list[dict[str, Any]]:
    """All layers at all C."""
    return [
        layer_cells(swept, index, layer)
        for index, seen in enumerate(swept.rows)
        for layer in range(len(seen.errors))
    ]


def as_csv(swept: Sweep) -> str:
    """One line for each C and layer."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(every_layer(swept))
    return out.getvalue()


def as_data(swept: Sweep) -> dict[str, Any]:
    """The sweep as plain data; numbers are text."""
    return {
        "automaton": swept.name, "states": swept.automaton.n, "length": swept.length,
        "words": swept.words, "all_words": swept.every, "rows": every_layer(swept),
        "decay_rate": [text_of(rate, 8) for rate in _rates(swept)],
        "gap": text_of(_gap(swept), 8),
    }  # fmt: skip


def _gap(swept: Sweep) -> flint.arb:
    with flint.ctx.workprec(64):
        return gap(span(swept.length))


def _rates(swept: Sweep) -> list[flint.arb]:
    positive = [seen for seen in swept.rows if seen.errors and seen.errors[-1] > 0]
    return decay_rate(positive)


def show(swept: Sweep, console: Console) -> None:
    """What came out, then the last layer at each C as a table."""
    console.print(outcome(swept), style="bold", markup=False, highlight=False)
    words = f"{'all ' if swept.every else ''}{swept.words} words" if swept.words > 1 else "one word"
    console.print(
        f"{swept.name}: n = {swept.automaton.n}, T = {swept.length}, {words}, exact products, soft "
        "attention; largest error over positions and words",
        markup=False, highlight=False, soft_wrap=True,
    )  # fmt: skip
    names = ("C", "error", "Eq. (1)\niterated", "corrected", "error /\nEq. (1)",
             "error /\ncorrected", "decided", "working\ndigits")  # fmt: skip
    columns = [Column(name, overflow="fold") for name in names]
    table = Table(*columns, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for index, seen in enumerate(swept.rows):
        table.add_row(*_shown(swept, index) if seen.errors else _without_layers(seen))
    console.print(table)
    for line in _below(swept):
        console.print(line, highlight=False)


def outcome(swept: Sweep) -> str:
    """At how many C the error certainly exceeds each bound."""
    last = [seen for seen in swept.rows if seen.errors]
    if not last:
        return "One letter takes no layer, so that there is no error."
    said = []
    for name, bounds in (
        ("Equation (1) as printed", [seen.printed[-1] for seen in last]),
        ("the corrected bound", [seen.corrected[-1] for seen in last]),
    ):
        over = sum(
            _exceeds(seen.errors[-1], bound) for seen, bound in zip(last, bounds, strict=True)
        )
        said.append(f"{name} at {over or 'none'}")
    values = count_of(len(last), "value")
    return f"Of {values} of C, the error certainly exceeds {said[0]}, {said[1]}."


def _exceeds(error: flint.arb | None, bound: flint.arb | None) -> bool:
    return error is not None and bound is not None and bool(error > bound)


def _below(swept: Sweep) -> Iterator[str]:
    """What stands below the table: the rate of decay, and what each column is."""
    if rates := _rates(swept):
        yield (f"Measured decay rate of the error in C: {text_of(rates[-1])} (predicted: 1 − cos(π/M) "
               f"= {text_of(_gap(swept))}, M = {span(swept.length)})")  # fmt: skip
    for name, meaning in LEGEND:
        yield f"  {name:<17} {meaning}"
    yield MORE


def _shown(swept: Sweep, index: int) -> tuple[str, ...]:
    seen = swept.rows[index]
    cells = layer_cells(swept, index, len(seen.errors) - 1)
    last = [text_of(x, 4) for x in (seen.errors[-1], seen.printed[-1], seen.corrected[-1])]
    over = [_short(cells[name]) for name in ("error_over_printed", "error_over_corrected")]
    constant = f"{float(seen.run.saturation):.7g}"
    return (constant, *last, *over, cells["decided"], str(cells["working_digits"]))


def _short(text: str) -> str:
    """A ratio with five digits."""
    return text if text == "–" else text_of(flint.arb(text), 5)


def _without_layers(seen: SweepRow) -> tuple[str, ...]:
    """T = 1: no layer, no error."""
    constant = f"{float(seen.run.saturation):.7g}"
    return (constant, "0", "0", "0", "–", "–", "yes", str(seen.run.digits))


def as_plot(swept: Sweep, form: str) -> bytes:
    """log₁₀ of error and bounds against C; these numbers can be too small for floats."""
    from reports.figures import image

    title = f"{swept.name}, T = {swept.length}"
    figure = {
        "id": "sweep",
        "title": title,
        "alt": f"The error of {title} against C, with the printed and the corrected bound",
        "xlabel": f"C ({title})",
        "ylabel": "log₁₀ of the error",
        "xscale": "linear",
        "yscale": "linear",
        "series": [_series(swept, name) for name in LABELS],
    }
    return image(figure, form)


def _series(swept: Sweep, name: str) -> dict[str, Any]:
    """One curve of the plot, without the places where it is 0."""
    label, style = LABELS[name]
    points = [(cells["saturation"], _log10(cells[name])) for cells in _last(swept)]
    places = [(str(float(x)), str(y)) for x, y in points if y is not None]
    x, y = [at for at, _ in places], [value for _, value in places]
    return {"label": label, "style": style, "x": x, "y": y}


def _last(swept: Sweep) -> list[dict[str, Any]]:
    cells = [
        layer_cells(swept, index, len(seen.errors) - 1)
        for index, seen in enumerate(swept.rows)
        if seen.errors
    ]
    return [{**cell, "saturation": Fraction(cell["saturation"])} for cell in cells]


def _log10(text: str) -> float | None:
    with flint.ctx.workprec(64):
        value = flint.arb(text)
        return float(value.log() / flint.arb(10).log()) if value > 0 else None
