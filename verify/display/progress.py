"""What is being computed, said on a terminal once it takes longer than a second."""

from __future__ import annotations

from threading import Timer

from rich.console import Console
from rich.status import Status

DELAY = 1.0


class Progress:
    """A line that names the present stage; call it with the next one, in a `with` block."""

    def __init__(self, console: Console, delay: float = DELAY) -> None:
        self._status = Status("", console=console)
        self._timer = Timer(delay, self._status.start)
        self._timer.daemon = True
        self._wanted = console.is_terminal

    def __call__(self, stage: str) -> None:
        """Name the stage that begins now."""
        self._status.update(f"{stage} …")

    def __enter__(self) -> Progress:
        if self._wanted:
            self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()
        self._status.stop()


def silent(stage: str) -> None:
    """Say nothing."""
