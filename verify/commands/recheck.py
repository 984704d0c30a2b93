"""`verify recheck DIR`: confirm a run's facts by an independent program, and judge again.

The pages of the folder are rendered again from the confirmed record. A page with another text, that
of its drawings included, is refused. Lines of drawings can differ from machine to machine in their
last digits: pages where they do are counted.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from constructions.errors import InputError

EXAMPLES = """examples:
  verify recheck reports/published
  verify recheck out --coq --quiet

exit status: 0 everything is confirmed or named as taken on trust; 1 the record, or a page
beside it, is refused; 4 there is no record to read"""
TAG = re.compile(rb"<[^<>]*>")
ID = re.compile(rb"-[pm][0-9a-f]{10}\b")  # a digest of coordinates, their last bits included
DATA = ("record.json", "certificates.json")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser(
        "recheck",
        help="confirm the facts and judge again, independently",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder written by `verify run`")
    parser.add_argument("--quiet", action="store_true", help="print refusals and the total only")
    parser.add_argument("--coq", action="store_true", help="run Coq on the proofs as well")
    parser.set_defaults(func=command)


def command(args: argparse.Namespace) -> int:
    """0 if everything is confirmed, 1 if it is refused, 4 if there is no record."""
    from shutil import which

    from verify.recheck.program import main

    if args.coq and which("coqc") is None:
        raise InputError("--coq", "no coqc", "Coq (Debian package coq)")
    return main(args.folder, args.quiet, args.coq, compared)


def compared(folder: Path, record: dict[str, Any], certificates: dict[str, Any]) -> str:
    """What the pages of a folder are beside its record; a page with another text is refused."""
    from reports import render_all
    from verify.recheck.errors import Refused

    pages = {name: page for name, page in render_all(record, certificates).items()
             if (folder / name).is_file()}  # fmt: skip
    other_lines = 0
    for name, page in pages.items():
        path = folder / name
        found = path.read_bytes() if path.stat().st_size < 2 * len(page) else b""
        if _text(found) != _text(page):
            raise Refused(f"{name} is not the page of this record")
        other_lines += ID.sub(b"", found) != ID.sub(b"", page)
    files = sum(path.is_file() for path in folder.rglob("*"))
    return _said(len(pages), other_lines, files - len(pages) - len(DATA))


def _text(page: bytes) -> bytes:
    """A page with the words of its drawings alone."""
    first, *rest = page.split(b"<svg")
    drawings = (part.partition(b"</svg>") for part in rest)
    return first + b"".join(_words(b"<svg" + drawing) + after for drawing, _, after in drawings)


def _words(drawing: bytes) -> bytes:
    return b" ".join(TAG.sub(b" ", drawing).split())


def _said(pages: int, other_lines: int, others: int) -> str:
    parts = [f"{pages} pages are those of the record"]
    if other_lines:
        parts.append(f"{other_lines} of them with other lines in a drawing")
    if others:
        parts.append(f"other files of the folder were not compared: {others}")
    return ", ".join(parts)
