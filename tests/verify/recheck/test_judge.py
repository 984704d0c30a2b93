"""The re-checker's own rules of judging, on statements made for it."""

import pytest

from verify.judge.verdict import Verdict as Rank
from verify.judge.verdict import word
from verify.recheck import judge
from verify.recheck.data import key
from verify.recheck.errors import Refused
from verify.recheck.evidence import Evidence
from verify.recheck.judge import Interpretation, Verdict


def binding(number, **more):
    """A binding of the fact with this number; machine-checked and of everything, unless said."""
    given = {"fact": "fact.of", "parameters": {"k": number}, "covers": "all"}
    return {**given, "method": "machine-checked", "because": f"reason {number}", **more}


def evidence(**outcomes):
    """What each fact came to, by its number: True, False, None, or the text of what it lacked."""
    held, lack = {}, {}
    for name, outcome in outcomes.items():
        at = key("fact.of", {"k": int(name[1:])})
        if isinstance(outcome, str):
            lack[at] = outcome
        else:
            held[at] = {"holds": outcome}
    return Evidence(held, lack)


def statement(*bindings, form="universal", **more):
    return {"id": "s", "form": form, "binding": list(bindings), **more}


class Data:
    """The parts of the data that a verdict reads."""

    def __init__(self, findings=(), statements=()):
        self.findings = dict(findings)
        self.statements = {s["id"]: s for s in statements}


def printed(asked, found):
    return judge.interpretation(asked, "printed", found)


def test_a_proof_of_everything_proves_and_its_reason_decides():
    found = printed(statement(binding(1)), evidence(_1=True))
    assert (found.rank, found.reason) == ("proved", "reason 1")


@pytest.mark.parametrize("form", ["universal", "asymptotic"])
def test_a_finite_method_never_covers_everything(form):
    with pytest.raises(Refused, match="a finite method covers the whole range"):
        printed(statement(binding(1, method="exact"), form=form), evidence(_1=True))
    assert (
        printed(statement(binding(1, method="exact"), form="instance"), evidence(_1=True)).rank
        == "proved"
    )
    assert (
        printed(statement(binding(1, method="symbolic"), form=form), evidence(_1=True)).rank
        == "proved"
    )


def test_a_reading_has_the_method_and_the_scope_of_what_decides():
    part = binding(1, method="exact", covers="n = {k}", assumes=["more"])
    found = printed(statement(part), evidence(_1=True))
    assert (found.method, found.scope) == ("exact", "n = 1, assuming more")
    everything = printed(statement(binding(1)), evidence(_1=True))
    assert (everything.method, everything.scope) == ("machine-checked", "all")
    refuted = printed(statement(binding(1, method="exact", outcome="fails")), evidence(_1=False))
    assert (refuted.method, refuted.scope) == ("exact", "")
    nothing = printed(statement(binding(1)), evidence(_1="coq"))
    assert (nothing.method, nothing.scope) == ("", "")


def test_a_part_of_the_range_and_an_assumption_are_checked_only():
    part = binding(1, method="exact", covers="n = 2")
    assert printed(statement(part), evidence(_1=True)).rank == "checked"
    assert printed(statement(binding(1, assumes=["more"])), evidence(_1=True)).rank == "checked"
    sampled = binding(1, method="sampled", covers="ten words")
    assert printed(statement(sampled), evidence(_1=True)).rank == "measured"


def test_the_strongest_method_speaks_first():
    weak, strong = binding(1, method="exact", covers="n = 2"), binding(2, covers="n = 3")
    assert printed(statement(weak, strong), evidence(_1=True, _2=True)).reason == "reason 2"


def test_a_failure_that_is_expected_refutes_a_universal_statement():
    found = printed(statement(binding(1, method="exact", outcome="fails")), evidence(_1=False))
    assert (found.rank, found.reason) == ("refuted", "reason 1")


def test_one_failure_refutes_no_possibility_and_an_impossibility_does():
    failing = binding(1, method="exact", outcome="fails")
    with pytest.raises(Refused, match="a failure refutes no possibility"):
        printed(statement(failing, form="possibility"), evidence(_1=False))
    never = binding(2, impossibility=True)
    assert printed(statement(never, form="possibility"), evidence(_2=True)).rank == "refuted"
    for both in ((never, failing), (failing, never)):
        with pytest.raises(Refused, match="a failure refutes no possibility"):
            printed(statement(*both, form="possibility"), evidence(_1=False, _2=True))


def test_evidence_that_proves_and_refutes_is_refused():
    asked = statement(binding(1), binding(2, method="exact", outcome="fails"))
    with pytest.raises(Refused, match="proved and refuted"):
        printed(asked, evidence(_1=True, _2=False))


def test_a_fact_that_does_not_decide_leaves_the_statement_open():
    found = printed(statement(binding(1, method="enclosure", covers="n = 2")), evidence(_1=None))
    assert (found.rank, found.reason) == ("open", "fact.of does not decide it")
    other = binding(2, covers="n = 3")
    assert (
        printed(statement(binding(1, covers="n = 2"), other), evidence(_1=None, _2=True)).rank
        == "checked"
    )


def test_what_lacked_is_named_once_and_in_order():
    found = printed(statement(binding(1), binding(2), binding(3)),
                    evidence(_1="paper", _2="coq", _3="coq"))  # fmt: skip
    assert (found.rank, found.reason) == ("unchecked", "needs coq, paper")


def test_the_reason_of_the_statement_speaks_only_where_nothing_else_does():
    asked = statement(reason="nobody can know")
    assert judge.verdict(asked, Data(), evidence()).interpretation.reason == "nobody can know"
    lacking = statement(binding(1), reason="nobody can know")
    assert judge.verdict(lacking, Data(), evidence(_1="coq")).interpretation.reason == "needs coq"
    proved = statement(binding(1, because=""), reason="nobody can know")
    assert judge.verdict(proved, Data(), evidence(_1=True)).interpretation.reason == ""


def test_a_view_has_no_verdict_whatever_is_bound():
    found = judge.verdict(
        statement(binding(1), form="view", reason="open"), Data(), evidence(_1=True)
    )
    assert (found.rank, found.word, found.interpretation.reason) == (
        "no verdict",
        "no verdict",
        "open",
    )


def repairable(repaired):
    fails = binding(1, method="exact", outcome="fails")
    return statement(fails, {**repaired, "interpretation": "repaired"}, repair={"change": "x"})


def test_a_repair_counts_where_the_print_is_refuted_and_the_repair_is_shown():
    whole, part = binding(2), binding(2, method="exact", covers="n = 2")
    found = judge.verdict(repairable(whole), Data(), evidence(_1=False, _2=True))
    assert (found.rank, found.interpretation.name, found.interpretation.reason) == (
        "repaired",
        "repaired",
        "reason 2",
    )
    assert [interpretation.rank for interpretation in found.interpretations] == [
        "refuted",
        "proved",
    ]
    assert judge.verdict(repairable(part), Data(), evidence(_1=False, _2=True)).rank == "repaired"
    assert judge.verdict(repairable(whole), Data(), evidence(_1=False, _2="coq")).rank == "refuted"
    holds = statement(binding(1), {**whole, "interpretation": "repaired"}, repair={"change": "x"})
    assert judge.verdict(holds, Data(), evidence(_1=True, _2=True)).rank == "proved"


def test_the_worst_finding_grades_a_faulty_statement_and_no_other():
    findings = {
        "a": {"touches": ["s"], "grade": "slip"}, "b": {"touches": ["s"], "grade": "gap"},
        "c": {"touches": ["t"], "grade": "material"},
    }  # fmt: skip
    fails = statement(binding(1, method="exact", outcome="fails"))
    assert judge.verdict(fails, Data(findings), evidence(_1=False)).grade == "gap"
    assert judge.verdict(statement(binding(1)), Data(findings), evidence(_1=True)).grade == ""


@pytest.mark.parametrize(
    ("form", "rank", "word"),
    [
        ("definition", "proved", "well-formed"), ("definition", "repaired", "ill-formed"),
        ("definition", "checked", "checked"), ("history", "proved", "confirmed"),
        ("history", "refuted", "contradicted"), ("history", "unchecked", "unknown"),
        ("history", "broken", "broken"), ("measurement", "broken", "broken"),
        ("measurement", "measured", "consistent"), ("universal", "checked", "checked"),
    ],
)  # fmt: skip
def test_a_verdict_has_the_words_of_its_form(form, rank, word):
    assert judge.word(form, rank) == word


def of(rank, grade=""):
    interpretation = Interpretation(rank, "")
    return Verdict(rank, rank, interpretation, (interpretation,), grade, ())


@pytest.mark.parametrize(
    ("below", "standing"),
    [
        (of("proved"), ("proved", "")), (of("checked"), ("checked", "b")),
        (of("refuted", "slip"), ("proved", "")), (of("refuted", "gap"), ("refuted", "b")),
        (of("repaired", "slip"), ("proved", "")), (of("no verdict"), ("proved", "")),
        (of("open"), ("open", "b")), (of("unchecked"), ("unchecked", "b")),
    ],
)  # fmt: skip
def test_a_statement_counts_as_the_weakest_thing_it_rests_on(below, standing):
    data = Data(statements=[{"id": "s", "rests_on": ["b"]}, {"id": "b"}])
    assert judge.standings(data, {"s": of("proved"), "b": below})["s"] == standing


def test_what_is_passed_over_does_not_hide_what_comes_after_it():
    data = Data(
        statements=[{"id": "s", "rests_on": ["b", "c", "d"]}, {"id": "b"}, {"id": "c"}, {"id": "d"}]
    )
    verdicts = {"s": of("proved"), "b": of("no verdict"), "c": of("checked"), "d": of("open")}
    assert judge.standings(data, verdicts)["s"] == ("open", "d")
    deeper = Data(
        statements=[{"id": "s", "rests_on": ["b"]}, {"id": "b", "rests_on": ["c"]}, {"id": "c"}]
    )
    below = {"s": of("proved"), "b": of("proved"), "c": of("checked")}
    assert judge.standings(deeper, below)["s"] == ("checked", "c")


def test_a_persons_word_is_vouched_for_and_never_proved_and_refutes_nothing():
    signed = binding(1, method="vouched")
    assert printed(statement(signed), evidence(_1=True)).rank == "vouched"
    weak = binding(2, method="observed", covers="ten runs")
    assert printed(statement(signed, weak), evidence(_1=True, _2=True)).rank == "measured"
    against = binding(1, method="vouched", outcome="fails")
    with pytest.raises(Refused, match="a person's word refutes nothing"):
        printed(statement(against), evidence(_1=False))
    for form in ("definition", "history", "measurement", "citation"):
        assert judge.word(form, "vouched") == "vouched"


def test_a_persons_word_repairs_nothing():
    asked = repairable(binding(2, method="vouched"))
    assert judge.verdict(asked, Data(), evidence(_1=False, _2=True)).rank == "refuted"


def test_lean_covers_everything_as_coq_does():
    proof = binding(1, method="machine-checked-lean")
    assert printed(statement(proof), evidence(_1=True)).rank == "proved"


def test_a_finding_has_another_grade_for_a_statement_that_it_names():
    findings = {"a": {"touches": ["s"], "grade": "material", "grades": {"s": "gap"}}}
    fails = statement(binding(1, method="exact", outcome="fails"))
    assert judge.verdict(fails, Data(findings), evidence(_1=False)).grade == "gap"


def test_of_several_the_strongest_decides_whatever_comes_first():
    symbolic = binding(1, method="symbolic")
    assert printed(statement(symbolic, binding(2)), evidence(_1=True, _2=True)).reason == "reason 2"
    weak, strong = (
        binding(number, method=how, outcome="fails") for number, how in ((1, "exhaustive"), (2, "exact"))
    )  # fmt: skip
    assert printed(statement(weak, strong), evidence(_1=False, _2=False)).reason == "reason 2"
    parts = (
        binding(1, method="exact", covers="n = 2", fact="a"),
        binding(1, method="symbolic", covers="n = 3", fact="b"),
    )
    held = {judge.key_of(part): {"holds": None} for part in parts}
    found = printed(statement(*parts), Evidence(held, {}))
    assert found.reason == "b does not decide it"


def test_the_first_of_equally_weak_statements_is_the_culprit():
    names = ("b", "c", "d")
    data = Data(
        statements=[{"id": "s", "rests_on": list(names)}, *({"id": name} for name in names)]
    )
    verdicts = {"s": of("proved"), "b": of("checked"), "c": of("open"), "d": of("open")}
    assert judge.standings(data, verdicts)["s"] == ("open", "c")


WORDS = {
    "definition": ("well-formed", "checked", "measured", "ill-formed", "ill-formed", "open", "unchecked"),
    "history": (*["confirmed"] * 3, *["contradicted"] * 2, *["unknown"] * 2),
    "citation": (*["confirmed"] * 3, *["contradicted"] * 2, *["unknown"] * 2),
    "measurement": (*["consistent"] * 3, *["inconsistent"] * 2, *["not repeated"] * 2),
    "universal": ("proved", "checked", "measured", "repaired", "refuted", "open", "unchecked"),
}  # fmt: skip


@pytest.mark.parametrize("form", WORDS)
def test_both_judges_have_the_same_word_for_every_verdict_of_a_form(form):
    for rank, said in zip(WORDS["universal"], WORDS[form], strict=True):
        assert judge.word(form, rank) == said == word(form, Rank(rank))
