"""Writes a run's report whole or not at all, one run a folder at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from filelock import FileLock, Timeout

from constructions.core.atomic_files import replace_file
from constructions.core.errors import InputError
from verify.judge import schemas
from verify.judge.data import digest
from verify.record.record import Data, canonical

# What a report folder may hold; anything else is somebody's own and is never swapped away.
FILES = frozenset(
    {
        *("record.json", "certificates.json", "paper.json", "index.html", "report.md", "assay.tex"),
        *("erratum.tex", "erratum.pdf", "erratum.aux", "erratum.log", "junit.xml", "badge.svg"),
    }
)
LONGEST = 40  # characters of a name that names beside it take over
FOLDERS = frozenset({"figures", "drawings", "certificates", "work"})


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
    expected = "a new folder, or one that `assay run` has written"
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if not out.exists():
            return
        strangers = sorted(entry.name for entry in out.iterdir() if not _ours(entry))
        if strangers:
            raise InputError("--out", strangers[0], expected, str(out))
    except OSError as error:
        raise InputError("--out", error.strerror, expected, str(out)) from None


def _ours(entry: Path) -> bool:
    """Whether `assay run` writes such a file or folder."""
    if entry.is_symlink():
        return False
    return entry.name in (FOLDERS if entry.is_dir() else FILES)


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
    files |= _compiled(out, pages.get("erratum.tex"))
    if data is not None:
        files["paper.json"] = canonical({"schema": schemas.PAPER, "files": dict(data)})
    try:
        _swap(_target(out), files)
    except OSError as error:
        raise InputError("--out", error.strerror, "a folder to write to", str(out)) from None


def _compiled(out: Path, erratum: bytes | None) -> dict[str, bytes]:
    """The compiled erratum of an earlier run, where the erratum has not changed."""
    try:
        if (out / "erratum.tex").read_bytes() == erratum:
            return {"erratum.pdf": (out / "erratum.pdf").read_bytes()}
    except OSError:
        pass
    return {}


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
    """How the names begin of folders in which a report is made; another report has other names."""
    short = out.name if len(out.name) <= LONGEST else f"{out.name[:LONGEST]}-{digest(out.name)[:8]}"
    return f".{short}.swap-"


def _clear(out: Path, beside: Path) -> None:
    """Put a report back that was moved away and never replaced; remove what else is left of a swap."""
    if (beside / "old").is_dir() and not out.exists():
        (beside / "old").rename(out)
    shutil.rmtree(beside, ignore_errors=True)


def _recover(out: Path) -> None:
    """Finish what a killed run has begun; only while the folder is held."""
    for beside in sorted(out.parent.iterdir()):
        if beside.name.startswith(_prefix(out)) and beside.is_dir() and not beside.is_symlink():
            _clear(out, beside)
