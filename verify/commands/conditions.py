"""`assay conditions [THEOREM]`: what each theorem states, uses silently, or needs and lacks.

`assay conditions FILE --length T` decides the conditions for an automaton of the reader's.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from constructions.core.errors import InputError
from reports.conditions import Matrix, MatrixRow, matrix
from reports.labels import CONDITION_STATES, NOT_SHOWN
from verify.automaton.limits import check_time
from verify.automaton.numbers import count
from verify.display.arguments import (
    add_report_options,
    any_automaton_of,
    naming_file,
    naming_options,
    report_options,
)
from verify.display.screen import Screen
from verify.display.terminal import paragraph, plain, say
from verify.judge.names import UnknownStatement, resolve
from verify.record import source as record_source
from verify.rejudge import record_for

WIDEST = 100
GAP = 2

HELP = "the conditions that each theorem states, uses or lacks, and your automaton meets"
EXAMPLES = """examples:
  assay conditions                          the matrix: a row a condition, a column a theorem
  assay conditions "Theorem 2"              its conditions with remarks and evidence
  assay conditions hmm.json --length 16     which of them your automaton meets
  assay conditions --json

exit status: 0; 4 bad input"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "name",
        nargs="?",
        metavar="THEOREM|FILE|FAMILY",
        help="a theorem; an automaton, with --length",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON array")
    add_report_options(parser.add_argument_group("for an automaton, which needs --length"))
    record_source.add_option(parser)


@naming_options
def command(args: argparse.Namespace) -> int:
    """Print the matrix, a column of it, or what an automaton meets."""
    if args.length is not None:
        return _automaton(args)
    record = record_for(args)
    if not record.get("conditions"):
        raise InputError("record", "no conditions", "a paper with conditions.toml")
    numbers = {f["id"]: n for n, f in record_source.numbered_findings(record).items()}
    found = matrix(record, numbers)
    column = None if args.name is None else _column(args.name, record, found)
    if args.json:
        say(json.dumps(_data(record["conditions"], column)))
    elif column is None:
        say("\n".join(table(found, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns))))
    else:
        say("\n".join(_described(found, column)))
    return 0


def _column(name: str, record: dict[str, Any], found: Matrix) -> str:
    """Return the column that a name means."""
    names = ", ".join(found.columns.values())
    path = Path(name)
    if path.suffix and path.exists():
        raise InputError("--length", None, f"the length of words for {name}, such as --length 16")
    try:
        column = resolve(name, record["statements"], record["answers"])
    except UnknownStatement:
        column = ""
    if column not in found.columns:
        raise InputError("THEOREM", name, f"one of {names}")
    return column


def _data(rows: list[dict[str, Any]], column: str | None) -> list[dict[str, Any]]:
    if column is None:
        return rows
    return [
        {**row, "cells": cells}
        for row in rows
        if (cells := [cell for cell in row["cells"] if cell["statement"] == column])
    ]


def table(found: Matrix, width: int) -> Iterator[str]:
    """Yield the lines of the matrix: marks, a legend, as many columns as fit at a time."""
    for one in (*CONDITION_STATES.values(), NOT_SHOWN):
        if any(one == cell.word for row in found.rows for cell in row.cells.values()):
            yield plain(f"{one.mark} {one.word}: {one.meaning}")
    names = found.short_names
    first = max(len(row.name) for row in found.rows)
    size = max(map(len, names.values())) + GAP
    count = max(1, (width - first) // size)
    columns = list(names)
    for start in range(0, len(columns), count):
        shown = columns[start : start + count]
        yield ""
        yield plain(f"{'':{first}}" + "".join(f"{names[c]:>{size}}" for c in shown)).rstrip()
        for row in found.rows:
            yield plain(f"{row.name:{first}}" + _marks(row, shown, size))


def _marks(row: MatrixRow, columns: Sequence[str], size: int) -> str:
    cells = (row.cells.get(column) for column in columns)
    return "".join(f"{cell.word.mark if cell else '–':>{size}}" for cell in cells)


def _described(found: Matrix, column: str) -> Iterator[str]:
    """Yield the conditions of one theorem, state by state."""
    yield plain(f"{found.columns[column]}: {count(len(_rows(found, column)), 'condition')}")
    for word, _ in found.counts(column):
        yield ""
        yield plain(f"{word.mark} {word.word}: {word.meaning}")
        for row in _rows(found, column):
            cell = row.cells[column]
            if cell.word == word:
                evidence = ", ".join(label for label, _ in cell.links)
                remark = f": {cell.note}" if cell.note else ""
                yield paragraph("", f"{row.name}{remark} ({evidence})")


def _rows(found: Matrix, column: str) -> list[MatrixRow]:
    return [row for row in found.rows if column in row.cells]


def _automaton(args: argparse.Namespace) -> int:
    """Print which conditions an automaton meets, with the number that decides each."""
    from reports import automaton as render
    from verify.automaton.conditions import conditions_met

    if args.name is None:
        raise InputError("FILE", None, "an automaton (assay automaton --example prints one)")
    length, eps = report_options(args)
    automaton = any_automaton_of(args.name, args.symbols, args.openfst_weights)
    check_time(automaton, args.large, args.name)
    with naming_file(automaton, args.name):
        found = [asdict(row) for row in conditions_met(automaton, length, args.activation, eps)]
    if args.json:
        say(json.dumps(found))
    else:
        render.conditions(found, Screen())
    return 0
