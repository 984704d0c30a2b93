"""The progress line: the present stage, the time so far, an estimate of the whole.

Shown on a terminal after a second and removed at the end; never written to a file or a pipe.
"""

from __future__ import annotations

from threading import Timer

from rich.console import Console
from rich.progress import Progress as Bar
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

DELAY = 1.0
ANNOUNCED = 2.0  # seconds; who waits for less needs no estimate


class Progress:
    """A line that names the present stage; call it with the next one, in a `with` block.

    `estimate` is about how many seconds all of it takes, where that is known.
    """

    def __init__(
        self, console: Console, stage: str = "", estimate: float = 0.0, delay: float = DELAY
    ) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        about = f"of about {estimate:.0f} s" if estimate > ANNOUNCED else ""
        # What is printed meanwhile goes where it would have gone: an answer that is piped is no part
        # of this line.
        self._bar = Bar(
            *columns,
            TextColumn(about),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._bar.add_task(stage and f"{stage} …", total=None)
        self._timer = Timer(delay, self._bar.start)
        self._timer.daemon = True
        self._wanted = console.is_terminal

    def __call__(self, stage: str) -> None:
        """Name the stage that begins now."""
        self._bar.update(self._task, description=f"{stage} …")

    def __enter__(self) -> Progress:
        if self._wanted:
            self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()
        if self._bar.live.is_started:
            self._bar.stop()


def silent(stage: str) -> None:
    """Say nothing."""
