"""Writes a run's report completely or not at all, one run per folder at a time.

A folder is replaced only if a run wrote all that is in it: it has a record, and `SHA256SUMS` lists
exactly its files, at any depth, with the digests that they still have. Anything else is refused.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from filelock import FileLock, Timeout

from constructions.core.atomic_files import replace_file
from constructions.core.bounded_files import read_bytes
from constructions.core.errors import InputError
from verify.judge import schemas
from verify.judge.data import digest
from verify.record.record import Data, canonical

SUMS = "SHA256SUMS"
RECORD = "record.json"
EXPECTED = "a new folder, or an unchanged report of `assay run`; move this one away"
LONGEST = 40  # characters of a name that names beside it take over


@contextmanager
def reserve(out: Path) -> Iterator[None]:
    """Hold the folder for one run; a second run gets a clear message at once.

    What a run left that was killed while it exchanged two reports is put in order first.
    """
    out = _target(out)
    _usable(out)
    lock = FileLock(out.parent / f".{out.name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if not Path(lock.lock_file).exists():
            raise InputError("--out", str(out), "a place where files can be made") from None
        raise InputError("--out", str(out), "a folder no other run is writing to") from None
    except OSError as error:
        raise InputError("--out", error.strerror, "a folder to write to", str(out)) from None
    try:
        _recover(out)
        yield
    finally:
        lock.release()
        with suppress(OSError):
            Path(lock.lock_file).unlink()


def _target(out: Path) -> Path:
    """The folder itself: a link to it stays a link."""
    return Path(os.path.realpath(out))


def _usable(out: Path) -> None:
    """Refuse a folder that holds anything that no run wrote."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.exists() and (stranger := foreign_entry(out)):
            raise InputError("--out", stranger, EXPECTED, str(out))
    except OSError as error:
        raise InputError("--out", error.strerror, EXPECTED, str(out)) from None


def foreign_entry(folder: Path) -> str:
    """Return the first entry of a folder that no run wrote or that was changed since, or ""."""
    if not any(folder.iterdir()):
        return ""
    listed = _listed(folder)
    known = {*listed, SUMS, *(str(Path(name).parent) for name in listed)}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name not in known or path.is_symlink() or path.is_dir() == (name in {*listed, SUMS}):
            return name
        if name in listed and sha256(read_bytes(path)).hexdigest() != listed[name]:
            return f"{name}, which was changed"
    return "" if RECORD in listed and (folder / RECORD).is_file() else "no record"


def _listed(folder: Path) -> dict[str, str]:
    """Return the files that a run wrote into a folder, with their digests; {} if none is known."""
    if not (folder / SUMS).is_file():
        return {}
    lines = read_bytes(folder / SUMS).decode("utf-8", "replace").splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def checksums(files: Mapping[str, bytes]) -> bytes:
    """Return a file that `sha256sum --check` reads."""
    lines = (f"{sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    return "".join(lines).encode()


def write_report(
    out: Path, record: Data, certificates: Data, data: Mapping[str, str] | None = None
) -> None:
    """Write everything beside the folder, then swap; on any error the previous report is whole.

    `data` are the texts of another paper's folder, by file name, which the report carries along.
    """
    import reports

    pages = reports.render_all(record, certificates)
    files = {
        "record.json": canonical(record),
        "certificates.json": canonical(certificates),
        **pages,
    }
    if data is not None:
        files["paper.json"] = canonical({"schema": schemas.PAPER, "files": dict(data)})
    replace_folder(out, files)


def replace_folder(out: Path, files: Mapping[str, bytes]) -> None:
    """Write files with their digests beside a folder that a run wrote, and exchange the two."""
    _usable(_target(out))  # again: a run takes minutes, in which files can be added
    try:
        _swap(_target(out), {**files, SUMS: checksums(files)})
    except OSError as error:
        raise InputError("--out", error.strerror, "a folder to write to", str(out)) from None


def _swap(out: Path, files: dict[str, bytes]) -> None:
    beside = out.with_name(f"{_prefix(out)}{token_hex(8)}")
    beside.mkdir(mode=0o700)
    fresh, old = beside / "new", beside / "old"
    try:
        fresh.mkdir()
        for name, content in files.items():
            (fresh / name).parent.mkdir(exist_ok=True)
            replace_file(fresh / name, content)
        if out.exists():
            out.rename(old)
        fresh.rename(out)
    finally:
        _clear(out, beside)


def _prefix(out: Path) -> str:
    """Prefix of the temporary folders in which a report is made; each report has its own."""
    short = out.name if len(out.name) <= LONGEST else f"{out.name[:LONGEST]}-{digest(out.name)[:8]}"
    return f".{short}.swap-"


def _clear(out: Path, beside: Path) -> None:
    """Restore a report whose replacement was interrupted; remove the other remains of a swap.

    The old report is removed only if a run wrote all of it.
    """
    old = beside / "old"
    if old.is_dir() and not out.exists():
        old.rename(out)
    unknown = {entry.name for entry in beside.iterdir()} - {"new", "old"}
    if not unknown and not (old.is_dir() and foreign_entry(old)):
        shutil.rmtree(beside, ignore_errors=True)


def _recover(out: Path) -> None:
    """Finish or undo the swap of a killed run; call only while the folder is reserved."""
    made = re.compile(re.escape(_prefix(out)) + "[0-9a-f]{16}")
    for beside in sorted(out.parent.iterdir()):
        if made.fullmatch(beside.name) and beside.is_dir() and not beside.is_symlink():
            _clear(out, beside)
