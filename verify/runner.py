"""Runs checks: in processes, with progress, and so that nothing finished is lost.

Each finished check leaves a file in `OUT/work/`, written atomically and named by the check and
by a fingerprint of the program, the profile and the inputs. A run that was killed finds these
files and goes on from there; a file with another fingerprint is never used.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import pkgutil
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import constructions
import verify
import verify.checks
from verify.check import REGISTERED, Check, Job, Profile
from verify.claims.model import Name
from verify.evidence import (
    Arcs,
    Condition,
    Drawing,
    Evidence,
    Figure,
    Outcome,
    Series,
    Strength,
    Table,
)
from verify.prerequisites import missing
from verify.record import Seen

Progress = Callable[[Check, float, bool], None]
Mapper = Callable[[Callable[[Any], Any], Sequence[Any]], Iterator[tuple[Any, Any]]]


@cache
def _import_checks() -> None:
    for module in pkgutil.iter_modules(verify.checks.__path__):
        importlib.import_module(f"verify.checks.{module.name}")


def load_checks() -> dict[str, Check]:
    """All registered checks, by name; importing a module of `verify.checks` registers its own."""
    _import_checks()
    return dict(sorted(REGISTERED.items()))


def chosen(claims: Sequence[str], profile: Profile) -> list[Check]:
    """The checks that speak of the given claims (all of them if none is given)."""
    return [
        check
        for check in load_checks().values()
        if (profile is Profile.FULL or check.profile is Profile.QUICK)
        and (not claims or any(is_named(claim, claims) for claim in check.claims))
    ]


def is_named(claim: str, wanted: Sequence[str]) -> bool:
    """Whether a claim is one of those wanted, or lies below one of them."""
    return any(claim == name or claim.startswith(f"{name}.") for name in wanted)


@dataclass(frozen=True)
class Unit:
    """One check and the job it is to be run with."""

    check: str
    job: Job


def perform(unit: Unit) -> tuple[float, list[Evidence]]:
    """Run one check: the seconds it took, and its evidence."""
    check = load_checks()[unit.check]
    started = time.monotonic()
    found = _evidence(check, unit.job)
    return time.monotonic() - started, found


def _evidence(check: Check, job: Job) -> list[Evidence]:
    """What a check says; one that raises is broken, and says so."""
    try:
        found = list(check.body(job))
        strangers = sorted({item.claim for item in found} - set(check.claims))
        if strangers or not found:
            raise ValueError(f"evidence on {strangers or 'nothing'}, declared {check.claims}")
        return found
    except Exception as error:  # a broken checker is not a refuted claim
        summary = f"check {check.id} raised {type(error).__name__}: {error}"
        trace = traceback.format_exc(limit=-4)
        return [
            Evidence(claim, Outcome.BROKEN, Strength.OBSERVED, "", summary, limits=trace)
            for claim in check.claims
        ]


def run(
    checks: Sequence[Check], job: Job, work: Path, progress: Progress, mapper: Mapper
) -> list[Seen]:
    """Run checks, taking from `work` what an earlier run has finished."""
    work.mkdir(parents=True, exist_ok=True)
    lacking = missing(job)
    done: dict[str, list[Evidence]] = {}
    left: list[Check] = []
    for check in checks:
        kept = _unavailable(check, lacking) or _load(_place(work, check, job))
        if kept is None:
            left.append(check)
        else:
            done[check.id] = kept
            progress(check, 0.0, True)
    by_name = {check.id: check for check in left}
    for unit, (seconds, found) in mapper(perform, [Unit(check.id, job) for check in left]):
        check = by_name[unit.check]
        done[check.id] = found
        if not any(item.outcome is Outcome.BROKEN for item in found):
            _store(_place(work, check, job), found)
        progress(check, seconds, False)
    return [Seen(check.id, item) for check in checks for item in done[check.id]]


def _unavailable(check: Check, lacking: Mapping[str, str]) -> list[Evidence] | None:
    """What a check says when something it needs is not there."""
    for need in check.needs:
        if need in lacking:
            return [
                Evidence(claim, Outcome.UNAVAILABLE, Strength.OBSERVED, "", lacking[need])
                for claim in check.claims
            ]
    return None


def processes(jobs: int) -> Mapper:
    """A mapper over `jobs` processes; with one job, in this process."""

    def mapped(function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
        if jobs == 1:
            for item in items:
                yield item, function(item)
            return
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            futures = {pool.submit(function, item): item for item in items}
            for future in as_completed(futures):
                yield futures[future], future.result()

    return mapped


@cache
def fingerprint() -> str:
    """A hash of every source file of the program."""
    digest = hashlib.sha256()
    for package in (constructions, verify):
        root = Path(package.__path__[0])
        for file in sorted(root.rglob("*")):
            if file.suffix in {".py", ".v", ".json"} and file.is_file():
                digest.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _place(work: Path, check: Check, job: Job) -> Path:
    inputs = json.dumps({key: str(value) for key, value in asdict(job).items()}, sort_keys=True)
    key = hashlib.sha256(f"{fingerprint()}\0{inputs}".encode()).hexdigest()[:16]
    return work / f"{check.id}.{key}.json"


def _store(path: Path, evidence: list[Evidence]) -> None:
    write_atomically(path, json.dumps([asdict(item) for item in evidence]).encode())


def _load(path: Path) -> list[Evidence] | None:
    try:
        return [_revive(item) for item in json.loads(path.read_text("utf-8"))]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _revive(item: dict[str, Any]) -> Evidence:
    item["outcome"], item["strength"] = Outcome(item["outcome"]), Strength(item["strength"])
    item["reading"] = Name(item["reading"])
    item["conditions"] = tuple(Condition(**condition) for condition in item["conditions"])
    item["figures"] = tuple(_revive_figure(figure) for figure in item["figures"])
    item["tables"] = tuple(_revive_table(table) for table in item["tables"])
    item["drawings"] = tuple(_revive_drawing(drawing) for drawing in item["drawings"])
    return Evidence(**item)


def _revive_figure(figure: dict[str, Any]) -> Figure:
    series = tuple(
        Series(s["label"], tuple(s["x"]), tuple(s["y"]), s["style"]) for s in figure.pop("series")
    )
    return Figure(**figure, series=series)


def _revive_table(table: dict[str, Any]) -> Table:
    rows = tuple(tuple(row) for row in table["rows"])
    return Table(table["id"], table["title"], tuple(table["header"]), rows)


def _revive_drawing(drawing: dict[str, Any]) -> Drawing:
    tokens, depths = tuple(drawing.pop("tokens")), tuple(drawing.pop("depths"))
    heads = tuple(_revive_arcs(head) for head in drawing.pop("heads"))
    return Drawing(**drawing, tokens=tokens, depths=depths, heads=heads)


def _revive_arcs(head: dict[str, Any]) -> Arcs:
    arcs = tuple((source, target) for source, target in head["arcs"])
    return Arcs(head["label"], arcs, tuple(head["missed"]), tuple(head["depths"]))


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that a kill or a full disk leaves the previous one whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
