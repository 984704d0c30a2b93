"""`assay sweep FILE|FAMILY --length T --saturation A:B:N`: error against C, beside both bounds.

Shows for each C the largest error of a product (spectral norm, over all positions and words),
Equation (1) iterated as printed and layer by layer, and the corrected recursion; `LEGEND` explains each
column. With `--activation` and `--mlp-error` the model has its MLPs. Every number is enclosed by balls;
a row is decided when its error is known to be positive or exactly 0. Exit status 0, or 4 for bad input.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import flint

from constructions.automata.named import FAMILIES
from constructions.automata.wfa import WFA
from constructions.blocks.multiplication import Multiplier, slim_multiplier
from constructions.core.atomic_files import write_file
from constructions.core.errors import InputError
from constructions.core.exact import ball, ceiling
from constructions.core.numbers import number, whole_number
from constructions.theorem1 import span
from reports.labels import count_of
from verify.bounds.leak import gap
from verify.bounds.measured import exact_scan
from verify.bounds.outward import decimal_above, decimal_below
from verify.bounds.recursion import printed_factor
from verify.bounds.saturation import BITS, uniform_bounds
from verify.bounds.sweep import SweepRow, Word, chosen_words, decay_rate, grid, ratio, rows
from verify.display.arguments import (
    add_large,
    add_plot,
    automaton_of,
    check_patience,
    figure_kind,
)
from verify.display.progress import Progress, silent
from verify.display.screen import Screen
from verify.display.terminal import plain, say

LONGEST, MOST_POINTS, LARGEST_C = 128, 512, 10**7
ACTIVATIONS, FINEST_MLP = ("tanh", "softplus", "gelu"), Fraction(1, 10**60)
ENTRY = 5e-5  # seconds for an entry of a state matrix at one position, measured
LEGEND = (
    ("error", "largest spectral norm of a product's error, last layer"),
    ("Eq. (1)", "as printed, iterated from the attention error of layer 1 on"),
    ("by layer", "largest ratio of a layer's error to Eq. (1) from the true error before"),
    ("corrected", "the corrected recursion, from what each layer measured"),
    ("error / …", "above 1, the error exceeds that bound"),
    ("decided", "whether the error is known to be positive, or exactly 0"),
)
MORE = "--json has every layer and more bounds; --help names them."
SHOWN_WORDS, WIDEST_WORDS = 3, 60


@dataclass(frozen=True)
class Sweep:
    """The rows of a sweep, with its automaton and words."""

    name: str
    automaton: WFA
    length: int
    words: tuple[Word, ...]
    every: bool
    rows: tuple[SweepRow, ...]
    all_words: tuple[tuple[flint.arb | None, ...], ...]
    network: Multiplier | None = None
    exact: tuple[SweepRow, ...] = ()

    @property
    def block(self) -> str:
        """The kind of products: exact, or MLPs with their proven error."""
        if self.network is None:
            return "exact products"
        bound = text_of(ball(self.network.norm_bound), 3)
        return f"{self.network.activation} MLPs with ε_mlp ≤ {bound} (proven)"


HELP = "error of the soft model against C, with the printed and the corrected bound"
DESCRIPTION = (
    f"FAMILY is one of {', '.join(FAMILIES)}, with parameters after colons, such as "
    "scalar:2, k-counting:2, rotation:1/8, hmm:2:7; otherwise a FILE with an automaton."
)
EXAMPLES = """examples:
  assay sweep scalar:2 --length 8 --saturation 100:400:4
  assay sweep hmm.json --length 8 --saturation 100:400:4 --plot sweep.svg
  assay sweep hmm.json --length 8 --saturation 100:900:5 --activation tanh --mlp-error 1e-12

fields of --json, for every layer:
  error        largest spectral norm of a product's error
  printed      Equation (1), iterated from the measured attention error of layer 1 on
  stepwise     Equation (1) from the measured error of the layer before
  redefined    the same with the proof's redefined error, which counts the layer's own attention error
  corrected    the corrected recursion, from what each layer measured
  all_words    the corrected recursion with norms that hold for all words of length T

exit status: 0; 4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("automaton", metavar="FILE|FAMILY")
    parser.add_argument("--length", required=True, metavar="T", help="length of the words")
    parser.add_argument(
        "--saturation",
        required=True,
        metavar="A:B:N",
        help="N values of C from A to B, or one value",
    )
    add_plot(parser, "error and bounds")
    parser.add_argument(
        "--activation", choices=ACTIVATIONS, help="run with MLPs of this activation"
    )
    parser.add_argument(
        "--mlp-error", metavar="E", help="with --activation: error of an entry of a product, 1e-12"
    )
    add_large(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def command(args: argparse.Namespace) -> int:
    """Sweep, then show or write."""
    length = whole_number(args.length, "--length", 1, LONGEST)
    constants = saturations(args.saturation)
    form = figure_kind(args.plot, "--plot")
    with Progress(Screen(stderr=True)) as progress:
        mlp = mlp_of(args.activation, args.mlp_error)
        swept = sweep(args.automaton, length, constants, progress, args.large, mlp)
    if form:
        write_file(args.plot, as_plot(swept, form), "--plot")
    if args.json:
        say(json.dumps(as_data(swept), indent=2))
    else:
        show(swept, Screen())
    return 0


def saturations(text: str) -> list[Fraction]:
    """Read A:B:N as N values of C from A to B, or a single number."""
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


def mlp_of(activation: str | None, error: str | None) -> tuple[str, Fraction] | None:
    """The activation and the error of an entry, both or none."""
    if activation is None and error is None:
        return None
    if activation is None:
        raise InputError("--activation", "nothing", f"one of {', '.join(ACTIVATIONS)}")
    value = number(error or "1e-12", "--mlp-error")
    if not FINEST_MLP <= value < 1:
        raise InputError("--mlp-error", str(error), "a number from 1e-60 to 1")
    return activation, value


def sweep(
    text: str,
    length: int,
    constants: Sequence[Fraction],
    progress: Callable[[str], None] = silent,
    force: bool = True,
    mlp: tuple[str, Fraction] | None = None,
) -> Sweep:
    """Compute the rows and the bounds for all words; `progress` is called with each step."""
    automaton = automaton_of(text)
    words, every = chosen_words(automaton, length)
    seconds = len(words) * length * len(constants) * automaton.n**2 * ENTRY
    size = f"{automaton.n} states, {len(words)} words, {len(constants)} values of C"
    check_patience(seconds, size, force, text)
    network = None if mlp is None else network_for(automaton, words, length, *mlp)

    def run(block: Multiplier | None) -> tuple[SweepRow, ...]:
        step = lambda i, n: progress(f"word {i} of {n}")  # noqa: E731
        return rows(automaton, words, length, constants, block, step)

    found = run(network)
    exact = () if network is None else run(None)
    progress("bounds for all words")
    with flint.ctx.workprec(BITS):
        known = uniform_bounds(automaton, length)
        # An MLP is proven on what these words reach: if they are not all words, nothing is known.
        mlp_error = 0 if network is None else network.norm_bound
        known_for_all = network is None or every
        bounds = tuple(
            tuple(bound if known_for_all else None for bound in known.errors(constant, mlp_error))
            for constant in constants
        )
    return Sweep(text, automaton, length, words, every, found, bounds, network, exact)


def network_for(
    automaton: WFA, words: Sequence[Word], length: int, activation: str, error: Fraction
) -> Multiplier:
    """The MLP that multiplies matrices up to twice as large as those of these words' tokens."""
    largest = Fraction(1)
    for word in words:
        stages = exact_scan(automaton, word, length)
        entries = (x for tokens in stages[:-1] for token in tokens for x in token.flat)
        for x in entries:
            with flint.ctx.workprec(64):
                largest = max(largest, ceiling(abs(ball(x))))
    return slim_multiplier(automaton.n, activation, Fraction(ceil(2 * largest) + 1), error)


def text_of(value: flint.arb | None, digits: int = 6) -> str:
    """Leading digits of a ball, or – for None."""
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
        "decided": _decided(seen), "working_digits": seen.run.digits,
    }  # fmt: skip


def as_data(swept: Sweep) -> dict[str, Any]:
    """The sweep as plain data, a row for every layer at every C; numbers are text."""
    rows = [
        layer_cells(swept, index, layer)
        for index, seen in enumerate(swept.rows)
        for layer in range(len(seen.errors))
    ]
    return {
        "automaton": swept.name, "states": swept.automaton.n, "length": swept.length,
        "words": len(swept.words), "all_words": swept.every, "block": swept.block,
        "word_list": [" ".join(word) for word in swept.words], "rows": rows,
        "decay_rate": [text_of(rate, 8) for rate in _rates(swept)],
        "gap": text_of(_gap(swept), 8),
    }  # fmt: skip


def _gap(swept: Sweep) -> flint.arb:
    with flint.ctx.workprec(64):
        return gap(span(swept.length))


def _rates(swept: Sweep) -> list[flint.arb]:
    positive = [seen for seen in swept.rows if seen.errors and seen.errors[-1] > 0]
    return decay_rate(positive)


def show(swept: Sweep, console: Screen) -> None:
    """The headline, the words, then the last layer at each C as a table."""
    console.text(outcome(swept), style="bold")
    about = f"{swept.name}: n = {swept.automaton.n}, T = {swept.length}, {swept.block}"
    console.text(f"{about}; largest error over positions and words", soft_wrap=True)
    console.text(words_used(swept), soft_wrap=True)
    names = ("C", "error", "Eq. (1)", "corrected", "error /\nEq. (1)", "by\nlayer",
             "error /\ncorrected", "decided")  # fmt: skip
    console.table(names, map(_shown, swept.rows))
    for line in _below(swept):
        console.print(line, highlight=False)


def words_used(swept: Sweep) -> str:
    """List the words that were run, the first of them by name."""
    between = "" if all(len(symbol) == 1 for symbol in swept.automaton.alphabet) else " "
    names = [between.join(word) for word in swept.words]
    if len(names) == 1:
        return f"Word: {plain(names[0])}"
    listed = [name if len(name) <= WIDEST_WORDS else f"{name[:WIDEST_WORDS]}…" for name in names]
    shown = ", ".join(map(plain, listed[:SHOWN_WORDS]))
    more = ", …" if len(names) > SHOWN_WORDS else ""
    which = "all" if swept.every else "a fixed choice of"
    return f"Words: {which} {len(names)} ({shown}{more})"


def outcome(swept: Sweep) -> str:
    """Count the values of C at which the error certainly exceeds each bound, iterated and layer by layer."""
    last = [seen for seen in swept.rows if seen.errors]
    if not last:
        return "One letter takes no layer, so that there is no error."
    iterated = [seen for seen in last if _exceeds(seen.errors[-1], seen.printed[-1])]
    layers = [layer for seen in last if (layer := first_exceeded(seen)) is not None]
    corrected = [seen for seen in last if _exceeds(seen.errors[-1], seen.corrected[-1])]
    where = f" (first in layer {min(layers)})" if layers else ""
    return (
        f"Of {count_of(len(last), 'value')} of C, the error certainly exceeds Equation (1) as printed: "
        f"iterated at {len(iterated) or 'none'}, layer by layer at {len(layers) or 'none'}{where}; "
        f"the corrected bound at {len(corrected) or 'none'}."
    )


def first_exceeded(seen: SweepRow) -> int | None:
    """The first layer whose error certainly exceeds Equation (1) with the true error before it."""
    pairs = enumerate(zip(seen.errors, seen.stepwise, strict=True), 1)
    return next((layer for layer, pair in pairs if _exceeds(*pair)), None)


def _exceeds(error: flint.arb | None, bound: flint.arb | None) -> bool:
    return error is not None and bound is not None and bool(error > bound)


def _below(swept: Sweep) -> Iterator[str]:
    """The rate of decay, and what each column means."""
    if (rates := _rates(swept)) and swept.network is None:
        yield (f"Measured decay rate of the error in C: {text_of(rates[-1])} (predicted: "
               f"1 − cos(π/{span(swept.length)}) = {text_of(_gap(swept))})")  # fmt: skip
    for name, meaning in LEGEND:
        yield f"  {name:<10} {meaning}"
    yield MORE


def _shown(seen: SweepRow) -> tuple[str, ...]:
    """Return a row of the table: the last layer at one C."""
    constant = f"{float(seen.run.saturation):.7g}"
    if not seen.errors:
        return (constant, "0", "0", "0", "–", "–", "–", "yes")
    last = seen.errors[-1], seen.printed[-1], seen.corrected[-1]
    with flint.ctx.workprec(seen.run.bits):
        printed, corrected = (ratio(last[0], bound) for bound in last[1:])
        layers = [ratio(*pair) for pair in zip(seen.errors, seen.stepwise, strict=True)]
        known = [value for value in layers if value is not None]
        by_layer = max(known, key=flint.arb.mid, default=None)
    over = [text_of(value, 5) for value in (printed, by_layer, corrected)]
    return (constant, *(text_of(x, 4) for x in last), *over, _decided(seen))


def _decided(seen: SweepRow) -> str:
    return "yes" if seen.run.is_decided else "no"


def as_plot(swept: Sweep, form: str) -> bytes:
    """Error and bounds against C above, error over bound below: the figure of the report."""
    from reports.figures import image

    title = f"{swept.name}, T = {swept.length}"
    with flint.ctx.workprec(128):
        norm = decimal_above(printed_factor(swept.automaton) / 2)
    word = "".join(swept.words[0]) if len(swept.words) == 1 else ""
    panel = {
        "label": title, "states": swept.automaton.n, "norm": norm, "word": word,
        "words": f"{'all' if swept.every else 'a choice of'} {len(swept.words)} words",
        **_columns(swept.exact or swept.rows), "mlps": [],
    }  # fmt: skip
    if swept.network is not None:
        eps = f"1/1{'0' * (len(str(int(1 / swept.network.bound))) - 1)}"
        about = {"activation": swept.network.activation, "eps": eps}
        panel["mlps"] = [{**about, **_columns(swept.rows)}]
    alt = f"The error of {title} against C, with the printed and the corrected bound"
    return image({"id": "sweep", "title": title, "alt": alt, "panels": [panel]}, form)


def _columns(found: Sequence[SweepRow]) -> dict[str, list[str]]:
    """C, error and both bounds after the last layer, where there is one."""
    seen = [row for row in found if row.errors]
    return {
        "C": [str(float(row.run.saturation)) for row in seen],
        "error": [decimal_below(row.errors[-1]) for row in seen],
        "printed": [decimal_above(row.printed[-1]) for row in seen],
        "corrected": [decimal_below(row.corrected[-1]) for row in seen],
    }
