"""Page one: may I cite it? Computed from standings, conditions and findings."""

import dataclasses

import pytest
from reports_support import made

from reports.labels import METHODS
from reports.page_one import answers, permission
from reports.view import view
from verify.judge.outcome import Outcome


def joined(**found):
    return view(*made(**found))


def test_a_proved_statement_with_conditions_may_be_cited_with_them():
    (first, second) = answers(joined())
    assert (first.name, first.permission) == ("Theorem 1", "Yes, with conditions")
    assert (second.permission, second.used.id) == ("Not as printed", "beyond.x")


def test_findings_are_beside_their_statement():
    (first, second) = answers(joined())
    assert first.findings == () and [f["id"] for f in second.findings] == ["norms"]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Outcome(True), "Yes"),
        (Outcome(None), "Not decided"),
        (Outcome(False), "Our check is broken"),
        (Outcome(missing="coq"), "Not checked"),
    ],
)
def test_the_permission_follows_the_facts(found, expected):
    assert permission(joined(**{"f.coq": found}).by_id["hostile"].data, "Assay") == expected


def test_a_statement_that_rests_on_a_repaired_one_is_not_simply_citable():
    assert permission(joined().by_id["thm2"].data, "Assay") == "Not as printed"


def test_a_row_has_the_method_and_counts_findings_by_grade():
    (_, second) = answers(joined())
    (finding,) = second.findings
    gaps = [{**finding, "grade": "gap"}] * 2
    assert (
        dataclasses.replace(second, findings=(*gaps, finding)).finding_counts
        == "1 material, 2 gaps"
    )
    assert dataclasses.replace(second, findings=()).finding_counts == ""
    method = METHODS[second.statement.data["method"]]
    assert second.evidence == f"the corrected form: {method}; a tool <b>"


@pytest.mark.parametrize(
    ("touches", "grades", "rank", "expected"),
    [
        (["thm1.part", "eq1"], {}, "proved", ["gap"]),
        (["thm1.part", "eq1"], {}, "repaired", ["material"]),
        (["thm1"], {}, "proved", ["material"]),
        (["thm1.part", "eq1"], {"thm1.part": "slip"}, "proved", ["slip"]),
        (["eq1"], {}, "proved", []),
    ],
)
def test_a_defect_of_a_proof_is_a_gap_for_the_statement_that_holds(touches, grades, rank, expected):
    record, certificates = made()
    record["findings"][0] |= {"touches": touches, "grades": grades, "grade": "material"}
    next(row for row in record["statements"] if row["id"] == "thm1")["rank"] = rank
    assert [f["grade"] for f in answers(view(record, certificates))[0].findings] == expected


@pytest.mark.parametrize(
    ("rank", "expected"),
    [("proved", ("Consistent", "consistent")), ("refuted", ("In part", "checked"))],
)
def test_a_consistent_measurement_is_no_yes_and_with_a_refuted_cell_in_part(rank, expected):
    record, certificates = made()
    table = next(row for row in record["statements"] if row["id"] == "thm1")
    changed = {"form": "measurement", "rank": "proved", "standing": "proved"}
    table |= {**changed, "verdict": "consistent"}
    next(row for row in record["statements"] if row["id"] == "thm1.part")["rank"] = rank
    row = answers(view(record, certificates))[0]
    assert (row.permission, row.verdict) == expected
