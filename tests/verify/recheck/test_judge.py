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
    """Return the outcome of each fact by its number: True, False, None, or the name of a missing need."""
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


def test_evidence_that_proves_and_refutes_is_refused():
    asked = statement(binding(1), binding(2, method="exact", outcome="fails"))
    with pytest.raises(Refused, match="proved and refuted"):
        printed(asked, evidence(_1=True, _2=False))


def repairable(repaired):
    fails = binding(1, method="exact", outcome="fails")
    return statement(fails, {**repaired, "interpretation": "repaired"}, repair={"change": "x"})


def of(rank, grade=""):
    interpretation = Interpretation(rank, "")
    return Verdict(rank, rank, interpretation, (interpretation,), grade, ())


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
