"""Running a plan: pending cells are trained, each in a process with one thread.

All seeds of a cell are trained together (`stack`), so one process for each core is all there is to
share. The parent is sent a message after every epoch and every finished cell, and passes it on to
the code that shows the progress.
"""

import multiprocessing
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing.queues import Queue
from pathlib import Path
from queue import Empty
from typing import Protocol

from constructions.core.parent import end_with_parent
from verify.experiments import store
from verify.experiments.settings import Settings

PATIENCE_SECONDS = 0.2


@dataclass(frozen=True)
class News:
    """One epoch of one cell is over."""

    settings: Settings
    epoch: int
    error: float


class Audience(Protocol):
    """Display of the progress of a plan."""

    def epoch(self, news: News) -> None:
        """Report the end of an epoch."""

    def finished(self, settings: Settings) -> None:
        """Report that a cell is trained and stored."""


_channel: "Queue[News] | None" = None


def _listen(channel: "Queue[News]") -> None:
    global _channel
    _channel = channel
    end_with_parent()


def train_and_store(settings: Settings, out: Path, data: Path | None) -> Settings:
    """Train and store one cell in a worker process; only workers load PyTorch."""
    from verify.experiments.train import run

    def report(epoch: int, error: float) -> None:
        if _channel is not None:
            _channel.put(News(settings, epoch, error))

    store.write(out, run(settings, data, report))
    return settings


def execute(
    plan: Iterable[Settings], out: Path, data: Path | None, jobs: int, audience: Audience
) -> None:
    """Train every cell of the plan that has no record in `out`."""
    waiting = store.pending_cells(out, plan)
    context = multiprocessing.get_context("spawn")
    channel: Queue[News] = context.Queue()
    with ProcessPoolExecutor(jobs, context, _listen, (channel,)) as pool:
        futures = [pool.submit(train_and_store, settings, out, data) for settings in waiting]
        try:
            while futures:
                _pass_on(channel, audience)
                for future in [future for future in futures if future.done()]:
                    audience.finished(future.result())
                    futures.remove(future)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        _pass_on(channel, audience)


def _pass_on(channel: "Queue[News]", audience: Audience) -> None:
    try:
        audience.epoch(channel.get(timeout=PATIENCE_SECONDS))
        while True:
            audience.epoch(channel.get_nowait())
    except Empty:
        return
