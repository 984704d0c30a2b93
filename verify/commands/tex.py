r"""`assay tex FILE…`: do the marks of a manuscript agree with the record?

Marks
    \assay{ID}            prints the verdict; the statement must exist
    \assayholds{ID}       the author relies on the statement as printed
    % assay: ID = WORD    the author relies on this verdict

What looks like a mark and is none (another macro that begins with \assay, a comment that begins
with "assay:" and names no id and verdict) is an error: nobody would see that it is not checked.
A mark \assayholds on a statement that holds under conditions is answered by the conditions.

`--sty DIR` writes `assay.sty` and `assay.tex` there, for \usepackage{assay}.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from constructions.core.errors import InputError
from verify.display.terminal import plain
from verify.judge.names import UnknownStatement, resolve
from verify.record import source as record_source

EXAMPLES = """examples:
  assay tex paper.tex sections/*.tex
  assay tex --sty .                  write assay.sty and assay.tex for \\usepackage{assay}

exit status: 0 every mark agrees with the record; 1 otherwise;
4 a file cannot be read"""
MACRO = re.compile(r"\\(assay[A-Za-z]*)(?:\{([^{}]*)\})?")
COMMENT = re.compile(r"(?<!\\)%\s*assay:\s*(\S+)\s*=\s*(.+?)\s*$")
MEANT = re.compile(r"(?<!\\)%\s*assay\s*:", re.IGNORECASE)
MARKS = ("assay", "assayholds", "assayscope", "assaysentence")
CITATIONS = ("assaypaper", "assaytool")

Rows = dict[str, dict[str, Any]]
Answers = Sequence[dict[str, Any]]


@dataclass(frozen=True)
class Mark:
    """One mark: where it stands, the statement it names, and the verdict it relies on."""

    file: Path
    line: int
    name: str
    relies_on: str  # a verdict; "holds"; or nothing
    malformed: str = ""  # what should stand there, if this is no mark


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser(
        "tex",
        help="check the marks of a manuscript against the record",
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument(
        "--sty", type=Path, metavar="DIR", help="write assay.sty and assay.tex into this folder"
    )
    record_source.add_option(parser)
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Print every mark that disagrees, with the sentence to use instead."""
    if not args.files and not args.sty:
        raise InputError("FILE", "none", "a LaTeX source, or --sty DIR")
    record = record_source.asked(args)
    if args.sty:
        write_style(args.sty, record)
    if not args.files:
        return 0
    rows = record_source.rows(record)
    marks = [mark for file in args.files for mark in marks_of(file)]
    answers = record.get("answers", [])
    faults = [line for mark in marks if (line := fault(mark, rows, answers))]
    for line in [*faults, *(line for mark in marks if (line := remark(mark, rows, answers)))]:
        print(line)
    print(f"{len(marks) - len(faults)} of {len(marks)} marks agree with the record.")
    return 1 if faults else 0


def write_style(folder: Path, record: dict[str, Any]) -> None:
    """Write the LaTeX package and the macros of a record."""
    from reports.plain import latex_macros
    from reports.view import view

    package = files("reports").joinpath("assay.sty").read_bytes()
    macros = latex_macros(view(record, {"certificates": []}))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "assay.sty").write_bytes(package)
        (folder / "assay.tex").write_bytes(macros)
    except OSError as error:
        raise InputError("--sty", error.strerror, "a folder to write to", str(folder)) from None
    print(plain(f"{folder / 'assay.sty'} and {folder / 'assay.tex'} written"))


def marks_of(file: Path) -> Iterator[Mark]:
    """The marks of one file, in order."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "no UTF-8 text"
        raise InputError("FILE", reason, "a LaTeX source", str(file)) from None
    for number, text in enumerate(lines, 1):
        if found := COMMENT.search(text):
            yield Mark(file, number, found[1], found[2])
        elif MEANT.search(text):
            yield Mark(file, number, text.strip(), "", "% assay: ID = VERDICT")
        for macro in MACRO.finditer(re.sub(r"(?<!\\)%.*", "", text)):
            if macro[1] not in CITATIONS:
                yield _macro(file, number, macro)


def _macro(file: Path, number: int, found: re.Match[str]) -> Mark:
    """A macro as a mark; one that is spelt otherwise, or without its argument, is malformed."""
    macro, name = found.groups()
    if macro not in MARKS or name is None:
        return Mark(file, number, found[0], "", ", ".join(f"\\{each}{{ID}}" for each in MARKS))
    return Mark(file, number, name, "holds" if macro == "assayholds" else "")


def remark(mark: Mark, rows: Rows, answers: Answers) -> str:
    """The conditions of a statement that the author relies on as printed; empty if it has none."""
    if mark.relies_on != "holds" or fault(mark, rows, answers):
        return ""
    row = rows[resolve(mark.name, list(rows.values()), answers)]
    conditions = [*row["under"], *row["conditions"]]
    holds = f"{row['id']} holds given {'; '.join(conditions)}"
    return plain(f"{mark.file}:{mark.line}: {holds}") if conditions else ""


def fault(mark: Mark, rows: Rows, answers: Answers = ()) -> str:
    """What is wrong with a mark, in the form FILE:LINE: …; empty if nothing."""
    place = f"{mark.file}:{mark.line}"
    if mark.malformed:
        return plain(f"{place}: {mark.name!r} is no mark, expected {mark.malformed}")
    try:
        row = rows[resolve(mark.name, list(rows.values()), answers)]
    except UnknownStatement as error:
        near = ", ".join(error.near)
        return plain(f"{place}: no statement {mark.name!r}; near it: {near}")
    if mark.name in row["aliases"]:
        return plain(f"{place}: {mark.name} is an old name; use {row['id']}")
    if _agrees(mark, row):
        return ""
    claimed = "holds as printed" if mark.relies_on == "holds" else mark.relies_on
    lowered = "" if row["standing"] == row["rank"] else f" (standing {row['standing']})"
    return plain(
        f"{place}: {row['id']}: the manuscript says {claimed}, the record says {row['verdict']}"
        f"{lowered}. Write: {row['sentence']}"
    )


def _agrees(mark: Mark, row: dict[str, Any]) -> bool:
    if not mark.relies_on:
        return True
    if mark.relies_on == "holds":
        return record_source.holds_as_printed(row)
    return bool(mark.relies_on == row["verdict"])
