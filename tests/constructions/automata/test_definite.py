"""Automata with a short memory: the last letters settle the state, on every word that can be read."""

from itertools import product

import pytest
from grid_support import quick_or_full
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.automata.definite import settles, short_memory
from constructions.automata.prediction import predictor
from constructions.automata.processes import ngram
from constructions.automata.wfa import WFA
from constructions.language_model import deterministic


def moves_of(words, order):
    return deterministic(predictor(ngram(words, order))).moves


def state_after(automaton, word):
    """The state, or None where the word cannot be read."""
    row = automaton.states(word)[-1]
    return row.index(1) if 1 in row else None


def holds(automaton, memory, longest):
    """True if the last letters determine the state on every word of at most `longest` letters."""
    for count in range(longest + 1):
        for word in product(automaton.alphabet, repeat=count):
            state = state_after(automaton, word)
            tail = word[max(0, count - memory.letters) :]
            if state is not None and state_after(memory.automaton, tail) != state:
                return False
    return True


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("words", [["abba", "ab", "b", "abab"], ["ab"], ["aab", "bb"]], ids=str)
def test_the_last_symbols_of_an_ngram_settle_its_state(words, order):
    automaton = moves_of(words, order)
    memory = short_memory(automaton)
    assert memory is not None and memory.letters <= order - 1
    assert holds(automaton, memory, order + 2)


def test_a_letter_that_begins_no_word_is_filled_in():
    """Without this the model would read `b` from the start, where no word has it, and say nothing."""
    automaton = moves_of(["ab"], 2)
    assert state_after(automaton, ["b"]) is None
    memory = short_memory(automaton)
    assert state_after(memory.automaton, ["b"]) == state_after(automaton, ["a", "b"])
    assert not holds(automaton, type(memory)(memory.letters, automaton), 4)


def test_no_smaller_number_of_letters_settles_the_state():
    automaton = moves_of(["abba", "ab", "b", "abab"], 4)
    memory = short_memory(automaton)
    assert memory.letters == 3
    assert not holds(automaton, type(memory)(2, memory.automaton), 6)


def test_an_automaton_that_counts_has_no_short_memory():
    assert short_memory(WFA.from_dfa(2, 0, [0], {"a": [1, 0], "b": [0, 1]})) is None


def test_moves_that_lose_or_change_one_are_not_accepted():
    moves = {(0, "a"): 1, (1, "a"): 1, (1, "b"): 0, (0, "b"): 0}
    assert settles(moves, moves, "ab", {0, 1}, 0, 1)
    assert not settles(moves, {**moves, (0, "b"): 1}, "ab", {0, 1}, 0, 1)
    assert not settles(moves, {k: v for k, v in moves.items() if k != (0, "b")}, "ab", {0, 1}, 0, 1)
    assert not settles({**moves, (0, "b"): 1}, {**moves, (0, "b"): 1}, "ab", {0, 1}, 0, 1)


TABLE = st.lists(
    st.lists(st.sampled_from([None, 0, 1, 2]), min_size=3, max_size=3), min_size=2, max_size=2
)


@settings(max_examples=quick_or_full(100, 300), deadline=None)
@given(TABLE)
def test_what_is_claimed_of_a_random_automaton_holds_on_all_short_words(table):
    automaton = WFA.from_dfa(3, 0, [0], dict(zip("ab", table, strict=True)))
    memory = short_memory(automaton)
    if memory is not None:
        assert holds(automaton, memory, 6)


@settings(max_examples=quick_or_full(100, 300), deadline=None)
@given(TABLE)
def test_every_total_automaton_with_a_short_memory_is_found(table):
    """A memory of three states is at most two letters."""
    total = [[q or 0 for q in row] for row in table]
    automaton = WFA.from_dfa(3, 0, [0], dict(zip("ab", total, strict=True)))
    reached = {state_after(automaton, w) for k in range(3) for w in product("ab", repeat=k)}
    ends = [{total["ab".index(b)][total["ab".index(a)][q]] for q in reached}
            for a, b in product("ab", repeat=2)]  # fmt: skip
    assert (short_memory(automaton) is not None) == all(len(states) == 1 for states in ends)
