"""The Dask executor, on a real local cluster of two worker processes."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from constructions.errors import InputError
from verify import cluster as cluster_module
from verify.cli import main
from verify.cluster import Cluster

distributed = pytest.importorskip("distributed")


def work() -> SimpleNamespace:
    """Work for a cluster, made inside a function: it travels by value, whatever workers import."""

    def square(number: int) -> int:
        return number * number

    def die_once(task: tuple[int, str]) -> int:
        """The worker that takes task 3 first is killed in the middle of it."""
        number, mark = task
        if number == 3 and not Path(mark).exists():
            Path(mark).write_text("died")
            os._exit(1)
        time.sleep(0.05)
        return number * number

    def fail(number: int) -> int:
        raise ValueError(f"no result for {number}")

    return SimpleNamespace(square=square, die_once=die_once, fail=fail)


@pytest.fixture(scope="module")
def scheduler() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as running:
        yield running


def test_every_item_comes_back_with_its_result(scheduler: Any) -> None:
    with Cluster(scheduler.scheduler_address) as cluster:
        assert len(cluster.workers()) == 2
        assert dict(cluster.map(work().square, range(20))) == {k: k * k for k in range(20)}


def test_a_killed_worker_loses_nothing(scheduler: Any, tmp_path: Path) -> None:
    tasks = [(k, str(tmp_path / "mark")) for k in range(8)]
    with Cluster(scheduler.scheduler_address) as cluster:
        found = dict(cluster.map(work().die_once, tasks))
    assert (tmp_path / "mark").read_text() == "died"
    assert found == {task: task[0] ** 2 for task in tasks}


def test_an_error_in_the_work_reaches_the_caller(scheduler: Any) -> None:
    with (
        Cluster(scheduler.scheduler_address) as cluster,
        pytest.raises(ValueError, match="no result for 7"),
    ):
        list(cluster.map(work().fail, [7]))


def test_workers_with_another_version_are_refused(
    scheduler: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "__version__", "99")
    with (
        Cluster(scheduler.scheduler_address) as cluster,
        pytest.raises(InputError, match="expected version 99"),
    ):
        list(cluster.map(work().square, [1]))


def test_no_scheduler_is_one_clear_line() -> None:
    with pytest.raises(InputError) as caught:
        Cluster("tcp://127.0.0.1:9", patience=0.5)
    assert "a Dask scheduler" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_address_that_is_none_is_one_clear_line() -> None:
    with pytest.raises(InputError, match="--scheduler"):
        Cluster("no address at all", patience=0.5)


STATEMENTS = ("lem1", "thm1.pads", "thm1.readout", "fam.counting")


def run(out: Path, *more: str) -> dict[str, bytes]:
    assert main(["run", *STATEMENTS, "--out", str(out), *more]) in (0, 1, 2)
    kept = (p for p in sorted(out.rglob("*")) if p.is_file() and "work" not in p.parts)
    return {str(p.relative_to(out)): p.read_bytes() for p in kept}


def kill_a_worker(scheduler: Any, stop: threading.Event) -> None:
    with distributed.Client(scheduler.scheduler_address, set_as_default=False) as client:
        pids = sorted(client.run(os.getpid).values())
        while not stop.is_set() and not any(client.processing().values()):
            time.sleep(0.02)
        os.kill(pids[0], signal.SIGKILL)


def test_a_cluster_gives_the_same_bytes_as_this_machine(
    scheduler: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("ASSAY_PAPER", raising=False)
    monkeypatch.delenv("ASSAY_PAUTOMAC", raising=False)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "kept here"))
    here = run(tmp_path / "here", "--jobs", "1")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "kept there"))
    stop = threading.Event()
    killer = threading.Thread(target=kill_a_worker, args=(scheduler, stop))
    killer.start()
    there = run(tmp_path / "there", "--scheduler", scheduler.scheduler_address)
    stop.set()
    killer.join()
    assert there == here
