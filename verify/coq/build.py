"""Compile the wanted files, in parallel and once for each key, in a temporary folder.

Library       each file is compiled as a library of its own, `Assay.Name`, so that nothing in it can
              change what another file or a question to Coq means without being required by name
Cache         compiled files by their key in $ASSAY_CACHE/coq, by default in the user's cache folder; one
              is put there by an atomic rename, so that runs may overlap. Each begins with a digest of its
              key and its bytes: a damaged or misplaced file is compiled again, and so is one that
              another user owns or may write. The digest is no protection against the user's own
              programs: `recheck --coq` and `compile --check` start from an empty cache
Refused       what coqc refuses, in coqc's own words; a compilation that takes longer than `SECONDS`;
              a file that `sources` refuses

coqc gives the same bytes for the same key, so that cached and fresh files fit together.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from graphlib import TopologicalSorter
from pathlib import Path

from constructions.core.atomic_files import cache_folder, replace_file
from verify.coq.programs import SECONDS, command, library_modules, missing, run, version, words_of
from verify.coq.sources import COQ, Refused, closure, faults, files, keys, text

__all__ = ["available", "compile_file", "compiled", "importing", "missing", "version"]

OPTIONS = ("-q", "-w", "none", "-Q", ".", "Assay")
JOBS = 2


def available() -> bool:
    """Return whether `coqc` or `rocq` is installed, without running it."""
    return command("compile") is not None


def compile_file(
    folder: Path, file: str, seconds: float = SECONDS, options: Sequence[str] = ("-noglob",)
) -> None:
    """Compile one file in a folder; refuse with Coq's own words."""
    try:
        process = run("compile", [*OPTIONS, *options, file], folder, seconds)
    except Refused as error:
        raise Refused(f"{file}: {error}") from None
    if process.returncode:
        raise Refused(f"{file}: {words_of(process)}")


def seal(key: str, content: bytes) -> bytes:
    """Return the first line of a file in the cache: a digest of its key and its bytes."""
    return hashlib.sha256(key.encode() + b"\0" + content).hexdigest().encode() + b"\n"


def store(compiled_file: Path, place: Path, key: str) -> None:
    """Put a compiled file into the cache; do nothing if the cache cannot be written."""
    content = compiled_file.read_bytes()
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.parent.chmod(0o700)
        replace_file(place, seal(key, content) + content)
        place.chmod(0o600)


def load(place: Path, key: str) -> bytes | None:
    """Return the cached compilation of a key, or None if it is missing or fails its digest."""
    try:
        if any(_writable_by_others(path) for path in (place, place.parent)):
            return None
        line, _, content = place.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if line + b"\n" == seal(key, content) else None


def _writable_by_others(path: Path) -> bool:
    status = path.stat()
    return status.st_uid != os.getuid() or bool(status.st_mode & 0o022)


def compile_cached(build: Path, folder: Path, file: str, key: str, cache: Path) -> None:
    """Compile one file, or take the compilation of the same key from the cache."""
    place = cache / key[:2] / f"{key}.vo"
    target = build / f"{file.removesuffix('.v')}.vo"
    if content := load(place, key):
        target.write_bytes(content)
        return
    (build / file).write_text(text(folder, file), "utf-8")
    compile_file(build, file)
    store(target, place, key)


def compile_all(build: Path, folder: Path, graph: Mapping[str, Sequence[str]], cache: Path) -> None:
    """Compile files as soon as what they require is compiled, `JOBS` at a time."""
    key_of = keys(folder, graph, version())
    places = {file: place for place, file in enumerate(files(folder))}
    order = TopologicalSorter(graph)
    order.prepare()
    ready: list[str] = []
    running: dict[Future[None], str] = {}
    with ThreadPoolExecutor(JOBS) as pool:
        while order.is_active():
            ready = sorted([*ready, *order.get_ready()], key=places.__getitem__)
            while ready and len(running) < JOBS:
                file = ready.pop(0)
                task = pool.submit(compile_cached, build, folder, file, key_of[file], cache)
                running[task] = file
            for finished in wait(running, return_when=FIRST_COMPLETED).done:
                if error := finished.exception():
                    pool.shutdown(cancel_futures=True)
                    raise error
                order.done(running.pop(finished))


@contextmanager
def compiled(
    wanted: Iterable[str], folder: Path = COQ, cache: Path | None = None
) -> Iterator[Path]:
    """Yield a temporary folder with the wanted files and all they are built on, compiled."""
    graph = closure(folder, wanted)
    if reasons := faults(folder, graph, library_modules()):
        raise Refused("; ".join(reasons))
    with tempfile.TemporaryDirectory(prefix="assay-coq-") as place:
        compile_all(Path(place), folder, graph, cache or cache_folder() / "coq")
        yield Path(place)


def compiled_names(build: Path) -> list[str]:
    """Return the names of the compiled files in a folder, without those of sessions (`_Name`)."""
    return sorted(path.stem for path in build.glob("[!_]*.vo"))


def importing(build: Path) -> str:
    """Return the sentence after which the files compiled in a folder are known by their names."""
    names = compiled_names(build)
    return f"From Assay Require {' '.join(names)}." if names else ""
