"""Chapters: files that coqc reads together, each in a module of its own.

Why           loading Coq's library takes half a second, longer than checking most of the files;
              a chapter loads it once
Chapter       the files below one line `# Name: what it is about` of `_CoqProject`, in their order
Text          `Module File. … End File.` for each file, none of which ends what it did not begin
              (`parsing`). What files require of Coq's library is required once, at the top of the
              chapter, and what they all import first is imported there; what a file requires of the
              development is a module of this chapter or of one below; what else it imports, its
              module imports
Complete      all files of a chapter are compiled, so that all who need one of them share it. Only
              the files that are needed are compiled of a chapter that differs from the one in this
              folder, and of any chapter where that is asked for

A file that coqc accepts in its chapter is also accepted alone, by `_CoqProject`; tests hold this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from verify.coq.parsing import bare
from verify.coq.sources import (
    COQ,
    LIBRARY,
    REQUIRE,
    Refused,
    closure,
    digest,
    files,
    keys,
    options,
    text,
)

PREFIX = "Chapter"
TITLE = re.compile(r"#\s*(\w+):")


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
        place = re.search(rf'File "\./{self.name}\.v", line (\d+)', words)
        starts = {f"Module {_module(file)}.": file for file in self.files}
        lines = enumerate(self.text.splitlines()[: int(place[1])] if place else [], 1)
        modules = [(starts[line], number) for number, line in lines if line in starts]
        if not place or not modules:
            return words
        file, start = modules[-1]
        return f'{file}: File "./{file}", line {int(place[1]) - start}{words[place.end() :]}'


def _module(file: str) -> str:
    return file.removesuffix(".v")


def titles(folder: Path = COQ) -> dict[str, tuple[str, ...]]:
    """The files of each chapter, as `_CoqProject` lists them."""
    lists: dict[str, list[str]] = {}
    for line in (folder / "_CoqProject").read_text("utf-8").splitlines():
        if title := TITLE.match(line):
            lists[PREFIX + title[1]] = files_below = []
        elif line.endswith(".v"):
            if not lists:
                raise Refused(f"_CoqProject: {line} is in no chapter")
            files_below.append(line)
    return {name: tuple(names) for name, names in lists.items()}


def unchanged_files(folder: Path) -> set[str]:
    """The files that are, with all that they are built on, as in this folder."""
    if folder == COQ:
        return set(files())
    mine, theirs = keys(folder, files(folder), ""), keys(COQ, files(), "")
    return {file for file, key in mine.items() if theirs.get(file) == key}


def completion(folder: Path, needed: set[str]) -> set[str]:
    """The needed files, all files of chapters where nothing is changed, and all these are built on."""
    same = unchanged_files(folder)
    chapters_alike = [set(names) for names in titles(folder).values() if set(names) <= same]
    result: set[str] = set()
    while needed != result:
        result = needed
        more = (names for names in chapters_alike if names & result)
        needed = set(closure(folder, result.union(*more)))
    return result


def chapters(folder: Path, wanted: Iterable[str], complete: bool = True) -> list[Chapter]:
    """The chapters with the wanted files and all that these are built on."""
    needed = set(closure(folder, wanted))
    selection = completion(folder, needed) if complete else needed
    home = {file: name for name, names in titles(folder).items() for file in names}
    if strangers := sorted(selection - home.keys()):
        raise Refused(f"_CoqProject: {strangers[0]} is in no chapter")
    return [
        _chapter(folder, name, [file for file in names if file in selection], home)
        for name, names in titles(folder).items()
        if selection.intersection(names)
    ]


def _chapter(folder: Path, name: str, names: Sequence[str], home: Mapping[str, str]) -> Chapter:
    """A chapter of some files; `home` is the chapter of each file."""
    graph = closure(folder, names)
    below = sorted({home[other] for file in names for other in graph[file]} - {name})
    sources = {_module(file): text(folder, file) for file in names}
    library = [_library(source) for source in sources.values()]
    shared = [words[0] for words in takewhile(_alike, zip(*library, strict=False))]
    others = sorted({word for words in library for word in words} - set(shared))
    top = (sentence("From Coq Require Import", shared), sentence("From Coq Require", others))
    modules = (
        f"Module {m}.\n{_inside(source, shared)}\nEnd {m}.\n" for m, source in sources.items()
    )
    content = f"{' '.join((*top, requirement(below)))}\n{''.join(modules)}"
    return Chapter(name, tuple(names), tuple(below), content)


def _alike(words: Sequence[str]) -> bool:
    return len(set(words)) == 1


def sentence(opening: str, words: Sequence[str]) -> str:
    """A sentence of Coq with some words; empty without any."""
    return f"{opening} {' '.join(words)}." if words else ""


def requirement(names: Sequence[str]) -> str:
    """The sentence by which the files of some chapters can be imported by their names."""
    return sentence("From Assay Require Import", names)


def _library(source: str) -> list[str]:
    """What a file requires of Coq's library."""
    return [word for _, words in LIBRARY.findall(bare(source)) for word in words.split()]


def _inside(source: str, shared: Sequence[str]) -> str:
    """A file's text inside a module, where nothing can be required, on the same lines.

    What the chapter has imported for all its files is not imported again.
    """

    def import_sentence(place: re.Match[str]) -> str:
        keyword, names = place.groups()
        further = [name for name in names.split() if name not in shared] if keyword else []
        return sentence("Import", further) + "\n" * place[0].count("\n")

    return REQUIRE.sub(import_sentence, LIBRARY.sub(import_sentence, source))


def chapter_keys(folder: Path, parts: Sequence[Chapter], version: str) -> dict[str, str]:
    """The key of each chapter: equal keys mean the same compilation."""
    result: dict[str, str] = {}
    for part in parts:
        if late := [other for other in part.below if other not in result]:
            raise Refused(f"_CoqProject: {part.name} is listed before {late[0]}, which it requires")
        below = [result[other] for other in part.below]
        result[part.name] = digest(part.name, part.text, *below, *options(folder), version)
    return result
