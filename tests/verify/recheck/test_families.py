"""Families of automata are followed anew, by paths, polynomials and counts."""

import pytest
from confirm_support import Case, Questions
from facts_support import refuses
from tests_support import arguments_of_calls

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


def test_computations_that_disagree_are_refused(monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(families, "_paths", lambda *_: 1)
        refuses("family.accepts", CASES[0].parameters, "paths and sets of states disagree")
    with monkeypatch.context() as patched:
        right = families._backward
        patched.setattr(
            families, "_backward", lambda n, w, late: right(n, w[:1] if late else w, late)
        )
        refuses("family.hmm", CASES[2].parameters, "the two formulas differ")
        patched.setattr(families, "_backward", lambda n, w, late: right(n, w[:1], late))
        refuses("family.hmm-total", {"states": [2], "lengths": [2]}, "do not add up to 1")


def test_every_word_and_every_set_of_final_states_is_looked_at(monkeypatch):
    asked = []
    right = families._paths
    monkeypatch.setattr(families, "_paths", lambda *given: asked.append(given[1:]) or right(*given))
    monkeypatch.setattr(families, "_relations", lambda n: [((0,),)])
    assert families.accepts({"states": 1, "longest": 2}, {}).values == {"automata": 2}
    words = [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1)]
    assert {(word, mask) for word, _, mask in asked} == {(w, m) for w in words for m in (0, 1)}


def test_paths_are_counted_and_states_are_met():
    """Letter 0 leads from 0 to 0 and 1 and from 1 to 1, letter 1 from 0 to nothing and from 1 to 0."""
    relations = (((0, 1), (1,)), ((), (0,)))
    assert families._paths(relations, (0, 0), 0, 0b10) == 2
    assert families._paths(relations, (0, 0), 0, 0b01) == 1
    assert families._paths(relations, (0, 0), 0, 0b11) == 3
    assert (
        families._paths(relations, (), 1, 0b10) == 1
        and families._paths(relations, (), 1, 0b01) == 0
    )
    assert [families._reach(relations, word) for word in ((), (0,), (1,), (0, 1), (0, 0))] == [
        1,
        3,
        0,
        1,
        3,
    ]
    assert len(list(families._relations(2))) == 16
    assert list(families._relations(1)) == [((),), ((0,),)]
    assert [row for row, _ in families._relations(2)][::4] == [(), (0,), (1,), (0, 1)]


@pytest.mark.parametrize("late", [False, True])
def test_the_weight_of_a_word_is_the_sum_over_its_paths(late):
    """Of one state and one letter: the emission alone; of two letters both, with a step between."""
    emit = families.symbol("o0.0")
    other = families.minus(families.number(1), emit)
    assert families._backward(1, (0,), late) == emit
    assert families._backward(1, (0, 1), late) == families.times(emit, other)
    p, t = (families.symbol(name) for name in ("p.0", "o1.0"))
    rest = families.minus(families.number(1), p)
    wanted = families.add(families.times(p, emit), families.times(rest, t))
    assert families._backward(2, (0,), late) == wanted


@pytest.mark.parametrize(
    ("initial", "state", "expected"), [("first", ["1", "0"], ["0", "1"]), ("last", None, None)]
)
def test_a_count_that_begins_at_the_first_entry_is_wrong_at_the_empty_word(
    initial, state, expected
):
    answer = families.counts({"initial": initial, "most": 2, "longest": 2}, {})
    shown = {"k": 1, "word": "ε", "state": state, "expected": expected}
    assert (answer.holds, answer.witness) == ((True, None) if state is None else (False, shown))


def test_the_words_of_a_length_are_all_asked_for(monkeypatch):
    words = [(0, 0), (0, 1), (1, 0), (1, 1)]
    parameters = {"states": [2], "lengths": [2]}
    call = lambda: families.hmm(parameters, {})  # noqa: E731
    asked = arguments_of_calls(monkeypatch, families, "_backward", call)
    assert asked == [(2, word, late) for word in words for late in (True, False)]
    call = lambda: families.total(parameters, {})  # noqa: E731
    asked = arguments_of_calls(monkeypatch, families, "_backward", call)
    assert asked == [(2, word, False) for word in words]
    asked = {"initial": "last", "most": 2, "longest": 1}
    call = lambda: families.counts(asked, {})  # noqa: E731
    found = arguments_of_calls(monkeypatch, families, "_followed", call)
    assert found == [
        *((1, word, 1) for word in ((), (0,), (1,))), *((2, word, 2) for word in ((), (0,), (1,), (2,)))
    ]  # fmt: skip


def test_a_letter_adds_the_last_entry_to_its_own():
    assert families._followed(2, (0, 0, 1, 2), 2) == [2, 1, 1]
    assert families._followed(2, (0, 1), 0) == [1, 0, 0]
