"""Verdicts are computed from evidence: readings apart, ancestors counted, never a boolean."""

from dataclasses import replace

import pytest

from verify.claims.model import Claim, Kind, Location, Name, Reading, Severity
from verify.evidence import Evidence, Outcome, Strength, settled
from verify.verdict import Verdict, judge, standings

REPAIRED = Reading(Name.REPAIRED, "mended", "a sign")


def claim(name="x.y", rests_on=(), readings=(), severity=Severity.MATERIAL, uncheckable=""):
    return Claim(
        name, "A title", Kind.TEXT, Location("1", (1, 2)), "It holds.", "a case where it does not",
        severity, readings, rests_on, uncheckable,
    )  # fmt: skip


def seen(outcome, strength=Strength.EXACT, reading=Name.LITERAL, name="x.y"):
    return Evidence(name, outcome, strength, "n ≤ 3", "This was seen.", reading)


@pytest.mark.parametrize(
    ("strength", "verdict"),
    [
        (Strength.SYMBOLIC, Verdict.PROVED),
        (Strength.EXACT, Verdict.PROVED),
        (Strength.ENCLOSURE, Verdict.CERTIFIED),
        (Strength.EXHAUSTIVE, Verdict.CERTIFIED),
        (Strength.SAMPLED, Verdict.SUPPORTED),
        (Strength.OBSERVED, Verdict.SUPPORTED),
    ],
)
def test_the_kind_of_evidence_decides_the_verdict(strength, verdict):
    assert judge(claim(), [seen(Outcome.HOLDS, strength)]).verdict is verdict


def test_the_strongest_evidence_decides_and_gives_the_scope():
    weak, strong = seen(Outcome.HOLDS, Strength.SAMPLED), seen(Outcome.HOLDS, Strength.SYMBOLIC)
    judgement = judge(claim(), [replace(weak, scope="many"), replace(strong, scope="all n")])
    assert judgement.verdict is Verdict.PROVED
    assert judgement.decisive.scope == "all n"


def test_one_failure_refutes_whatever_was_sampled():
    judgement = judge(claim(), [seen(Outcome.HOLDS, Strength.SAMPLED), seen(Outcome.FAILS)])
    assert judgement.verdict is Verdict.REFUTED
    assert judgement.grade == "material"


def test_a_proof_and_a_refutation_of_one_reading_mean_that_we_are_broken():
    both = [seen(Outcome.HOLDS, Strength.SYMBOLIC), seen(Outcome.FAILS)]
    assert judge(claim(), both).verdict is Verdict.BROKEN


def test_refuted_as_printed_and_proved_as_repaired_is_repaired():
    judgement = judge(
        claim(readings=(REPAIRED,)),
        [seen(Outcome.FAILS), seen(Outcome.HOLDS, reading=Name.REPAIRED)],
    )
    assert judgement.verdict is Verdict.REPAIRED
    assert judgement.decisive.reading is Name.REPAIRED


def test_a_repair_that_is_only_supported_does_not_repair():
    mended = seen(Outcome.HOLDS, Strength.SAMPLED, Name.REPAIRED)
    assert (
        judge(claim(readings=(REPAIRED,)), [seen(Outcome.FAILS), mended]).verdict is Verdict.REFUTED
    )


def test_undecided_unavailable_and_nothing_are_told_apart():
    assert judge(claim(), [seen(Outcome.UNKNOWN)]).verdict is Verdict.UNDECIDED
    absent = judge(claim(), [replace(seen(Outcome.UNAVAILABLE), summary="data not given")])
    assert (absent.verdict, absent.decisive.reason) == (Verdict.NOT_CHECKED, "data not given")
    assert judge(claim(), []).verdict is Verdict.NOT_CHECKED
    assert judge(claim(uncheckable="an opinion"), []).decisive.reason == "an opinion"


def test_a_broken_check_says_nothing_on_the_claim():
    assert judge(claim(), [seen(Outcome.BROKEN), seen(Outcome.HOLDS)]).verdict is Verdict.BROKEN


def test_a_claim_inherits_the_weakness_of_what_it_rests_on():
    below, above = claim("a.b"), claim("c.d", rests_on=("a.b",))
    top = claim("e.f", rests_on=("c.d",))
    judgements = {
        "e.f": judge(top, [seen(Outcome.HOLDS, name="e.f")]),
        "c.d": judge(above, [seen(Outcome.HOLDS, name="c.d")]),
        "a.b": judge(below, [seen(Outcome.FAILS, name="a.b")]),
    }
    found = standings(judgements)
    assert found["e.f"] == (Verdict.REFUTED, "a.b")
    assert judgements["e.f"].verdict is Verdict.PROVED


def test_a_repaired_slip_lowers_nothing():
    slip = claim("a.b", readings=(REPAIRED,), severity=Severity.SLIP)
    mended = [seen(Outcome.FAILS), seen(Outcome.HOLDS, reading=Name.REPAIRED)]
    judgements = {
        "a.b": judge(slip, mended),
        "c.d": judge(claim("c.d", rests_on=("a.b",)), [seen(Outcome.HOLDS)]),
    }
    assert standings(judgements)["c.d"] == (Verdict.PROVED, "")


def test_neither_verdict_nor_outcome_is_a_boolean():
    with pytest.raises(TypeError, match="not a boolean"):
        bool(Verdict.PROVED)
    with pytest.raises(TypeError, match="not a boolean"):
        bool(Outcome.HOLDS)


def test_settled_turns_a_problem_into_a_failure():
    item = seen(Outcome.HOLDS, Strength.SYMBOLIC)
    assert settled(None, item) is item
    failed = settled("here it breaks", item)
    assert (failed.outcome, failed.summary) == (Outcome.FAILS, "here it breaks")
