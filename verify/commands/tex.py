r"""`assay tex FILE…`: do the marks of a manuscript agree with the record?

Marks
    \assay{ID}            prints the verdict; the statement must exist
    \assayholds{ID}       the author relies on the statement as printed
    % assay: ID = WORD    the author relies on this verdict

A mark that is none of these (`\assays{ID}`, `% Assay: …`, no braces on the line) is an error: whoever
wrote it believes that it is checked. `\assayholds` on a statement that holds under conditions is
answered by them.

`--ci TOOL` prints what a repository's continuous integration needs; `REPOSITORY` stands in it for the
address of the sources as long as the package names none (`constructions.__url__`).
`--sty DIR` writes `assay.sty` and `assay.tex` there, for \usepackage{assay}.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import constructions
from constructions.core.atomic_files import write_folder
from constructions.core.bounded_files import read_text
from constructions.core.errors import InputError
from verify.display.terminal import plain, say
from verify.judge.names import UnknownStatement, resolve
from verify.record import source as record_source
from verify.rejudge import record_for

EXAMPLES = """examples:
  assay tex paper.tex sections/*.tex
  assay tex --ci pre-commit          what to put into .pre-commit-config.yaml
  assay tex --sty .                  write assay.sty and assay.tex for \\usepackage{assay}

exit status: 0 every mark agrees with the record; 2 an author relies on a
statement that is shown in part only; 1 other marks disagree;
4 a file cannot be read"""
PLACEHOLDER = "REPOSITORY"
SNIPPETS = {
    "pre-commit": """# .pre-commit-config.yaml
repos:
  - repo: {address}
    rev: v{version}
    hooks:
      - id: assay-tex
""",
    "github": """# .github/workflows/paper.yml, among the steps
- uses: actions/checkout@v4
- uses: {action}@v{version}
  with:
    files: paper.tex
""",
    "tox": """# tox.ini
[testenv:assay]
skip_install = true
deps = assay-wfa @ git+{address}@v{version}
commands = assay tex paper.tex
""",
}
CODE = re.compile(r"(?:[^\\%]|\\.?)*")  # of a line, up to its comment
MACRO = re.compile(r"\\assay([A-Za-z]*)[ \t]*(?:\{([^{}]*)\})?")
MACROS = {"": "", "scope": "", "sentence": "", "holds": "holds"}  # and what each relies on
COMMENT = re.compile(r"%\s*assay:\s*(\S+)\s*=\s*(.+?)\s*$")
LIKE_COMMENT = re.compile(r"%\s*(?:assays?\s*:|assay\s+\S+\s*=).*", re.IGNORECASE)
EXPECTED = r"\assay{ID}, \assayholds{ID} or % assay: ID = WORD, on one line"
Rows = dict[str, dict[str, Any]]
Answers = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Mark:
    """One mark: where it stands, the statement it names, and the verdict it relies on."""

    file: Path
    line: int
    name: str
    relies_on: str  # a verdict; "holds"; or nothing
    misspelt: bool = False  # then the name is the text as it stands there


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
    parser.add_argument(
        "--ci", choices=SNIPPETS, help="print what continuous integration needs, and end"
    )
    record_source.add_option(parser)
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """Print every mark that disagrees, with the sentence to use instead."""
    if args.ci:
        say(snippet(args.ci, constructions.__url__ or PLACEHOLDER), end="")
        return 0
    if not args.files and not args.sty:
        raise InputError("FILE", "none", "a LaTeX source, or --sty DIR")
    record = record_for(args)
    if args.sty:
        write_style(args.sty, record)
    if not args.files:
        return 0
    rows = record_source.rows(record)
    marks = [mark for file in args.files for mark in marks_of(file)]
    answers = record.get("answers", ())
    found = {mark: fault(mark, rows, answers) for mark in marks}
    faults = [line for line in found.values() if line]
    partly = [mark for mark, line in found.items() if line and relies_on_part(mark, rows, answers)]
    given = [line for mark in marks if (line := conditions(mark, rows, answers))]
    for line in [*faults, *given]:
        say(line)
    say(f"{len(marks) - len(faults)} of {len(marks)} marks agree with the record.")
    return status(len(faults), len(partly))


def status(faults: int, partly: int) -> int:
    """0 no mark disagrees; 2 all that disagree rely on what is shown in part; 1 otherwise."""
    if not faults:
        return 0
    return 2 if faults == partly else 1


def snippet(tool: str, address: str) -> str:
    """What a tool's file needs, with the address of our sources."""
    action = "/".join(address.rstrip("/").split("/")[-2:])  # GitHub's own form: owner/name
    return SNIPPETS[tool].format(address=address, action=action, version=constructions.__version__)


def write_style(folder: Path, record: dict[str, Any]) -> None:
    """Write the LaTeX package and the macros of a record."""
    from reports.texts import latex_macros
    from reports.view import view

    package = files("reports").joinpath("assay.sty").read_bytes()
    macros = latex_macros(view(record, {"certificates": []}))
    write_folder(folder, {"assay.sty": package, "assay.tex": macros}, "--sty")
    say(plain(f"{folder / 'assay.sty'} and {folder / 'assay.tex'} written"))


def marks_of(file: Path) -> Iterator[Mark]:
    """The marks of one file, in order."""
    for number, text in enumerate(re.split(r"\r\n?|\n", read_text(file)), 1):
        code = CODE.match(text)
        end = code.end() if code else 0
        yield from _comment(file, number, text[end:])
        for macro in MACRO.finditer(text[:end]):
            if macro[1] in MACROS and macro[2] is not None:
                yield Mark(file, number, macro[2].strip(), MACROS[macro[1]])
            else:
                yield Mark(file, number, macro[0], "", misspelt=True)


def _comment(file: Path, number: int, text: str) -> Iterator[Mark]:
    """The mark in a comment, if there is one."""
    if exact := COMMENT.search(text):
        yield Mark(file, number, exact[1], exact[2])
    elif near := LIKE_COMMENT.search(text):
        yield Mark(file, number, near[0], "", misspelt=True)


def conditions(mark: Mark, rows: Rows, answers: Answers = ()) -> str:
    """What a statement is given that the author relies on as printed; empty if nothing."""
    if mark.relies_on != "holds" or fault(mark, rows, answers):
        return ""
    row = rows[resolve(mark.name, list(rows.values()), answers)]
    given = "; ".join([*row["under"], *row["conditions"]])
    return plain(f"{mark.file}:{mark.line}: {row['id']} holds given {given}") if given else ""


def relies_on_part(mark: Mark, rows: Rows, answers: Answers = ()) -> bool:
    """Return whether an author relies on the whole of a statement that is shown in part."""
    try:
        name = resolve(mark.name, list(rows.values()), answers)
    except UnknownStatement:
        return False
    return mark.relies_on == "holds" and record_source.in_part(rows[name])


def fault(mark: Mark, rows: Rows, answers: Answers = ()) -> str:
    """What is wrong with a mark, in the form FILE:LINE: …; empty if nothing."""
    place = f"{mark.file}:{mark.line}"
    if mark.misspelt:
        return plain(f"{place}: no mark: {mark.name}; expected {EXPECTED}")
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
    partly = f" in part, for {row['scope']}" if relies_on_part(mark, rows, answers) else ""
    return plain(
        f"{place}: {row['id']}: the manuscript says {claimed}, the record says {row['verdict']}"
        f"{partly}{lowered}. Write: {row['sentence']}"
    )


def _agrees(mark: Mark, row: dict[str, Any]) -> bool:
    if not mark.relies_on:
        return True
    if mark.relies_on == "holds":
        return record_source.holds_as_printed(row)
    return bool(mark.relies_on == row["verdict"])
