"""The record that commands read: that of a run, of another paper, or the published one.

    --from DIR     a folder written by `assay run`
    --about DIR    the folder of another paper, with the report that `assay run --about DIR` wrote

A record of a folder may have been edited: `verify.rejudge` reads it and judges it again from its facts.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from constructions.core.bounded_files import read_text
from constructions.core.errors import InputError, message_text
from verify.judge import schemas
from verify.judge.data import GRADES
from verify.judge.names import UnknownStatement, below, normal_form, resolve

Row = dict[str, Any]
REPORT = "report"  # where a run about a folder writes, inside it
LISTED = 6  # candidates that a message names
# Verdicts of what holds as it is printed; of the ranks only one covers the whole of a statement.
HOLDS = frozenset({"proved", "checked", "measured", "well-formed", "confirmed", "consistent"})
WHOLE = frozenset({"proved"})


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


def load() -> dict[str, Any]:
    """Return the record shipped with the package."""
    record: dict[str, Any] = json.loads(read_text(record_path(None)))
    return record


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
    return str(find_rows(load(), [name])[0]["sentence"])


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

    record, certificates = load(), list(published_certificates().values())
    pictures = draw_figures(view(record, {"certificates": certificates}))
    figures = [figure for figure in record["figures"] if figure["id"] in pictures]
    return [
        PublishedFigure(figure["title"], figure["caption"], pictures[figure["id"]].svg)
        for figure in figures
    ]


def _unknown(name: str, near: Sequence[str], record: dict[str, Any]) -> InputError:
    """The error for an unknown name: the ids that begin with it, or the closest ones."""
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
    """Return the certificates of a folder by name; {} without certificates of this version."""
    try:
        table = json.loads(read_text(folder / "certificates.json"))
        of_this_version = table["schema"] == schemas.CERTIFICATES
        found = {item["key"]: item for item in table["certificates"] if of_this_version}
        whole = all(map(_is_certificate, found.values()))
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}
    return found if whole else {}


def _is_certificate(item: dict[str, Any]) -> bool:
    decided = item["holds"] is None or isinstance(item["holds"], bool)
    return decided and isinstance(item["values"], dict) and isinstance(item["witness"], dict | None)


def numbered_findings(record: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the findings by the numbers that the report gives them: F1, F2, …, worst first.

    Within a grade those that touch more statements come first.
    """
    worst_first = sorted(
        record["findings"], key=lambda f: (GRADES.index(f["grade"]), -len(f["touches"]))
    )
    return {f"F{place}": finding for place, finding in enumerate(worst_first, 1)}
