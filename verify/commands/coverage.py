"""`verify coverage FILE`: does every part of the paper's source have a claim?"""

from __future__ import annotations

import argparse
from pathlib import Path

from constructions.errors import InputError
from verify.claims.coverage import SourceError, coverage
from verify.claims.registry import CLAIMS


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser("coverage", help="parts of the paper that no claim covers")
    parser.add_argument("paper", type=Path, metavar="FILE", help="the paper's LaTeX source")
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Print the parts that no claim covers; 0 if there are none."""
    try:
        found = coverage(args.paper, CLAIMS)
    except (OSError, UnicodeDecodeError, SourceError) as error:
        raise InputError("FILE", error, "the paper's LaTeX source", str(args.paper)) from None
    print(found.describe())
    return 1 if found.gaps else 0
