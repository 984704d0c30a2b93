"""Runs that seldom happen: workers that die, caches that cannot be written, clusters without workers."""

from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from types import SimpleNamespace

import pytest

from constructions.core.errors import InputError
from verify.judge.outcome import Outcome
from verify.record import cluster, runner


class Pool:
    """A pool whose process dies at some items, with all that come behind it."""

    def __init__(self, workers, context, start):
        self.workers, self.dead, self.shut = workers, False, []
        POOLS.append(self)

    def submit(self, function, item):
        """Run at once."""
        future = Future()
        self.dead = self.dead or item in DEADLY
        if self.dead:
            future.set_exception(BrokenProcessPool("died"))
        else:
            future.set_result(function(item))
        return future

    def shutdown(self, **how):
        """Note how it was ended."""
        self.shut.append(how)


POOLS, DEADLY = [], set()


@pytest.fixture
def pools(monkeypatch):
    POOLS.clear()
    DEADLY.clear()
    monkeypatch.setattr(runner, "ProcessPoolExecutor", Pool)
    return POOLS


def test_an_item_whose_process_dies_is_found_with_one_process_and_has_no_result(pools):
    DEADLY.update({3, 5})
    found = dict(runner.processes(4)(lambda item: item * item, [1, 2, 3, 4, 5, 6]))
    assert found == {1: 1, 2: 4, 3: None, 4: 16, 5: None, 6: 36}
    assert [pool.workers for pool in pools] == [4, 1, 4, 1, 4]
    assert all(pool.shut == [{}] for pool in pools)


@pytest.mark.parametrize(("jobs", "items"), [(1, [1, 2]), (4, [1])])
def test_one_job_or_one_item_needs_no_other_process(pools, jobs, items):
    assert dict(runner.processes(jobs)(lambda item: -item, items)) == {
        item: -item for item in items
    }
    assert not pools


def test_an_interrupted_run_ends_its_workers(pools):
    ended = []
    worker = SimpleNamespace(terminate=lambda: ended.append(True))
    pending = runner._run_pool(lambda item: item, [1, 2], 2)
    next(pending)
    pools[0]._processes = {1: worker, 2: worker}
    with pytest.raises(KeyboardInterrupt):
        pending.throw(KeyboardInterrupt)
    assert ended == [True, True] and pools[0].shut == [{"wait": False, "cancel_futures": True}]


def test_a_kept_result_is_taken_only_where_it_is_whole(tmp_path):
    path = tmp_path / "facts" / "abc.json"
    found = Outcome(False, {"n": 1}, {"n": 2})
    runner._store(path, found)
    assert runner._load(path) == found and runner._load(tmp_path / "absent.json") is None
    text = path.read_text("utf-8")
    for old, other in (('"n":1', '"n":3'), ("false", "true")):
        assert old in text
        path.write_text(text.replace(old, other), "utf-8")
        assert runner._load(path) is None
    for fields in ((1, {}, None, "", ""), (None, [], None, "", ""), (True, {}, [], "", ""),
                   (True, {}, None, "x", ""), (True, {}, None, "", "x")):  # fmt: skip
        assert runner._outcome(*fields) is None
    assert runner._outcome(None, {}, None, "", "") == Outcome(None)


@pytest.mark.parametrize(
    "address",
    ["", "localhost", "tcp://", "tcp://host", "http://host:1", "tcp://host:1/x", "tcp://u@host:1",
     "tcp://host:x", "tcp://ho st:1", "tcp://höst:1"],
)  # fmt: skip
def test_an_address_names_a_host_and_a_port(address):
    assert cluster.checked_address("tls://host:8786") == "tls://host:8786"
    with pytest.raises(InputError, match="tcp://HOST:PORT or tls://HOST:PORT"):
        cluster.checked_address(address)
