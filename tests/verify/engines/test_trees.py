"""The integer engine of the repaired heads: it is the dense pass, ties are errors, heights are right."""

import pytest

from constructions.arithmetic import Rational
from constructions.random_trees import random_wta
from constructions.theorem3 import Places, build
from constructions.transformer import realise
from constructions.trees import comb, tokens
from verify.engines.trees import Batch, Generic, generic, heights

TREES = ("a", "[ab]", "[[ab]c]", "[[ab][cd]]", "[a[b[cd]]]")


def dense_targets(symbols, places):
    """Where the built parse layer's heads look, by the exact forward pass; rows count from 0."""
    arithmetic = Rational()
    model = build(random_wta(1, 1, alphabet="abcd"), len(symbols), height=1, places=places)
    real = realise(model.transformer, arithmetic)
    rows = list(real.states(arithmetic, arithmetic.array(model.encode(symbols))))[2]
    found = {}
    for head in real.layers[2].heads[:2]:
        scores = head.scores(arithmetic, rows)
        for i, row in enumerate(scores):
            allowed = list(head.mask.seen(i, len(row)))
            best = arithmetic.maximisers([row[j] for j in allowed])
            found[head.name, i] = [allowed[j] for j in best]
    return found


def engine_targets(symbols):
    batch = Batch((tuple(symbols),))
    return {
        (name, i): [int(j)]
        for name in ("left", "right")
        for i, j in enumerate(batch.attended(name)[0])
    }


@pytest.mark.parametrize("symbols", TREES)
@pytest.mark.parametrize("places", list(Places))
def test_the_engine_looks_where_the_built_heads_look(symbols, places):
    assert engine_targets(symbols) == dense_targets(symbols, places)


def test_an_engine_without_flags_at_left_children_differs(monkeypatch):
    monkeypatch.setattr(Batch, "marks", lambda self: self.depths() ** 2)
    assert engine_targets("[[ab][cd]]") != dense_targets("[[ab][cd]]", Places.LINE)


def test_states_of_a_long_comb_are_those_of_the_definition():
    automaton = random_wta(2, 2, bound=1)
    symbols = tokens(comb("ab" * 6))
    *_, last = Batch((symbols,)).states(automaton, max(heights(symbols).values()))
    for i, state in automaton.states(symbols).items():
        assert list(last[0, i - 1]) == [int(x) for x in state]


def test_ties_are_errors_in_the_engine(monkeypatch):
    monkeypatch.setattr(Batch, "right", lambda self, rows: self.left(rows) * 0)
    with pytest.raises(ArithmeticError, match="the right head has a tie"):
        Batch((tuple("[ab]"),)).attended("right")


def test_heights_are_those_of_subtrees():
    assert heights("[[ab]c]") == {3: 0, 4: 0, 6: 0, 2: 1, 1: 2}


def test_a_score_with_a_symbol_in_it_is_an_error():
    ring, automaton = generic(1, letters=1)
    with pytest.raises(ArithmeticError, match="expected a number in a score"):
        ring.scores(ring.array([list(automaton.leaf("a"))]), ring.array([[1]]))
    assert isinstance(ring, Generic)
