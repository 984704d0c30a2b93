"""`assay show`: what each line says, and which lines are left out."""

from typing import Any

import pytest

from reports.labels import METHODS
from verify.commands import show

ROW: dict[str, Any] = {
    "id": "s1", "numbered": "", "title": "A title", "aliases": [], "section": "2.4",
    "places": [[3, 3], [5, 7]], "form": "universal", "text": "It holds.", "sentence": "It holds [1].",
    "verdict": "proved", "rank": "proved", "standing": "proved", "through": "", "grade": "",
    "method": "exact", "scope": "all", "under": [], "reason": "",
    "conditions": [], "notes": [], "note": "It was computed.",
    "findings": [], "repair": None, "ours": False, "interpretations": [],
}  # fmt: skip
FINDING = {"id": "f", "title": "A sign", "grade": "slip", "witness": "1 = -1"}


def said(**changed: Any) -> dict[str, str]:
    """The lines of a statement by their labels."""
    return dict(
        show._facts(
            {**ROW, **changed}, {"findings": [FINDING], "paper": {"check": {"name": "Assay"}}}
        )
    )


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, f"proved; {METHODS['exact']}; the whole range"),
        ({"scope": "n ≤ 3"}, f"proved; {METHODS['exact']}; n ≤ 3"),
        ({"verdict": "refuted", "grade": "slip", "method": "", "scope": ""}, "refuted (slip)"),
        (
            {"standing": "checked", "through": "s2"},
            f"proved; {METHODS['exact']}; the whole range; standing checked because of s2",
        ),
    ],
)
def test_a_verdict_is_followed_by_grade_method_scope_and_what_lowers_it(
    changed: dict[str, Any], expected: str
) -> None:
    assert said(**changed)["verdict"] == expected


def test_lines_of_the_source_are_single_or_from_first_to_last() -> None:
    assert said()["where"] == "section 2.4, lines 3, 5-7 (universal)"
    assert said(places=[])["where"] == "section 2.4 (universal)"


def test_conditions_that_the_sentence_holds_are_not_said_again() -> None:
    assert said(under=["T ≥ 1"], conditions=["n ≥ 2"])["given"] == "T ≥ 1; n ≥ 2"
    assert said(under=["It holds"])["given"] == ""


def test_a_repair_and_the_findings_of_a_statement_are_said_where_there_are_some() -> None:
    assert said()["repair"] == ""
    assert "finding" not in said()
    found = said(repair={"change": "a minus"}, findings=["f"])
    assert (found["repair"], found["finding"]) == ("a minus", "A sign (slip): 1 = -1")


def test_a_name_of_the_paper_stands_before_the_title() -> None:
    assert show.full_name({**ROW, "numbered": "Lemma 1"}) == "Lemma 1: A title"
    assert show.full_name(ROW) == "A title"
