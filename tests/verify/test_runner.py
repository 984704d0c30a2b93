"""Facts are run once, kept by content, and a kept file that was touched is not believed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from verify import runner
from verify.facts import registry
from verify.facts.found import Found
from verify.facts.registry import Fact, Inputs


@pytest.fixture
def facts(monkeypatch):
    calls = []

    def counted(number: int) -> Found:
        """Counts its calls."""
        calls.append(number)
        if number < 0:
            raise ZeroDivisionError("no")
        return Found(number > 0, {"number": number})

    def reads(inputs: Inputs) -> Found:
        """Looks at the paper."""
        calls.append("paper")
        return Found(True, {"length": len(inputs.paper.read_text())})

    known = {
        "t.counted": Fact("t.counted", counted, "exact", ()),
        "t.reads": Fact("t.reads", reads, "exact", ("paper",)),
    }
    monkeypatch.setattr(runner, "registered", lambda: known)
    runner.contents.cache_clear()
    return calls


def found(tmp_path, *numbers, inputs=None):
    wanted = [("t.counted", {"number": n}) for n in numbers]
    todo = runner.tasks(wanted, inputs or Inputs())
    return runner.run(todo, tmp_path, lambda *_: None, runner.processes(1))


def test_the_same_fact_is_run_once_and_kept(tmp_path, facts):
    assert len(found(tmp_path, 1, 1, 2)) == 2
    found(tmp_path, 1, 2)
    assert facts == [1, 2]


def test_a_crash_is_ours_and_is_not_kept(tmp_path, facts):
    (item,) = found(tmp_path, -1).values()
    assert item.holds is None and item.crash.startswith("ZeroDivisionError: no")
    found(tmp_path, -1)
    assert facts == [-1, -1]


def test_a_kept_file_that_was_edited_is_noticed(tmp_path, facts):
    found(tmp_path, 0)
    (kept,) = (tmp_path / "facts").rglob("*.json")
    body = json.loads(kept.read_text())
    kept.write_text(json.dumps({**body, "holds": True}))
    (item,) = found(tmp_path, 0).values()
    assert item.holds is False and facts == [0, 0]


def test_the_contents_of_an_input_count_and_not_its_path(tmp_path, facts):
    paper = tmp_path / "paper.tex"
    lengths = []
    for text in ("one", "three"):
        paper.write_text(text)
        runner.contents.cache_clear()
        todo = runner.tasks([("t.reads", {})], Inputs(paper=paper))
        (item,) = runner.run(todo, tmp_path, lambda *_: None, runner.processes(1)).values()
        lengths.append(item.values["length"])
    assert lengths == [3, 5] and facts == ["paper", "paper"]


def test_facts_of_the_package_have_names_methods_and_a_sentence():
    for fact in registry.registered().values():
        assert fact.title.endswith("."), fact.id


def test_two_facts_cannot_have_one_name():
    with pytest.raises(ValueError, match="two facts"):

        @registry.fact("coq.theorem", "exact")
        def other() -> Found:
            """Another."""
            return Found()


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="luck"):
        registry.fact("t.x", "luck")


SCRIPT = """
import time
from verify import runner
def slow(_): time.sleep(60)
if __name__ == "__main__":
    print("started", flush=True)
    list(runner.processes(2)(slow, [1, 2, 3]))
"""


def test_an_interrupted_run_ends_its_workers_at_once(tmp_path):
    script = tmp_path / "slow.py"
    script.write_text(SCRIPT)
    path = os.pathsep.join(
        [str(Path(runner.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    )
    run = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
    )
    run.stdout.readline()
    time.sleep(2)
    started = time.monotonic()
    run.send_signal(signal.SIGINT)
    run.wait(timeout=20)
    assert time.monotonic() - started < 5
