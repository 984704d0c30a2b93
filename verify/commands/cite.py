"""`verify cite CLAIM …`: the sentence a careful author may write."""

from __future__ import annotations

import argparse
import json

from verify import cite, published
from verify.published import Row
from verify.verdict import Verdict

HOLDS = {Verdict.PROVED.value, Verdict.CERTIFIED.value}
FAILS = {Verdict.REFUTED.value, Verdict.REPAIRED.value}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser("cite", help="the sentence a careful author may write")
    parser.add_argument("claims", nargs="+", metavar="CLAIM")
    parser.add_argument("--format", choices=("text", "latex", "bibtex", "json"), default="text")
    published.add_option(parser)
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Print the sentences; the exit status says whether the claims hold as printed."""
    rows = published.chosen(published.load(args.folder), args.claims)
    if args.format == "json":
        print(json.dumps([cite.as_data(row) for row in rows], ensure_ascii=False))
    else:
        print("\n".join(_written(row, args.format) for row in rows))
    return status([row["verdict"] for row in rows])


def _written(row: Row, form: str) -> str:
    if form == "text":
        return cite.as_text(row)
    from reports.escape import latex  # loads what draws figures, too

    return cite.as_latex(row, latex) if form == "latex" else cite.as_bibtex(row, latex)


def status(verdicts: list[str]) -> int:
    """0 all hold as printed; 1 one is refuted or repaired; 2 otherwise."""
    if any(verdict in FAILS for verdict in verdicts):
        return 1
    return 0 if all(verdict in HOLDS for verdict in verdicts) else 2
