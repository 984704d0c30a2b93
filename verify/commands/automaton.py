"""`assay automaton FILE --length T`: what the theorems give this automaton, in one sentence, and the sizes.

Exit status: 0 answered, 1 the asked precision cannot be certified (piecewise linear units, or a
model too large to bound), 3 a measured error above a certified one (a fault of this program), 4 bad input.
`assay automaton --example KIND` prints a file to begin with.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

from constructions.core.atomic_files import check_distinct, check_folder, write_file
from constructions.core.errors import InputError
from constructions.core.numbers import whole_number
from verify.automaton.limits import seconds_of_report
from verify.display.arguments import (
    LONG,
    acceptor,
    add_large,
    any_automaton_of,
    check_patience,
    error_in_file,
    naming_options,
    positive,
    source_of,
)
from verify.display.screen import Screen
from verify.display.terminal import say

FILES = {
    **{
        kind: f"{kind}.json"
        for kind in ("wfa", "wta", "hmm", "pfa", "dfa", "nfa", "regex", "ngram")
    },
    "openfst": "openfst.att",
    "pautomac": "pautomac.txt",
}
UNCERTIFIED, BROKEN = 1, 3

HELP = "conditions, sizes and errors for your own automaton"
DESCRIPTION = (
    "What simulates your automaton, how large, how near: one sentence, sizes, safe lengths. "
    "Reads JSON (wfa, wta, hmm, pfa, dfa, nfa, regex), PAutomaC models and OpenFst text."
)
EXAMPLES = """examples:
  assay automaton --example hmm > hmm.json
  assay automaton hmm.json --length 64
  assay automaton hmm.json --length 64 --long
  assay automaton model.txt --length 32 --eps 1e-9 --json

exit status: 0 answered; 1 the asked precision cannot be certified; 3 a fault of this program;
4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "file", nargs="?", metavar="FILE|FAMILY", help="your automaton, or a family such as mess3"
    )
    parser.add_argument("--length", metavar="T", help="length of words or of str(t)")
    parser.add_argument("--eps", default="1e-6", metavar="E", help="error to stay below (1e-6)")
    parser.add_argument(
        "--relative",
        metavar="W",
        help="let --eps be relative to a state's own size, on words where that is at least W",
    )
    parser.add_argument(
        "--activation", default="gelu", help="of the MLP: gelu, tanh, …, relu (gelu)"
    )
    acceptor(parser)
    add_large(parser)
    parser.add_argument("--example", choices=FILES, help="print an example file and end")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--long", action="store_true", help="every condition, constant and format")
    shape.add_argument("--json", action="store_true", help="print JSON")
    shape.add_argument("--markdown", action="store_true", help="print Markdown")
    shape.add_argument("--html", type=Path, metavar="PAGE", help="write a page")


@naming_options
def command(args: argparse.Namespace) -> int:
    """Read, inspect, show."""
    if args.example is not None:
        say(example(args.example), end="")
        return 0
    for name, given in (("FILE", args.file), ("--length", args.length)):
        if given is None:
            expected = "an automaton and its length (--example prints a file)"
            raise InputError(name, None, expected)
    length, eps = whole_number(args.length, "--length", digits=LONG), positive(args.eps, "--eps")
    if args.html is not None:
        check_folder(args.html, "--html")
        check_distinct(args.html, "--html", Path(args.file))
    answer = asked(args, length, eps)
    if answer is None:
        return BROKEN
    show(args, answer)
    return 0 if answer["certified"] else UNCERTIFIED


def asked(args: argparse.Namespace, length: int, eps: Fraction) -> dict[str, Any] | None:
    """The answer as plain data; None, with a line on standard error, if it contradicts itself."""
    from verify.automaton.report import report
    from verify.automaton.report_data import Uncertified
    from verify.display.progress import Progress

    automaton = any_automaton_of(args.file, args.symbols, args.openfst_weights)
    name, note = source_of(args.file, args.openfst_weights)
    source = f"{name} ({note})" if note else name
    seconds, size = seconds_of_report(automaton.n, len(automaton.alphabet))
    check_patience(seconds, size, args.large, args.file)
    try:
        with Progress(Screen(stderr=True), estimate=seconds) as progress:
            relative = None if args.relative is None else positive(args.relative, "--relative")
            found = report(automaton, length, eps, args.activation, source, progress, relative)
    except InputError as error:
        raise error_in_file(error, automaton, Path(args.file)) from None
    except Uncertified as error:
        say(f"assay: internal error, please report it: {error}", error=True)
        return None
    return asdict(found)


def show(args: argparse.Namespace, answer: dict[str, Any]) -> None:
    """Print or write the report as text, JSON, Markdown or a page."""
    from reports import automaton as render

    if args.json:
        say(render.data(answer), end="")
    elif args.markdown:
        say(render.markdown(answer), end="")
    elif args.html is not None:
        write_file(args.html, render.html(answer).encode(), "--html")
        Screen().text(f"Written: {args.html}", soft_wrap=True)
    else:
        render.terminal(answer, Screen(), args.long)


def example(kind: str) -> str:
    """An example file of a kind."""
    return (files("constructions") / "examples" / FILES[kind]).read_text("utf-8")
