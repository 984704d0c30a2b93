"""`assay run`: what is asked for is run, what is not is inherited, and the status compares."""

import pytest
import reports_support

from constructions.core.installing import how_to_install
from verify.cli import main
from verify.commands import run
from verify.judge import verdict
from verify.judge.outcome import Outcome
from verify.judge.verdict import Disagreement, exit_status, judge
from verify.record import prerequisites


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """No Coq, no data, results kept nowhere else."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    for name in ("ASSAY_PAPER", "ASSAY_PAUTOMAC"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_methods_that_disagree_are_broken_and_leave_no_report(alone, monkeypatch, capsys):
    """What is printed is no markup: an extra stands in brackets, and so may what a method says."""

    def disagree(*_):
        raise Disagreement("two [b]methods")

    monkeypatch.setattr(verdict, "judge", disagree)
    monkeypatch.setattr(prerequisites, "find_spec", lambda name: None)
    assert main(["run", "def2.1", "--jobs", "1", "--out", str(alone / "report")]) == 3
    said = capsys.readouterr().out
    assert "broken: two [b]methods" in said
    assert f"without torch: torch is not installed; {how_to_install('torch')}" in said
    assert not (alone / "report" / "record.json").exists()


AS_EXPECTED = "Every verdict is as expected for what is at hand."


class Screen:
    """Keeps what is printed."""

    def __init__(self):
        self.said = []

    def print(self, what, **_):
        self.said.append(str(what))


def judged(**found):
    small = reports_support.paper()
    facts = {b.key: {**reports_support.FOUND, **found}.get(b.fact, Outcome(True))
             for s in small.statements.values() for b in s.binding}  # fmt: skip
    return judge(small, facts)


@pytest.mark.parametrize(
    ("found", "status", "said"),
    [
        ({}, 0, ""),
        ({"f.part": Outcome(None)}, 2, "thm1.part: expected"),
        ({"f.coq": Outcome(None, crash="ZeroDivisionError")}, 3, "broken: thm1"),
    ],
)
def test_the_status_tells_changed_undecided_and_broken_apart(found, status, said):
    screen, got = Screen(), judged(**found)
    run.show(screen, judged(), got, None)
    assert exit_status(judged(), got) == status
    lines = [line for line in screen.said if "expected" in line or "broken" in line]
    assert any(line.startswith(said) for line in lines) if said else lines == [AS_EXPECTED]


def test_a_verdict_better_than_expected_is_a_change_too():
    screen = Screen()
    hoped = judged(**{"f.part": Outcome(None)})
    run.show(screen, hoped, judged(), None)
    assert exit_status(hoped, judged()) == 1 and AS_EXPECTED not in screen.said
    assert any(line.startswith("thm1.part: expected") for line in screen.said)


def test_a_run_of_one_statement_says_its_verdict():
    screen = Screen()
    run.show(screen, judged(), judged(), {"thm1"})
    assert screen.said == ["thm1: proved", AS_EXPECTED]
