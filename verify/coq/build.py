"""Compiles the files that are asked for: in parallel, once for each key, nothing beside the sources.

Way           a temporary folder; files are compiled in `chapters`; a chapter starts when all it
              requires is compiled, in the order of `_CoqProject`; `JOBS` at a time
Cache         compiled chapters by their key in $ASSAY_CACHE/coq, by default in the user's cache
              folder; one is put there by an atomic rename, so that runs may overlap. Each begins with
              a digest of its key and its bytes: one that is damaged or in another's place is
              compiled anew. The digest is no protection against who can write there: `recheck --coq`
              passes a folder of its own, in which nothing is at first
Refused       what coqc refuses, in coqc's own words; a compilation that takes longer than `SECONDS`;
              a file that `sources` refuses

coqc gives the same bytes for the same key, so that cached and fresh chapters fit together.
"""

from __future__ import annotations

import hashlib
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

from constructions.core.atomic_files import cache_folder, replace_file
from verify.coq.chapters import PREFIX, Chapter, chapter_keys, chapters, requirement
from verify.coq.sources import COQ, Refused, faults

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


@cache
def library_modules() -> frozenset[str]:
    """The names of the modules of Coq's library."""
    place = Path(run(["-where"], Path.cwd(), 60).stdout.strip())
    return frozenset(path.stem for path in place.rglob("*.vo"))


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
        process = run([*OPTIONS, file], folder, seconds)
    except subprocess.TimeoutExpired:
        raise Refused(f"{file}: coqc was stopped after {seconds:g} s") from None
    if process.returncode:
        words = " ".join((process.stderr or process.stdout).split())
        raise Refused(f"{file}: {words[:600]}")


def seal(key: str, content: bytes) -> bytes:
    """The line before a chapter in the cache: a digest of its key and its bytes."""
    return hashlib.sha256(key.encode() + b"\0" + content).hexdigest().encode() + b"\n"


def store(compiled_file: Path, place: Path, key: str) -> None:
    """Put a compiled file into the cache; a cache that cannot be written is done without."""
    content = compiled_file.read_bytes()
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_file(place, seal(key, content) + content)


def load(place: Path, key: str) -> bytes | None:
    """The compilation of a key in the cache; None if there is none, or if it is damaged."""
    try:
        line, _, content = place.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if line + b"\n" == seal(key, content) else None


def compile_cached(build: Path, chapter: Chapter, key: str, cache: Path) -> None:
    """Compile one chapter, or take the compilation of the same key from the cache."""
    place = cache / key[:2] / f"{key}.vo"
    target = build / f"{chapter.name}.vo"
    if content := load(place, key):
        target.write_bytes(content)
        return
    (build / chapter.file).write_text(chapter.text, "utf-8")
    try:
        compile_file(build, chapter.file)
    except Refused as error:
        raise Refused(chapter.located(str(error))) from None
    store(target, place, key)


def compile_all(
    build: Path, parts: Sequence[Chapter], keys: Mapping[str, str], cache: Path
) -> None:
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
                task = pool.submit(compile_cached, build, by_name[name], keys[name], cache)
                running[task] = name
            for finished in wait(running, return_when=FIRST_COMPLETED).done:
                if error := finished.exception():
                    pool.shutdown(cancel_futures=True)
                    raise error
                order.done(running.pop(finished))


@contextmanager
def compiled(
    wanted: Iterable[str], folder: Path = COQ, complete: bool = True, cache: Path | None = None
) -> Iterator[Path]:
    """A folder, deleted afterwards, with the wanted files and all they are built on, compiled.

    By default with all files of a chapter, which others need too, and with the user's cache.
    """
    parts = chapters(folder, wanted, complete)
    listed = [file for part in parts for file in part.files]
    if reasons := faults(folder, listed, library_modules()):
        raise Refused("; ".join(reasons))
    keys = chapter_keys(folder, parts, version())
    with tempfile.TemporaryDirectory(prefix="assay-coq-") as place:
        build = Path(place)
        compile_all(build, parts, keys, cache or cache_folder() / "coq")
        yield build


def importing(build: Path) -> str:
    """The sentence after which the files compiled in a folder can be imported by their names."""
    return requirement(sorted(path.stem for path in build.glob(f"{PREFIX}*.vo")))
