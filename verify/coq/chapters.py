"""Chapters: files that coqc reads together, each in a module of its own.

Why           loading Coq's library takes half a second, longer than checking most of the files;
              a chapter loads it once
Chapter       the files below one line `# Name: what it is about` of `_CoqProject`, in their order
Text          `Module File. … End File.` for each file. What files require of Coq's library is
              required once, at the top of the chapter, and what they all import first is imported
              there; what a file requires of the development is a module of this chapter or of one
              below; what else it imports, its module imports
Whole         a chapter is compiled whole, so that all who need one of its files share it. Only the
              files that are needed are compiled of a chapter that differs from the one in this
              folder, and of any chapter where that is asked for

A file that coqc accepts in its chapter is also accepted alone, by `_CoqProject`; tests hold this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from verify.coq.sources import COQ, REQUIRE, Refused, closure, digest, files, keys, options, text

PREFIX = "Chapter"
TITLE = re.compile(r"#\s*(\w+):")
LIBRARY = re.compile(r"\bFrom\s+Coq\s+Require\s+Import\s+([\w\s]+)\.")


@dataclass(frozen=True)
class Chapter:
    """A chapter as coqc reads it: its name, its files, the chapters that it requires, its text."""

    name: str
    files: tuple[str, ...]
    below: tuple[str, ...]
    text: str

    @property
    def file(self) -> str:
        """The file that is compiled."""
        return f"{self.name}.v"

    def located(self, words: str) -> str:
        """Coq's words about a line of the chapter as words about a line of one of its files."""
        found = re.search(rf'File "\./{self.name}\.v", line (\d+)', words)
        starts = {f"Module {_module(file)}.": file for file in self.files}
        lines = enumerate(self.text.splitlines()[: int(found[1])] if found else [], 1)
        opened = [(starts[line], number) for number, line in lines if line in starts]
        if not found or not opened:
            return words
        file, start = opened[-1]
        return f'{file}: File "./{file}", line {int(found[1]) - start}{words[found.end() :]}'


def _module(file: str) -> str:
    return file.removesuffix(".v")


def titles(folder: Path = COQ) -> dict[str, tuple[str, ...]]:
    """The files of each chapter, as `_CoqProject` lists them."""
    found: dict[str, list[str]] = {}
    for line in (folder / "_CoqProject").read_text("utf-8").splitlines():
        if title := TITLE.match(line):
            found[PREFIX + title[1]] = files_below = []
        elif line.endswith(".v"):
            if not found:
                raise Refused(f"_CoqProject: {line} is in no chapter")
            files_below.append(line)
    return {name: tuple(listed) for name, listed in found.items()}


def unchanged(folder: Path) -> set[str]:
    """The files that are, with all that they are built on, as in this folder."""
    if folder == COQ:
        return set(files())
    mine, theirs = keys(folder, files(folder), ""), keys(COQ, files(), "")
    return {file for file, key in mine.items() if theirs.get(file) == key}


def completed(folder: Path, needed: set[str]) -> set[str]:
    """The needed files, whole chapters where nothing is changed, and all they are built on."""
    same = unchanged(folder)
    whole = [set(listed) for listed in titles(folder).values() if set(listed) <= same]
    found: set[str] = set()
    while needed != found:
        found = needed
        needed = set(closure(folder, found.union(*(part for part in whole if part & found))))
    return found


def chapters(folder: Path, wanted: Iterable[str], whole: bool = True) -> list[Chapter]:
    """The chapters with the wanted files and all that these are built on."""
    needed = set(closure(folder, wanted))
    kept = completed(folder, needed) if whole else needed
    home = {file: name for name, listed in titles(folder).items() for file in listed}
    if strange := sorted(kept - home.keys()):
        raise Refused(f"_CoqProject: {strange[0]} is in no chapter")
    return [
        _chapter(folder, name, [file for file in listed if file in kept], home)
        for name, listed in titles(folder).items()
        if kept.intersection(listed)
    ]


def _chapter(folder: Path, name: str, listed: Sequence[str], home: Mapping[str, str]) -> Chapter:
    """A chapter of some files; `home` is the chapter of each file."""
    graph = closure(folder, listed)
    below = sorted({home[other] for file in listed for other in graph[file]} - {name})
    sources = {_module(file): text(folder, file) for file in listed}
    library = [_library(source) for source in sources.values()]
    shared = [words[0] for words in takewhile(_alike, zip(*library, strict=False))]
    others = sorted({word for words in library for word in words} - set(shared))
    top = (sentence("From Coq Require Import", shared), sentence("From Coq Require", others))
    modules = (
        f"Module {m}.\n{_inside(source, shared)}\nEnd {m}.\n" for m, source in sources.items()
    )
    whole = f"{' '.join((*top, required(below)))}\n{''.join(modules)}"
    return Chapter(name, tuple(listed), tuple(below), whole)


def _alike(words: Sequence[str]) -> bool:
    return len(set(words)) == 1


def sentence(opening: str, words: Sequence[str]) -> str:
    """A sentence of Coq with some words; empty without any."""
    return f"{opening} {' '.join(words)}." if words else ""


def required(names: Sequence[str]) -> str:
    """The sentence by which the files of some chapters can be imported by their names."""
    return sentence("From Assay Require Import", names)


def _library(source: str) -> list[str]:
    """What a file requires of Coq's library."""
    return [word for words in LIBRARY.findall(source) for word in words.split()]


def _inside(source: str, shared: Sequence[str]) -> str:
    """A file's text inside a module, where nothing can be required, on the same lines.

    What the chapter has imported for all its files is not imported again.
    """

    def imported(found: re.Match[str]) -> str:
        *imports, names = found.groups()
        kept = [name for name in names.split() if name not in shared] if all(imports) else []
        return sentence("Import", kept) + "\n" * found[0].count("\n")

    return REQUIRE.sub(imported, LIBRARY.sub(imported, source))


def chapter_keys(folder: Path, parts: Sequence[Chapter], version: str) -> dict[str, str]:
    """The key of each chapter: equal keys mean the same compilation."""
    found: dict[str, str] = {}
    for part in parts:
        if late := [other for other in part.below if other not in found]:
            raise Refused(f"_CoqProject: {part.name} is listed before {late[0]}, which it requires")
        below = [found[other] for other in part.below]
        found[part.name] = digest(part.name, part.text, *below, *options(folder), version)
    return found
