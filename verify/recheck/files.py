"""Reads a folder's record and certificates, within limits of size, depth and kind of file.

What is no folder of a run, or no JSON of the known kind, is unreadable: neither confirmed nor
refused.
"""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

from verify.judge import schemas
from verify.recheck.data import CANONICAL, Table
from verify.recheck.errors import Unreadable, abbreviate

LARGEST_FILE = 64 << 20
DEEPEST = 40
BRACKET = re.compile(rb"[][{}]")
SCHEMAS = {"record.json": schemas.RECORD, "certificates.json": schemas.CERTIFICATES}
CARRIED = "paper.json"
EXPECTED = "a file that `assay run` of this version has written"


def load(folder: Path) -> tuple[Table, Table]:
    """The record and the certificates of a folder."""
    record, certificates = (read_table(folder, name) for name in SCHEMAS)
    return record, certificates


def carried_data(folder: Path) -> dict[str, str] | None:
    """The data of the paper that a report carries along, by file name; None if it carries none."""
    if not (folder / CARRIED).exists():
        return None
    texts = read_table(folder, CARRIED, schemas.PAPER).get("files")
    if not isinstance(texts, dict) or not all(isinstance(each, str) for each in texts.values()):
        raise Unreadable(CARRIED, "no files by name", EXPECTED)
    return texts


def read_table(folder: Path, name: str, schema: str = "") -> Table:
    """A file of a folder with its schema."""
    found, expected = parse(_content(folder, name), name), schema or SCHEMAS[name]
    if found.get("schema") != expected:
        raise Unreadable(name, f"the schema {abbreviate(found.get('schema'))}", expected)
    return found


def _content(folder: Path, name: str) -> bytes:
    """A regular file of the folder itself, not too large; links and devices are not followed."""
    path = folder / name
    try:
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode):
            raise Unreadable(name, "no regular file", EXPECTED)
        if info.st_size > LARGEST_FILE:
            raise Unreadable(name, f"{info.st_size} bytes", f"at most {LARGEST_FILE}")
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(abbreviate(str(path)), error.strerror or "no file", EXPECTED) from None
    except ValueError as error:
        raise Unreadable(abbreviate(str(path)), str(error), EXPECTED) from None


def parse(content: bytes, name: str = "the file") -> Table:
    """A JSON object in UTF-8 without floats, without duplicate keys, not too deep."""
    try:
        _not_too_deep(content)
        data = json.loads(
            content.decode("utf-8"),
            parse_float=_no_float,
            parse_constant=_no_float,
            object_pairs_hook=_unique,
        )
        CANONICAL.encode(data).encode("utf-8")  # half a surrogate pair is no text
    except (ValueError, RecursionError, MemoryError) as error:
        found = f"no JSON: {type(error).__name__}: {abbreviate(str(error))}"
        raise Unreadable(name, found, EXPECTED) from None
    if not isinstance(data, dict):
        raise Unreadable(name, "no JSON object", EXPECTED)
    return data


def _not_too_deep(content: bytes) -> None:
    depth = 0
    for bracket in BRACKET.finditer(content):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} deep")


def _no_float(value: str) -> None:
    raise ValueError(f"a float ({abbreviate(value)})")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found
