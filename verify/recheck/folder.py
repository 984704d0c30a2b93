"""A folder beside its record: it holds what the record renders to, and nothing else.

    refused         a page that says something else than the record (`pages`)
    not confirmed   a page that is missing, or a link or a folder; a drawing with other lines; a
                    compiled erratum with other words; whatever is no page of the record

What is not confirmed is named, one line each, and ends with a status of its own. A page says the same
whatever lies beside it, but a reader may open `INDEX.HTML` for `index.html`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from verify.recheck.errors import Refused, one_line
from verify.recheck.limits import patience
from verify.recheck.pages import same_page

SOURCE, COMPILED = "erratum.tex", "erratum.pdf"
LARGEST_PDF = 4 << 20
MOST_NAMES = 1000  # that are read of a folder; ours have fewer
NO_PAGE = "no page of the record"
Difference = Callable[[str, bytes], str]  # between a source and a PDF; empty if there is none


@dataclass(frozen=True)
class Comparison:
    """What of a folder is confirmed, in a few words, and what is not, one line each."""

    confirmed: str
    unconfirmed: tuple[str, ...] = ()


def compare_folder(
    folder: Path, pages: Mapping[str, bytes], data: Collection[str], difference: Difference
) -> Comparison:
    """Compare a folder with the pages of its record; `data` are the files that were read already.

    A page with another text is refused.
    """
    compared = {name: _page_fault(folder, name, page) for name, page in pages.items()}
    notes = [f"{sum(not fault for fault in compared.values())} pages are those of the record"]
    faults = dict.fromkeys(strangers(folder, {*pages, *data}), NO_PAGE)
    faults |= {name: _file_fault(folder, name) for name in data} | compared
    if SOURCE in pages and COMPILED in faults:
        faults[COMPILED] = _pdf_fault(folder, pages[SOURCE], difference)
        notes += [f"{COMPILED} has the words of {SOURCE}"] if not faults[COMPILED] else []
    lines = (one_line(ValueError(f"{name}: {fault}")) for name, fault in faults.items() if fault)
    return Comparison(", ".join(notes), tuple(lines))


def strangers(folder: Path, names: Collection[str]) -> Iterator[str]:
    """The files, links and folders that are none of these names, nor a folder that holds one."""
    homes = {str(home) for name in names for home in PurePosixPath(name).parents}
    for home in sorted(homes):
        for entry in _entries(folder, home):
            name = str(PurePosixPath(home) / entry.name)
            if name not in (homes if entry.is_dir(follow_symlinks=False) else names):
                yield name


def _entries(folder: Path, home: str) -> list[os.DirEntry[str]]:
    """What lies in a folder of the report; links are not followed."""
    if home != "." and not _is_folder(folder / home):
        return []
    with os.scandir(folder / home) as entries:
        return sorted(islice(entries, MOST_NAMES), key=lambda entry: entry.name)


def _is_folder(path: Path) -> bool:
    """Whether there is a folder, and no link to one."""
    return path.is_dir() and not path.is_symlink()


def _page_fault(folder: Path, name: str, page: bytes) -> str:
    """Why a page of the record is not confirmed; empty if it is."""
    if fault := _file_fault(folder, name):
        return fault
    content = _start(folder / name, 2 * len(page))
    return "" if same_page(name, content, page) else "drawn with other lines than here"


def _pdf_fault(folder: Path, source: bytes, difference: Difference) -> str:
    """Why a compiled erratum is not confirmed; empty if it has the words of its source."""
    if fault := _file_fault(folder, COMPILED):
        return fault
    content = _start(folder / COMPILED, LARGEST_PDF + 1)
    if len(content) > LARGEST_PDF:
        return f"more than {LARGEST_PDF} bytes"
    try:
        with patience(COMPILED):
            return difference(source.decode("utf-8"), content)
    except Refused:
        return "it cannot be read in time"


def _start(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most)


def _file_fault(folder: Path, name: str) -> str:
    """Why there is no file of this name to read; empty if there is one."""
    homes = [folder / home for home in PurePosixPath(name).parents if home.name]
    path = folder / name
    if not os.path.lexists(path) or not all(map(_is_folder, homes)):
        return "missing"
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return "no regular file"
    return "" if os.access(path, os.R_OK) else "it may not be read"
