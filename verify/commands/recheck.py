"""`verify recheck DIR`: validate the certificates of a run by an independent program."""

from __future__ import annotations

import argparse
from pathlib import Path

from verify.recheck.program import main


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser("recheck", help="validate certificates independently")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder written by `verify run`")
    parser.add_argument("--quiet", action="store_true", help="print refusals and the total only")
    parser.set_defaults(func=lambda args: main(args.folder, args.quiet))
