"""`verify show STATEMENT`: one statement in full."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from verify import record_source
from verify.terminal import paragraph, plain


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser("show", help="one statement in full")
    parser.add_argument("statement", metavar="STATEMENT", help="an id, an old id, or 'Theorem 2'")
    parser.add_argument("--json", action="store_true", help="one object")
    record_source.add_option(parser)
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Print a statement with its readings and the evidence on each."""
    record = record_source.load(args.folder)
    (row,) = record_source.chosen(record, [args.statement])
    if args.json:
        print(json.dumps(row))
        return 0
    if args.statement in row["aliases"]:
        print(f"{plain(args.statement)} is now part of {plain(row['id'])}.")
    print(plain(f"{row['id']}  {row['title']}"))
    for label, value in _facts(row, record):
        if value:
            print(paragraph(label, value))
    for line in _evidence(row):
        print(line)
    return 0


def _facts(row: dict[str, Any], record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "where", _places(row)
    yield "form", row["form"]
    yield "says", row["text"]
    yield "given", "; ".join(row["under"])
    yield "verdict", row["verdict"] + (f" ({row['grade']})" if row["grade"] else "")
    yield "method", row["method"]
    yield "covers", row["scope"]
    yield "because", row["because"] or row["reason"]
    yield "limits", "; ".join(row["limits"])
    for finding in record["findings"]:
        if finding["id"] in row["findings"]:
            yield "finding", f"{finding['title']} ({finding['grade']}): {finding['witness']}"
    yield "repair", (row["repair"] or {}).get("change", "")
    resting = f" because of {row['through']}" if row["through"] else ""
    yield "standing", row["standing"] + resting
    yield "write", row["sentence"]
    yield "old ids", ", ".join(row["aliases"])


def _places(row: dict[str, Any]) -> str:
    places = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in row["places"])
    return f"section {row['section']}" + (f", lines {places}" if places else "")


def _evidence(row: dict[str, Any]) -> Iterator[str]:
    for reading in row["readings"]:
        if reading["bindings"]:
            yield "\n" + plain(f"as {reading['name']}: {reading['rank']}")
        for binding in reading["bindings"]:
            kind = f"{binding['weight']} · {binding['method']} · {binding['scope']}"
            yield paragraph("", f"{binding['fact']} {binding['expects']} ({kind})")
            yield paragraph("", binding["because"])
