"""Families of automata: each fact holds as it is and fails on a mutant of the construction."""

from types import SimpleNamespace

import pytest
from tests_support import arguments_of_calls

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


def test_transition_before_emission_is_seen(monkeypatch):
    import sympy

    def swapped(n, word):
        start, move, emit = families._hmm(n)
        state = sympy.Matrix([start])
        for letter in word:
            state = state * sympy.Matrix(move) * sympy.diag(*emit[letter])
        return sympy.expand((state * sympy.ones(n, 1))[0])

    monkeypatch.setattr(families, "_by_parameters", swapped)
    assert families.hmm_probabilities([2], [1]).witness == {"n": 2, "word": "a"}


def test_rows_that_do_not_add_up_are_seen(monkeypatch):
    import sympy

    def loose(name, n, m):
        return [[sympy.Symbol(f"{name}{i}{j}") for j in range(m)] for i in range(n)]

    monkeypatch.setattr(families, "_stochastic", loose)
    assert families.hmm_total([1], [1]).holds is False


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


def test_all_automata_are_different_and_all_words_up_to_the_length_are_run(monkeypatch):
    assert len({str(each) for each in families._automata(2)}) == 1024
    assert {start for start, *_ in families._automata(2)} == {0}
    call = lambda: families.accepts(1, 2)  # noqa: E731
    asked = arguments_of_calls(monkeypatch, families, "_accepts", call)
    words = ["", "a", "b", "aa", "ab", "ba", "bb"]
    assert ["".join(word) for *_, word in asked] == words * 8 and call().holds


def test_an_automaton_that_accepts_too_little_is_seen(monkeypatch):
    nfa = made.nfa
    monkeypatch.setattr(made, "nfa", lambda n, start, _, edges: nfa(n, start, [], edges))
    found = families.accepts(1, 1)
    assert found.holds is False and found.witness["word"] == ""


def test_counts_of_one_letter_to_most_are_looked_at_with_one_letter_more(monkeypatch):
    seen = []

    def build(k, letters):
        def states(word):
            seen.append((k, "".join(word)))
            return [[word.count(str(letter)) for letter in range(k)] + [1]]

        return SimpleNamespace(transitions=dict.fromkeys("0123"[:letters]), states=states)

    monkeypatch.setattr(made, "k_counting", build)
    assert families.counts("last", 2, 1).holds
    assert seen == [(1, ""), (1, "0"), (1, "1"), (2, ""), (2, "0"), (2, "1"), (2, "2")]
