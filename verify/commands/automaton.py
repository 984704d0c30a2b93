"""`assay automaton FILE --length T`: sizes, errors and conditions of the models of an automaton.

Exit status: 0 answered, 1 the precision cannot be certified (piecewise linear units, or a
model too large to bound), 3 a measured error above a certified one (a fault of this program), 4 bad input.
`assay automaton --example KIND` prints a file to begin with.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from constructions.core.errors import InputError
from verify.automaton.limits import check_time
from verify.display.arguments import (
    add_report_options,
    any_automaton_of,
    naming_file,
    naming_options,
    positive,
    report_options,
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
UNCERTIFIED = 1

HELP = "conditions, sizes and errors for your own automaton"
DESCRIPTION = (
    "The transformers that simulate your automaton: sizes, certified errors, safe lengths. "
    "Reads JSON (wfa, wta, hmm, pfa, dfa, nfa, regex), PAutomaC models and OpenFst text."
)
EXAMPLES = """examples:
  assay automaton --example hmm > hmm.json
  assay automaton hmm.json --length 64
  assay automaton hmm.json --length 64 --long
  assay automaton model.txt --length 32 --eps 1e-9 --json

exit status: 0 answered; 1 the precision cannot be certified; 3 a fault of this program;
4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "file", nargs="?", metavar="FILE|FAMILY", help="your automaton, or a family such as mess3"
    )
    add_report_options(parser)
    parser.add_argument(
        "--relative",
        metavar="W",
        help="let --eps be relative to a state's own size, on words where that is at least W",
    )
    parser.add_argument("--example", choices=FILES, help="print an example file and end")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--long", action="store_true", help="every condition, constant and format")
    shape.add_argument("--json", action="store_true", help="print JSON")
    shape.add_argument("--markdown", action="store_true", help="print Markdown")


@naming_options
def command(args: argparse.Namespace) -> int:
    """Read the automaton, report on it, print."""
    if args.example is not None:
        say(example(args.example), end="")
        return 0
    for name, given in (("FILE", args.file), ("--length", args.length)):
        if given is None:
            expected = "an automaton and its length (--example prints a file)"
            raise InputError(name, None, expected)
    answer = answer_of(args)
    show(args, answer)
    return 0 if answer["certified"] else UNCERTIFIED


def answer_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return the report as plain data."""
    from verify.automaton.report import report
    from verify.display.progress import Progress

    length, eps = report_options(args)
    relative = None if args.relative is None else positive(args.relative, "--relative")
    automaton = any_automaton_of(args.file, args.symbols, args.openfst_weights)
    name, note = source_of(args.file, args.openfst_weights)
    source = f"{name} ({note})" if note else name
    seconds = check_time(automaton, args.large, args.file)
    with (
        naming_file(automaton, args.file),
        Progress(Screen(stderr=True), estimate=seconds) as progress,
    ):
        return asdict(report(automaton, length, eps, args.activation, source, progress, relative))


def show(args: argparse.Namespace, answer: dict[str, Any]) -> None:
    """Print the report as text, JSON or Markdown."""
    from reports import automaton as render

    if args.json:
        say(render.data(answer), end="")
    elif args.markdown:
        say(render.markdown(answer), end="")
    else:
        render.terminal(answer, Screen(), args.long)


def example(kind: str) -> str:
    """An example file of a kind."""
    return (files("constructions") / "examples" / FILES[kind]).read_text("utf-8")
