"""Facts are run once, kept by content, and a kept file that was touched is not believed.

They are facts of a file, as those of somebody's paper; it counts its calls.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.coq import build
from verify.facts import registry
from verify.facts.registry import Inputs, registered
from verify.judge.data import digest
from verify.judge.outcome import Outcome
from verify.record import runner

FACTS = """
from assay.papers import Outcome, fact

CALLS = []

@fact("t.counted", "exact")
def counted(number):
    CALLS.append(number)
    if number < 0:
        raise ZeroDivisionError("no")
    return Outcome(number > 0, {"number": number})

@fact("t.takes", "exact")
def takes(inputs):
    CALLS.append("inputs")
    return Outcome(True)

@fact("t.paper", "exact", needs=("paper",))
def paper():
    CALLS.append("paper")
    return Outcome(True)

@fact("t.words", "exact", needs=("words",))
def words():
    CALLS.append("words")
    return Outcome(True)

@fact("t.coq", "exact", needs=("coq",))
def coq():
    CALLS.append("coq")
    return Outcome(True)

@fact("t.batch", "exact", batch=True)
def batch(parameters):
    return [Outcome(True)] * (parameters[0]["number"])
"""


@pytest.fixture
def code(tmp_path):
    return facts_file(tmp_path)


def facts_file(folder):
    file = folder / "facts.py"
    file.write_text(FACTS)
    return str(file)


def calls(code):
    return registered(code)["t.counted"].run.__globals__["CALLS"]


def found(code, *wanted, inputs=None, mapper=None, progress=lambda *_: None):
    """Run facts and keep them beside their file."""
    runner.contents.cache_clear()
    todo = runner.tasks(wanted, inputs or Inputs(), code)
    return runner.run(todo, Path(code).parent, progress, mapper or runner.processes(1))


def counted(code, *numbers, **how):
    return found(code, *(("t.counted", {"number": n}) for n in numbers), **how)


def kept_files(code):
    return sorted((Path(code).parent / "facts").rglob("*.json"))


def test_the_same_fact_is_run_once_and_kept(code):
    said = []
    assert len(counted(code, 1, 1, 2)) == 2
    counted(code, 1, 2, progress=lambda *each: said.append(each))
    assert calls(code) == [1, 2] and said == [("t.counted", 0.0, True)] * 2


def test_a_crash_is_ours_and_is_not_kept(code):
    for _ in range(2):
        (item,) = counted(code, -1).values()
        assert item.holds is None and item.crash.startswith("ZeroDivisionError: no")
    assert calls(code) == [-1, -1]


def signed(name, body):
    """A kept result with its digest, as whoever can write there can make it."""
    body = {key: value for key, value in body.items() if key != "digest"}
    return json.dumps({**body, "digest": digest([name, body])})


IMPOSSIBLE = [{"holds": 1}, {"values": []}, {"witness": "x"}, {"crash": "x"}, {"more": 1}]


@settings(max_examples=40)
@given(st.data())
def test_a_kept_file_with_another_content_is_computed_anew(tmp_path_factory, data):
    """A part of it, other JSON, another outcome, or one that no fact has, even with its digest."""
    code = facts_file(tmp_path_factory.mktemp("kept"))
    counted(code, 0)
    (kept,) = kept_files(code)
    text = kept.read_text()
    whole = json.loads(text)
    others = [text[:place] for place in (data.draw(st.integers(0, len(text) - 2)),)]
    others += ["[" * 10**5, "{}", "[]", "\0", json.dumps({**whole, "holds": True})]
    others += [signed(kept.name, {**whole, **change}) for change in IMPOSSIBLE]
    kept.write_text(data.draw(st.sampled_from(others)))
    (item,) = counted(code, 0).values()
    assert item == Outcome(False, {"number": 0}) and calls(code) == [0, 0]
    assert kept.read_text() == text


def test_kept_files_that_were_exchanged_are_computed_anew(code):
    counted(code, 0, 1)
    one, other = kept_files(code)
    texts = one.read_text(), other.read_text()
    one.write_text(texts[1])
    other.write_text(texts[0])
    assert sorted(item.holds for item in counted(code, 0, 1).values()) == [False, True]
    assert calls(code) == [0, 1, 0, 1]


def test_another_version_of_a_library_computes_anew(code, monkeypatch):
    assert runner.versions()["numpy"] and set(runner.LIBRARIES) < set(runner.versions())
    counted(code, 1)
    monkeypatch.setattr(runner, "version", lambda name: "0")
    runner.versions.cache_clear()
    counted(code, 1)
    runner.versions.cache_clear()
    assert calls(code) == [1, 1]


CHANGES = {
    "paper": ("paper.tex", lambda path: {"paper": path}),
    "words": ("data/words.txt", lambda path: {"data": {"words": path.parent}}),
    "coq": ("proofs/A.v", lambda path: {"proofs": path.parent}),
    "takes": ("folder/a.txt", lambda path: {"folder": path.parent}),
}


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.skipif(name == "coq" and not build.available(), reason="no coqc"))
    for name in CHANGES
])  # fmt: skip
def test_a_fact_is_found_anew_where_an_input_that_it_sees_changed_and_not_else(code, name):
    place, given_ = CHANGES[name]
    path = Path(code).parent / place
    path.parent.mkdir(exist_ok=True)
    for text in ("one", "two", "two"):
        path.write_text(text)
        inputs = Inputs(**given_(path))
        found(code, (f"t.{name}", {}), ("t.counted", {"number": 1}), inputs=inputs)
    path.rename(path.with_name("moved"))
    path = path.with_name("moved")
    found(code, (f"t.{name}", {}), inputs=Inputs(**given_(path)))
    own = "inputs" if name == "takes" else name
    assert calls(code).count(own) == 3 and calls(code).count(1) == 1


def test_the_seed_counts_for_a_fact_that_takes_inputs_alone(code):
    for seed in (1, 2, 2):
        found(code, ("t.takes", {}), ("t.paper", {}), inputs=Inputs(seed=seed))
    assert sorted(calls(code)) == ["inputs", "inputs", "paper"]


def test_another_coq_finds_its_facts_anew(code, monkeypatch):
    for version in ("8.16", "8.17", "8.17"):
        monkeypatch.setattr(build, "version", lambda found=version: found)
        found(code, ("t.coq", {}))
    assert calls(code) == ["coq", "coq"]


def test_facts_of_the_package_have_names_methods_and_a_sentence():
    for fact in registry.registered().values():
        assert fact.title.endswith("."), fact.id


def test_two_facts_cannot_have_one_name(tmp_path):
    """In one module, in two modules of a folder, or in a paper and among those of any paper."""
    twice = 'from assay.papers import fact\n@fact("{0}", "exact")\ndef one():\n    "It holds."\n'
    files = {
        "one.py": twice.format("t.x") + twice.format("t.x").replace("one", "two"),
        "two.py": twice.format("coq.theorem"),
        "three/__init__.py": "",
        "three/a.py": twice.format("t.y"),
        "three/b.py": twice.format("t.y"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for name, fact in (("one.py", "t.x"), ("two.py", "coq.theorem"), ("three", "t.y")):
        with pytest.raises(ValueError, match=f"two facts are called {fact}"):
            registered(str(tmp_path / name))


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


def test_a_fact_whose_process_died_is_broken_and_is_not_kept(code):
    died = counted(code, 1, mapper=lambda _, items: iter([(items[0], None)]))
    (item,) = died.values()
    assert item.holds is None and "ended by the system" in item.crash
    assert [one.holds for one in counted(code, 1).values()] == [True]


@pytest.mark.parametrize("count", [1, 3])
def test_a_batch_gives_one_outcome_for_each_set_of_parameters(code, count):
    several = found(code, *(("t.batch", {"number": n}) for n in (count, 7)))
    expected = f"facts.py: returned list of {count}, expected 2 outcomes"
    assert [each.crash for each in several.values()] == [expected] * 2
