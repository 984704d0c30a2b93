"""`assay new DIR`: a paper's folder to start from, with a small paper of two pages in it."""

from __future__ import annotations

import argparse
from pathlib import Path

from constructions.core.errors import InputError

EXAMPLES = """examples:
  assay new mine
  assay run --about mine && assay recheck mine/report --about mine

exit status: 0; 4 the folder is not empty, or cannot be written"""
LEFT_OUT = ("__init__.py", "__pycache__")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's arguments."""
    parser = commands.add_parser("new", help="a folder to start with for a paper of your own")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a new or an empty folder")
    parser.set_defaults(func=command)


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
    for part, contents in template().items():
        write_folder(folder / part, contents, "DIR")
    say(plain(f"{folder}: a small paper with its data and facts; next: assay run --about {folder}"))
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
