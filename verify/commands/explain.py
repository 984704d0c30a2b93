"""`assay explain FILE --word abba`: what each head reads and each block holds, at the last position.

`assay explain thm1 --length 4` shows what every token of Theorem 1's transformer holds, by SymPy: the
products of matrices, layer by layer, for every automaton with `--states` states.
The decoder is the one that `assay export FILE --construction decoder` writes, with hard attention, in
exact arithmetic; `--all` shows every position. Of HMMs and PFAs the state is the forward vector, and
the next symbol's distribution is printed beside it. For a tree automaton the word is the string of a
tree, such as [a[bb]].
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from pathlib import Path
from typing import Any

from constructions.automata.prediction import Predictor, predictor
from constructions.automata.trees import parse
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.atomic_files import write_file
from constructions.core.errors import InputError
from constructions.core.numbers import whole_number
from constructions.exports.formats import NAMES, format_of
from constructions.running.drawing import TokenNode, draw
from verify.display.arguments import (
    add_large,
    add_plot,
    any_automaton_of,
    figure_kind,
    naming_options,
)
from verify.display.screen import Screen
from verify.display.terminal import digits, plain, say

MOST_SYMBOLS = 12
NOTES = (
    "Where the table shows a matrix A, the stream holds A − I: zeros at BOS stand for I. A model of assay "
    "export may belong to an equivalent automaton, which its stream.json has."
)
THEOREM_1, LONGEST_SYMBOLIC, MOST_MONOMIALS, SHOWN_MONOMIALS = "thm1", 16, 1 << 14, 4
DIGITS = 400  # of a number in the table; JSON has them all
SVG = ("svg",)
Places = tuple[str, str, str]
LABEL = 24  # characters of what a position holds, in the drawing

HELP = "the decoder's computation on a word: reads and products, layer by layer"
DESCRIPTION = "Where every head reads and what every position holds, exactly."
EXAMPLES = """examples:
  assay explain wfa.json --word 0110
  assay explain hmm.json --word 'walk shop' --plot reads.svg
  assay explain hmm.json --word 'walk shop' --digits 4 --format transformerlens
  assay explain hmm.json --word 'walk shop' --all
  assay explain wta.json --word '[a[ab]]'
  assay explain thm1 --length 4 --plot contents.svg

exit status: 0; 4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "file",
        metavar="FILE|FAMILY|thm1",
        help="automaton: JSON, PAutomaC or OpenFst text, or a family such as mess3 or hmm:2:7; "
        "or the transformer of Theorem 1",
    )
    parser.add_argument(
        "--word",
        metavar="W",
        help="abba, or symbols separated by spaces: 'red blue'; or [a[bb]]",
    )
    parser.add_argument("--length", metavar="T", help="with thm1: letters of the word, at most 16")
    parser.add_argument("--states", metavar="N", help="with thm1: number of states, at most 3 (2)")
    parser.add_argument("--all", action="store_true", help="every position, not the last alone")
    add_large(parser)
    parser.add_argument(
        "--format",
        choices=NAMES,
        help="number the blocks as this format's library does, and name its hooks or modules",
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--digits", metavar="D", help="round numbers of the table to D digits")
    shape.add_argument("--json", action="store_true", help="print JSON, with all digits")
    add_plot(parser, "which position reads which", SVG)


@naming_options
def command(args: argparse.Namespace) -> int:
    """Read, run, show."""
    from verify.automaton.explanation import affordable, explain

    figure_kind(args.plot, "--plot", SVG)
    if args.file == THEOREM_1 and not Path(args.file).exists():
        return explain_theorem1(args)
    if args.length is not None or args.states is not None:
        raise InputError("--length", f"applies only to {THEOREM_1}, not to a file or a family", "")
    if args.word is None:
        raise InputError("--word", "nothing", "a word such as abba, or a tree such as [a[bb]]")
    count = None if args.digits is None else whole_number(args.digits, "--digits", most=1000)
    automaton = any_automaton_of(args.file)
    places = places_of(args.format, isinstance(automaton, WTA))
    word = symbols(automaton, args.word)
    if not args.large:
        affordable(automaton, word)
    rows = explain(automaton, word)
    if args.plot is not None:
        write_file(args.plot, picture(rows).encode(), "--plot")
    if args.json:
        say(json.dumps([{**vars(row), **located(row.layer, places)} for row in rows], indent=1))
    else:
        console = Screen()
        console.text(result(automaton, word, count))
        if text := chances(automaton, word, count):
            console.text(text)
        last = max(row.position for row in rows)
        chosen = [row for row in rows if args.all or row.position == last]
        show(chosen, console, places is not None, count)
        notes = [NOTES] if isinstance(automaton, WFA) else []
        for note in [*notes, *([legend(places)] if places else [])]:
            console.text(note)
    return 0


def explain_theorem1(args: argparse.Namespace) -> int:
    """Show the products that the tokens of Theorem 1's transformer hold, found by SymPy."""
    from reports import contents
    from reports.figures import standalone
    from verify.facts import sympy_proofs

    if args.length is None:
        raise InputError("--length", "nothing", "the number of letters, such as 4")
    length = whole_number(args.length, "--length", 1, LONGEST_SYMBOLIC)
    states = whole_number(args.states or "2", "--states", 1, 3)
    if states**length > MOST_MONOMIALS:
        expected = f"at most {MOST_MONOMIALS} monomials in an entry; lower --length"
        raise InputError("--states", f"{states}^{length} monomials", expected)
    found = sympy_proofs.contents(states, length)
    drawing = {**found.values["drawing"], "id": THEOREM_1, "title": f"Theorem 1, T = {length}",
               "alt": "What each token holds after each layer"}  # fmt: skip
    if args.plot is not None:
        write_file(args.plot, standalone(contents.inline(drawing)), "--plot")
    if args.json:
        say(json.dumps(dict(found.values), indent=1))
        return 0
    console = Screen()
    head = f"Theorem 1 at T = {length}, every automaton with {states} states: what each token holds, by SymPy"
    console.text(head)
    names = ["position", "embedding", *(f"layer {k}" for k in range(1, len(drawing["rows"])))]
    rows = [
        (t, *(contents.product(row[column]) for row in drawing["rows"]))
        for column, t in enumerate(drawing["positions"])
    ]
    console.table(names, rows)
    entry = found.values["entries"][-1][-1]
    shown = " + ".join(entry[:SHOWN_MONOMIALS]) + (" + …" if len(entry) > SHOWN_MONOMIALS else "")
    more = f"Entry (1,1) at position {length}, {len(entry)} monomials: {shown}"
    console.text(more)
    return 0


def places_of(name: str | None, trees: bool) -> Places | None:
    """Return the names of a format's library, or None without a format."""
    if name is None:
        return None
    if trees and not format_of(name).trees:
        listed = ", ".join(other for other in NAMES if format_of(other).trees)
        raise InputError("--format", name, f"{listed}, for trees")
    if (places := format_of(name).places) is None:
        listed = ", ".join(other for other in NAMES if format_of(other).places)
        raise InputError("--format", name, f"{listed}, whose libraries name hooks or modules")
    return places


def located(layer: int, places: Places | None) -> dict[str, Any]:
    """Return the library's names for a row: the block's number, its attention weights, its stream."""
    if places is None:
        return {}
    start, weights, stream = places
    if layer == 0:
        return {"block": None, "reads_at": None, "holds_at": start}
    block = layer - 1
    return {"block": block, "reads_at": weights.format(block), "holds_at": stream.format(block)}


def legend(places: Places) -> str:
    """The names for all blocks at once."""
    start, weights, stream = (name.format("{b}") for name in places)
    return f"Block b, from 0: it reads by {weights}, and {stream} holds the stream; {start} the embedding."


def symbols(automaton: WFA | WTA, text: str) -> list[str]:
    """The symbols of a word or of str(t): written together if all have one character, else apart."""
    if isinstance(automaton, WTA):
        for bracket in "[]":
            text = text.replace(bracket, f" {bracket} ")
    parts = text.split()
    if all(len(symbol) == 1 for symbol in automaton.alphabet):
        parts = [character for part in parts for character in part]
    known = {*automaton.alphabet, *("[]" if isinstance(automaton, WTA) else ())}
    for part in parts:
        if part not in known:
            raise InputError("--word", part, _expected(sorted(known)))
    if isinstance(automaton, WTA) and not parts:
        raise InputError("--word", "nothing", "the string of a tree, such as [a[bb]]")
    return parts


def _expected(known: Sequence[str]) -> str:
    """Describe the known symbols, and how to write them if some have several characters."""
    more = len(known) - MOST_SYMBOLS
    listed = ", ".join(known[:MOST_SYMBOLS]) + (f" and {more} more" if more > 0 else "")
    if all(len(symbol) == 1 for symbol in known):
        return f"a symbol of {listed}"
    return f"symbols separated by spaces, each one of {listed}"


def show(rows: Sequence[Any], console: Screen, blocks: bool, count: int | None) -> None:
    """Print rows as a table; with `blocks`, layers after the embedding are counted from 0."""
    names = ("block" if blocks else "layer", "position", "token", "reads", "holds", "values")
    cells = []
    for row in rows:
        number = row.layer - blocks
        values = " ".join(_short(rounded(value, count)) for value in row.values)
        cells.append(("–" if number < 0 else number, row.position, plain(row.token), _reads(row),
                      plain(row.holds), values))  # fmt: skip
    console.table(names, cells)


def rounded(value: str, count: int | None) -> str:
    """Round a number p or p/q to `count` significant digits; keep it as it is without a count."""
    if count is None:
        return value
    numerator, _, denominator = value.partition("/")
    context = Context(prec=count, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return f"{context.divide(Decimal(numerator), Decimal(denominator or 1)):g}"


def result(automaton: WFA | WTA, word: Sequence[str], count: int | None = None) -> str:
    """The state and the weight of the whole input."""
    if isinstance(automaton, WFA):
        state, weight = automaton.states(word)[-1], automaton.weight(word)
        after = f"after {plain(' '.join(word))}" if word else "of the empty word"
    else:
        state, weight = automaton.states(word)[1], automaton.weight(parse(word))
        after = "of the tree"
    values = " ".join(_short(rounded(digits(value), count)) for value in state)
    name = "State" if source_of_symbols(automaton) is None else "Forward vector"
    return f"{name} {after}: {values}. Its weight: f = {_short(rounded(digits(weight), count))}."


def source_of_symbols(automaton: WFA | WTA) -> Predictor | None:
    """The HMM or PFA as a source of symbols; None for other automata."""
    if not isinstance(automaton, WFA):
        return None
    try:
        source = predictor(automaton)
    except InputError:
        return None
    certain = all(weight == 1 for weight in source.automaton.beta)
    return source if certain and source.automaton.alpha == automaton.alpha else None


def chances(automaton: WFA | WTA, word: Sequence[str], count: int | None = None) -> str:
    """The distribution of the next symbol after a word of an HMM or a PFA, else nothing."""
    source = source_of_symbols(automaton)
    try:
        found = {} if source is None else source.distribution(word)
    except InputError:
        return "The word has probability 0: it has no next symbol."
    listed = ", ".join(f"{plain(s)} {_short(rounded(digits(p), count))}" for s, p in found.items())
    return f"Next symbol: {listed}." if found else ""


def _reads(row: Any) -> str:
    """List the positions that the heads read, with the heads' names if there are several."""
    named = len(row.reads) > 1
    return "; ".join(f"{f'{name}: ' * named}{_places(row.position, at)}"
                     for name, at in row.reads.items())  # fmt: skip


def _short(value: str) -> str:
    """A number for a table: of a long one the first digits and the number of digits."""
    return value if len(value) <= DIGITS else f"{value[:LABEL]}… ({len(value)} characters)"


def _places(here: int, places: Sequence[int]) -> str:
    if len(places) > 1:
        return f"positions {places[0]}–{places[-1]}"
    distance = f"{here - places[0]} back" if places[0] < here else "itself"
    return f"position {places[0]} ({'BOS, ' * (not places[0])}{distance})"


def picture(rows: Sequence[Any]) -> str:
    """Positions to the right, layers upwards, a line from each position to the one that a head reads.

    BOS, which can read itself alone, and heads that read several positions at once have no line.
    """
    nodes = [TokenNode(row.layer, row.position, _label(row)) for row in rows]
    reads = [
        (row.layer, name, row.position, at[0])
        for row in rows
        if row.position
        for name, at in row.reads.items()
        if len(at) == 1
    ]
    return draw(nodes, reads, "which position each head reads")


def _label(row: Any) -> str:
    """A token at the embedding, later a short form of what its position holds; the table has all of it."""
    text = row.holds if row.layer else row.token
    return plain(text if len(text) <= LABEL else f"{text[: LABEL - 1]}…")
