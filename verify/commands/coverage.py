"""`assay coverage FILE`: does every sentence of the paper's source have a statement?"""

from __future__ import annotations

import argparse
from pathlib import Path

from constructions.core.errors import InputError

EXAMPLES = """examples:
  assay coverage paper.tex

exit status: 0 every sentence is covered; 1 some are not; 4 the file cannot be read"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser("coverage", help="sentences of the paper without a statement")
    parser.add_argument("paper", type=Path, metavar="FILE", help="the paper's LaTeX source")
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Print the sentences that no statement covers; 0 if there are none."""
    from verify.display.terminal import plain
    from verify.judge.coverage import SourceError, coverage
    from verify.judge.paper import load

    try:
        found = coverage(args.paper, load())
    except (OSError, UnicodeDecodeError, SourceError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError("FILE", reason, "the paper's LaTeX source", str(args.paper)) from None
    if not found.same_source:
        print("This is not the source whose lines the statements count.")
    for name, text in found.open:
        print(plain(f"{name}  {text}"))
    covered = found.sentences - len(found.open)
    print(f"{covered} of {found.sentences} sentences are covered.")
    return 1 if found.open else 0
