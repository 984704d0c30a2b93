"""The runner: nothing finished is lost, and a kill at any moment changes nothing."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from verify import runner
from verify.check import REGISTERED, Check, Job, Profile
from verify.evidence import (
    Arcs,
    Condition,
    Drawing,
    Evidence,
    Figure,
    Outcome,
    Series,
    Strength,
    Table,
)

RICH = Evidence(
    "lem1.sum",
    Outcome.HOLDS,
    Strength.EXACT,
    "n = 1",
    "Seen.",
    certificate={"kind": "k", "list": [1, "2/3"]},
    conditions=(Condition("small", True, "n = 1"),),
    figures=(Figure("f", "F", "alt", "x", "y", (Series("s", ("1",), ("2",)),)),),
    tables=(Table("t", "T", ("a",), (("1",),)),),
    drawings=(
        Drawing(
            "d",
            "D",
            "alt",
            ("[", "a", "b", "]"),
            (0, 1, 1, 1),
            (
                Arcs("right", ((1, 2),), (1,), (0, 0, -1, -1)),
                Arcs("left", ((1, 2),)),
            ),
        ),
    ),
)


def ignore(*_):
    pass


@pytest.fixture
def registered(monkeypatch):
    def add(name, body, needs=()):
        check = Check(name, ("lem1.sum",), body, Profile.QUICK, needs)
        monkeypatch.setitem(REGISTERED, name, check)
        return check

    return add


def test_a_finished_check_is_kept_and_comes_back_equal(registered, tmp_path):
    calls = []

    def body(_):
        calls.append(1)
        yield RICH

    check = registered("test.kept", body)
    first = runner.run([check], Job(), tmp_path, ignore, runner.processes(1))
    second = runner.run([check], Job(), tmp_path, ignore, runner.processes(1))
    assert len(calls) == 1
    assert first == second
    assert first[0].evidence == RICH


def test_another_job_does_not_use_what_was_kept(registered, tmp_path):
    check = registered("test.other", lambda job: iter([RICH]))
    runner.run([check], Job(), tmp_path, ignore, runner.processes(1))
    kept = []
    runner.run(
        [check], Job(Profile.FULL), tmp_path, lambda c, s, k: kept.append(k), runner.processes(1)
    )
    assert kept == [False]


def test_a_damaged_file_is_run_again(registered, tmp_path):
    check = registered("test.damaged", lambda job: iter([RICH]))
    runner.run([check], Job(), tmp_path, ignore, runner.processes(1))
    (file,) = tmp_path.glob("*.json")
    file.write_text('[{"claim": "lem1')
    assert runner.run([check], Job(), tmp_path, ignore, runner.processes(1))[0].evidence == RICH


def test_a_check_that_raises_is_broken_and_is_not_kept(registered, tmp_path):
    def body(_):
        raise ZeroDivisionError("oh")
        yield RICH

    check = registered("test.raises", body)
    (found,) = runner.run([check], Job(), tmp_path, ignore, runner.processes(1))
    assert found.evidence.outcome is Outcome.BROKEN
    assert "ZeroDivisionError: oh" in found.evidence.summary
    assert not list(tmp_path.glob("*.json"))


def test_a_check_that_says_nothing_or_speaks_of_others_is_broken(registered, tmp_path):
    silent = registered("test.silent", lambda job: iter([]))
    from dataclasses import replace

    stranger = registered("test.stranger", lambda job: iter([replace(RICH, claim="thm1.exact")]))
    for check in (silent, stranger):
        (found,) = runner.run([check], Job(), tmp_path, ignore, runner.processes(1))
        assert found.evidence.outcome is Outcome.BROKEN


def test_a_missing_prerequisite_is_said(registered, tmp_path):
    check = registered("test.needs", lambda job: iter([RICH]), needs=("pautomac",))
    (found,) = runner.run([check], Job(), tmp_path, ignore, runner.processes(1))
    assert found.evidence.outcome is Outcome.UNAVAILABLE
    assert "data not given" in found.evidence.summary


def test_an_interrupted_write_leaves_the_old_file_whole(tmp_path, monkeypatch):
    file = tmp_path / "record.json"
    runner.write_atomically(file, b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        runner.write_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["record.json"]


CLAIMS = ("lem1", "thm1.pads", "thm1.readout", "fam.counting")


def command(out):
    line = [sys.executable, "-m", "verify", "run", *CLAIMS, "--jobs", "1", "--out", str(out)]
    environment = {
        k: v for k, v in os.environ.items() if k not in ("ASSAY_PAPER", "ASSAY_PAUTOMAC")
    }
    environment["PATH"] = ""  # without Coq, for speed
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)


def files(out):
    return {
        str(p.relative_to(out)): p.read_bytes()
        for p in sorted(out.rglob("*"))
        if p.is_file() and "work" not in p.parts
    }


def test_a_killed_run_goes_on_and_gives_the_same_bytes(tmp_path):
    started = time.monotonic()
    whole = command(tmp_path / "whole")
    output = whole.communicate(timeout=300)[0].decode()
    assert whole.returncode in (0, 1, 2), output
    seconds = (time.monotonic() - started) * 0.7  # most of a run is loading, then come the checks
    process = command(tmp_path / "killed")
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    again = command(tmp_path / "killed")
    again.communicate(timeout=300)
    assert again.returncode == whole.returncode
    assert files(tmp_path / "killed") == files(tmp_path / "whole")
    record = json.loads((tmp_path / "whole" / "record.json").read_text())
    assert {row["id"] for row in record["claims"]} >= {"lem1.matmul", "thm1.readout"}
