"""What stands beside the verdicts cannot be rewritten: evidence, reasons, header, findings, figures.

Each forgery is that of somebody who knows the format: sentences are composed again by the judge's
own code, and all digests are computed anew.
"""

import pytest
from record_support import LIVE, SMALL, certificate, row_of

from verify.recheck import evidence, header, rebuild
from verify.recheck.data import hash_of
from verify.recheck.errors import Refused

pytestmark = pytest.mark.usefixtures("confirmed_once")


def resaid(record, paper):
    rows, needs = (
        {row["id"]: row for row in record["statements"]},
        header.need_names(paper.data.about),
    )
    for row in rows.values():
        row["sentence"], row["note"] = rebuild.sentence(row, rows), rebuild.note(row, rows, needs)
    return record


def repaired(paper, record):
    """A statement that is refuted without Coq, whose repaired interpretation has the most bindings."""
    rows = [row for row in record["statements"] if len(row["interpretations"]) == 2]
    rows = [
        row for row in rows if row["interpretations"][0]["method"] not in ("machine-checked", "")
    ]
    return max(rows, key=lambda row: len(row["interpretations"][1]["bindings"]))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rank", "proved"),
        ("method", "machine-checked"),
        ("scope", "all"),
        ("reason", "Coq says so"),
        ("name", "repaired"),
        ("remark", "retracted"),
    ],
)
def test_a_rewritten_reading_is_refused(paper, field, value):
    record, certificates = paper.copies()
    row = repaired(paper, record)
    assert row["interpretations"][0].get(field) != value
    row["interpretations"][0][field] = value
    assert f"{row['id']}: interpretations[0]" in paper.refused(record, certificates)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("weight", "supports"),
        ("fact", "coq.theorem"),
        ("assumes", ["nothing"]),
        ("impossibility", True),
        ("impossibility", 0),
        ("certificate", "coq.theorem-000000000000"),
        ("expects", "maybe"),
        ("remark", "x"),
    ],
)
def test_a_rewritten_binding_is_refused(paper, field, value):
    record, certificates = paper.copies()
    row = repaired(paper, record)
    row["interpretations"][0]["bindings"][0][field] = value
    assert f"{row['id']}: interpretations[0]: bindings" in paper.refused(record, certificates)


def test_readings_and_bindings_more_less_or_in_another_order_are_refused(paper):
    for change in (
        lambda row: row["interpretations"].insert(0, {**row["interpretations"][0], "bindings": []}),
        lambda row: row["interpretations"].pop(),
        lambda row: row["interpretations"].reverse(),
        lambda row: row["interpretations"][0]["bindings"].append(
            row["interpretations"][0]["bindings"][0]
        ),
        lambda row: row["interpretations"][1]["bindings"].insert(
            0, row["interpretations"][0]["bindings"][0]
        ),
    ):
        record, certificates = paper.copies()
        row = repaired(paper, record)
        change(row)
        assert f"{row['id']}: interpretations" in paper.refused(record, certificates)


def test_bindings_in_another_order_are_refused():
    record, certificates = LIVE.copies()
    row = repaired(LIVE, record)
    assert len(row["interpretations"][1]["bindings"]) > 1
    row["interpretations"][1]["bindings"].reverse()
    assert f"{row['id']}: interpretations" in LIVE.refused(record, certificates)


def test_the_reason_of_a_binding_that_does_not_decide_is_refused(paper):
    record, certificates = paper.copies()
    row = repaired(paper, record)
    others = [b["because"] for r in row["interpretations"] for b in r["bindings"]]
    for other in {*others, ""} - {row["because"]}:
        row["because"] = other
        reason = paper.refused(resaid(record, paper), certificates)
        assert f"{row['id']}: because" in reason


@pytest.mark.parametrize("rank", ["unchecked", "no verdict", "proved"])
def test_a_reason_of_ones_own_is_refused(paper, rank):
    for reason in ("needs a run of this statement", "needs the authors, who have withdrawn it"):
        record, certificates = paper.copies()
        row = row_of(record, paper.some(rank))
        row["reason"] = reason
        refusal = paper.refused(resaid(record, paper), certificates)
        assert f"{row['id']}: reason" in refusal


def test_text_cannot_come_in_by_what_was_missing(paper):
    record, certificates = paper.copies()
    record["missing"] = {"nothing at all: the authors have withdrawn the claim": "x"}
    row_of(record, paper.some("unchecked"))["reason"] = f"needs {next(iter(record['missing']))}"
    refusal = paper.refused(resaid(record, paper), certificates)
    assert "is nothing that a run can lack" in refusal


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("assay", lambda old: "9.9"),
        ("paper", lambda old: {**old, "title": "Attention Is All You Need"}),
        ("paper", lambda old: {**old, "authors": ["X"]}),
        ("paper", lambda old: {**old, "source": {**old["source"], "sha256": "0" * 64}}),
        ("paper", lambda old: {**old, "check": {**old["check"], "name": "X"}}),
        ("paper", lambda old: {**old, "paper": {**old["paper"], "key": "x}\\input{y"}}),
        ("paper", lambda old: {**old, "remark": "retracted"}),
        ("rechecker", lambda old: {"lines": 0}),
        ("rechecker", lambda old: {"lines": "few"}),
        ("rechecker", lambda old: {"lines": 10, "author": "X"}),
        ("cluster", lambda old: 0),
        ("base", lambda old: "elsewhere"),
        ("code", lambda old: "x"),
        ("erratum", lambda old: "Nothing is wrong."),
        ("missing", lambda old: []),
    ],
)
def test_a_header_of_another_run_is_refused(paper, field, change):
    record, certificates = paper.copies()
    record[field] = change(record[field])
    paper.refused(record, certificates)


def test_another_number_of_lines_is_said_in_the_last_line():
    record, certificates = SMALL.copies()
    record["rechecker"]["lines"] = 7
    summary = SMALL.accepted(record, certificates).summary()
    assert f"counts 7 lines of re-checker, this one has {header.lines()}" in summary
    record["rechecker"]["lines"] = header.lines()
    assert "lines" not in SMALL.accepted(record, certificates).summary()


def test_without_a_version_in_the_source_every_record_is_of_another(paper, monkeypatch):
    monkeypatch.setattr(header, "VERSION", header.re.compile("nothing"))
    assert "assay: stated" in paper.refused(*paper.copies())


PLACES = {
    "findings": ("shown_by", "figure", "shown", "touches", "grades", "remark"),
    "observations": ("fact", "key", "method", "outcome", "profile", "parameters", "aliases", "seen",
                     "remark"),
    "figures": ("xscale", "yscale", "xlabel", "profile", "kind", "values", "key", "remark"),
    "statements": ("aliases", "answered_by", "remark"),
    "answers": ("about", "instead", "remark"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("part", "field"), [(p, f) for p, fields in PLACES.items() for f in fields]
)
def test_every_field_of_every_part_is_compared(paper, part, field):
    for number in (0, -1):
        record, certificates = paper.copies()
        record[part][number][field] = "forged"
        paper.refused(record, certificates)


def test_true_is_not_one():
    record, certificates = SMALL.copies()
    item = next(c for c in certificates["certificates"] if (c["witness"] or {}).get("n") == 1)
    item["witness"]["n"] = True
    for finding in record["findings"]:
        if (
            row_of(record, finding["shown_by"][0])["interpretations"][0]["bindings"][0][
                "certificate"
            ]
            == (item["key"])
        ):
            finding["witness"] = finding["witness"].replace("n = 1", "n = True")
            row_of(record, finding["touches"][0])["witness"] = finding["witness"]
    refusal = SMALL.refused(resaid(record, SMALL), certificates)
    assert "witness: n: stated True, found 1" in refusal


def test_an_outcome_is_true_false_or_nothing(paper):
    for name in (paper.kinds[0], paper.kinds[-1], "coq.theorem"):
        for wrong in (1, "yes", [True]):
            record, certificates = paper.copies()
            certificate(certificates, name)["holds"] = wrong
            assert "holds = " in paper.refused(record, certificates)


def test_a_method_that_decides_cannot_leave_its_fact_undecided(paper):
    for fact in ("coq.theorem", paper.kinds[0], paper.kinds[-1]):
        record, certificates = paper.copies()
        certificate(certificates, fact)["holds"] = None
        assert "undecided by a method that decides" in paper.refused(record, certificates)


def test_certificates_in_another_order_are_refused(paper):
    record, certificates = paper.copies()
    certificates["certificates"].reverse()
    assert "order of the certificates" in paper.refused(record, certificates)


def test_a_certificate_with_other_parameters_and_the_same_name_is_refused():
    """Names are 48 bits of a hash, so that parameters are compared themselves."""
    item = {"parameters": {"n": 1}, "method": "exact", "holds": True}
    evidence._as_asked("k", item, [{"parameters": {"n": 1}, "method": "exact"}])
    for other in (True, 2, "1"):
        with pytest.raises(Refused, match=r"k: parameters: n: stated 1, found"):
            evidence._as_asked("k", item, [{"parameters": {"n": other}, "method": "exact"}])


def test_a_statement_of_other_data_is_refused(paper):
    record, certificates = paper.copies()
    row = row_of(record, "thm1")
    row["hash"] = hash_of({**paper.data.statements["thm1"], "text": "P = NP"})
    assert "thm1: hash" in paper.refused(record, certificates)
