"""The sources of the development: which files there are and what each one is built on.

Notation      development: the files that `_CoqProject` lists; a line `# Name: title` there opens a group
              key of a file: a digest of its text, of the keys of the files that it is built on, and of
              the version of Coq; equal keys mean the same compilation
Refused       a file that uses a command outside of the allowed ones (`parsing`), that is not listed, or
              that has the name of a module of Coq's library
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from verify.coq.parsing import Unreadable, foreign_commands, requirements

COQ = Path(__file__).parent
FILE = re.compile(r"[A-Za-z]\w*\.v", re.ASCII)
TITLE = re.compile(r"#\s*(\w+):")
# Modules inside files of Coq's library, by which its numbers are named, and the roots of libraries.
RESERVED = frozenset({"N", "Nat", "Pos", "Q", "R", "Z", "Assay", "Coq", "Corelib", "Stdlib"})
INSTANCES = "Instances"


class Refused(Exception):
    """The reason why a development is not accepted, in one line."""


def groups(folder: Path = COQ) -> dict[str, tuple[str, ...]]:
    """Return the files of each group of `_CoqProject`, in order; files before any title are in "" ."""
    result: dict[str, list[str]] = {"": []}
    current = result[""]
    for line in (folder / "_CoqProject").read_text("utf-8").splitlines():
        if title := TITLE.match(line):
            current = result.setdefault(title[1], [])
        for word in line.partition("#")[0].split():
            if word.endswith(".v"):
                current.append(_file_name(word))
    return {name: tuple(files) for name, files in result.items() if files}


def _file_name(word: str) -> str:
    if not FILE.fullmatch(word):
        raise Refused(f"_CoqProject: {word!r} must be the name of a file in the same folder")
    return word


def files(folder: Path = COQ) -> tuple[str, ...]:
    """Return the files of the development, in the order of `_CoqProject`."""
    return tuple(file for names in groups(folder).values() for file in names)


def modules(folder: Path = COQ) -> list[str]:
    """Return the names of the development's files as modules."""
    return [file.removesuffix(".v") for file in files(folder)]


def text(folder: Path, file: str) -> str:
    """Return a file's text; refuse a file that is missing."""
    try:
        return (folder / file).read_text("utf-8")
    except FileNotFoundError:
        raise Refused(f"{file}: no such file in {folder}") from None


def imports(folder: Path, file: str) -> tuple[str, ...]:
    """Return the files of the development that a file requires."""
    try:
        required = list(requirements(text(folder, file)))
    except Unreadable as error:
        raise Refused(f"{file}: {error}") from None
    return tuple(f"{name}.v" for library, name in required if library == "Assay")


def closure(folder: Path, wanted: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the wanted files and all they are built on, each with what it requires.

    Refuses files that `_CoqProject` does not list: what they define would not be pinned.
    """
    listed, graph = set(files(folder)), dict[str, tuple[str, ...]]()
    pending = list(wanted)
    while pending:
        file = pending.pop()
        if file not in listed:
            raise Refused(f"{file}: not listed in {folder / '_CoqProject'}")
        if file not in graph:
            graph[file] = imports(folder, file)
            pending += graph[file]
    return dict(sorted(graph.items()))


def faults(folder: Path, wanted: Iterable[str], library: Container[str] = ()) -> list[str]:
    """Return a line for each reason to refuse some files before Coq reads them."""
    return [f"{file}: {fault}" for file in wanted for fault in _faults(folder, file, library)]


def _faults(folder: Path, file: str, library: Container[str]) -> Iterator[str]:
    try:
        for command in sorted(set(foreign_commands(text(folder, file)))):
            yield f"the command {command!r} is not allowed"
    except Unreadable as error:
        yield str(error)
    if (module := file.removesuffix(".v")) in RESERVED or module in library:
        yield "a module of Coq's library has this name"


def digest(*parts: str) -> str:
    """Return the SHA-256 of some texts in order, with their ends marked."""
    joined = "\0".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode("utf-8")).hexdigest()


def ordered(graph: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the files in an order of compilation; refuse files that require each other."""
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise Refused(f"files require each other: {' -> '.join(error.args[1])}") from None


def keys(folder: Path, graph: Mapping[str, Sequence[str]], version: str) -> dict[str, str]:
    """Return the key of each file of a closure."""
    result: dict[str, str] = {}
    for file in ordered(graph):
        below = [result[other] for other in sorted(graph[file])]
        result[file] = digest(file, text(folder, file), *below, version)
    return result
