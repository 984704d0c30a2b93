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


def test_descending_updates_are_made_in_place(monkeypatch):
    """A list that is read from its beginning although it is asked for from its end."""
    monkeypatch.setattr(pseudocode, "reversed", iter, raising=False)
    answer = pseudocode.in_place({"direction": "descending", "most": 6}, {})
    assert answer.holds is False and answer.witness["n"] == 2
