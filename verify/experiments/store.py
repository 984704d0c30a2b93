"""Finished cells on disk: one small JSON file each, written whole or not at all.

A grid that is killed loses the cells under way and nothing else: a file appears under its final
name only after it is complete and flushed, and a cell whose file is there is not trained again.
The name holds a digest of all settings, so that a changed setting never meets an old result, and
the file one of its content, so that an edited result is not taken over.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from constructions.core.atomic_files import replace_file
from constructions.core.bounded_files import read_text
from constructions.core.errors import InputError
from verify.experiments.settings import Settings, from_plain

Record = dict[str, Any]
PARTS = {"settings", "result", "clock"}
DIGEST = "digest"  # of the parts: a file that was edited is noticed


def path_of(folder: Path, settings: Settings) -> Path:
    """Path of the record of a cell."""
    return folder / "runs" / f"{settings.name}.json"


def write(folder: Path, record: Record) -> Path:
    """Write a record atomically: a kill at any moment leaves a whole file or none."""
    target = path_of(folder, from_plain(record["settings"]))
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, _text({**record, DIGEST: _digest(record)}).encode())
    return target


def train_and_store(folder: Path, data: Path | None, settings: Settings) -> float:
    """Train one cell, write its record, and return the mean test error; only this loads PyTorch."""
    from verify.experiments.train import run

    record = run(settings, data)
    write(folder, record)
    errors = [float(error) for tries in record["result"]["mse"] for error in tries]
    return sum(errors) / len(errors)


def read(path: Path) -> Record:
    """Read one record and check that it is the one that its name gives."""
    try:
        record = json.loads(read_text(path))
    except (OSError, ValueError, RecursionError) as problem:
        raise InputError("run record", str(problem), "readable JSON", str(path)) from problem
    if not isinstance(record, dict) or set(record) != {*PARTS, DIGEST}:
        raise InputError("run record", "other fields", ", ".join(sorted(PARTS)), str(path))
    if record.pop(DIGEST) != _digest(record):
        expected = "a record as it was written; without this file the cell is trained again"
        raise InputError(
            "run record", "a digest that does not match the content", expected, str(path)
        )
    settings = from_plain(record["settings"])
    if path.stem != settings.name:
        raise InputError("run record", settings.name, "the run named by the file", str(path))
    return record


def _text(record: Record) -> str:
    return json.dumps(record, sort_keys=True)


def _digest(record: Record) -> str:
    return hashlib.sha256(_text(record).encode()).hexdigest()


def pending_cells(folder: Path, plan: Iterable[Settings]) -> list[Settings]:
    """The cells of a plan that have no record yet."""
    return [settings for settings in plan if not path_of(folder, settings).exists()]


def finished_records(folder: Path, plan: Iterable[Settings]) -> list[Record]:
    """The records of a plan, in the plan's order."""
    paths = (path_of(folder, settings) for settings in plan)
    return [read(path) for path in paths if path.exists()]
