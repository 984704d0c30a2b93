"""The rules from facts to verdicts, each seen to hold and seen to fail."""

from dataclasses import FrozenInstanceError, replace

import pytest
from reports_support import ABOUT

from verify.judge.data import Binding, Finding, Paper, Repair, Statement, canonical, key_of
from verify.judge.outcome import Outcome
from verify.judge.verdict import (
    Change,
    Disagreement,
    Verdict,
    changes,
    exit_status,
    expected_judgements,
    judge,
    word,
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
    return Paper(ABOUT, *entries, {}, {}, (), (), (), {})


def verdict(statement, **found):
    facts = {b.key: found.get(b.fact, Outcome(True)) for b in statement.binding}
    return judge(paper(statement), facts)[statement.id]


FAILED = Outcome(False, {"x": 1}, {"x": 1})
PART = {"covers": "T ≤ {most}", "parameters": {"most": 8}, "method": "exhaustive"}


def test_the_whole_range_is_proved_and_a_part_is_checked():
    assert verdict(stated(bound())).rank is Verdict.PROVED
    part = verdict(stated(bound(**PART)))
    assert (part.rank, part.interpretation.scope) == (Verdict.CHECKED, "T ≤ 8")


def test_samples_measure():
    assert verdict(stated(bound(**{**PART, "method": "sampled"}))).rank is Verdict.MEASURED


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


def test_what_is_missing_is_unchecked_and_losing_coq_is_seen():
    alone = verdict(stated(bound()), f=Outcome(missing="coq"))
    assert (alone.rank, alone.interpretation.reason) == (Verdict.UNCHECKED, "needs coq")
    with_part = stated(bound(), bound(fact="g", **PART))
    assert verdict(with_part).interpretation.method == "machine-checked"
    assert verdict(with_part, f=Outcome(missing="coq")).interpretation.method == "exhaustive"


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


def test_the_grade_belongs_to_the_finding():
    statement = stated(bound(outcome="fails", method="exact"))
    slip = Finding("x", "X", "slip", "p", "w", "w", "r", ("s",), ("s", 1))
    worse = replace(slip, id="y", grade="material")
    facts = {key_of("f", {}): FAILED}
    assert judge(paper(statement, findings=[slip]), facts)["s"].grade == "slip"
    assert judge(paper(statement, findings=[slip, worse]), facts)["s"].grade == "material"


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


def resting(*below):
    """The judgement on a proved statement that rests on others, given as (id, form, Outcome, more)."""
    made, facts = [], {key_of("g", {}): Outcome(True)}
    for name, changed, found in below:
        binding = bound(**{"fact": name, **changed})
        made.append(stated(binding, id=name))
        facts[binding.key] = found
    above = stated(bound(fact="g"), id="above", rests_on=tuple(name for name, *_ in below))
    return judge(paper(*made, above), facts)


def test_a_standing_is_lowered_by_what_is_only_checked_measured_or_missing():
    part = {**PART, "parameters": {"most": 8}}
    for changed, found, standing in (
        (part, Outcome(True), Verdict.CHECKED),
        ({**part, "method": "sampled"}, Outcome(True), Verdict.MEASURED),
        ({}, Outcome(None), Verdict.OPEN),
        ({}, Outcome(missing="coq"), Verdict.UNCHECKED),
        ({}, FAILED, Verdict.BROKEN),
        ({}, Outcome(True), Verdict.PROVED),
    ):
        above = resting(("below", changed, found))["above"]
        assert (above.rank, above.standing) == (Verdict.PROVED, standing)
        assert above.through == ("" if standing is Verdict.PROVED else "below")


def test_the_weakest_of_several_lowers_a_standing_and_the_first_of_equals_is_named():
    part = {**PART, "parameters": {"most": 8}}
    judged = resting(
        ("one", part, Outcome(True)), ("two", {}, Outcome(None)), ("three", {}, Outcome(None))
    )
    assert (judged["above"].standing, judged["above"].through) == (Verdict.OPEN, "two")


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


def test_only_what_holds_is_lowered():
    below = stated(bound(), id="below")
    above = stated(bound(fact="g"), id="above", rests_on=("below",))
    facts = {key_of("f", {}): FAILED, key_of("g", {}): Outcome(None)}
    judged = judge(paper(below, above), facts)["above"]
    assert (judged.standing, judged.through) == (Verdict.OPEN, "")


def test_a_repaired_statement_stands_as_repaired_and_can_be_lowered():
    from verify.judge.data import Repair

    mended = stated(
        bound(outcome="fails", method="exact"), bound(fact="g", interpretation="repaired"),
        repair=Repair("c", "r"), rests_on=("below",), id="above",
    )  # fmt: skip
    below = stated(bound(fact="h"), id="below")
    facts = {
        key_of("f", {}): FAILED,
        key_of("g", {}): Outcome(True),
        key_of("h", {}): Outcome(None),
    }
    judged = judge(paper(below, mended), facts)["above"]
    assert (judged.rank, judged.standing) == (Verdict.REPAIRED, Verdict.OPEN)
    assert judged.witness == {"x": 1} and [r.name for r in judged.interpretations] == [
        "printed",
        "repaired",
    ]


def test_the_strongest_method_decides_and_all_bindings_are_weighed():
    several = stated(bound(fact="a", **PART), bound(fact="b", **{**PART, "method": "exact"}))
    got = verdict(several)
    assert got.interpretation.method == "exact" and got.interpretation.decisive.fact == "b"
    assert [(b.fact, weight) for b, weight in got.interpretation.weights] == [
        ("b", "supports"),
        ("a", "supports"),
    ]


def test_reasons_say_which_fact_is_broken_or_open_and_what_is_lacking():
    broken = verdict(stated(bound()), f=FAILED)
    assert broken.interpretation.reason == "f: did not come out as expected"
    both = stated(bound(), bound(fact="g", outcome="fails", method="exact"))
    assert verdict(both, g=FAILED).interpretation.reason == "f proves it and g refutes it"
    assert verdict(stated(bound()), f=Outcome(None)).interpretation.reason == "f does not decide it"
    lacking = stated(bound(), bound(fact="g"), bound(fact="h"))
    got = verdict(
        lacking, f=Outcome(missing="paper"), g=Outcome(missing="coq"), h=Outcome(missing="coq")
    )
    assert got.interpretation.reason == "needs coq, paper"
    assert verdict(stated(reason="nothing to run")).interpretation.reason == "nothing to run"
    assert (
        verdict(stated(bound(), reason="other"), f=Outcome(missing="coq")).interpretation.reason
        == "needs coq"
    )


def test_a_refutation_beside_a_part_that_holds_refutes_and_keeps_no_scope():
    both = stated(bound(**PART), bound(fact="g", outcome="fails", method="exact"))
    got = verdict(both, g=FAILED)
    assert (got.rank, got.interpretation.scope, got.witness) == (Verdict.REFUTED, "", {"x": 1})


def test_an_impossibility_without_a_witness_shows_the_values_of_its_fact():
    against = stated(bound(impossibility=True), form="possibility")
    assert verdict(against, f=Outcome(True, {"n": 2})).witness == {"n": 2}


def test_findings_are_named_where_they_touch_and_graded_where_something_is_wrong():
    slip = Finding("x", "X", "slip", "p", "w", "w", "r", ("s",), ("s", 1))
    holding = judge(paper(stated(bound()), findings=[slip]), {key_of("f", {}): Outcome(True)})["s"]
    assert (holding.findings, holding.grade) == (("x",), "")
    other = judge(paper(stated(bound(), id="o"), findings=[slip]), {key_of("f", {}): Outcome(True)})
    assert other["o"].findings == ()


def test_statements_that_say_the_same_agree_in_their_scope_too():
    one = stated(bound(**PART), id="one")
    other = stated(bound(**{**PART, "parameters": {"most": 9}}), id="other", same_as="one")
    facts = {b.key: Outcome(True) for s in (one, other) for b in s.binding}
    with pytest.raises(Disagreement, match="other: checked \\(T ≤ 9\\); one: checked \\(T ≤ 8\\)"):
        judge(paper(one, other), facts)
    twin = stated(bound(**PART), id="other", same_as="one")
    assert judge(paper(one, twin), facts)["other"].rank is Verdict.CHECKED


def test_a_word_that_a_form_does_not_have_is_the_verdict_itself():
    assert word("universal", Verdict.PROVED) == "proved"
    assert word("definition", Verdict.CHECKED) == "checked"
    assert word("citation", Verdict.REPAIRED) == "contradicted"
    assert word("measurement", Verdict.REPAIRED) == "inconsistent"


def test_a_statement_that_was_expected_to_be_refuted_is_expected_with_a_witness():
    against = paper(stated(bound(outcome="fails", method="exact")))
    assert expected_judgements(against, lambda b: "")["s"].rank is Verdict.REFUTED
    assert expected_judgements(against, lambda b: "coq")["s"].interpretation.reason == "needs coq"


def test_only_the_statements_that_changed_are_listed():
    two = paper(stated(bound(), id="a"), stated(bound(fact="g", **PART), id="b"))
    hoped = expected_judgements(two, lambda b: "")
    assert changes(hoped, hoped) == [] and exit_status(hoped, hoped) == 0
    facts = {key_of("f", {}): Outcome(True), key_of("g", {"most": 8}): Outcome(None)}
    assert changes(hoped, judge(two, facts)) == [Change("b", "checked", "open")]


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


def test_no_judgement_can_be_changed():
    got = verdict(stated(bound()))
    for record in (got, got.interpretation, Change("a", "b", "c")):
        with pytest.raises(FrozenInstanceError):
            record.statement = ""


# A person's word

SIGNED = {"method": "vouched", "covers": "all"}


def test_a_persons_word_is_vouched_for_and_never_proved():
    found = verdict(stated(bound(**SIGNED)))
    assert (found.rank, found.verdict) == (Verdict.VOUCHED, "vouched")
    for form in ("definition", "history", "citation", "measurement"):
        assert verdict(stated(bound(**SIGNED), form=form)).verdict == "vouched"


def test_every_computation_speaks_before_a_person():
    part = bound(fact="g", **{**PART, "method": "observed"})
    assert verdict(stated(bound(**SIGNED), part)).rank is Verdict.MEASURED


def test_a_persons_word_repairs_nothing():
    fails = bound(fact="g", method="exact", outcome="fails")
    repaired = stated(fails, bound(interpretation="repaired", **SIGNED), repair=Repair("c", "s"))
    found = judge(paper(repaired), {repaired.binding[0].key: FAILED, bound().key: Outcome(True)})
    assert found["s"].rank is Verdict.REFUTED


def test_what_rests_on_a_persons_word_stands_no_better():
    below = stated(bound(fact="g", **SIGNED), id="b")
    above = stated(bound(), rests_on=("b",))
    facts = {b.key: Outcome(True) for s in (below, above) for b in s.binding}
    assert judge(paper(below, above), facts)["s"].standing is Verdict.VOUCHED


def test_a_finding_has_another_grade_for_a_statement_that_it_names():
    fails = bound(method="exact", outcome="fails")
    statements = [stated(fails, id=name) for name in ("s", "t")]
    finding = Finding("f", "F", "material", "p", "w", "w", "r", ("s", "t"), ("s", 1),
                      grades={"t": "gap"})  # fmt: skip
    found = judge(paper(*statements, findings=[finding]), {fails.key: FAILED})
    assert (found["s"].grade, found["t"].grade) == ("material", "gap")


# Of several the strongest is named, which comes first


def several(**both):
    """Two bindings of everything, the weaker one written first."""
    return stated(bound(fact="g", method="symbolic", **both), bound(**both))


def test_of_several_broken_open_or_proving_facts_the_strongest_is_named():
    crash = {"f": Outcome(crash="first"), "g": Outcome(crash="second")}
    assert verdict(several(), **crash).interpretation.reason == "f: first"
    undecided = verdict(several(), f=Outcome(None), g=Outcome(None))
    assert undecided.interpretation.reason == "f does not decide it"
    assert verdict(several()).interpretation.decisive.fact == "f"


def test_of_several_refutations_the_strongest_decides_and_has_the_witness():
    weak, strong = (
        bound(fact=name, outcome="fails", method=how)
        for name, how in (("g", "exhaustive"), ("f", "exact"))
    )
    found = {"f": Outcome(False, {}, {"n": 1}), "g": Outcome(False, {}, {"n": 2})}
    got = verdict(stated(weak, strong), **found)
    assert (got.interpretation.decisive.fact, got.witness) == ("f", {"n": 1})
    proofs = (bound(fact="p", method="symbolic"), bound(fact="q"))
    assert verdict(stated(*proofs, weak, strong), **found).interpretation.reason == (
        "q proves it and f refutes it"
    )


def test_the_exit_status_of_several_statements_is_the_worst():
    pair = paper(stated(bound(), id="a"), stated(bound(fact="g"), id="b"))
    hoped = expected_judgements(pair, lambda b: "")
    keys = key_of("f", {}), key_of("g", {})
    for found, status in (((Outcome(True), Outcome(None)), 2), ((Outcome(None), FAILED), 3)):
        for order in (found, found[::-1]):
            got = judge(pair, dict(zip(keys, order, strict=True)))
            assert exit_status(hoped, got) == status
