"""The rules from facts to verdicts, each seen to hold and seen to fail."""

from dataclasses import replace

import pytest
from reports_support import ABOUT

from verify.judge.data import Binding, Finding, Paper, Repair, Statement, canonical, key_of
from verify.judge.outcome import Outcome
from verify.judge.verdict import (
    Disagreement,
    Verdict,
    changes,
    exit_status,
    expected_judgements,
    judge,
)


def bound(**changed):
    plain = {"fact": "f", "covers": "all", "method": "machine-checked", "because": "b"}
    return Binding(**{**plain, **changed})


def stated(*bindings, **changed):
    plain = {
        "id": "s",
        "title": "S",
        "form": "universal",
        "section": "1",
        "text": "t",
        "says": "s",
        "places": ((1, 1),),
        "binding": bindings,
    }
    return Statement(**{**plain, **changed})


def paper(*statements, findings=()):
    entries = ({s.id: s for s in statements}, {f.id: f for f in findings})
    return Paper(ABOUT, *entries, {}, {}, (), (), {})


def verdict(statement, **found):
    facts = {b.key: found.get(b.fact, Outcome(True)) for b in statement.binding}
    return judge(paper(statement), facts)[statement.id]


FAILED = Outcome(False, {"x": 1}, {"x": 1})
PART = {"covers": "T ≤ {most}", "parameters": {"most": 8}, "method": "exhaustive"}


def test_the_whole_range_is_proved_and_a_part_is_checked():
    assert verdict(stated(bound())).rank is Verdict.PROVED
    part = verdict(stated(bound(**PART)))
    assert (part.rank, part.interpretation.scope) == (Verdict.CHECKED, "T ≤ 8")


def test_a_condition_the_paper_does_not_state_blocks_proved():
    got = verdict(stated(bound(assumes=("biases",))))
    assert got.rank is Verdict.CHECKED and got.interpretation.scope == "all, assuming biases"


def test_an_outcome_that_no_binding_expects_is_broken_and_refutes_nothing():
    assert verdict(stated(bound()), f=FAILED).rank is Verdict.BROKEN
    assert verdict(stated(bound(outcome="fails"))).rank is Verdict.BROKEN


def test_a_crash_is_broken():
    got = verdict(stated(bound()), f=Outcome(crash="ZeroDivisionError"))
    assert got.rank is Verdict.BROKEN and "ZeroDivisionError" in got.interpretation.reason


def test_a_refutation_needs_a_witness():
    refuting = stated(bound(outcome="fails", method="exact"))
    assert verdict(refuting, f=FAILED).rank is Verdict.REFUTED
    assert verdict(refuting, f=Outcome(False)).rank is Verdict.OPEN


def test_an_impossibility_refutes_a_possibility():
    against = stated(bound(impossibility=True), form="possibility")
    assert verdict(against).rank is Verdict.REFUTED


def test_a_proof_beside_a_refutation_is_broken():
    both = stated(bound(), bound(fact="g", outcome="fails", method="exact"))
    assert verdict(both, g=FAILED).rank is Verdict.BROKEN


def test_a_refuted_statement_whose_repair_holds_is_repaired():
    from verify.judge.data import Repair

    mended = stated(
        bound(outcome="fails", method="exact"),
        bound(fact="g", interpretation="repaired"),
        repair=Repair("c", "r"),
    )
    got = verdict(mended, f=FAILED)
    assert (got.rank, got.interpretation.name) == (Verdict.REPAIRED, "repaired")
    assert verdict(mended, f=FAILED, g=FAILED).rank is Verdict.BROKEN
    assert verdict(mended, f=FAILED, g=Outcome(missing="coq")).rank is Verdict.REFUTED


@pytest.mark.parametrize(
    ("form", "holds", "fails", "missing"),
    [
        ("history", "confirmed", "contradicted", "unknown"),
        ("measurement", "consistent", "inconsistent", "not repeated"),
        ("definition", "well-formed", "ill-formed", "unchecked"),
    ],
)
def test_each_form_has_its_own_words(form, holds, fails, missing):
    supporting = stated(bound(method="exact"), form=form)
    assert verdict(supporting).verdict == holds
    assert verdict(supporting, f=Outcome(missing="paper")).verdict == missing
    against = stated(bound(method="exact", outcome="fails"), form=form)
    assert verdict(against, f=FAILED).verdict == fails


def test_a_view_has_no_verdict():
    assert verdict(stated(form="view", reason="an opinion")).rank is Verdict.NONE


def grounded(grade):
    below = stated(bound(outcome="fails", method="exact"), id="below")
    above = stated(bound(fact="g"), id="above", rests_on=("below",))
    finding = Finding("x", "X", grade, "p", "w", "w", "r", ("below",), ("below", 1))
    facts = {key_of("f", {}): FAILED, key_of("g", {}): Outcome(True)}
    return judge(paper(below, above, findings=[finding]), facts)["above"]


def test_a_standing_is_the_weakest_below_it_and_a_slip_lowers_nothing():
    lowered = grounded("material")
    assert (lowered.rank, lowered.standing) == (Verdict.PROVED, Verdict.REFUTED)
    assert lowered.through == "below"
    assert grounded("slip").standing is Verdict.PROVED


def test_statements_that_say_the_same_cannot_differ():
    one, other = stated(bound(), id="one"), stated(bound(**PART), id="other", same_as="one")
    facts = {b.key: Outcome(True) for s in (one, other) for b in s.binding}
    with pytest.raises(Disagreement, match="other"):
        judge(paper(one, other), facts)
    broken = {**facts, key_of("f", {}): FAILED}
    assert judge(paper(one, other), broken)["one"].rank is Verdict.BROKEN


def test_what_a_run_expects_follows_from_what_is_at_hand():
    both = paper(stated(bound(), bound(fact="g", **PART)))
    full = expected_judgements(both, lambda b: "")
    bare = expected_judgements(both, lambda b: "coq" if b.fact == "f" else "")
    assert (full["s"].rank, bare["s"].rank) == (Verdict.PROVED, Verdict.CHECKED)


def test_the_exit_status_says_how_a_run_compares():
    whole = paper(stated(bound()))
    key = key_of("f", {})
    hoped = expected_judgements(whole, lambda b: "")
    for found, status in ((Outcome(True), 0), (Outcome(None), 2), (FAILED, 3)):
        assert exit_status(hoped, judge(whole, {key: found})) == status
    part = paper(stated(bound(), bound(fact="g", **PART)))
    got = judge(part, {key: Outcome(None), key_of("g", {"most": 8}): Outcome(True)})
    hoped = expected_judgements(part, lambda b: "")
    assert exit_status(hoped, got) == 1 and changes(hoped, got)[0].found == "checked"


def test_a_verdict_is_not_a_boolean():
    with pytest.raises(TypeError):
        bool(Verdict.PROVED)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": [float("-inf")]}])
def test_what_is_no_number_of_json_has_no_canonical_text(value):
    with pytest.raises(ValueError, match="JSON"):
        canonical(value)


def test_a_standing_passes_through_what_lies_between_and_views_count_for_nothing():
    low = stated(bound(**PART), id="low")
    middle = stated(bound(fact="m"), id="middle", rests_on=("low",))
    view = stated(id="view", form="view", reason="an opinion")
    top = stated(bound(fact="t"), id="top", rests_on=("view", "middle"))
    facts = {b.key: Outcome(True) for s in (low, middle, top) for b in s.binding}
    judged = judge(paper(top, middle, low, view), facts)
    assert (judged["top"].standing, judged["top"].through) == (Verdict.CHECKED, "low")
    assert (judged["view"].standing, judged["view"].verdict) == (Verdict.NONE, "no verdict")
    assert judged["view"].interpretation.reason == "an opinion"


def test_an_impossibility_without_a_witness_shows_the_values_of_its_fact():
    against = stated(bound(impossibility=True), form="possibility")
    assert verdict(against, f=Outcome(True, {"n": 2})).witness == {"n": 2}


def test_a_standing_that_is_lower_than_expected_is_a_change():
    below, above = stated(bound(**PART), id="below"), stated(bound(fact="g"), id="above")
    apart = expected_judgements(paper(below, above), lambda b: "")
    resting_on = expected_judgements(
        paper(below, replace(above, rests_on=("below",))), lambda b: ""
    )
    assert [change.statement for change in changes(apart, resting_on)] == ["above"]
    assert exit_status(apart, resting_on) == 1


def test_what_was_never_decided_is_no_loss():
    whole = paper(stated(bound()))
    hoped = expected_judgements(whole, lambda b: "coq")
    got = judge(whole, {key_of("f", {}): Outcome(None)})
    assert exit_status(hoped, got) == 1
    assert exit_status(expected_judgements(whole, lambda b: ""), got) == 2


# A person's word

SIGNED = {"method": "vouched", "covers": "all"}


def test_a_persons_word_repairs_nothing():
    fails = bound(fact="g", method="exact", outcome="fails")
    repaired = stated(fails, bound(interpretation="repaired", **SIGNED), repair=Repair("c", "s"))
    found = judge(paper(repaired), {repaired.binding[0].key: FAILED, bound().key: Outcome(True)})
    assert found["s"].rank is Verdict.REFUTED


def test_a_finding_has_another_grade_for_a_statement_that_it_names():
    fails = bound(method="exact", outcome="fails")
    statements = [stated(fails, id=name) for name in ("s", "t")]
    finding = Finding("f", "F", "material", "p", "w", "w", "r", ("s", "t"), ("s", 1),
                      grades={"t": "gap"})  # fmt: skip
    found = judge(paper(*statements, findings=[finding]), {fails.key: FAILED})
    assert (found["s"].grade, found["t"].grade) == ("material", "gap")


# Of several the strongest is named, which comes first
