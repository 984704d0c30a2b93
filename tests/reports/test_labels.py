"""Small texts of a report, and the order of its parts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from reports import labels
from reports.view import StatementView, _place, view


def test_a_section_is_named_as_a_reader_names_it() -> None:
    named = {"3.2": "Section 3.2", "B.1": "Appendix B.1", "A": "Appendix A", "abstract": "Abstract",
             "Abstract": "Abstract", "": ""}  # fmt: skip
    assert {section: labels.place(section) for section in named} == named


def test_lines_and_numbers_have_their_nouns() -> None:
    assert (labels.lines(3, 3), labels.lines(3, 4)) == ("line 3", "lines 3–4")
    assert labels.count_of(1, "gap") == "1 gap" and labels.count_of(0, "gap") == "0 gaps"
    assert labels.count_of(2, "index", "indices") == "2 indices"
    grades = ["slip", "material", "slip", "gap", "material"]
    assert labels.grade_counts(grades) == "2 material, 1 gap, 2 slips"
    assert labels.grade_counts([]) == ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("it holds", "It holds."), ("it holds!", "It holds!"), ("a word", "A word."), ("x is 1", "x is 1."),
     ("ε² is", "ε² is."), ("2n is", "2n is."), ("is it?", "Is it?"), ("done.", "Done."),
     ("T, then", "T, then.")],
)  # fmt: skip
def test_a_phrase_becomes_a_sentence_unless_it_opens_with_a_symbol(
    text: str, sentence: str
) -> None:
    assert labels.as_sentence(text) == sentence


def test_values_are_listed_by_name() -> None:
    assert labels.value_text({"a": [1, 2], "b": {"c": "x"}}) == "a = 1, 2, b = c = x"
    assert labels.slug("no verdict yet") == "no-verdict-yet"


def test_statements_follow_sections_then_appendices_then_the_rest_and_lines_within_them() -> None:
    def stated(section: str, first: int, last: int) -> StatementView:
        return StatementView({"section": section, "places": [[first, last], [1, 1]]}, (), ())

    order = [
        ("2", 5, 6),
        ("2", 5, 9),
        ("2", 7, 7),
        ("3.1", 1, 1),
        ("A", 9, 9),
        ("B.1", 2, 2),
        ("abstract", 0, 0),
    ]
    found = sorted((stated(*each) for each in reversed(order)), key=_place)
    assert [(s.data["section"], *s.data["places"][0]) for s in found] == order


def test_findings_come_worst_first_and_those_that_touch_more_before_others() -> None:
    rows = [("slip", 3), ("gap", 1), ("material", 1), ("gap", 2), ("material", 1)]
    findings = [
        {"id": str(k), "grade": grade, "touches": ["x"] * count}
        for k, (grade, count) in enumerate(rows)
    ]
    made = view({"statements": [], "figures": [], "findings": findings}, {"certificates": []})
    assert [each["id"] for each in made.findings] == ["2", "4", "3", "1", "0"]
    assert made.numbers == {"2": "F1", "4": "F2", "3": "F3", "1": "F4", "0": "F5"}
    assert made.grades == {"material": 2, "gap": 2, "slip": 1}


def test_a_view_separates_our_results_from_the_papers() -> None:
    rows = [{"id": name, "ours": ours, "rests_on": [], "verdict": "open"}
            for name, ours in (("a", False), ("b", True), ("c", False))]  # fmt: skip
    made = view({"statements": rows, "figures": [], "findings": []}, {"certificates": []})
    assert [each.id for each in made.paper] == ["a", "c"] and [each.id for each in made.ours] == [
        "b"
    ]
    assert made.counts == {"open": 2} and SimpleNamespace(**made.by_id).b.id == "b"
