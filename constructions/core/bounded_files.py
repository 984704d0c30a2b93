"""Reads files that a user names or a folder holds: regular files of a limited size, nothing else.

A FIFO would be waited for and a device read for ever; both are refused before anything is read, and
no more than the limit is read even if the file grows meanwhile.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from constructions.core.errors import NO_FILE, InputError

LARGEST_FILE = 64 * 1024 * 1024
LARGEST_WEIGHTS = 4 * 1024**3


def read_text(path: Path | str, limit: int = LARGEST_FILE) -> str:
    """Return the text of a regular file of at most `limit` bytes, without a byte order mark."""
    content = read_bytes(path, limit)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"byte 0x{content[error.start]:02x} at offset {error.start}"
        raise InputError("file", found, "text in UTF-8", str(path)) from None


def read_bytes(path: Path | str, limit: int = LARGEST_FILE) -> bytes:
    """Return the content of a regular file of at most `limit` bytes."""
    file = Path(path)
    check_file(file, limit)
    try:
        with open(file, "rb", opener=_without_waiting) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise InputError("file", "a special file", "a regular file", str(file))
            content = stream.read(limit + 1)
    except OSError as error:
        raise _unreadable(file, error) from None
    if len(content) > limit:
        raise InputError("file", "a file that grows", f"at most {limit} bytes", str(file))
    return content


def check_file(file: Path, limit: int = LARGEST_FILE) -> None:
    """Refuse anything but a regular file of at most `limit` bytes."""
    try:
        facts = file.stat()
    except FileNotFoundError:
        raise InputError(NO_FILE, f"{file}{_instead(file)}", "") from None
    except (OSError, ValueError) as error:
        raise _unreadable(file, error) from None
    if not stat.S_ISREG(facts.st_mode):
        kind = "a directory" if stat.S_ISDIR(facts.st_mode) else "a special file"
        raise InputError("file", kind, "a regular file", str(file))
    if facts.st_size > limit:
        raise InputError("file", f"{facts.st_size} bytes", f"at most {limit} bytes", str(file))


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a FIFO that took its place meanwhile is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _unreadable(file: Path, error: OSError | ValueError) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    return InputError("file", reason, "a file that can be read", str(file))


def _instead(file: Path) -> str:
    """Return a hint for the name of a file that does not exist, or ""."""
    if not file.parent.is_dir():
        return f"; there is no folder {file.parent}"
    with suppress(OSError):
        names = [entry.name for entry in islice(file.parent.iterdir(), 1000)]
        if near := get_close_matches(file.name, names, 3):
            return f"; did you mean {' or '.join(near)}?"
    return ""
