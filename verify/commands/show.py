"""`assay show STATEMENT`: one statement in full."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from reports.labels import METHODS
from reports.page_one import permission
from verify.display.terminal import paragraph, plain, say
from verify.record import source as record_source
from verify.rejudge import record_for

HELP = "one statement in full"
EXAMPLES = """examples:
  assay show "Theorem 2"
  assay show thm2 --json

exit status: 0; 4 no such statement"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("statement", metavar="STATEMENT", help="an id, an old id, or 'Theorem 2'")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    record_source.add_option(parser)


def command(args: argparse.Namespace) -> int:
    """Print a statement with its interpretations and the evidence on each."""
    record = record_for(args)
    (row,) = record_source.find_rows(record, [args.statement])
    if args.json:
        say(json.dumps(row))
        return 0
    if args.statement in row["aliases"]:
        say(f"{plain(args.statement)} is now part of {plain(row['id'])}.")
    say(plain(f"{row['id']}  {full_name(row)}"))
    for label, value in _facts(row, record):
        if value:
            say(paragraph(label, value))
    for line in _evidence(row):
        say(line)
    return 0


def full_name(row: dict[str, Any]) -> str:
    """The title of a statement, after the paper's name for it, if there is one."""
    return f"{row['numbered']}: {row['title']}" if row["numbered"] else str(row["title"])


def _facts(row: dict[str, Any], record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield labels with texts, the answer first; leave out texts that the sentence contains already."""
    yield "cite it?", permission(row, record["paper"]["check"]["name"])
    yield "write", row["sentence"]
    yield "verdict", _verdict(row)
    yield "says", row["text"]
    yield "where", f"{_places(row)} ({row['form']})"
    yield "given", _beside(row, "; ".join([*row["under"], *row["conditions"]]))
    yield "note", row["note"]
    for finding in record["findings"]:
        if finding["id"] in row["findings"]:
            yield "finding", f"{finding['title']} ({finding['grade']}): {finding['witness']}"
    yield "repair", (row["repair"] or {}).get("change", "")
    yield "old ids", ", ".join(row["aliases"])


def _verdict(row: dict[str, Any]) -> str:
    """The verdict with its grade, method and scope, and the standing if another statement lowers it."""
    grade = f" ({row['grade']})" if row["grade"] else ""
    scope = "the whole range" if row["scope"] == "all" else row["scope"]
    through = f"standing {row['standing']} because of {row['through']}" if row["through"] else ""
    method = METHODS.get(row["method"], row["method"])
    parts = (f"{row['verdict']}{grade}", method, scope, through)
    return "; ".join(part for part in parts if part)


def _beside(row: dict[str, Any], text: str) -> str:
    """Return a text, or "" if the sentence contains it."""
    return "" if text in row["sentence"] else text


def _places(row: dict[str, Any]) -> str:
    places = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in row["places"])
    return f"section {row['section']}" + (f", lines {places}" if places else "")


def _evidence(row: dict[str, Any]) -> Iterator[str]:
    for interpretation in row["interpretations"]:
        if interpretation["bindings"]:
            yield "\n" + plain(f"as {interpretation['name']}: {interpretation['rank']}")
        for binding in interpretation["bindings"]:
            kind = f"{binding['weight']} · {binding['method']} · {binding['scope']}"
            yield paragraph("", f"{binding['fact']} {binding['expects']} ({kind})")
            yield paragraph("", binding["because"])
