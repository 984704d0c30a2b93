"""Facts are run once, kept by content, and a kept file that was touched is not believed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from verify.facts import registry
from verify.facts.registry import Fact, Inputs
from verify.judge.data import digest
from verify.judge.outcome import Outcome
from verify.record import runner


@pytest.fixture
def facts(monkeypatch):
    calls = []

    def counted(number: int) -> Outcome:
        """Counts its calls."""
        calls.append(number)
        if number < 0:
            raise ZeroDivisionError("no")
        return Outcome(number > 0, {"number": number})

    def reads(inputs: Inputs) -> Outcome:
        """Looks at the paper."""
        calls.append("paper")
        return Outcome(True, {"length": len(inputs.paper.read_text())})

    known = {
        "t.counted": Fact("t.counted", counted, "exact", ()),
        "t.reads": Fact("t.reads", reads, "exact", ("paper",)),
    }
    monkeypatch.setattr(runner, "registered", lambda code: known)
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


def test_a_kept_fact_is_reported_as_kept_and_takes_no_time(tmp_path, facts):
    found(tmp_path, 1)
    said, todo = [], runner.tasks([("t.counted", {"number": 1})], Inputs())
    runner.run(todo, tmp_path, lambda *each: said.append(each), runner.processes(1))
    assert said == [("t.counted", 0.0, True)]


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


@pytest.mark.parametrize("text", ["[" * 10**5, "{}", "[]", "", "\x00", '{"digest": 1}'])
def test_a_kept_file_that_is_no_result_is_computed_anew(tmp_path, facts, text):
    found(tmp_path, 0)
    (kept,) = (tmp_path / "facts").rglob("*.json")
    kept.write_text(text)
    (item,) = found(tmp_path, 0).values()
    assert item.holds is False and facts == [0, 0]


def test_kept_files_that_were_exchanged_are_computed_anew(tmp_path, facts):
    found(tmp_path, 0, 1)
    one, other = (tmp_path / "facts").rglob("*.json")
    texts = one.read_text(), other.read_text()
    one.write_text(texts[1])
    other.write_text(texts[0])
    assert sorted(item.holds for item in found(tmp_path, 0, 1).values()) == [False, True]
    assert facts == [0, 1, 0, 1]


@pytest.mark.parametrize(
    "change", [{"holds": 1}, {"values": []}, {"witness": "x"}, {"crash": "x"}, {"more": 1}]
)
def test_a_kept_file_that_no_fact_can_have_left_is_computed_anew(tmp_path, facts, change):
    """Its digest is right, as whoever can write there can make it."""
    found(tmp_path, 0)
    (kept,) = (tmp_path / "facts").rglob("*.json")
    body = {**json.loads(kept.read_text()), **change}
    del body["digest"]
    kept.write_text(json.dumps({**body, "digest": digest([kept.name, body])}))
    (item,) = found(tmp_path, 0).values()
    assert item == Outcome(False, {"number": 0}) and facts == [0, 0]


def test_another_version_of_a_library_computes_anew(tmp_path, facts, monkeypatch):
    assert runner.versions()["numpy"] and set(runner.LIBRARIES) < set(runner.versions())
    found(tmp_path, 1)
    monkeypatch.setattr(runner, "version", lambda name: "0")
    runner.versions.cache_clear()
    found(tmp_path, 1)
    runner.versions.cache_clear()
    assert facts == [1, 1]


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


def test_two_facts_cannot_have_one_name(monkeypatch):
    monkeypatch.setattr(registry, "_REGISTERED", dict(registry._REGISTERED))
    other = Fact("coq.theorem", Outcome, "exact", ())
    registry.registered()
    registry._REGISTERED["verify.facts.other", "coq.theorem"] = other
    with pytest.raises(ValueError, match=r"two facts are called coq\.theorem"):
        registry.registered()
    registry.fact("t.twice", "exact")(alive)
    with pytest.raises(ValueError, match=r"two facts are called t\.twice"):
        registry.fact("t.twice", "exact")(waited)


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="luck"):
        registry.fact("t.x", "luck")


# A job that a shell started in the background inherits an ignored SIGINT; the script takes Python's own back.
SCRIPT = """
import os, signal, sys, time
from pathlib import Path
from verify.record import runner
def slow(folder):
    Path(folder, str(os.getpid())).touch()
    time.sleep(60)
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    list(runner.processes(2)(slow, [sys.argv[1], sys.argv[1], sys.argv[1]]))
"""


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def waited(until: float, condition) -> bool:
    """Whether a condition came true in time."""
    while time.monotonic() < until and not condition():
        time.sleep(0.02)
    return condition()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL], ids=["interrupt", "kill"])
def test_workers_end_within_two_seconds_of_a_signal_to_their_parent_alone(tmp_path, sent):
    script, started = tmp_path / "slow.py", tmp_path / "started"
    script.write_text(SCRIPT)
    started.mkdir()
    path = os.pathsep.join(
        [str(Path(runner.__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    )
    run = subprocess.Popen(
        [sys.executable, str(script), str(started)],
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert waited(
        time.monotonic() + 120, lambda: len(list(started.iterdir())) == 2 or run.poll() is not None
    )
    everybody = [run.pid, *(int(file.name) for file in started.iterdir())]
    assert all(alive(pid) for pid in everybody)
    run.send_signal(sent)
    ended = waited(time.monotonic() + 2, lambda: not any(alive(pid) for pid in everybody))
    still = [pid for pid in everybody if alive(pid)]
    run.kill()
    run.wait()
    assert ended, still


def test_data_replaced_under_the_same_name_are_read_again(tmp_path, facts):
    """A folder of data counts by its contents: other models, other results."""
    folder, seen = tmp_path / "data", []
    folder.mkdir()
    for text in ("a model", "garbage", "garbage"):
        (folder / "1.model").write_text(text)
        runner.contents.cache_clear()
        seen.append(runner.contents(folder))
    assert seen[0] != seen[1] == seen[2]
    (folder / "1.model").rename(folder / "2.model")
    runner.contents.cache_clear()
    assert runner.contents(folder) != seen[2]


def test_results_of_another_coq_another_paper_or_other_data_are_not_taken_over(
    tmp_path, monkeypatch
):
    from verify.coq import build

    def place(needs, **inputs):
        fact = Fact("t.x", lambda: Outcome(True), "exact", needs)
        monkeypatch.setattr(runner, "registered", lambda code: {"t.x": fact})
        runner.contents.cache_clear()
        return runner._place(tmp_path, runner.Task("t.x", ("{}",), Inputs(**inputs)), "{}")

    monkeypatch.setattr(build, "version", lambda: "8.16")
    first = place(("coq",))
    monkeypatch.setattr(build, "version", lambda: "8.17")
    assert place(("coq",)) != first and place(()) == place(())
    for need in ("paper", "words"):
        file = tmp_path / need
        file.write_text("one")
        given = {"paper": file} if need == "paper" else {"data": {need: file}}
        one = place((need,), **given)
        file.write_text("two")
        assert place((need,), **given) != one


def test_a_folder_of_inputs_counts_for_the_facts_that_take_inputs_and_for_no_others(tmp_path):
    folder = tmp_path / "paper"
    folder.mkdir()
    takes, leaves = (Fact("t.x", run, "exact", ())
                     for run in (lambda inputs: Outcome(True), lambda: Outcome(True)))  # fmt: skip
    given = Inputs(folder=folder, seed=7)
    assert runner._seen_by(takes, given) == ["7", runner.contents(folder)]
    assert runner._seen_by(leaves, Inputs(folder=folder)) == []
    assert runner._seen_by(leaves, Inputs()) == []


def test_a_single_item_is_done_in_this_process():
    """No other process could be given a lambda."""
    assert list(runner.processes(2)(lambda number: -number, [1])) == [(1, -1)]
    assert list(runner.processes(2)(lambda number: -number, [])) == []


DYING = """
import os, sys
from verify.record import runner
def reciprocal(number):
    return 1 / number if number else os._exit(9)
if __name__ == "__main__":
    print(sorted(runner.processes(2)(reciprocal, [1, 2, 0, 4, 0.5]), key=str))
"""


def test_a_process_that_dies_costs_its_own_item_alone(tmp_path):
    script = tmp_path / "dying.py"
    script.write_text(DYING)
    path = os.pathsep.join([str(Path(runner.__file__).parents[2]), *sys.path])
    ended = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=True,
    )  # fmt: skip
    assert ended.stdout.strip() == "[(0, None), (0.5, 2.0), (1, 1.0), (2, 0.5), (4, 0.25)]"


def test_a_fact_whose_process_died_is_broken_and_is_not_kept(tmp_path, facts):
    todo = runner.tasks([("t.counted", {"number": 1})], Inputs())
    died = runner.run(todo, tmp_path, lambda *_: None, lambda _, items: iter([(items[0], None)]))
    (item,) = died.values()
    assert item.holds is None and "ended by the system" in item.crash
    assert [one.holds for one in found(tmp_path, 1).values()] == [True]


@pytest.mark.parametrize("count", [1, 3])
def test_a_batch_gives_one_outcome_for_each_set_of_parameters(tmp_path, monkeypatch, count):
    def several(parameters):
        """Gives another number of outcomes."""
        return [Outcome(True)] * count

    known = {"t.several": Fact("t.several", several, "exact", (), batch=True)}
    monkeypatch.setattr(runner, "registered", lambda code: known)
    todo = runner.tasks([("t.several", {"number": n}) for n in (1, 2)], Inputs())
    found = runner.run(todo, tmp_path, lambda *_: None, runner.processes(1))
    expected = f"test_runner.py: returned list of {count}, expected 2 outcomes"
    assert [each.crash for each in found.values()] == [expected] * 2
