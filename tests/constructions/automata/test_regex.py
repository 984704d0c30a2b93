"""Regular expressions: the minimal automaton, its states in the order in which they are reached."""

import time
from itertools import product

import pytest

pytest.importorskip("automata")

from constructions.automata.regex import from_regex
from constructions.core.errors import InputError


def matched_words(automaton, most: int = 4) -> set[str]:
    words = ("".join(word) for length in range(most + 1) for word in product("ab", repeat=length))
    return {word for word in words if automaton.weight(word)}


@pytest.mark.parametrize(
    ("pattern", "words", "states"),
    [
        ("(ab)*", {"", "ab", "abab"}, 2),
        ("a|b", {"a", "b"}, 2),
        ("a{2,3}", {"aa", "aaa"}, 4),
        ("ab?", {"a", "ab"}, 3),
    ],
)
def test_the_automaton_accepts_what_the_pattern_matches(pattern, words, states):
    automaton = from_regex(pattern, "ab")
    assert matched_words(automaton) == words
    assert automaton.n == states
    assert automaton.alphabet == ("a", "b")
    assert automaton.alpha[0] == 1


@pytest.mark.parametrize(
    ("pattern", "alphabet", "words"),
    [
        ("a(", "a", "regex: found a(, expected a pattern that automata-lib reads"),
        ("a", ["ab"], "alphabet: found [ab], expected symbols of one character each"),
        ("a", [], "alphabet: found [], expected symbols of one character each"),
        ("a", [""], "expected symbols of one character each"),
        ("a" * 1001, "a", "regex: found 1001 characters, expected at most 1000"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(pattern, alphabet, words):
    with pytest.raises(InputError) as caught:
        from_regex(pattern, alphabet)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("pattern", [
    "a{100000}", "(a{1000}){1000}", "((((a{9}){9}){9}){9}){9}", "a{99999999999999999999,}",
    "(a|b)*a(a|b){18}", "a{512}", "(a|b)*a(a|b){9}", "(a|b){40}^(a|b){40}", "(a?){1000}",
])  # fmt: skip
def test_a_short_pattern_that_stands_for_much_is_refused_at_once(pattern):
    started = time.process_time()
    with pytest.raises(InputError, match=r"regex.*at most"):
        from_regex(pattern, "ab")
    assert time.process_time() - started < 10


@pytest.mark.parametrize("pattern", [
    "(a|b)*a(a|b){3}", "a*b*(ab)?", "(a?){3}b+", "[ab]{2,}&(ab)*", "(ab)^(ba)", "a{0,2}|b{,2}", "",
])  # fmt: skip
def test_the_states_are_those_of_the_library(pattern):
    from automata.fa.dfa import DFA
    from automata.fa.nfa import NFA

    whole = DFA.from_nfa(NFA.from_regex(pattern, input_symbols={"a", "b"}), minify=True)
    words = ["".join(w) for length in range(7) for w in product("ab", repeat=length)]
    ours = from_regex(pattern, "ab")
    assert [bool(ours.weight(word)) for word in words] == [whole.accepts_input(w) for w in words]
    assert ours.n <= len(whole.states)
