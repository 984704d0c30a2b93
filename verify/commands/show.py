"""`verify show CLAIM`: one claim in full."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from verify import published


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser("show", help="one claim in full")
    parser.add_argument("claim", metavar="CLAIM")
    published.add_option(parser)
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Print a claim with its readings and the evidence on each."""
    record = published.load(args.folder)
    (row,) = published.chosen(record, [args.claim])
    console = Console()
    console.print(Text(f"{row['id']}  {row['title']}", style="bold"))
    for label, value in _facts(row):
        if value:
            console.print(Text.assemble((f"{label}: ", "dim"), value))
    for reading in row["readings"]:
        title = f"\n{reading['name']}: {reading['verdict']}"
        console.print(Text(title, style="bold"), Text(reading["text"]))
        for number in reading["evidence"]:
            for line in _evidence(record["evidence"][number]):
                console.print(Padding(Text(line), (0, 0, 0, 2)))
    return 0


def _facts(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "where", f"section {row['section']}, lines {row['lines'][0]}-{row['lines'][1]}"
    yield "statement", row["statement"]
    yield "verdict", row["verdict"] + (f" ({row['grade']})" if row["grade"] else "")
    yield "scope", row["scope"]
    yield "reason", row["reason"]
    because = f" because of {row['standing_because']}" if row["standing_because"] else ""
    yield "with what it rests on", row["standing"] + because
    yield "may be cited as", row["cite"]
    yield "repeat", row["repeat"]


def _evidence(item: dict[str, Any]) -> Iterator[str]:
    kind = f"{item['strength']}; {item['scope'] or 'no scope'}"
    yield f"{item['outcome']} ({kind}): {item['summary']}"
    for condition in item["conditions"]:
        met = "met" if condition["met"] else "not met"
        yield f"  condition {condition['name']}: {met} ({condition['witness']})"
    for label in ("counterexample", "repair", "limits", "engine", "certificate"):
        if item[label]:
            yield f"  {label}: {item[label]}"
