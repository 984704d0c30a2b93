"""`verify list`: the claims of the paper and their verdicts."""

from __future__ import annotations

import argparse
import json

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from verify import published

KEYS = ("id", "section", "lines", "kind", "verdict", "grade", "scope", "rests_on")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser("list", help="the claims and their verdicts")
    parser.add_argument("--json", action="store_true", help="an array of objects")
    parser.add_argument("--verdict", help="only claims with this verdict")
    published.add_option(parser)
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Print the claims."""
    rows = list(published.rows(published.load(args.folder)).values())
    if args.verdict:
        rows = [row for row in rows if row["verdict"] == args.verdict]
    if args.json:
        print(json.dumps([{key: row[key] for key in KEYS} for row in rows], ensure_ascii=False))
        return 0
    table = Table("claim", "section", "verdict", "grade", "title")
    for row in rows:
        cells = (row["id"], row["section"], row["verdict"], row["grade"], row["title"])
        table.add_row(*map(escape, cells))
    Console().print(table)
    return 0
