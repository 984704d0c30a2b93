"""The badge: one line that counts, as wide as its words, and of another colour where something broke."""

from xml.etree import ElementTree as ET

import pytest
from reports_support import made

from reports.badge import HEIGHT, LEFT, LETTER, NAMESPACE, PAD, badge
from reports.view import view
from verify.judge.outcome import Outcome

SVG = f"{{{NAMESPACE}}}"
WHOLE = "8 statements, 1 material finding"


def drawn(**found):
    return ET.fromstring(badge(view(*made(**found))))


def texts(root):
    return [each.text for each in root.iter(f"{SVG}text")]


def test_the_badge_counts_the_statements_of_the_paper_and_its_material_findings():
    root = drawn()
    assert texts(root) == [LEFT, WHOLE]
    assert root.get("aria-label") == f"assay: {WHOLE}" and root.get("role") == "img"


def test_a_finding_of_another_grade_is_not_material():
    record, certificates = made()
    for finding in record["findings"]:
        finding["grade"] = "slip"
    root = ET.fromstring(badge(view(record, certificates)))
    assert texts(root)[1] == "8 statements, 0 material findings"


def test_what_is_broken_comes_first_and_has_another_colour():
    root, broken = drawn(), drawn(**{"f.part": Outcome(False)})
    assert texts(broken) == [LEFT, "1 broken"]
    colours = [[box.get("fill") for box in each.iter(f"{SVG}rect")] for each in (root, broken)]
    assert colours == [["#3a424a", "#0c5a86"], ["#3a424a", "#941071"]]


@pytest.mark.parametrize("found", [{}, {"f.part": Outcome(False)}])
def test_both_boxes_are_as_wide_as_their_words_and_lie_beside_each_other(found):
    root = drawn(**found)
    left, right = root.iter(f"{SVG}rect")
    widths = [LETTER * len(text) + 2 * PAD for text in texts(root)]
    assert [int(box.get("width")) for box in (left, right)] == widths
    assert (left.get("x"), right.get("x")) == ("0", str(widths[0]))
    assert int(root.get("width")) == sum(widths)
    assert {root.get("height"), left.get("height"), right.get("height")} == {str(HEIGHT)}
    for box, word in zip((left, right), root.iter(f"{SVG}text"), strict=True):
        assert int(word.get("x")) == int(box.get("x")) + PAD
        assert int(word.get("textLength")) == int(box.get("width")) - 2 * PAD


def test_the_same_record_gives_the_same_bytes_on_one_line():
    assert badge(view(*made())) == badge(view(*made()))
    assert badge(view(*made())).count(b"\n") == 1
