"""Runs facts: each once, in processes, with progress; finished results survive an interruption.

A fact is run with the parameters that some binding names. What it found is kept in a cache
folder under a name made of the program's sources, the versions of the libraries that compute, the
fact, its parameters and the contents of the inputs it looks at, so a rerun finds it and a change of
any of these is never overlooked. A kept file that was edited, or is that of another fact, is noticed
by its digest, to which its name belongs, and computed anew.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import constructions
import verify
from constructions.core.atomic_files import replace_file
from constructions.core.bounded_files import read_text
from constructions.core.parent import end_with_parent
from verify.facts.registry import OURS, Fact, Inputs, find, registered
from verify.judge.data import Plain, canonical, digest, key_of
from verify.judge.outcome import Outcome

Progress = Callable[[str, float, bool], None]
Mapper = Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[tuple[Any, Any]]]
DIED = "the process that computed it was ended by the system (memory, or an illegal instruction)"
SOURCES = {".py", ".v", ".json", ".toml", ".csv"}
LIBRARIES = ("gmpy2", "mpmath", "numpy", "python-flint", "sympy", "torch")  # that compute


@dataclass(frozen=True)
class Task:
    """One fact with the parameters to run it with: one set, or many if it works in batches.

    `code` is where the paper's facts are: a package by its name, a file or a folder by its path.
    """

    fact: str
    parameters: tuple[str, ...]  # canonical JSON, so that a task can be compared and sent
    inputs: Inputs
    code: str = OURS

    @property
    def keys(self) -> list[str]:
        """The names of the certificates it makes."""
        return [key_of(self.fact, json.loads(text)) for text in self.parameters]


def tasks(
    wanted: Iterable[tuple[str, Mapping[str, Plain]]], inputs: Inputs, code: str = OURS
) -> list[Task]:
    """Tasks of a run, each fact and parameters once; batches together and first."""
    texts: dict[str, dict[str, None]] = {}
    for fact, parameters in wanted:
        texts.setdefault(fact, {})[canonical(dict(parameters))] = None
    facts = registered(code)
    batches = [Task(f, tuple(t), inputs, code) for f, t in texts.items() if facts[f].batch]
    single = [
        Task(f, (p,), inputs, code) for f, t in texts.items() if not facts[f].batch for p in t
    ]
    return [*batches, *single]


def perform(task: Task) -> tuple[float, list[Outcome]]:
    """Run one task: the seconds it took, and what was found."""
    started = time.monotonic()
    found = find(
        registered(task.code)[task.fact], [json.loads(p) for p in task.parameters], task.inputs
    )
    return time.monotonic() - started, found


def run(
    todo: Sequence[Task], cache_folder: Path, progress: Progress, mapper: Mapper
) -> dict[str, Outcome]:
    """Outcomes of all tasks by certificate name, from the cache where possible."""
    done: dict[str, Outcome] = {}
    left: list[Task] = []
    for task in todo:
        if (kept := _cached(task, cache_folder)) is None:
            left.append(task)
        else:
            done |= dict(zip(task.keys, kept, strict=True))
            progress(task.fact, 0.0, True)
    for task, result in mapper(perform, left):
        seconds, found = result or (0.0, [Outcome(crash=DIED)] * len(task.parameters))
        for parameters, item in zip(task.parameters, found, strict=True):
            if not item.crash:
                _store(_place(cache_folder, task, parameters), item)
        done |= dict(zip(task.keys, found, strict=True))
        progress(task.fact, seconds, False)
    return done


def _cached(task: Task, cache_folder: Path) -> list[Outcome] | None:
    """Cached outcomes of a task from an earlier run; None if one is missing."""
    kept = [_load(_place(cache_folder, task, p)) for p in task.parameters]
    whole = [item for item in kept if item is not None]
    return whole if len(whole) == len(kept) else None


def uncached(todo: Sequence[Task], cache_folder: Path) -> list[Task]:
    """The tasks whose outcomes are not in the cache."""
    return [task for task in todo if _cached(task, cache_folder) is None]


def processes(jobs: int) -> Mapper:
    """A mapper over `jobs` processes; with one job or one item, in this process.

    An item whose process dies has the result None. Which one it was is found with one process,
    which works in the order of the items.
    """

    def mapped(function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        if jobs == 1 or len(items) < 2:
            for item in items:
                yield item, function(item)
            return
        left, workers = list(items), jobs
        while left:
            left = yield from _run_pool(function, left, workers)
            if left and workers == 1:
                yield left.pop(0), None
            workers = jobs if workers == 1 else 1

    return mapped


def _run_pool(
    function: Callable[[Any], Any], items: Sequence[Any], workers: int
) -> Generator[tuple[Any, Any], None, list[Any]]:
    """Items with their results; returns those that are left, in order, after a process died."""
    pool = ProcessPoolExecutor(workers, get_context("spawn"), end_with_parent)
    try:
        futures = {pool.submit(function, item): item for item in items}
        for future in as_completed(futures):
            if not isinstance(future.exception(), BrokenProcessPool):
                yield futures[future], future.result()
    except BaseException:
        _end(pool)
        raise
    pool.shutdown()
    return [item for f, item in futures.items() if isinstance(f.exception(), BrokenProcessPool)]


def _end(pool: ProcessPoolExecutor) -> None:
    """Stop the workers now: an interrupted run must not wait for their current work."""
    workers = list((pool._processes or {}).values())  # no public name before Python 3.14
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()


@cache
def fingerprint() -> str:
    """A hash of every source file of the program, without the data of papers, which no fact reads."""
    whole = hashlib.sha256()
    for package in (constructions, verify):
        [home] = package.__path__
        root = Path(home)
        for file in sorted(root.rglob("*")):
            data = file.parent.name in ("paper", "template")
            if file.suffix in SOURCES and file.is_file() and not data:
                whole.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    return whole.hexdigest()


@cache
def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that compute; empty for one that is not there."""
    return {"python": platform.python_version(), **{name: _version(name) for name in LIBRARIES}}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


@cache
def contents(path: Path | None) -> str:
    """A hash of a file, or of all files directly in a folder."""
    if path is None:
        return ""
    files = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
    whole = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            whole.update(
                file.name.encode() + b"\0" + hashlib.file_digest(stream, "sha256").digest()
            )
    return whole.hexdigest()


def _seen_by(fact: Fact, inputs: Inputs) -> list[str]:
    """Inputs of a fact besides its parameters."""
    looked = [contents(inputs.data[need]) for need in fact.needs if need in inputs.data]
    if "paper" in fact.needs:
        looked.append(contents(inputs.paper))
    if "coq" in fact.needs:
        from verify.coq import build

        looked += [build.version(), contents(inputs.proofs)]
    if fact.id == "lean.theorem" and inputs.proofs is not None:
        sources = sorted(inputs.proofs.rglob("*.lean"))
        looked += [shutil.which("lake") or "", contents(inputs.proofs)]  # also the toolchain
        looked += [f"{path} {contents(path)}" for path in sources]
    if "inputs" in signature(fact.run).parameters:
        looked += [str(inputs.seed), contents(inputs.folder)]
    return looked


def _place(folder: Path, task: Task, parameters: str) -> Path:
    looked = _seen_by(registered(task.code)[task.fact], task.inputs)
    code = "" if task.code == OURS else contents(Path(task.code))
    name = digest([fingerprint(), versions(), code, task.fact, parameters, looked])
    return folder / "facts" / name[:2] / f"{name}.json"


def _store(path: Path, found: Outcome) -> None:
    """Write an outcome to the cache, if its folder can be written (see `cannot_keep`)."""
    body = asdict(found)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, canonical({**body, "digest": digest([path.name, body])}).encode())


def cannot_keep(folder: Path) -> str:
    """Return the reason why a folder cannot store results, or ""; the run goes on without a cache."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return f"{folder}: {error.strerror}; nothing is kept for later runs (ASSAY_CACHE names it)"


def _load(path: Path) -> Outcome | None:
    try:
        body = json.loads(read_text(path))
        if body.pop("digest") != digest([path.name, body]):
            return None
        return _outcome(**body)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _outcome(holds: Any, values: Any, witness: Any, missing: Any, crash: Any) -> Outcome | None:
    """An outcome from its fields, or None if they are invalid or of a crash."""
    decided = holds is None or isinstance(holds, bool)
    tables = isinstance(values, dict) and isinstance(witness, dict | None)
    return (
        Outcome(holds, values, witness) if decided and tables and missing == crash == "" else None
    )
