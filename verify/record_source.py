"""The record that commands speak from: a run's own (`--from DIR`), or the published one."""

from __future__ import annotations

import argparse
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from constructions.errors import InputError
from verify.judge.names import UnknownStatement, below, resolve

Row = dict[str, Any]
SCHEMA = "assay-record-2"
NEEDED = {"statements": list, "findings": list, "observations": list, "profile": str}
KEYS = {
    **dict.fromkeys(("id", "title", "form", "section", "verdict", "method", "sentence"), str),
    **dict.fromkeys(("rank", "standing", "scope", "grade", "numbered", "text"), str),
    **dict.fromkeys(("places", "aliases", "rests_on", "findings", "readings"), list),
}


def add_option(parser: argparse.ArgumentParser) -> None:
    """Declare `--from DIR`."""
    parser.add_argument(
        "--from", dest="folder", type=Path, metavar="DIR", help="a folder written by `verify run`"
    )


def load(folder: Path | None) -> dict[str, Any]:
    """The record of a folder, or the one shipped with the package, with its shape checked."""
    source = folder / "record.json" if folder else files("reports") / "published" / "record.json"
    expected = "a record that `verify run` of this version has written"
    try:
        record = json.loads(source.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or "no JSON"
        raise InputError("record", reason, expected, str(source)) from None
    if fault := _fault(record):
        raise InputError("record", fault, expected, str(source))
    whole: dict[str, Any] = record
    return whole


def _fault(record: Any) -> str:
    """What is wrong with a record's shape; empty if nothing."""
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        return "another schema"
    for name, kind in NEEDED.items():
        if not isinstance(record.get(name), kind):
            return f"{name} is missing or no {kind.__name__}"
    for number, row in enumerate(record["statements"], 1):
        for name, kind in KEYS.items():
            if not isinstance(row, dict) or not isinstance(row.get(name), kind):
                return f"statement {number}: {name} is missing or no {kind.__name__}"
    return ""


def rows(record: dict[str, Any]) -> dict[str, Row]:
    """The statements of a record by id."""
    return {row["id"]: row for row in record["statements"]}


def chosen(record: dict[str, Any], names: list[str], all_below: bool = False) -> list[Row]:
    """The rows of the named statements; an unknown name is an error with the nearest ids."""
    known = rows(record)
    found: dict[str, None] = {}
    for name in names:
        try:
            listed = list(known.values())
            ids = below(name, listed) if all_below else [resolve(name, listed)]
        except UnknownStatement as error:
            near = ", ".join(error.near)
            raise InputError("STATEMENT", name, f"a statement, such as {near}") from None
        found |= dict.fromkeys(ids)
    return [known[name] for name in found]


@cache
def published_certificates() -> dict[str, dict[str, Any]]:
    """The certificates shipped with the package, by name; empty where there are none."""
    source = files("reports") / "published" / "certificates.json"
    try:
        listed = json.loads(source.read_text("utf-8"))["certificates"]
    except (OSError, ValueError, KeyError):
        return {}
    return {item["key"]: item for item in listed}
