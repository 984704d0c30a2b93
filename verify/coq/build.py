"""Compiles the files that are asked for: in parallel, once for each key, nothing beside the sources.

Way           a temporary folder; files are compiled in `chapters`; a chapter starts when all it
              requires is compiled, in the order of `_CoqProject`; `JOBS` at a time
Cache         compiled chapters by their key in $ASSAY_CACHE/coq, by default in the user's cache
              folder; one is put there by an atomic rename, so that runs may overlap
Refused       what coqc refuses, in coqc's own words; a compilation that takes longer than `SECONDS`

coqc gives the same bytes for the same key, so that cached and fresh chapters fit together.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from constructions.core.writing import cache_folder, replace_file
from verify.coq.chapters import PREFIX, Chapter, chapter_keys, chapters, required
from verify.coq.sources import COQ, Refused, gaps

PACKAGES = "Debian package coq"
OPTIONS = ("-q", "-noglob", "-w", "none", "-Q", ".", "Assay")
SECONDS = 600
JOBS = 2
MEMORY = "OCAMLRUNPARAM"
YOUNG = "s=4M,o=1000"


def available() -> bool:
    """Whether `coqc` is there; costs nothing."""
    return shutil.which("coqc") is not None


def missing() -> str:
    """What is not installed, in one line; empty if everything is there."""
    return "" if available() else f"coqc is not installed ({PACKAGES})"


@cache
def version() -> str:
    """What `coqc --version` answers."""
    return run(["--version"], Path.cwd(), 60).stdout


def run(arguments: Sequence[str], folder: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    """Run coqc in a folder.

    Coq by itself asks for 256 MB of young memory and touches all of it: 32 MB, and few collections
    of the old memory, save a third of a second a file. What the user sets goes first.
    """
    if reason := missing():
        raise Refused(reason)
    return subprocess.run(  # noqa: S603 - a fixed program with fixed arguments
        [shutil.which("coqc") or "coqc", *arguments],
        cwd=folder,
        env={MEMORY: YOUNG, **os.environ},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def compile_file(folder: Path, file: str, seconds: float = SECONDS) -> None:
    """Compile one file in a folder; refuse with Coq's own words."""
    try:
        done = run([*OPTIONS, file], folder, seconds)
    except subprocess.TimeoutExpired:
        raise Refused(f"{file}: coqc was stopped after {seconds:g} s") from None
    if done.returncode:
        words = " ".join((done.stderr or done.stdout).split())
        raise Refused(f"{file}: {words[:600]}")


def keep(compiled_file: Path, kept: Path) -> None:
    """Put a compiled file into the cache; a cache that cannot be written is done without."""
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        replace_file(kept, compiled_file.read_bytes())


def compile_cached(build: Path, chapter: Chapter, key: str) -> None:
    """Compile one chapter, or take the compilation of the same key from the cache."""
    kept = cache_folder() / "coq" / key[:2] / f"{key}.vo"
    made = build / f"{chapter.name}.vo"
    if kept.is_file():
        shutil.copyfile(kept, made)
        return
    (build / chapter.file).write_text(chapter.text, "utf-8")
    try:
        compile_file(build, chapter.file)
    except Refused as error:
        raise Refused(chapter.located(str(error))) from None
    keep(made, kept)


def compile_all(build: Path, parts: Sequence[Chapter], names: Mapping[str, str]) -> None:
    """Compile chapters as soon as what they require is there, `JOBS` at a time."""
    order = TopologicalSorter({part.name: part.below for part in parts})
    order.prepare()
    by_name = {part.name: part for part in parts}
    ready: list[str] = []
    running: dict[Future[None], str] = {}
    with ThreadPoolExecutor(JOBS) as pool:
        while order.is_active():
            ready = sorted([*ready, *order.get_ready()], key=list(by_name).index)
            while ready and len(running) < JOBS:
                name = ready.pop(0)
                running[pool.submit(compile_cached, build, by_name[name], names[name])] = name
            for finished in wait(running, return_when=FIRST_COMPLETED).done:
                if error := finished.exception():
                    pool.shutdown(cancel_futures=True)
                    raise error
                order.done(running.pop(finished))


@contextmanager
def compiled(wanted: Iterable[str], folder: Path = COQ, whole: bool = True) -> Iterator[Path]:
    """A folder, deleted afterwards, with the wanted files and all they are built on, compiled.

    By default with whole chapters, which others need too.
    """
    parts = chapters(folder, wanted, whole)
    if found := gaps(folder, [file for part in parts for file in part.files]):
        raise Refused("; ".join(found))
    names = chapter_keys(folder, parts, version())
    with tempfile.TemporaryDirectory(prefix="assay-coq-") as place:
        build = Path(place)
        compile_all(build, parts, names)
        yield build


def importing(build: Path) -> str:
    """The sentence after which the files compiled in a folder can be imported by their names."""
    return required(sorted(path.stem for path in build.glob(f"{PREFIX}*.vo")))
