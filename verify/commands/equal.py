"""`assay equal A B`: whether two automata have the same weights, decided exactly.

Exit status: 0 equal on all words, 1 different, with the shortest word that tells them apart.
"""

from __future__ import annotations

import argparse
import json
from itertools import chain
from pathlib import Path

from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from verify.display.arguments import add_large, check_patience
from verify.display.progress import Progress
from verify.display.screen import Screen
from verify.display.terminal import digits, plain, say

OPERATION = 2.5e-6  # seconds for an exact step of elimination, measured

HELP = "whether two automata give every word the same weight"
DESCRIPTION = "Prints that the automata are equal, or the shortest word on which they differ."
EXAMPLES = """examples:
  assay equal mine.json stream.json

exit status: 0 equal; 1 different; 4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "one", type=Path, metavar="A", help="automaton: JSON, PAutomaC or OpenFst text"
    )
    parser.add_argument(
        "two", type=Path, metavar="B", help="automaton: JSON, PAutomaC or OpenFst text"
    )
    add_large(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def command(args: argparse.Namespace) -> int:
    """Compare two automata; print whether they are equal, or the shortest word on which they differ."""
    from constructions.automata.reduction import difference

    one, two = words_only(args.one), words_only(args.two)
    seconds = estimate(one, two)
    check_patience(seconds, f"{one.n} and {two.n} states", args.large, str(args.one))
    try:
        with Progress(Screen(stderr=True), "comparing", seconds):
            word = difference(one, two)
    except InputError as error:
        raise error.at(f"{args.one}, {args.two}") from None
    weights = None if word is None else [digits(a.weight(word)) for a in (one, two)]
    if args.json:
        say(json.dumps({"equal": word is None, "word": word, "weights": weights}))
    elif weights is None or word is None:
        say("Equal on all words.")
    else:
        shown = plain(" ".join(word)) if word else "the empty word"
        least = " No shorter word differs." if word else ""
        say(f"Different on {shown}: {weights[0]} and {weights[1]}.{least}")
    return 0 if word is None else 1


def estimate(one: WFA, two: WFA) -> float:
    """About how many seconds it takes at most: a basis of n vectors, each against all others."""
    n = max(one.n, two.n)
    weights = max(sum(map(bool, chain(*rows))) for rows in one.transitions.values())
    return n * weights * OPERATION


def words_only(path: Path) -> WFA:
    """An automaton over words from a file."""
    from constructions.files.formats import load

    found = load(path)
    if not isinstance(found, WFA):
        raise InputError("kind", "wta", "an automaton over words", str(path))
    return found
