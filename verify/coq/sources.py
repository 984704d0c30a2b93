"""The sources of the development: which files there are, what each one is built on, no gaps.

Notation      development: the files that `_CoqProject` lists
              key of a file: a digest of its text, of the keys of the files that it is built on, of
              the options of `_CoqProject` and of Coq's version; equal keys mean the same compilation
Refused       a file that leaves a gap (`Admitted`), adds an axiom, or requires what is not there
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

COQ = Path(__file__).parent
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|Axioms?|Parameters?|Conjectures?|Abort|bypass_check"
    r"|Unset (?:Guard|Positivity|Universe) Checking)\b"
)
REQUIRE = re.compile(r"\bFrom\s+Assay\s+Require\s+(Import\s+)?([\w\s]+)\.")


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


@cache
def bare(source: str) -> str:
    """A Coq source without its comments, which may be nested."""
    kept: list[str] = []
    depth = 0
    for piece in re.split(r"(\(\*|\*\))", source):
        depth += {"(*": 1, "*)": -1}.get(piece, 0)
        if depth == 0 and piece != "*)":
            kept.append(piece)
    return "".join(kept)


def imports(folder: Path, file: str) -> tuple[str, ...]:
    """The files of the development that a file requires by name."""
    found = REQUIRE.findall(bare(text(folder, file)))
    return tuple(f"{name}.v" for _, names in found for name in names.split())


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


def gaps(folder: Path, wanted: Iterable[str]) -> list[str]:
    """Where one of the files leaves a gap or assumes something of its own."""
    return [
        f"{file}: holds the word {word}"
        for file in wanted
        for word in sorted(set(FORBIDDEN.findall(bare(text(folder, file)))))
    ]


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
    found: dict[str, str] = {}
    for file in ordered(graph):
        below = [found[other] for other in sorted(graph[file])]
        found[file] = digest(file, text(folder, file), *below, *options(folder), version)
    return found
