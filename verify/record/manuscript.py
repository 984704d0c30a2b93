r"""The marks of a LaTeX manuscript, and their faults.

Marks
    \assay{ID}            prints the verdict; the statement must exist
    \assayholds{ID}       the author relies on the statement as printed
    % assay: ID = WORD    the author relies on this verdict

Any other mark (`\assays{ID}`, `% Assay: …`, no braces on the line) is a fault: its author
believes it to be checked. `\input` and `\include` are followed inside the folder of the file that is
given; `assay.tex`, written by `assay tex --sty`, has no marks and must be that of the record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constructions.core.bounded_files import read_text
from verify.judge.names import UnknownStatement, resolve
from verify.judge.verdict import WORDS, Verdict
from verify.record import source
from verify.record.references import with_key

STYLE = "assay.tex"
OURS = re.compile(r"% Assay \S+, profile ")  # the first line of assay.tex
KEY = re.compile(r"\\assaypaper\}\[1\]\[\]\{\\assay@cite\{#1\}\{([^{}]*)\}\}")
CODE = re.compile(r"(?:[^\\%]|\\.?)*")  # of a line, up to its comment
MACRO = re.compile(r"\\assay([A-Za-z]*)[ \t]*(?:(?:\[[^\]]*\])?\{([^{}]*)\})?")
MACROS = {"": "", "scope": "", "sentence": "", "holds": "holds"}  # and what each relies on
CITATIONS = {"paper", "tool"}  # \assaypaper and \assaytool cite [1] and [2] and claim nothing
INCLUDED = re.compile(r"\\(?:input|include)[ \t]*\{([^{}]+)\}")
PACKAGE = re.compile(r"\\usepackage[ \t]*\{assay\}")
COMMENT = re.compile(r"%\s*assay:\s*(\S+)\s*=\s*(.+?)\s*$")
LIKE_COMMENT = re.compile(r"%\s*(?:assays?\s*:|assay\s+\S+\s*=).*", re.IGNORECASE)
EXPECTED = r"\assay{ID}, \assayholds{ID} or % assay: ID = WORD, on one line"
KNOWN = [v.value for v in Verdict if v is not Verdict.NONE]
VERDICTS = {*KNOWN, *(word for words in WORDS.values() for word in words.values())}
Rows = dict[str, dict[str, Any]]
Answers = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Mark:
    """One mark: where it is, the statement it names, and the verdict it relies on."""

    file: Path
    line: int
    name: str
    relies_on: str  # a verdict; "holds"; or nothing
    misspelt: bool = False  # then the name is the text as written


@dataclass(frozen=True)
class Fault:
    """Fault in a line of a file; `partly` if only a part of its claim was shown."""

    file: Path
    line: int
    text: str
    partly: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Manuscript:
    """All marks of some files and of those that they include; `styles`: every `assay.tex` among them."""

    marks: tuple[Mark, ...]
    styles: tuple[Path, ...]
    files: int
    left_out: tuple[Fault, ...]  # includes that are not there, or outside the folder


def read(files: Sequence[Path]) -> Manuscript:
    """Read files with all that they include, each once."""
    marks: list[Mark] = []
    styles: list[Path] = []
    left_out: list[Fault] = []
    seen: set[Path] = set()
    pending = [(file, file.parent) for file in files]
    while pending:
        file, root = pending.pop(0)
        if file.resolve() in seen:
            continue
        seen.add(file.resolve())
        text = read_text(file)
        if OURS.match(text):
            styles.append(file)
            continue
        marks += marks_of(file, text)
        for line, name in _included(text):
            target = root / name
            if not target.resolve().is_relative_to(root.resolve()):
                left_out.append(Fault(file, line, f"{name} is outside of this folder and not read"))
            elif target.is_file() or target.is_symlink():
                pending.append((target, root))
            else:
                left_out.append(Fault(file, line, f"no such file: {target}"))
        if PACKAGE.search(text) and (root / STYLE).is_file():
            pending.append((root / STYLE, root))
    return Manuscript(tuple(marks), tuple(styles), len(seen) - len(styles), tuple(left_out))


def _included(text: str) -> Iterator[tuple[int, str]]:
    """Lines and names of included files; a name without an ending is a .tex file."""
    for number, line in enumerate(_lines(text), 1):
        code = CODE.match(line)
        for found in INCLUDED.finditer(code[0] if code else ""):
            name = found[1].strip()
            yield number, name if name.endswith(".tex") else f"{name}.tex"


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n?|\n", text)


def marks_of(file: Path, text: str) -> Iterator[Mark]:
    """Return the marks of one text, in order."""
    for number, line in enumerate(_lines(text), 1):
        code = CODE.match(line)
        end = code.end() if code else 0
        yield from _comment(file, number, line[end:])
        for macro in MACRO.finditer(line[:end]):
            if macro[1] in MACROS and macro[2] is not None:
                yield Mark(file, number, macro[2].strip(), MACROS[macro[1]])
            elif macro[1] not in CITATIONS:
                yield Mark(file, number, macro[0], "", misspelt=True)


def _comment(file: Path, number: int, text: str) -> Iterator[Mark]:
    """Return the mark in a comment, if there is one."""
    if exact := COMMENT.search(text):
        yield Mark(file, number, exact[1], exact[2])
    elif near := LIKE_COMMENT.search(text):
        yield Mark(file, number, near[0], "", misspelt=True)


def style_faults(manuscript: Manuscript, record: dict[str, Any]) -> list[Fault]:
    """Return a fault for each `assay.tex` that is not the one of the record."""
    faults = []
    for file in manuscript.styles:
        text = read_text(file)
        key = KEY.search(text)
        if text.encode() != style(record, key[1] if key else ""):
            what = "belongs to another record or was edited; rewrite it with `assay tex --sty .`"
            faults.append(Fault(file, 1, what))
    return faults


def style(record: dict[str, Any], key: str = "") -> bytes:
    """Return `assay.tex`: the verdicts and sentences of a record; `key` is a BibTeX key of the paper."""
    from reports.texts import latex_macros
    from reports.view import view

    keyed = {**record, "paper": with_key(record["paper"], key)}
    return latex_macros(view(keyed, {"certificates": []}))


def conditions(mark: Mark, rows: Rows, answers: Answers = ()) -> str:
    """Return the conditions of a statement that the author relies on as printed; "" for none."""
    if mark.relies_on != "holds" or fault(mark, rows, answers):
        return ""
    row = rows[resolve(mark.name, list(rows.values()), answers)]
    given = "; ".join([*row["under"], *row["conditions"]])
    return f"{mark.file}:{mark.line}: {row['id']} holds given {given}" if given else ""


def fault(mark: Mark, rows: Rows, answers: Answers = ()) -> Fault | None:
    """Return the fault of a mark, or None."""
    found = _fault(mark, rows, answers)
    return None if found is None else Fault(mark.file, mark.line, *found)


def _fault(mark: Mark, rows: Rows, answers: Answers) -> tuple[str, bool] | None:
    if mark.misspelt:
        return f"no mark: {mark.name}; expected {EXPECTED}", False
    try:
        row = rows[resolve(mark.name, list(rows.values()), answers)]
    except UnknownStatement as error:
        return f"no statement {mark.name!r}; near it: {', '.join(error.near)}", False
    if mark.name in row["aliases"]:
        return f"{mark.name} is an old name; use {row['id']}", False
    if mark.relies_on not in VERDICTS | {"", "holds"}:
        return f"{mark.relies_on} is not a verdict; expected one of {', '.join(KNOWN)}", False
    if _agrees(mark, row):
        return None
    claimed = "holds as printed" if mark.relies_on == "holds" else mark.relies_on
    lowered = "" if row["standing"] == row["rank"] else f" (standing {row['standing']})"
    partly = mark.relies_on == "holds" and source.in_part(row)
    part = f" in part, for {row['scope']}" if partly else ""
    return (
        f"{row['id']}: the manuscript says {claimed}, the record says {row['verdict']}"
        f"{part}{lowered}. Write: {row['sentence']}"
    ), partly


def _agrees(mark: Mark, row: dict[str, Any]) -> bool:
    if not mark.relies_on:
        return True
    if mark.relies_on == "holds":
        return source.holds_as_printed(row)
    return bool(mark.relies_on == row["verdict"])
