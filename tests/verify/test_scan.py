"""The checks of the scan: right on the mended one, and seen to fail on others."""

import pytest

from constructions import scan as construction
from constructions.scan import PRINTED, REPAIRED, Rules
from verify.check import Job
from verify.checks import scan
from verify.claims.model import Name
from verify.evidence import Evidence, Outcome


def found(evidence: list[Evidence], claim: str, reading: Name = Name.LITERAL) -> Outcome:
    (item,) = [e for e in evidence if e.claim == claim and e.reading is reading]
    return item.outcome


def test_the_print_fails_with_the_smallest_inputs() -> None:
    evidence = list(scan.the_print_run_on_words(Job()))
    assert {item.outcome for item in evidence} == {Outcome.FAILS}
    assert {item.claim: item.scope for item in evidence}["scan.in-place"] == "n = 2"


def test_the_mended_scan_holds_in_every_reading() -> None:
    evidence = list(scan.the_mended_scan_on_words(Job()))
    assert {item.outcome for item in evidence} == {Outcome.HOLDS}


def test_a_counterexample_that_is_none_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(scan.RULES, "printed", scan.by_rules(REPAIRED, scan.joined))
    item = scan.fails("scan.pseudocode", "printed", "the last position is never assigned")
    assert item.outcome is Outcome.UNKNOWN and item.certificate is None


@pytest.mark.parametrize(
    "rules", [PRINTED, Rules(reaches_last=True, earlier_first=False), Rules(False, True)]
)
def test_a_scan_with_a_printed_fault_is_not_taken_as_right(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(last: int) -> scan.Row:
        return construction.scan(scan.letters(last), scan.joined, rules) if last else [(0,)]

    monkeypatch.setitem(scan.RULES, "repaired", run)
    assert scan.right("repaired", 8)
    assert scan.windows_problem(8, rules)


def test_ascending_in_place_is_not_taken_as_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(scan.RULES, "descending", scan.upwards)
    assert "n = 2" in str(scan.right("descending", 8))


def test_the_induction_step_is_proved_and_fails_for_a_wrong_shift(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert scan.window_step_problem() is None
    original = scan.sympy.Max
    monkeypatch.setattr(scan.sympy, "Max", lambda a, b: original(a, b + 1))
    assert scan.window_step_problem()


def test_rounds_are_defined_from_two_inputs_on() -> None:
    evidence = list(scan.how_many_rounds(Job()))
    assert found(evidence, "scan.rounds") is Outcome.FAILS
    assert found(evidence, "scan.rounds", Name.CHARITABLE) is Outcome.HOLDS


def test_one_round_too_many_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(construction, "printed_rounds", lambda last: last.bit_length() + 1)
    assert scan.rounds_problem(5) == "n = 5: 4 rounds"


def test_combinations_are_of_order_n_log_n() -> None:
    evidence = list(scan.how_many_combinations(Job()))
    assert found(evidence, "scan.runtime") is Outcome.HOLDS
    assert found(evidence, "sim.scan") is Outcome.FAILS
    assert found(evidence, "sim.scan", Name.CHARITABLE) is Outcome.HOLDS


def test_a_wrong_count_of_combinations_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(construction, "combinations", lambda last: last)
    assert scan.count_problem()
    assert found(list(scan.how_many_combinations(Job())), "sim.scan") is Outcome.UNKNOWN
