"""The badge: one line that counts, as wide as its words, of another colour where something broke."""

from xml.etree import ElementTree as ET

import pytest
from reports_support import made

from reports.badge import badge
from reports.view import view
from verify.judge.outcome import Outcome

SVG = "{http://www.w3.org/2000/svg}"


def drawn(**found):
    return ET.fromstring(badge(view(*made(**found))))


def boxes(root):
    return [(int(box.get("x")), int(box.get("width"))) for box in root.iter(f"{SVG}rect")]


@pytest.mark.parametrize(
    ("found", "words"),
    [({}, "8 statements, 1 material finding"), ({"f.part": Outcome(False)}, "1 broken")],
)
def test_the_badge_counts_and_its_boxes_hold_their_words_side_by_side(found, words):
    root = drawn(**found)
    assert [each.text for each in root.iter(f"{SVG}text")][1] == words
    assert root.get("aria-label") == f"assay: {words}" and root.get("role") == "img"
    (left, first), (right, second) = boxes(root)
    assert (left, right) == (0, first) and int(root.get("width")) == first + second
    for (place, width), word in zip(boxes(root), root.iter(f"{SVG}text"), strict=True):
        start, length = int(word.get("x")), int(word.get("textLength"))
        assert place < start and start + length < place + width


def test_a_broken_check_changes_the_colour():
    colours = [[box.get("fill") for box in each.iter(f"{SVG}rect")][1]
               for each in (drawn(), drawn(**{"f.part": Outcome(False)}))]  # fmt: skip
    assert colours[0] != colours[1]
    assert badge(view(*made())) == badge(view(*made())) and badge(view(*made())).count(b"\n") == 1


def test_a_finding_of_another_grade_is_not_material():
    record, certificates = made()
    for finding in record["findings"]:
        finding["grade"] = "slip"
    assert "0 material findings" in badge(view(record, certificates)).decode()
