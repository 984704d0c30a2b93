"""Classes of equal indices confirm what Kronecker deltas were found to sum to."""

import pytest
from confirm_support import Case, Questions
from facts_support import refuses

from verify.facts import indices as facts
from verify.recheck.kinds import indices as kinds

LEMMA = [["i'", "i"], ["j'", "i''"], ["j''", "j"]]
WHOLE = {
    "equalities": LEMMA,
    "left": ["i'", "j'"],
    "right": ["i''", "j''"],
    "entry": ["i", "j"],
}
CASES = [
    Case("indices.sum", facts.indicator_sum, WHOLE),
    Case("indices.sum", facts.indicator_sum, WHOLE | {"equalities": LEMMA[:2]}),
    Case(
        "indices.sum",
        facts.indicator_sum,
        WHOLE | {"equalities": [["i'", "j"], ["j'", "i''"], ["j''", "i"]]},
    ),
    Case("indices.bound", facts.indices_are_bound, {"left": ["i'", "j'", "j''"], "right": LEMMA}),
    Case(
        "indices.bound",
        facts.indices_are_bound,
        {"left": ["i'", "j'", "j''", "i''", "i", "j"], "right": LEMMA},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_missing_doubled_and_unknown_indices_are_refused():
    refuses("indices.sum", WHOLE | {"equalities": []}, "equalities")
    refuses("indices.sum", WHOLE | {"equalities": [["k", "i"]]}, "six different")
    refuses("indices.sum", WHOLE | {"left": ["i'", "i'"]}, "twice")
    refuses("indices.sum", WHOLE | {"left": ["i", "j'"]}, "six different")
    refuses("indices.bound", {"left": [], "right": LEMMA}, "left")
    refuses("indices.bound", {"left": ["i"], "right": [["i"]]}, "a list of 2 to 2")
    assert [kinds.index("j" * size) for size in (1, 8)] == ["j", "jjjjjjjj"]
    for wrong in ([1, 2], ["", "j'"], ["i'", "j" * 9]):
        refuses("indices.sum", WHOLE | {"left": wrong}, "expected indices")
