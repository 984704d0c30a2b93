"""Families of automata are followed anew, by paths, polynomials and counts."""

import pytest
from confirm_support import Case, Questions
from facts_support import refuses

from verify.facts import families as facts
from verify.recheck.kinds import families

PFA = {
    "initial": ["1", "0"],
    "final": ["1/2", "1"],
    "edges": [{"from": 0, "to": 1, "weight": "1/2"}],
}
CASES = [
    Case("family.accepts", facts.accepts, {"states": 2, "longest": 1}),
    Case("family.accepts", facts.accepts, {"states": 1, "longest": 3}),
    Case("family.hmm", facts.hmm_probabilities, {"states": [1, 2], "lengths": [1, 2]}),
    Case("family.hmm-total", facts.hmm_total, {"states": [1, 2], "lengths": [1, 2]}),
    Case("family.row-sums", facts.row_sums, {"of": "letter", "states": [2, 1]}),
    Case("family.row-sums", facts.row_sums, {"of": "total", "states": [1, 2]}),
    Case("family.pfa", facts.pfa, {**PFA, "reading": "printed"}),
    Case("family.pfa", facts.pfa, {**PFA, "reading": "repaired"}),
    Case("family.pfa", facts.pfa, {**PFA, "final": ["1/3", "1"], "reading": "repaired"}),
    Case("family.pfa", facts.pfa, {**PFA, "initial": ["2", "-1"], "reading": "repaired"}),
    Case("family.counts", facts.counts, {"initial": "last", "most": 2, "longest": 2}),
    Case("family.counts", facts.counts, {"initial": "first", "most": 2, "longest": 2}),
    Case(
        "family.count-step",
        facts.count_step,
        {"matrix": [[1, 0], [1, 1]], "adds": 1},
        (("adds", 0),),
    ),
    Case("family.count-step", facts.count_step, {"matrix": [[1, 0], [0, 1]], "adds": 0}),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@pytest.mark.parametrize(
    ("matrix", "adds"),
    [
        ([[1, 0], [1, 1]], 0),
        ([[1, 1], [1, 1]], 1),
        ([[2, 0], [1, 1]], 1),
        ([[1, 0], [1, 2]], 1),
        ([[1, 0], [2, 1]], 1),
    ],
)
def test_a_matrix_that_does_not_count_is_refused_as_the_fact_finds(matrix, adds):
    assert not facts.count_step(matrix, adds).holds
    refuses("family.count-step", {"matrix": matrix, "adds": adds}, "a product is not as stated")


def test_a_pfa_needs_sums_of_one_weights_of_zero_and_a_function_on_all_pairs():
    readings = [facts.pfa(**PFA, reading=reading) for reading in ("printed", "repaired")]
    assert [one.holds for one in readings] == [False, True]
    assert readings[0].witness == {"from": 0, "to": 0, "zero": 1}
    for change in ({"final": ["1/3", "1"]}, {"initial": ["2", "-1"]}, {"edges": []}):
        assert facts.pfa(**{**PFA, **change}, reading="repaired").holds is False
    whole = [{"from": p, "to": q, "weight": "1/4"} for p in (0, 1) for q in (0, 1)]
    total = {"initial": ["1/2", "1/2"], "final": ["1/2", "1/2"], "edges": whole}
    assert facts.pfa(**total, reading="printed").holds
    refuses(
        "family.pfa", {**PFA, "edges": [{"from": 0}], "reading": "printed"}, "from, to and weight"
    )


def test_names_and_entries_out_of_range_are_refused():
    refuses("family.accepts", {"states": 3, "longest": 1}, "integer from 1 to 2")
    refuses(
        "family.counts", {"initial": "x", "most": 1, "longest": 1}, "expected one of first, last"
    )
    refuses("family.count-step", {"matrix": [[1, 0], [10, 1]], "adds": 1}, "integer from -9 to 9")
    refuses("family.hmm", {"states": [4], "lengths": [1]}, "integer from 1 to 3")


@pytest.mark.parametrize(
    ("initial", "state", "expected"), [("first", ["1", "0"], ["0", "1"]), ("last", None, None)]
)
def test_a_count_that_begins_at_the_first_entry_is_wrong_at_the_empty_word(
    initial, state, expected
):
    answer = families.counts({"initial": initial, "most": 2, "longest": 2}, {})
    shown = {"k": 1, "word": "ε", "state": state, "expected": expected}
    assert (answer.holds, answer.witness) == ((True, None) if state is None else (False, shown))
