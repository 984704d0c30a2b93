"""The sources of the development: which files there are, what each one is built on, no gaps.

Notation      development: the files that `_CoqProject` lists
              key of a file: a digest of its text, of the keys of the files that it is built on, of
              the options of `_CoqProject` and of Coq's version; equal keys mean the same compilation
Refused       a file that leaves a gap (`Admitted`), adds an axiom, runs or loads something else,
              requires what is not there, closes what it did not open, or has the name of a module of
              Coq's library
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from verify.coq.parsing import Unclosed, bare, check_closed

COQ = Path(__file__).parent
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjectures?|Abort|bypass_check|Primitive|Redirect"
    r"|Load|LoadPath|Declare\s+ML|Drop|Cd|Extraction|Rewrite\s+Rules?"
    r"|Unset\s+(?:Guard|Positivity|Universe)\s+Checking)\b"
)
REQUIRE = re.compile(r"\bFrom\s+Assay\s+Require\s+(Import\s+)?([\w\s]+)\.")
LIBRARY = re.compile(r"\bFrom\s+Coq\s+Require\s+(Import\s+)([\w\s]+)\.")
# Modules inside files of Coq's library, by which its numbers are named.
NUMBERS = frozenset({"N", "Nat", "Pos", "Q", "R", "Z"})


class Refused(Exception):
    """Why the development is not accepted, in one line."""


def project(folder: Path = COQ) -> list[str]:
    """The words of `_CoqProject`: options, then files; a comment begins with `#`."""
    lines = (folder / "_CoqProject").read_text("utf-8").splitlines()
    return [word for line in lines for word in line.partition("#")[0].split()]


def options(folder: Path = COQ) -> list[str]:
    """The options of `_CoqProject`."""
    return [word for word in project(folder) if not word.endswith(".v")]


def files(folder: Path = COQ) -> tuple[str, ...]:
    """The files of the development."""
    return tuple(word for word in project(folder) if word.endswith(".v"))


def text(folder: Path, file: str) -> str:
    """A file's text, or a clear error."""
    try:
        return (folder / file).read_text("utf-8")
    except FileNotFoundError:
        raise Refused(f"{file}: no such file in {folder}") from None


def imports(folder: Path, file: str) -> tuple[str, ...]:
    """The files of the development that a file requires by name."""
    requirements = REQUIRE.findall(_says(folder, file))
    return tuple(f"{name}.v" for _, names in requirements for name in names.split())


def _says(folder: Path, file: str) -> str:
    """A file's text without comments and strings, or a clear error."""
    try:
        return bare(text(folder, file))
    except Unclosed as error:
        raise Refused(f"{file}: {error}") from None


def closure(folder: Path, wanted: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The wanted files and all they are built on, each with what it requires by name."""
    graph: dict[str, tuple[str, ...]] = {}
    pending = list(wanted)
    while pending:
        file = pending.pop()
        if file not in graph:
            graph[file] = imports(folder, file)
            pending += graph[file]
    return dict(sorted(graph.items()))


def faults(folder: Path, wanted: Iterable[str], library: Container[str] = ()) -> list[str]:
    """Why some files are refused before Coq reads them, in a line each."""
    return [f"{file}: {fault}" for file in wanted for fault in _faults(folder, file, library)]


def _faults(folder: Path, file: str, library: Container[str]) -> Iterator[str]:
    """Gaps, assumptions of its own, other requirements, ends of what others began, taken names."""
    source = text(folder, file)
    try:
        check_closed(source)
    except Unclosed as error:
        yield str(error)
        return
    says = bare(source)
    for word in sorted(set(FORBIDDEN.findall(says))):
        yield f"holds the word {' '.join(word.split())}"
    if re.search(r"\bRequire\b", LIBRARY.sub("", REQUIRE.sub("", says))):
        yield "requires something in another form than From Coq or From Assay Require Import"
    if (module := file.removesuffix(".v")) in NUMBERS or module in library:
        yield "a module of Coq's library has this name"


def digest(*parts: str) -> str:
    """The SHA-256 of some texts, one after the other, their ends marked."""
    joined = "\0".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode("utf-8")).hexdigest()


def ordered(graph: Mapping[str, Sequence[str]]) -> list[str]:
    """The files in an order of compilation; refuses files that require each other."""
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise Refused(f"files require each other: {' -> '.join(error.args[1])}") from None


def keys(folder: Path, wanted: Iterable[str], version: str) -> dict[str, str]:
    """The key of each wanted file and of each file that it is built on."""
    graph = closure(folder, wanted)
    result: dict[str, str] = {}
    for file in ordered(graph):
        below = [result[other] for other in sorted(graph[file])]
        result[file] = digest(file, text(folder, file), *below, *options(folder), version)
    return result
