"""Comparison of a folder with its record: it must contain the record's renderings and nothing else.

    refused         a page that says something else than the record (`pages`)
    not confirmed   a page that is missing, or a link or a folder; a drawing with other lines;
                    whatever is no page of the record, such as a compiled erratum.pdf

Each unconfirmed file is named on a line, and the exit status is a special one. A page says the same
whatever lies beside it, but a reader may open `INDEX.HTML` for `index.html`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from hashlib import file_digest
from itertools import islice
from pathlib import Path, PurePosixPath

from verify.recheck.errors import one_line
from verify.recheck.pages import same_page

SUMS = "SHA256SUMS"  # of the other files; a run replaces only files that it lists
MOST_NAMES = 1000  # that are read of a folder; ours have fewer
NO_PAGE = "no page of the record"


@dataclass(frozen=True)
class Comparison:
    """Summary of the confirmed files of a folder, and one line for each other file."""

    confirmed: str
    unconfirmed: tuple[str, ...] = ()


def compare_folder(folder: Path, pages: Mapping[str, bytes], data: Collection[str]) -> Comparison:
    """Compare a folder with the pages of its record; `data` are the files that were read already.

    A page with another text is refused.
    """
    compared = {name: _page_fault(folder, name, page) for name, page in pages.items()}
    notes = [f"{sum(not fault for fault in compared.values())} pages are those of the record"]
    faults = dict.fromkeys(strangers(folder, {*pages, *data}), NO_PAGE)
    faults |= {name: _file_fault(folder, name) for name in data} | compared
    if SUMS in faults:
        others = any(fault for name, fault in faults.items() if name != SUMS)
        faults[SUMS] = "" if others else _sums_fault(folder, {*pages, *data})
    lines = (one_line(ValueError(f"{name}: {fault}")) for name, fault in faults.items() if fault)
    return Comparison(", ".join(notes), tuple(lines))


def strangers(folder: Path, names: Collection[str]) -> Iterator[str]:
    """The files, links and folders that have other names and are no parent folder of one of these names."""
    homes = {str(home) for name in names for home in PurePosixPath(name).parents}
    for home in sorted(homes):
        for entry in _entries(folder, home):
            name = str(PurePosixPath(home) / entry.name)
            if name not in (homes if entry.is_dir(follow_symlinks=False) else names):
                yield name


def _entries(folder: Path, home: str) -> list[os.DirEntry[str]]:
    """Names in a folder of the report; links are not followed."""
    if home != "." and not _is_folder(folder / home):
        return []
    with os.scandir(folder / home) as entries:
        return sorted(islice(entries, MOST_NAMES), key=lambda entry: entry.name)


def _is_folder(path: Path) -> bool:
    """Return True for a folder that is no link."""
    return path.is_dir() and not path.is_symlink()


def _page_fault(folder: Path, name: str, page: bytes) -> str:
    """Return the reason for not confirming a page of the record, or ""."""
    if fault := _file_fault(folder, name):
        return fault
    content = _start(folder / name, 2 * len(page))
    return "" if same_page(name, content, page) else "drawn with other lines than here"


def _sums_fault(folder: Path, names: Collection[str]) -> str:
    """Return why the digests of the folder's files are not confirmed, or ""."""
    present = sorted(name for name in names if not _file_fault(folder, name))
    sums = {name: _digest(folder / name) for name in present}
    lines = "".join(f"{digest}  {name}\n" for name, digest in sums.items()).encode()
    if _file_fault(folder, SUMS):
        return "no regular file"
    return "" if _start(folder / SUMS, len(lines) + 1) == lines else "digests of other files"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _start(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most)


def _file_fault(folder: Path, name: str) -> str:
    """Return the reason why the file of this name cannot be read, or ""."""
    homes = [folder / home for home in PurePosixPath(name).parents if home.name]
    path = folder / name
    if not os.path.lexists(path) or not all(map(_is_folder, homes)):
        return "missing"
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return "no regular file"
    return "" if os.access(path, os.R_OK) else "it may not be read"
