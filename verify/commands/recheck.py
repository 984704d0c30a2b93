"""`verify recheck DIR`: confirm a run's facts by an independent program, and judge again."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser("recheck", help="confirm the facts and judge again, independently")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder written by `verify run`")
    parser.add_argument("--quiet", action="store_true", help="print refusals and the total only")
    parser.add_argument("--coq", action="store_true", help="run Coq on the proofs as well")
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """0 if everything is confirmed, 1 otherwise."""
    from verify.recheck.program import main

    return main(args.folder, args.quiet, args.coq)
