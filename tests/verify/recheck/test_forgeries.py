"""What stands beside the verdicts cannot be rewritten: evidence, reasons, header, findings, figures.

Each forgery is that of somebody who knows the format: sentences are composed again by the judge's
own code, and all digests are computed anew.
"""

import pytest
from record_support import DATA, OURS, RECORD, copies, refused, row_of, some

from verify.recheck import again, evidence, header, program
from verify.recheck.data import hash_of
from verify.recheck.errors import Refused

pytestmark = pytest.mark.usefixtures("confirmed_once")


def resaid(record):
    rows = {row["id"]: row for row in record["statements"]}
    for row in rows.values():
        row["sentence"] = again.sentence(row, rows)
    return record


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
def test_a_rewritten_reading_is_refused(field, value):
    record, certificates = copies()
    row = row_of(record, "alg1")
    assert row["readings"][0].get(field) != value
    row["readings"][0][field] = value
    assert "alg1: readings[0]" in refused(record, certificates)


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
def test_a_rewritten_binding_is_refused(field, value):
    record, certificates = copies()
    row_of(record, "alg1")["readings"][0]["bindings"][0][field] = value
    assert "alg1: readings[0]: bindings" in refused(record, certificates)


def test_readings_and_bindings_more_less_or_in_another_order_are_refused():
    for change in (
        lambda row: row["readings"].insert(0, {**row["readings"][0], "bindings": []}),
        lambda row: row["readings"].pop(),
        lambda row: row["readings"].reverse(),
        lambda row: row["readings"][0]["bindings"].append(row["readings"][0]["bindings"][0]),
        lambda row: row["readings"][1]["bindings"].reverse(),
    ):
        record, certificates = copies()
        row = next(
            row for row in record["statements"]
            if len(row["readings"]) == 2 and len(row["readings"][1]["bindings"]) > 1
        )  # fmt: skip
        change(row)
        assert f"{row['id']}: readings" in refused(record, certificates)


def test_the_reason_of_a_binding_that_does_not_decide_is_refused():
    for name in ("thm1", "thm2"):
        record, certificates = copies()
        row = row_of(record, name)
        others = [b["because"] for r in row["readings"] for b in r["bindings"]]
        for other in {*others, ""} - {row["because"]}:
            row["because"] = other
            assert f"{name}: because" in refused(resaid(record), certificates)


@pytest.mark.parametrize("rank", ["unchecked", "no verdict", "proved"])
def test_a_reason_of_ones_own_is_refused(rank):
    for reason in ("needs a run of this statement", "needs the authors, who have withdrawn it"):
        record, certificates = copies()
        row = row_of(record, some(rank))
        row["reason"] = reason
        assert f"{row['id']}: reason" in refused(resaid(record), certificates)


def test_text_cannot_come_in_by_what_was_missing():
    record, certificates = copies()
    record["missing"] = {"nothing at all: the authors have withdrawn the claim": "x"}
    row_of(record, some("unchecked"))["reason"] = f"needs {next(iter(record['missing']))}"
    assert "is nothing that a run can lack" in refused(resaid(record), certificates)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("assay", "9.9"),
        ("paper", {**RECORD["paper"], "title": "Attention Is All You Need"}),
        ("paper", {**RECORD["paper"], "authors": ["X"]}),
        ("paper", {**RECORD["paper"], "source": {"sha256": "0" * 64}}),
        ("paper", {**RECORD["paper"], "remark": "retracted"}),
        ("rechecker", {"lines": 0}),
        ("rechecker", {"lines": "few"}),
        ("rechecker", {"lines": 10, "author": "X"}),
        ("cluster", 0),
        ("base", "elsewhere"),
        ("code", "x"),
        ("erratum", "Nothing is wrong."),
        ("missing", []),
    ],
)
def test_a_header_of_another_run_is_refused(field, value):
    record, certificates = copies()
    record[field] = value
    refused(record, certificates)


def test_another_number_of_lines_is_said_in_the_last_line():
    record, certificates = copies()
    record["rechecker"]["lines"] = 7
    said = program.recheck(record, certificates, OURS).summary()
    assert f"counts 7 lines of re-checker, this one has {header.lines()}" in said
    record["rechecker"]["lines"] = header.lines()
    assert "lines" not in program.recheck(record, certificates, OURS).summary()


def test_without_a_version_in_the_source_every_record_is_of_another(monkeypatch):
    monkeypatch.setattr(header, "VERSION", header.re.compile("nothing"))
    assert "assay: stated" in refused(*copies())


PLACES = {
    "findings": ("shown_by", "figure", "shown", "touches", "remark"),
    "observations": ("fact", "key", "method", "outcome", "profile", "parameters", "aliases", "seen",
                     "remark"),
    "figures": ("xscale", "yscale", "xlabel", "profile", "kind", "values", "key", "remark"),
    "statements": ("aliases", "answered_by", "remark"),
    "answers": ("about", "instead", "remark"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("part", "field"), [(p, f) for p, fields in PLACES.items() for f in fields]
)
def test_every_field_of_every_part_is_compared(part, field):
    for number in (0, -1):
        record, certificates = copies()
        record[part][number][field] = "forged"
        refused(record, certificates)


def test_true_is_not_one():
    record, certificates = copies()
    item = next(
        c for c in certificates["certificates"] if c["key"] == "scan.pseudocode-65d464509c93"
    )
    assert item["witness"]["n"] == 1
    item["witness"]["n"] = True
    finding = next(f for f in record["findings"] if f["id"] == "scan-order")
    finding["witness"] = finding["witness"].replace("n = 1", "n = True")
    row_of(record, "alg1")["witness"] = finding["witness"]
    assert "witness: n: stated True, found 1" in refused(resaid(record), certificates)


def test_an_outcome_is_true_false_or_nothing():
    for name in ("scan.work", "coq.theorem", "float.lengths"):
        for wrong in (1, "yes", [True]):
            record, certificates = copies()
            next(c for c in certificates["certificates"] if c["fact"] == name)["holds"] = wrong
            assert "holds = " in refused(record, certificates)


@pytest.mark.parametrize("fact", ["coq.theorem", "coq.weights", "pautomac.sparsity", "code.line"])
def test_a_method_that_decides_cannot_leave_its_fact_undecided(fact):
    record, certificates = copies()
    next(c for c in certificates["certificates"] if c["fact"] == fact)["holds"] = None
    assert "undecided by a method that decides" in refused(record, certificates)


def test_certificates_in_another_order_are_refused():
    record, certificates = copies()
    certificates["certificates"].reverse()
    assert "order of the certificates" in refused(record, certificates)


def test_a_certificate_with_other_parameters_and_the_same_name_is_refused():
    """Names are 48 bits of a hash, so that parameters are compared themselves."""
    item = {"parameters": {"n": 1}, "method": "exact", "holds": True}
    evidence._as_asked("k", item, [{"parameters": {"n": 1}, "method": "exact"}])
    for other in (True, 2, "1"):
        with pytest.raises(Refused, match=r"k: parameters: n: stated 1, found"):
            evidence._as_asked("k", item, [{"parameters": {"n": other}, "method": "exact"}])


def test_a_statement_of_other_data_is_refused():
    record, certificates = copies()
    row = row_of(record, "thm1")
    row["hash"] = hash_of({**DATA.statements["thm1"], "text": "P = NP"})
    assert "thm1: hash" in refused(record, certificates)
