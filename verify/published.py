"""The record that `list`, `show` and `cite` speak from: a run's own, or the published one."""

from __future__ import annotations

import argparse
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from constructions.errors import InputError
from verify.claims.registry import CLAIMS

Row = dict[str, Any]


def add_option(parser: argparse.ArgumentParser) -> None:
    """Declare `--from DIR`."""
    parser.add_argument(
        "--from", dest="folder", type=Path, metavar="DIR", help="a folder written by `verify run`"
    )


def load(folder: Path | None) -> dict[str, Any]:
    """The record of a folder, or the one shipped with the package."""
    source = (folder or shipped()) / "record.json"
    try:
        record: dict[str, Any] = json.loads(source.read_text("utf-8"))
    except (OSError, ValueError) as error:
        expected = "a record that `verify run` has written"
        raise InputError("record", error, expected, str(source)) from None
    return record


def shipped() -> Path:
    """The folder of the published record, found without importing what draws reports."""
    spec = find_spec("reports")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not places:
        raise InputError("record", "no package `reports`", "the published record")
    return Path(places[0]) / "published"


def rows(record: dict[str, Any]) -> dict[str, Row]:
    """The claims of a record by id; a claim the record does not know is not checked in it."""
    known = {row["id"]: row for row in record["claims"]}
    return {claim.id: known[claim.id] for claim in CLAIMS if claim.id in known}


def chosen(record: dict[str, Any], names: list[str]) -> list[Row]:
    """The rows of the named claims; an unknown name is an error with the nearest ids."""
    known = rows(record)
    for name in names:
        if name not in known:
            raise InputError("CLAIM", name, f"a claim's id, such as {_near(name, list(known))}")
    return [known[name] for name in names]


def _near(name: str, ids: list[str]) -> str:
    from difflib import get_close_matches

    return ", ".join(get_close_matches(name, ids, n=3, cutoff=0.3) or ids[:3])
