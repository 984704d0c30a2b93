"""`assay list`: the statements of the paper and their verdicts."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator
from typing import Any

from constructions.core.errors import InputError
from verify.display.terminal import plain, say
from verify.record import source as record_source
from verify.rejudge import record_for

KEYS = ("id", "section", "places", "form", "verdict", "method", "grade", "scope", "standing")
FILTERS = ("section", "form", "verdict", "grade", "method")
HELP = "the statements and their verdicts"
EXAMPLES = """examples:
  assay list --verdict repaired
  assay list --section 4 --form universal
  assay list --json

exit status: 0; 4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print a JSON array")
    for name in FILTERS:
        parser.add_argument(f"--{name}", help=f"only statements with this {name}")
    record_source.add_option(parser)


def command(args: argparse.Namespace) -> int:
    """Print the statements."""
    rows = sorted(record_source.rows(record_for(args)).values(), key=_place)
    for name in FILTERS:
        if (value := getattr(args, name)) is not None:
            rows = _filtered(rows, name, value)
    if args.json:
        say(json.dumps([as_data(row) for row in rows]))
        return 0
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in lines(rows, width):
        say(line)
    return 0


def _place(row: dict[str, Any]) -> tuple[int, list[tuple[int, str]]]:
    """Return the sort key of a section: 1, 2, …, then A, B, …, then other names."""
    parts = str(row["section"]).split(".")
    kind = 0 if parts[0].isdigit() else 1 if len(parts[0]) == 1 else 2
    return kind, [(int(part) if part.isdigit() and part.isascii() else 0, part) for part in parts]


def _filtered(rows: list[dict[str, Any]], name: str, value: str) -> list[dict[str, Any]]:
    """The rows with that value; a section includes its subsections."""
    kept = [r for r in rows if r[name] == value or _within(r, name, value)]
    if not kept:
        known = ", ".join(sorted({r[name] for r in rows if r[name]}))
        raise InputError(f"--{name}", value, f"one of {known}")
    return kept


def _within(row: dict[str, Any], name: str, value: str) -> bool:
    return name == "section" and str(row["section"]).startswith(f"{value}.")


def as_data(row: dict[str, Any]) -> dict[str, Any]:
    """A statement as other programs read it."""
    worst = row["findings"][0] if row["grade"] else ""
    first = row["places"][0] if row["places"] else []
    extra = {"lines": first, "finding": worst, "rests_on": row["rests_on"], "title": row["title"]}
    return {**{key: row[key] for key in KEYS}, **extra}


def lines(rows: list[dict[str, Any]], width: int | None) -> Iterator[str]:
    """Yield a line for each statement, in columns; titles are cut at the width of a terminal."""
    cells = [
        (row["id"], row["section"], f"{row['verdict']} ({row['grade']})" if row["grade"] else
         row["verdict"], row["title"])
        for row in rows
    ]  # fmt: skip
    wide = [max(len(row[column]) for row in cells) for column in range(3)]
    for row in cells:
        start = " ".join(f"{cell:<{size}}" for cell, size in zip(row, wide, strict=False))
        line = plain(f"{start} {row[-1]}")
        yield line if width is None or len(line) <= width else f"{line[: width - 1]}…"
