"""Standard output and standard error that may close early, without an effect on the exit status.

A reader such as `head` ends, a disk is full, a stream is closed (`>&-`): whatever is printed then is
discarded, the command goes on to its end, and its exit status is the one it has computed. The first
reason is kept, so that an answer that could not be written is no success.
"""

from __future__ import annotations

import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class Outlet(io.FileIO):
    """A file descriptor that discards output after an error, and keeps the first error in `failure`."""

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        """Write, or discard after an error; wait for a full pipe that does not block."""
        while self.failure is None:
            try:
                if (written := super().write(data)) is not None:
                    return written
                select.select([], [self], [])
            except OSError as error:
                self.failure = error
        return len(data)


def failure_of(file: io.FileIO | None) -> OSError | None:
    """Return the reason why something could not be written to a file; None if everything was."""
    return file.failure if isinstance(file, Outlet) else None


@contextmanager
def robust_streams() -> Iterator[io.FileIO | None]:
    """Let both streams survive write errors; yield the file of standard output, if it has one."""
    before = sys.stdout, sys.stderr
    for stream in before:
        if stream is not None:
            stream.flush()
    sys.stdout, sys.stderr = (_robust(stream) for stream in before)
    try:
        yield _file(sys.stdout)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = before


def _robust(stream: TextIO | None) -> TextIO:
    """Wrap a stream so that it survives errors; a closed one discards, one without a file is unchanged."""
    if stream is None:
        return _text(Outlet(os.open(os.devnull, os.O_WRONLY), "w"), "utf-8", False)
    if (file := _file(stream)) is None:
        return stream
    at_once = stream.isatty() or stream.buffer is file  # the latter is PYTHONUNBUFFERED
    return _text(Outlet(file.fileno(), "w", closefd=False), stream.encoding, at_once)


def _text(outlet: Outlet, encoding: str, at_once: bool) -> TextIO:
    """Wrap an outlet as text; characters that its encoding does not have are escaped."""
    buffer = io.BufferedWriter(outlet)
    return io.TextIOWrapper(buffer, encoding, "backslashreplace", line_buffering=at_once)


def _file(stream: TextIO) -> io.FileIO | None:
    """The file behind a stream, if there is one."""
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    return raw if isinstance(raw, io.FileIO) else None
