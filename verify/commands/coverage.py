"""`assay coverage FILE`: does every sentence of the paper's source have a statement?"""

from __future__ import annotations

import argparse
from pathlib import Path

from constructions.core.errors import InputError
from verify.display.arguments import about

HELP = "sentences of the paper without a statement"
EXAMPLES = """examples:
  assay coverage paper.tex
  assay coverage --about DIR         the source in a paper's folder

exit status: 0 every sentence is covered; 1 some are not; 4 the file cannot be read"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "paper", type=Path, nargs="?", metavar="FILE", help="the paper's LaTeX source"
    )
    about(parser)


def command(args: argparse.Namespace) -> int:
    """Print the sentences that no statement covers; 0 if there are none."""
    from constructions.core.bounded_files import read_text
    from verify.display.terminal import plain, say
    from verify.judge.coverage import SourceError, coverage
    from verify.record.chosen_paper import choose

    paper = choose(args.about)
    file = args.paper or paper.source
    if file is None:
        raise InputError("FILE", "nothing", "the paper's LaTeX source")
    read_text(file)  # refuses pipes, devices and floods, which would be read for ever
    try:
        found = coverage(file, paper.paper)
    except SourceError as error:
        raise InputError("FILE", str(error), "the paper's LaTeX source", str(file)) from None
    if not found.same_source:
        say("This is not the source whose lines the statements count.")
    for name, text in found.open:
        say(plain(f"{name}  {text}"))
    covered = found.sentences - len(found.open)
    say(f"{covered} of {found.sentences} sentences are covered.")
    return 1 if found.open else 0
