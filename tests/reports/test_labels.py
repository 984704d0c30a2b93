"""Small texts of a report, and the order of its parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports import labels
from reports.view import view


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


SECTIONS = ["2", "3.1", "A", "B.1", "abstract"]  # in the order of a report


@given(st.lists(st.tuples(st.sampled_from(SECTIONS), st.integers(1, 9), st.booleans()), max_size=8))
def test_the_papers_statements_come_by_sections_appendices_and_lines_without_ours(drawn) -> None:
    rows = [{"id": str(k), "ours": ours, "rests_on": [], "verdict": "open", "section": section,
             "places": [[line, line]]} for k, (section, line, ours) in enumerate(drawn)]  # fmt: skip
    made = view({"statements": rows, "figures": [], "findings": []}, {"certificates": []})
    listed = [(s, each.data["places"][0][0]) for s, own in made.sections.items() for each in own]
    wanted = [(section, line) for section, line, ours in drawn if not ours]
    assert listed == sorted(wanted, key=lambda each: (SECTIONS.index(each[0]), each[1]))
    assert len(made.ours) == len(drawn) - len(wanted)
    assert made.counts == ({"open": len(wanted)} if wanted else {})
