"""The rules from facts to verdicts, each seen to hold and seen to fail."""

from dataclasses import replace

import pytest

from verify.facts.found import Found
from verify.judge.model import Binding, Finding, Paper, Statement, canonical, key_of
from verify.judge.verdict import Disagreement, Verdict, changes, exit_status, expected, judge


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
    return Paper({s.id: s for s in statements}, {f.id: f for f in findings}, {}, {}, (), (), (), {})


def verdict(statement, **found):
    facts = {b.key: found.get(b.fact, Found(True)) for b in statement.binding}
    return judge(paper(statement), facts)[statement.id]


FAILED = Found(False, {"x": 1}, {"x": 1})
PART = {"covers": "T ≤ {most}", "parameters": {"most": 8}, "method": "exhaustive"}


def test_the_whole_range_is_proved_and_a_part_is_checked():
    assert verdict(stated(bound())).rank is Verdict.PROVED
    part = verdict(stated(bound(**PART)))
    assert (part.rank, part.reading.scope) == (Verdict.CHECKED, "T ≤ 8")


def test_samples_measure():
    assert verdict(stated(bound(**{**PART, "method": "sampled"}))).rank is Verdict.MEASURED


def test_a_condition_the_paper_does_not_state_blocks_proved():
    got = verdict(stated(bound(assumes=("biases",))))
    assert got.rank is Verdict.CHECKED and got.reading.scope == "all, assuming biases"


def test_an_outcome_that_no_binding_expects_is_broken_and_refutes_nothing():
    assert verdict(stated(bound()), f=FAILED).rank is Verdict.BROKEN
    assert verdict(stated(bound(outcome="fails"))).rank is Verdict.BROKEN


def test_a_crash_is_broken():
    got = verdict(stated(bound()), f=Found(crash="ZeroDivisionError"))
    assert got.rank is Verdict.BROKEN and "ZeroDivisionError" in got.reading.reason


def test_a_refutation_needs_a_witness():
    refuting = stated(bound(outcome="fails", method="exact"))
    assert verdict(refuting, f=FAILED).rank is Verdict.REFUTED
    assert verdict(refuting, f=Found(False)).rank is Verdict.OPEN


def test_an_impossibility_refutes_a_possibility():
    against = stated(bound(impossibility=True), form="possibility")
    assert verdict(against).rank is Verdict.REFUTED


def test_a_proof_beside_a_refutation_is_broken():
    both = stated(bound(), bound(fact="g", outcome="fails", method="exact"))
    assert verdict(both, g=FAILED).rank is Verdict.BROKEN


def test_a_refuted_statement_whose_repair_holds_is_repaired():
    from verify.judge.model import Repair

    mended = stated(
        bound(outcome="fails", method="exact"),
        bound(fact="g", reading="repaired"),
        repair=Repair("c", "r"),
    )
    got = verdict(mended, f=FAILED)
    assert (got.rank, got.reading.name) == (Verdict.REPAIRED, "repaired")
    assert verdict(mended, f=FAILED, g=FAILED).rank is Verdict.BROKEN
    assert verdict(mended, f=FAILED, g=Found(missing="coq")).rank is Verdict.REFUTED


def test_what_is_missing_is_unchecked_and_losing_coq_is_seen():
    alone = verdict(stated(bound()), f=Found(missing="coq"))
    assert (alone.rank, alone.reading.reason) == (Verdict.UNCHECKED, "needs coq")
    with_part = stated(bound(), bound(fact="g", **PART))
    assert verdict(with_part).reading.method == "machine-checked"
    assert verdict(with_part, f=Found(missing="coq")).reading.method == "exhaustive"


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
    assert verdict(supporting, f=Found(missing="paper")).verdict == missing
    against = stated(bound(method="exact", outcome="fails"), form=form)
    assert verdict(against, f=FAILED).verdict == fails


def test_a_view_has_no_verdict():
    assert verdict(stated(form="view", reason="an opinion")).rank is Verdict.NONE


def grounded(grade):
    below = stated(bound(outcome="fails", method="exact"), id="below")
    above = stated(bound(fact="g"), id="above", rests_on=("below",))
    finding = Finding("x", "X", grade, "p", "w", "w", "r", ("below",), ("below", 1))
    facts = {key_of("f", {}): FAILED, key_of("g", {}): Found(True)}
    return judge(paper(below, above, findings=[finding]), facts)["above"]


def test_a_standing_is_the_weakest_below_it_and_a_slip_lowers_nothing():
    lowered = grounded("material")
    assert (lowered.rank, lowered.standing) == (Verdict.PROVED, Verdict.REFUTED)
    assert lowered.through == "below"
    assert grounded("slip").standing is Verdict.PROVED


def test_the_grade_belongs_to_the_finding():
    statement = stated(bound(outcome="fails", method="exact"))
    slip = Finding("x", "X", "slip", "p", "w", "w", "r", ("s",), ("s", 1))
    worse = replace(slip, id="y", grade="material")
    facts = {key_of("f", {}): FAILED}
    assert judge(paper(statement, findings=[slip]), facts)["s"].grade == "slip"
    assert judge(paper(statement, findings=[slip, worse]), facts)["s"].grade == "material"


def test_statements_that_say_the_same_cannot_differ():
    one, other = stated(bound(), id="one"), stated(bound(**PART), id="other", same_as="one")
    facts = {b.key: Found(True) for s in (one, other) for b in s.binding}
    with pytest.raises(Disagreement, match="other"):
        judge(paper(one, other), facts)
    broken = {**facts, key_of("f", {}): FAILED}
    assert judge(paper(one, other), broken)["one"].rank is Verdict.BROKEN


def test_what_a_run_expects_follows_from_what_is_at_hand():
    both = paper(stated(bound(), bound(fact="g", **PART)))
    full = expected(both, lambda b: "")
    bare = expected(both, lambda b: "coq" if b.fact == "f" else "")
    assert (full["s"].rank, bare["s"].rank) == (Verdict.PROVED, Verdict.CHECKED)


def test_the_exit_status_says_how_a_run_compares():
    whole = paper(stated(bound()))
    key = key_of("f", {})
    hoped = expected(whole, lambda b: "")
    for found, status in ((Found(True), 0), (Found(None), 2), (FAILED, 3)):
        assert exit_status(hoped, judge(whole, {key: found})) == status
    part = paper(stated(bound(), bound(fact="g", **PART)))
    got = judge(part, {key: Found(None), key_of("g", {"most": 8}): Found(True)})
    hoped = expected(part, lambda b: "")
    assert exit_status(hoped, got) == 1 and changes(hoped, got)[0].found == "checked"


def test_a_verdict_is_not_a_boolean():
    with pytest.raises(TypeError):
        bool(Verdict.PROVED)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": [float("-inf")]}])
def test_what_is_no_number_of_json_has_no_canonical_text(value):
    with pytest.raises(ValueError, match="JSON"):
        canonical(value)
