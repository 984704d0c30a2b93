"""Pages of the proofs and a graph of the pinned theorems, for the site.

    python -m verify.coq.graph FOLDER

`coqdoc` writes a page for each file, in which every name is a link: `Assay.Main.html#theorem1`. Which
theorem uses which is read from the names that coqc resolves (`.glob`): a theorem points to the pinned
theorems that its proof uses, directly or by lemmas that are not pinned. The graph is
`theorems.html`, a page with a drawing of the theorems of `Main.v`, `theorems.dot`, for Graphviz, and
`theorems.json`, with the page of each theorem.

Every file is compiled, which takes about two minutes. Status 0, 1 if Coq refuses a file, 2 if Coq
is not installed.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from reports import theorems
from verify.coq.build import compile_file
from verify.coq.pins import Pin, pins
from verify.coq.programs import missing, run, words_of
from verify.coq.sources import COQ, Refused, files

DECLARED = re.compile(r"^(?:prf|def|ind|rec|constr|proj|ax|thm|inst) (\d+):\d+ \S+ (\S+)$", re.M)
REFERRED = re.compile(r"^R(\d+):\d+ Assay\.(\w+) \S+ (\S+) \w+$", re.M)
# What a query names belongs to none of the file's theorems.
QUESTION = re.compile(rb"^(?:Check|Print|About)\b.*?\.(?=\s|\Z)", re.MULTILINE | re.DOTALL)
Uses = dict[str, set[str]]
CITED = "Main"


def uses_in(module: str, globs: str, source: bytes = b"") -> Uses:
    """Return what each name of a file refers to, from the `.glob` of coqc, whose places count bytes."""
    questions = [match.span() for match in QUESTION.finditer(source)]
    declared = sorted((int(place), name) for place, name in DECLARED.findall(globs))
    uses: Uses = {f"{module}.{name}": set() for _, name in declared}
    for place, other, name in REFERRED.findall(globs):
        owner = max((d for d in declared if d[0] < int(place)), default=None)
        asked = any(start <= int(place) < end for start, end in questions)
        if owner is not None and not asked:
            uses[f"{module}.{owner[1]}"].add(f"{other}.{name}")
    return uses


def theorem_graph(uses: Mapping[str, Collection[str]], theorems: Collection[str]) -> Uses:
    """Return the theorems that each one uses, directly or by names that are no theorems."""
    return {theorem: _nearest(theorem, uses, theorems) for theorem in theorems}


def _nearest(
    theorem: str, uses: Mapping[str, Collection[str]], theorems: Collection[str]
) -> set[str]:
    result: set[str] = set()
    seen, pending = {theorem}, list(uses.get(theorem, ()))
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in theorems:
            result.add(name)
        else:
            pending += uses.get(name, ())
    return result


def dot(graph: Mapping[str, Collection[str]]) -> str:
    """Return the graph in the language of Graphviz."""
    lines = [f'  "{name}" [URL="{page(name)}"];' for name in graph]
    lines += [f'  "{name}" -> "{other}";' for name in graph for other in sorted(graph[name])]
    return "\n".join(["digraph theorems {", "  rankdir=LR;", *lines, "}"]) + "\n"


def page(name: str) -> str:
    """Return the page on which coqdoc shows a theorem."""
    module, _, theorem = name.partition(".")
    return f"Assay.{module}.html#{theorem}"


def listing(graph: Mapping[str, Collection[str]], pinned: Mapping[str, Pin]) -> str:
    """Return the page of all pinned theorems."""
    entries = [
        theorems.TheoremEntry(
            name, page(name), pin.statement, pin.assumptions, tuple(sorted(graph[name]))
        )
        for name, pin in pinned.items()
    ]
    return theorems.page(entries, CITED)


def compile_with_notes(build: Path) -> Uses:
    """Compile every file with its `.glob`; return what each name refers to."""
    uses: Uses = {}
    for file in files():
        shutil.copy(COQ / file, build)
        compile_file(build, file, options=())
        module = file.removesuffix(".v")
        notes = (build / f"{module}.glob").read_text("utf-8")
        uses |= uses_in(module, notes, (COQ / file).read_bytes())
    return uses


def write_pages(build: Path, folder: Path) -> None:
    """Write the pages of coqdoc."""
    options = ["--html", "--utf8", "--no-lib-name", "-Q", ".", "Assay", "-d", str(folder.resolve())]
    process = run("doc", [*options, *files()], build)
    if process.returncode:
        raise Refused(f"coqdoc: {words_of(process)}")


def write(folder: Path) -> str:
    """Write pages and graph; return one line that says what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    pinned = pins()
    with tempfile.TemporaryDirectory(prefix="assay-coqdoc-") as place:
        graph = theorem_graph(compile_with_notes(Path(place)), pinned)
        write_pages(Path(place), folder)
    data = {name: {"page": page(name), "uses": sorted(graph[name])} for name in sorted(graph)}
    (folder / "theorems.json").write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    (folder / "theorems.dot").write_text(dot(graph), "utf-8")
    (folder / "theorems.html").write_text(listing(graph, pinned), "utf-8")
    edges = sum(map(len, graph.values()))
    return f"{len(files())} pages, {len(graph)} theorems, {edges} uses in {folder}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write pages and graph into a folder."""
    parser = argparse.ArgumentParser(prog="python -m verify.coq.graph", description="Show proofs.")
    parser.add_argument("folder", type=Path, help="where pages and graph are written")
    folder: Path = parser.parse_args(arguments).folder
    if reason := missing():
        print(reason)
        return 2
    try:
        print(write(folder))
    except Refused as error:
        print(f"refused: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
