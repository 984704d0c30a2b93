"""Compiles the files that are asked for: in parallel, once for each key, nothing beside the sources.

Way           a temporary folder; a file starts when all it requires is compiled; `JOBS` at a time
Cache         compiled files by their key (see `sources`) in $ASSAY_CACHE/coq, by default in the
              user's cache folder; a file is put there by an atomic rename, so that runs may overlap
Refused       what coqc refuses, in coqc's own words; a compilation that takes longer than `SECONDS`

coqc gives the same bytes for the same key, so that cached and fresh files fit together.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from verify.coq.sources import COQ, Refused, closure, gaps, keys

PACKAGES = "Debian package coq"
OPTIONS = ("-q", "-w", "none", "-Q", ".", "Assay")
SECONDS = 600
JOBS = 2
CACHE = "ASSAY_CACHE"
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


def cache_folder() -> Path:
    """Where compiled files are kept between runs."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get(CACHE) or Path(home) / "assay") / "coq"


def object_of(file: str) -> str:
    """The name of the compiled file."""
    return str(Path(file).with_suffix(".vo"))


def keep(compiled_file: Path, kept: Path) -> None:
    """Put a compiled file into the cache; a cache that cannot be written is done without."""
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as copy:
            copy.write(compiled_file.read_bytes())
        os.replace(copy.name, kept)
    except OSError:
        return


def compile_cached(build: Path, file: str, key: str) -> None:
    """Compile one file, or take the compilation of the same key from the cache."""
    kept = cache_folder() / key[:2] / f"{key}.vo"
    made = build / object_of(file)
    if kept.is_file():
        shutil.copyfile(kept, made)
        return
    compile_file(build, file)
    keep(made, kept)


def compile_all(build: Path, graph: dict[str, tuple[str, ...]], names: dict[str, str]) -> None:
    """Compile files as soon as what they require is there, `JOBS` at a time."""
    order = TopologicalSorter(graph)
    order.prepare()
    running: dict[Future[None], str] = {}
    with ThreadPoolExecutor(JOBS) as pool:
        while order.is_active():
            for file in order.get_ready():
                running[pool.submit(compile_cached, build, file, names[file])] = file
            for finished in wait(running, return_when=FIRST_COMPLETED).done:
                if error := finished.exception():
                    pool.shutdown(cancel_futures=True)
                    raise error
                order.done(running.pop(finished))


@contextmanager
def compiled(wanted: Iterable[str], folder: Path = COQ) -> Iterator[Path]:
    """A folder, deleted afterwards, with the wanted files and all they are built on, compiled."""
    graph = closure(folder, wanted)
    if found := gaps(folder, graph):
        raise Refused("; ".join(found))
    names = keys(folder, graph, version())
    with tempfile.TemporaryDirectory(prefix="assay-coq-") as place:
        build = Path(place)
        for file in graph:
            shutil.copyfile(folder / file, build / file)
        compile_all(build, graph, names)
        yield build
