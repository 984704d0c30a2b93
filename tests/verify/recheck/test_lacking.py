"""A run leaves out the certificates that need something it lacked, and no others.

Runs are made from the published certificates by the code of `assay run` itself, without finding
any fact again.
"""

import json

import pytest
from record_support import (
    BOTH,
    DATA,
    LIST,
    LIVE,
    PUBLISHED,
    SMALL,
    known_outcome,
    row_of,
    small,
)

from verify import rejudge
from verify.facts.registry import Inputs, registered
from verify.judge.data import key_of
from verify.judge.outcome import Outcome
from verify.judge.paper import load
from verify.judge.verdict import judge
from verify.recheck import header
from verify.recheck.errors import Refused
from verify.record import plan, prerequisites
from verify.record.record import RunInfo, assemble
from verify.record.record import header as record_header

pytestmark = pytest.mark.usefixtures("confirmed_once")
REASONS = header.reasons_of(DATA.about)


def run(lacking=(), wanted=None, profile="full", leave=lambda name, item: False, base=""):
    """The record of a run without some needs; `leave` takes further certificates away."""
    missing = {name: REASONS[name] for name in lacking}
    planned = plan.make(load(), registered(), missing, wanted, PUBLISHED)
    wanted_keys = {key_of(fact, parameters) for fact, parameters in planned.wanted}
    found = {
        each.key: known_outcome(each, registered(), Inputs())
        for each, _ in plan.asking(load())
        if each.key in wanted_keys
    }
    found |= {**planned.missing, **planned.inherited}
    for name, item in PUBLISHED.items():
        if leave(name, item):
            left = "a run of this statement" if base else DATA.need_of(item["fact"])
            found[name] = Outcome(missing=left or "full profile")
    base = base or ("published" if wanted else "")
    made = RunInfo(profile, missing, base, planned.inherited,
                   trust=rejudge.trust_of(""))  # fmt: skip
    return assemble(load(), found, judge(load(), found), made)


def accepted(record, certificates):
    return LIVE.accepted(record, certificates).summary()


refused, copies = LIVE.refused, LIVE.copies


def test_needs_reasons_and_paper_are_those_of_the_program(monkeypatch):
    """Written twice, and the same both times."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(prerequisites, "find_spec", lambda name: None)
    about = load().about
    assert prerequisites.missing_needs(load(), Inputs(), "quick") == REASONS
    assert header.need_names(DATA.about) == about.need_names
    assert header.head(DATA.about) == record_header(about)
    needs = {name: fact.needs[0] for name, fact in registered().items() if fact.needs}
    assert needs == {name: DATA.need_of(name) for name in registered() if DATA.need_of(name)}


def test_the_small_paper_without_coq_is_confirmed_and_says_so():
    bare = small(["coq"])
    summary = bare.accepted(bare.record, bare.certificates).summary()
    assert "that the run did not have coq is taken on trust" in summary
    assert row_of(bare.record, "thm2")["verdict"] == "unchecked"
    assert row_of(bare.record, "thm2")["note"] == "It needs Coq."
    bare.record["missing"] = {}
    assert "the certificate of coq.theorem" in bare.refused(bare.record, bare.certificates)
    record, certificates = SMALL.copies()
    record["missing"] = {"pautomac": "data not given"}
    assert "no known need of a run" in SMALL.refused(record, certificates)


QUICK = (["pautomac"], ["coq", "paper"])


@pytest.mark.parametrize(
    "lacking",
    [*QUICK, *(pytest.param([one], marks=pytest.mark.slow) for one in ("coq", "paper", "torch"))],
)
def test_a_run_that_lacks_something_is_confirmed_and_says_so(lacking):
    said = accepted(*run(lacking))
    assert f"that the run did not have {', '.join(lacking)} is taken on trust" in said


@pytest.mark.parametrize("paper", BOTH, ids=str)
def test_a_true_record_is_confirmed_and_says_what_was_taken_on_trust(paper):
    report = paper.accepted(paper.record, paper.certificates)
    assert report.confirmed > 10 and report.statements == len(paper.data.statements)
    assert len(report.lines) == len(paper.certificates["certificates"])
    assert "Coq proofs: not re-run (use --coq): " in report.summary() and report.unconfirmed == []


def test_a_quick_run_without_anything_is_confirmed():
    accepted(*run(REASONS, profile="quick"))


@pytest.mark.parametrize("wanted", [{"def2.1"}, {"thm1"}, {"thm2", "cor1"}])
@pytest.mark.parametrize("lacking", [[], ["coq", "paper", "torch", "pautomac"]])
def test_a_run_of_a_part_is_confirmed_and_says_so(wanted, lacking):
    said = accepted(*run(lacking, wanted))
    assert "which facts were taken over from the published record is taken on trust" in said


def test_one_unfavourable_certificate_left_out_is_refused():
    """With the need declared as lacking, while others that need it are there."""
    for fact in ("coq.theorem", "text.nowhere", "pautomac.sparsity"):
        one = next(item["key"] for item in LIST if item["fact"] == fact)
        record, certificates = run(leave=lambda name, item, one=one: name == one)
        assert f"the certificate of {fact}" in refused(record, certificates)
        need = DATA.need_of(fact)
        record["missing"] = {need: REASONS[need]}
        assert f"is there without {need}" in refused(record, certificates)


@pytest.mark.parametrize(("fact", "need"), [("code.line", "code"), ("cited.says", "works"),
                                            ("decoder.needed", "program")])  # fmt: skip
def test_a_need_that_no_run_can_lack_is_refused(fact, need):
    record, certificates = run(leave=lambda name, item: item["fact"] == fact)
    assert "is missing" in refused(record, certificates)
    record["missing"] = {need: "not at hand"}
    assert f"'{need}' is no known need of a run" in refused(record, certificates)


def test_a_lack_without_consequence_and_a_reason_of_ones_own_are_refused():
    record, certificates = copies()
    record["missing"] = {"coq": REASONS["coq"]}
    assert "is there without coq" in refused(record, certificates)
    record, certificates = run(["coq"])
    record["missing"]["coq"] = "Coq has refuted everything"
    assert "missing: coq" in refused(record, certificates)
    for wrong in ([], None, "coq", {"coq": 1}):
        record["missing"] = wrong
        refused(record, certificates)


def test_the_full_profile_is_missing_exactly_where_the_profile_is_another():
    record, certificates = run(["full profile"], profile="quick")
    accepted(record, certificates)
    record["profile"] = "full"
    assert "full profile" in refused(record, certificates)
    record, certificates = copies()
    record["profile"] = "quick"
    assert "full profile" in refused(record, certificates)
    record["profile"] = "thorough"
    assert "expected one of quick, full" in refused(record, certificates)


def test_a_part_that_leaves_out_one_certificate_of_several_is_refused():
    """Theorem 4 was run without Coq, so everything that it rests on was, too."""
    record, certificates = run(["coq"], {"thm4"})
    left = {item["key"] for item in certificates["certificates"]}
    back = next(item for item in LIST if item["fact"] == "coq.theorem" and item["key"] not in left)
    certificates["certificates"] = sorted(
        [*certificates["certificates"], back], key=lambda item: item["key"]
    )
    assert "though others are left out" in refused(record, certificates)


def test_a_part_with_a_certificate_that_was_neither_run_nor_published_is_refused():
    record, certificates = run(["coq"], {"def2.1"})
    item = next(i for i in certificates["certificates"] if i["fact"] == "coq.weights")
    item["values"] = json.loads(json.dumps(item["values"]))
    next(iter(item["values"]["sizes"].values())).append("n = 99")
    assert "neither run without coq nor taken over" in refused(record, certificates)
    record, certificates = run(
        wanted={"def2.1"}, leave=lambda name, item: item["fact"] == "code.line"
    )
    assert "neither run nor taken over" in refused(record, certificates)


def test_what_is_said_of_inherited_rows_is_what_can_be():
    record, certificates = run(["coq"], {"def2.1"})
    row_of(record, "thm1")["inherited"] = False  # its proof cannot have been run without Coq
    assert "thm1: inherited" in refused(record, certificates)
    record, certificates = copies()
    bare = next(name for name, entry in DATA.statements.items() if not entry.get("binding"))
    row_of(record, bare)["inherited"] = True
    assert f"{bare}: inherited" in refused(record, certificates)
    row_of(record, bare)["inherited"] = 1
    with pytest.raises(Refused, match="expected true or false"):
        LIVE.accepted(record, certificates)


def test_an_update_without_its_refuting_certificates_is_not_confirmed():
    """A row that lost its evidence is named, so that a refutation cannot be left out in silence."""
    refuting = {item["key"] for item in LIST if item["holds"] is False}
    report = LIVE.accepted(*run(leave=lambda name, item: name in refuting, base="earlier"))
    rows = {line.partition(":")[0] for line in report.unconfirmed}
    assert rows == {
        name
        for name, statement in DATA.statements.items()
        if any(key_of(b["fact"], b.get("parameters", {})) in refuting
               for b in statement.get("binding", ()))
    }  # fmt: skip
    assert "no certificate of" in report.unconfirmed[0]


def test_a_record_without_any_certificate_is_not_confirmed():
    report = LIVE.accepted(*run(leave=lambda name, item: True, base="earlier"))
    assert report.unconfirmed[0] == "the record: it has no certificate"
    assert LIVE.accepted(*LIVE.copies()).unconfirmed == []
