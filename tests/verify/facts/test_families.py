"""Families of automata: each fact holds as it is and fails on a mutant of the construction."""

import pytest

from constructions.automata import families as made
from constructions.automata.wfa import WFA
from verify.facts import families


def test_every_small_automaton_is_a_weighted_one():
    assert families.accepts(1, 3).values == {"automata": 8}
    assert families.accepts(2, 1).values == {"automata": 1024}


def test_an_automaton_that_accepts_too_much_is_seen(monkeypatch):
    def wrong(states, start, accepting, edges):
        return original(states, start, range(states), edges)

    original = made.nfa
    monkeypatch.setattr(made, "nfa", wrong)
    found = families.accepts(2, 1)
    assert found.holds is False and found.witness["word"] == ""


def test_hmms_are_weighted_automata():
    assert families.hmm_probabilities([1, 2], [1, 2]).holds
    assert families.hmm_total([1, 2], [1, 2]).holds


def test_counting_starts_in_the_last_state_and_not_in_the_first():
    assert families.counts("last", 2, 3).holds
    printed = families.counts("first", 2, 3)
    assert printed.witness == {"k": 1, "word": "ε", "state": ["1", "0"], "expected": ["0", "1"]}


def test_a_letter_that_counts_twice_is_seen(monkeypatch):
    def twice(k, letters):
        right = made._k_counting(k, letters, start=k)
        moves = {s: [list(r) for r in rows] for s, rows in right.transitions.items()}
        moves["0"][k][0] = 2
        return WFA.of(right.alpha, moves, right.beta)

    monkeypatch.setattr(made, "k_counting", twice)
    assert families.counts("last", 1, 2).witness["word"] == "0"


@pytest.mark.parametrize(("matrix", "adds"), [([[1, 0], [1, 1]], 1), ([[1, 0], [0, 1]], 0)])
def test_one_letter_adds_what_it_should_for_every_count(matrix, adds):
    assert families.count_step(matrix, adds).holds
    assert families.count_step(matrix, adds + 1).witness["state"]


def test_an_automaton_that_accepts_too_little_is_seen(monkeypatch):
    nfa = made.nfa
    monkeypatch.setattr(made, "nfa", lambda n, start, _, edges: nfa(n, start, [], edges))
    found = families.accepts(1, 1)
    assert found.holds is False and found.witness["word"] == ""
