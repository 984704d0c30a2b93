"""Writes a run's report whole or not at all, one run a folder at a time."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from constructions.core.errors import InputError
from constructions.core.writing import replace_file
from verify.judge import schemas
from verify.record.record import Data, canonical

# What a report folder may hold; anything else is somebody's own and is never swapped away.
FILES = frozenset(
    {
        *("record.json", "certificates.json", "paper.json", "index.html", "report.md", "assay.tex"),
        *("erratum.tex", "erratum.pdf", "erratum.aux", "erratum.log", "junit.xml", "badge.svg"),
    }
)
FOLDERS = frozenset({"figures", "drawings", "certificates", "work"})


@contextmanager
def reserve(out: Path) -> Iterator[None]:
    """Hold the folder for one run; a second run gets a clear message at once."""
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
        yield
    finally:
        lock.release()
        with suppress(OSError):
            Path(lock.lock_file).unlink()


def _usable(out: Path) -> None:
    expected = "a new folder, or one that `assay run` has written"
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if not out.exists():
            return
        if not out.is_dir():
            raise InputError("--out", str(out), expected)
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
        _swap(out, files)
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
    fresh = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name[:40]}.new-"))
    try:
        for name, content in files.items():
            (fresh / name).parent.mkdir(exist_ok=True)
            replace_file(fresh / name, content)
        fresh.chmod(0o755)
        old = fresh.with_name(fresh.name.replace(".new-", ".old-"))
        if out.exists():
            out.rename(old)
        try:
            fresh.rename(out)
        except OSError:
            if old.exists():
                old.rename(out)
            raise
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
