"""The record that commands speak from: a run's own, that of another paper, or the published one.

    --from DIR     a folder written by `assay run`
    --about DIR    the folder of another paper, with the report that `assay run --about DIR` wrote

A record of a folder may have been edited: what the commands read of it is compared with `SHAPE`
first, so that a malformed one is refused in one line that names the place. `verify.rejudge` then
judges it again from its facts.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from constructions.core.bounded_files import read_text
from constructions.core.errors import InputError, message_text
from verify.judge import schemas
from verify.judge.data import CELL_STATES, GRADES
from verify.judge.names import UnknownStatement, below, normal_form, resolve

Row = dict[str, Any]
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._+-]*")  # of a BibTeX key in \\cite{…}
REPORT = "report"  # where a run about a folder writes, inside it
LISTED = 6  # candidates that a message names
# Verdicts of what holds as it is printed; of the ranks only one covers the whole of a statement.
HOLDS = frozenset({"proved", "checked", "measured", "well-formed", "confirmed", "consistent"})
WHOLE = frozenset({"proved"})

# A type; a list with the shape of its items; a table with the shapes of its fields; or choices.
Shape = Any
BINDING = dict.fromkeys(("fact", "expects", "weight", "method", "scope", "because"), str)
INTERPRETATION = {"name": str, "rank": str, "bindings": [BINDING]}
STATEMENT = {
    **dict.fromkeys(
        ("id", "title", "form", "section", "verdict", "method", "sentence", "note"), str
    ),
    **dict.fromkeys(("rank", "standing", "scope", "grade", "numbered", "text"), str),
    **dict.fromkeys(("because", "reason", "through"), str),
    **{key: [str] for key in ("aliases", "rests_on", "findings", "under", "conditions", "notes")},
    "places": [[int]],
    "ours": bool,
    "interpretations": [INTERPRETATION],
    "repair": (type(None), {"change": str}),
}
FINDING = {
    **dict.fromkeys(("id", "title", "printed", "why", "witness", "repair"), str),
    "grade": GRADES,
    "touches": [str],
}
REFERENCE = {"key": str, "text": str, "bibtex": str}
HEAD = {
    **dict.fromkeys(("title", "venue", "url"), str),
    "authors": [str],
    "source": {"sha256": str},
    "paper": REFERENCE,
    "check": {**REFERENCE, "name": str},
}
CERTIFICATE = {
    **dict.fromkeys(("key", "fact"), str),
    **{"holds": (type(None), bool), "values": dict, "witness": (type(None), dict)},
}
CELL = {"statement": str, "state": CELL_STATES, "evidence": [str], "note": str, "shown": bool}
CONDITION = {**dict.fromkeys(("id", "group", "name"), str), "cells": [CELL]}
SHAPE = {
    "answers": [{"name": str, "statement": str}],
    "paper": HEAD,
    "statements": [STATEMENT],
    "findings": [FINDING],
    "observations": [dict],
    "profile": str,
}


def add_option(parser: argparse.ArgumentParser) -> None:
    """Declare `--from DIR` and `--about DIR`."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        "--from",
        dest="folder",
        type=Path,
        metavar="DIR",
        help="a folder written by `assay run`: its verdicts are judged again, its facts are not "
        "re-checked, which standard error says",
    )
    either.add_argument(
        "--about", type=Path, metavar="DIR", help="the folder of another paper, with its report"
    )


def folder_of(args: argparse.Namespace) -> Path | None:
    """The folder of the record that the options name; None is the one shipped with the package."""
    folder: Path | None = args.about / REPORT if args.about else args.folder
    if args.about and args.about.is_dir() and not record_path(folder).exists():
        expected = f"one; write it with `assay run --about {args.about}`"
        raise InputError("--about", f"{args.about} without a report", expected)
    return folder


def record_path(folder: Path | None) -> Path:
    """The file of a folder's record, or of the one shipped with the package."""
    return (folder or Path(str(files("reports") / "published"))) / "record.json"


def load(folder: Path | None) -> dict[str, Any]:
    """The record of a folder, or the one shipped with the package, with its shape checked."""
    source = record_path(folder)
    expected = "a record that `assay run` of this version has written"
    try:
        record = json.loads(read_text(str(source)))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("record", "no JSON", expected, str(source)) from None
    if fault := _fault(record):
        raise InputError("record", fault, expected, str(source))
    whole: dict[str, Any] = record
    return whole


def _fault(record: Any) -> str:
    """The first fault of a record, or ""."""
    if not isinstance(record, dict) or record.get("schema") != schemas.RECORD:
        return "another schema"
    shape = {**SHAPE, "conditions": [CONDITION]} if "conditions" in record else SHAPE
    if fault := misfit(record, shape, ""):
        return fault
    ids = [row["id"] for row in record["statements"]]
    if strange := next((name for name in _names(record) if not NAME.fullmatch(name)), ""):
        return f"the name {message_text(strange)}"
    if not ids or len(set(ids)) < len(ids):
        return "an id twice" if ids else "no statement"
    if strangers := sorted(set(_mentioned(record)) - set(ids)):
        return f"no statement {message_text(strangers[0])}"
    return next((_odd(row) for row in record["statements"] if _odd(row)), "")


def _mentioned(record: dict[str, Any]) -> Iterator[str]:
    """Statements that rows of page one and cells of the matrix are about."""
    yield from (answer["statement"] for answer in record["answers"])
    for row in record.get("conditions", ()):
        yield from (cell["statement"] for cell in row["cells"])


def _names(record: dict[str, Any]) -> list[str]:
    """Faults of texts that LaTeX gets unescaped: the keys of both references, and ids."""
    keys = [record["paper"][name]["key"] for name in ("paper", "check")]
    ids = [row["id"] for part in ("statements", "findings") for row in record[part]]
    return [*keys, *ids]


def _odd(row: Row) -> str:
    """Faults of a statement that its shape does not show."""
    if any(len(place) != 2 for place in row["places"]):
        return f"{row['id']}: a place that is no pair of lines"
    return f"{row['id']}: a grade without a finding" if row["grade"] and not row["findings"] else ""


def misfit(value: Any, shape: Shape, place: str) -> str:
    """First place at which a value does not have the shape; empty if it has."""
    if isinstance(shape, tuple):
        faults = [misfit(value, each, place) for each in shape]
        return faults[-1] if all(faults) else ""
    if isinstance(shape, str):
        return "" if value == shape else f"{place} is no {shape}"
    kind: Any = shape if isinstance(shape, type) else type(shape)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        return f"{place} is missing or no {kind.__name__}"
    if isinstance(shape, list):
        parts = [misfit(item, shape[0], f"{place}[{i}]") for i, item in enumerate(value)]
    elif isinstance(shape, dict):
        parts = [misfit(value.get(k), s, f"{place}.{k}".lstrip(".")) for k, s in shape.items()]
    else:
        return ""
    return next((part for part in parts if part), "")


def rows(record: dict[str, Any]) -> dict[str, Row]:
    """The statements of a record by id."""
    return {row["id"]: row for row in record["statements"]}


def holds_as_printed(row: Row) -> bool:
    """Return whether the whole of a statement holds as printed, and all that it rests on."""
    return _holds(row) and not in_part(row)


def in_part(row: Row) -> bool:
    """Return whether a statement is shown for a stated part of its range only."""
    return _holds(row) and (row["rank"] not in WHOLE or row["scope"] != "all")


def _holds(row: Row) -> bool:
    return row["verdict"] in HOLDS and row["standing"] == row["rank"]


def find_rows(record: dict[str, Any], names: list[str], all_below: bool = False) -> list[Row]:
    """The rows of the named statements; an unknown name is an error with the nearest ids."""
    known = rows(record)
    found: dict[str, None] = {}
    for name in names:
        try:
            named = (name, list(known.values()), record.get("answers", ()))
            ids = below(*named) if all_below else [resolve(*named)]
        except UnknownStatement as error:
            raise _unknown(name, error.near, record) from None
        found |= dict.fromkeys(ids)
    return [known[name] for name in found]


def cite(name: str) -> str:
    """The sentence that a careful author may write of a statement, from the published record.

    Examples:
        >>> cite("lem1").startswith("Lemma 1 of [1]")
        True

    """
    return str(find_rows(load(None), [name])[0]["sentence"])


class PublishedFigure(NamedTuple):
    """A figure of the published record; a notebook shows it with its caption."""

    title: str
    caption: str
    svg: str

    def _repr_html_(self) -> str:
        caption = f"<b>{escape(self.title)}.</b> {escape(self.caption)}"
        return f"<figure>{self.svg}<figcaption>{caption}</figcaption></figure>"


def published_figures() -> list[PublishedFigure]:
    """Title, caption and drawing (SVG) of every figure of the published record.

    Examples:
        >>> title, caption, svg = published_figures()[0]
        >>> "<svg" in svg
        True

    """
    from reports.record_figures import draw_figures
    from reports.view import view

    record, certificates = load(None), list(published_certificates().values())
    pictures = draw_figures(view(record, {"certificates": certificates}))
    figures = [figure for figure in record["figures"] if figure["id"] in pictures]
    return [
        PublishedFigure(figure["title"], figure["caption"], pictures[figure["id"]].svg)
        for figure in figures
    ]


def _unknown(name: str, near: Sequence[str], record: dict[str, Any]) -> InputError:
    """Several ids begin so, the whole statements first; or none does, and some are near."""
    ids = list(rows(record))
    if name in {f["id"] for f in record.get("findings", ())} or re.fullmatch(
        r"[Ff][0-9]{1,3}", name
    ):
        hint = f"a statement; for a finding: assay findings {name}"
        return InputError("STATEMENT", name, hint)
    found = [each for each in ids if each.startswith(normal_form(name))]
    if len(found) < 2 or not normal_form(name):
        return InputError("STATEMENT", name, f"a statement, such as {', '.join(near)}")
    found.sort(key=lambda each: (each.count("."), each))
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    listed = ", ".join(found[:LISTED])
    return InputError(
        "STATEMENT", f"{message_text(name)} is ambiguous, it begins {listed}{more}", ""
    )


@cache
def published_certificates() -> dict[str, dict[str, Any]]:
    """The certificates shipped with the package, by name."""
    return certificates_of(Path(str(files("reports") / "published")))


def certificates_of(folder: Path) -> dict[str, dict[str, Any]]:
    """The certificates of a folder by name; {} without certificates of this version."""
    try:
        table = json.loads(read_text(folder / "certificates.json"))
    except (ValueError, RecursionError):
        return {}
    shape = {"schema": schemas.CERTIFICATES, "certificates": [CERTIFICATE]}
    if misfit(table, shape, ""):
        return {}
    return {item["key"]: item for item in table["certificates"]}


def numbered_findings(record: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the findings by the numbers that the report gives them: F1, F2, …, worst first.

    Within a grade those that touch more statements come first.
    """
    worst_first = sorted(
        record["findings"], key=lambda f: (GRADES.index(f["grade"]), -len(f["touches"]))
    )
    return {f"F{place}": finding for place, finding in enumerate(worst_first, 1)}
