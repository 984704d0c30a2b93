"""The scan's pseudocode is followed by the inputs that each element has collected."""

import pytest
from confirm_support import Case, Questions
from facts_support import refuses

from verify.facts import pseudocode as facts
from verify.recheck.kinds import pseudocode

SCAN = {"range_": "whole", "order": "repaired", "operator": "words", "most": 6}
CASES = [
    *(
        Case("scan.pseudocode", facts.pseudocode, SCAN | change)
        for change in (
            {},
            {"order": "printed"},
            {"order": "printed", "operator": "sums"},
            {"range_": "printed", "operator": "sums"},
        )
    ),
    Case("scan.in-place", facts.in_place, {"direction": "descending", "most": 6}),
    Case("scan.in-place", facts.in_place, {"direction": "ascending", "most": 6}),
    Case("scan.work", facts.work, {"most": 40}),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_names_that_are_not_known_are_refused():
    for name in ("range_", "order", "operator"):
        refuses("scan.pseudocode", SCAN | {name: "x"}, f"{name} = 'x', expected one of")
    refuses("scan.in-place", {"direction": "x", "most": 6}, "expected one of descending, ascending")


@pytest.mark.parametrize(
    ("last", "printed", "held"),
    [(4, False, ["a", "ab", "abc", "abcd", "abcde"]), (4, True, ["a", "ba", "cba", "dcba", "edcba"]),
     (3, False, ["a", "ab", "abc", "abcd", "e"]), (2, True, ["a", "ba", "cba", "d", "e"])],
)  # fmt: skip
def test_what_the_elements_of_a_scan_of_four_hold_at_the_end(last, printed, held):
    found = pseudocode.collected(4, last, printed)
    assert [pseudocode.shown("words", indices) for indices in found] == held
    assert pseudocode.shown("sums", [0, 2, 3]) == "13"


@pytest.mark.parametrize(
    ("asked", "witness"),
    [
        ({"range_": "printed", "order": "repaired", "operator": "words"}, (1, 1, "b", "ab")),
        ({"range_": "whole", "order": "printed", "operator": "words"}, (1, 1, "ba", "ab")),
        ({"range_": "printed", "order": "repaired", "operator": "sums"}, (1, 1, "2", "3")),
    ],
)
def test_the_first_element_that_is_wrong_is_shown(asked, witness):
    answer = pseudocode.pseudocode({**asked, "most": 1}, {})
    assert answer.witness == dict(zip(("n", "j", "got", "expected"), witness, strict=True))


def test_an_ascending_scan_in_place_counts_twice_from_two_elements_on():
    answer = pseudocode.in_place({"direction": "ascending", "most": 4}, {})
    # step 1: ab, then ab + c at once; step 2: a + abc
    assert answer.witness == {"n": 2, "j": 2, "got": "aabc", "expected": "abc"}
    assert pseudocode.in_place({"direction": "ascending", "most": 1}, {}).holds
    assert pseudocode.in_place({"direction": "descending", "most": 9}, {}).holds
