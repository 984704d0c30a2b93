"""`assay new DIR`: a paper's folder to start from, with a small paper of two pages in it."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from constructions.core.errors import InputError

HELP = "a folder to start with for a paper of your own"
EXAMPLES = """examples:
  assay new mine
  assay run --about mine && assay recheck mine/report --about mine
  assay new mine --paper my.tex      a stub for each theorem, lemma, definition and table of my.tex

exit status: 0; 4 the folder is not empty, or cannot be written; or the source has no statement"""
LEFT_OUT = ("__init__.py", "__pycache__")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a new or an empty folder")
    parser.add_argument(
        "--paper", type=Path, metavar="FILE", help="a LaTeX source whose statements get stubs"
    )


def command(args: argparse.Namespace) -> int:
    """Write the template."""
    from constructions.core.atomic_files import write_folder
    from verify.display.terminal import plain, say

    folder: Path = args.folder
    try:
        empty = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError("DIR", reason, "a new or an empty folder", str(folder)) from None
    if not empty:
        raise InputError("DIR", str(folder), "a new or an empty folder")
    if args.paper is not None:
        return _from_source(folder, args.paper)
    for part, contents in template().items():
        write_folder(folder / part, contents, "DIR")
    say(plain(f"{folder}: a small paper with its data and facts; next: assay run --about {folder}"))
    return 0


def _from_source(folder: Path, path: Path) -> int:
    """Write the stubs of a LaTeX source, a copy of which goes into the folder."""
    from constructions.core.atomic_files import write_folder
    from constructions.core.bounded_files import read_bytes
    from reports.labels import count_of
    from verify.display.terminal import plain, say
    from verify.record import stubs
    from verify.record.chosen_paper import LARGEST_DATA

    source = read_bytes(path, LARGEST_DATA)
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source[: error.start].count(b"\n") + 1
        raise InputError("--paper", f"no UTF-8 text in line {line}", "", str(path)) from None
    found = len(stubs.stubs(text))
    if not found:
        expected = "a theorem, lemma, proposition, corollary, definition or table"
        raise InputError("--paper", "no statement", expected, str(path))
    write_folder(folder, stubs.folder(source, path.name), "DIR")
    say(plain(f"{folder}: {count_of(found, 'stub')}; next: assay lint --about {folder}"))
    if re.search(r"(?m)^[^%\n]*\\(input|include)\s*\{", text):
        say(
            plain(f"{path}: \\input and \\include are not followed; merge the files first"),
            error=True,
        )
    return 0


def template() -> dict[str, dict[str, bytes]]:
    """The files of the template by folder and name."""
    from verify.record.chosen_paper import TEMPLATE

    found: dict[str, dict[str, bytes]] = {"": {}}
    for path in sorted(TEMPLATE.rglob("*")):
        inside = path.relative_to(TEMPLATE)
        if path.is_file() and not set(inside.parts) & set(LEFT_OUT):
            found.setdefault(str(inside.parent), {})[inside.name] = path.read_bytes()
    return found
