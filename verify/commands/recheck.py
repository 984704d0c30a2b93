"""`assay recheck DIR`: confirm a run's facts by an independent program, and judge again.

The pages of the folder are rendered again from the confirmed record. A page with another text, that
of its drawings included, is refused. Another version of matplotlib can draw other lines: pages
whose drawings differ in more than last digits are named as not confirmed (`verify.recheck.pages`).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from constructions.core.errors import InputError

EXAMPLES = """examples:
  assay recheck reports/published
  assay recheck out --coq --quiet

exit status: 0 everything is confirmed or named as taken on trust; 1 the record, or a page
beside it, is refused; 4 there is no record to read"""
DATA = ("record.json", "certificates.json")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser(
        "recheck",
        help="confirm the facts and judge again, independently",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder written by `assay run`")
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

    pages = {name: page for name, page in render_all(record, certificates).items()
             if (folder / name).is_file()}  # fmt: skip
    redrawn = [name for name, page in pages.items() if not _same(folder / name, name, page)]
    files = sum(path.is_file() for path in folder.rglob("*"))
    return _said(len(pages), redrawn, files - len(pages) - len(DATA))


def _same(path: Path, name: str, page: bytes) -> bool:
    from verify.recheck.pages import same_page

    return same_page(name, path.read_bytes() if path.stat().st_size < 2 * len(page) else b"", page)


def _said(pages: int, redrawn: list[str], others: int) -> str:
    parts = [f"{pages - len(redrawn)} pages are those of the record"]
    if redrawn:
        parts.append(
            f"{len(redrawn)} have its words, but their drawings were not confirmed, "
            f"which have other lines than those drawn here ({', '.join(redrawn)})"
        )
    if others:
        parts.append(f"other files of the folder were not compared: {others}")
    return ", ".join(parts)
