"""One step of the automaton a layer: T layers give all states, fewer do not."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions import unrolled
from constructions.arithmetic import Rational
from constructions.errors import InputError
from constructions.families import counting
from constructions.wfa import WFA

RATIONAL = WFA.of(["1/2", -1], {"a": [["1/3", 2], [-1, 0]], "b": [[0, "5/7"], [1, -2]]}, [1, 1])


def plain(states) -> list[list[Fraction]]:
    return [[Fraction(int(w.p), int(w.q)) for w in row] for row in states]


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 5), st.data())
def test_short_words_and_rational_weights_are_exact(length, data):
    word = data.draw(st.text("ab", max_size=length))
    states = unrolled.build(RATIONAL, length).states(word, Rational())
    assert plain(states) == [list(state) for state in RATIONAL.states(word)]


def test_after_fewer_layers_a_late_state_is_not_there_yet():
    few = unrolled.build(counting(), 3, layers=2).states("000", Rational())
    assert plain(few)[2] == [2, 1]
    assert plain(few)[3] != [3, 1]


def test_a_word_that_is_too_long_and_a_length_below_one_are_refused():
    with pytest.raises(InputError, match="at most 2"):
        unrolled.build(counting(), 2).encode("000")
    with pytest.raises(InputError, match="length"):
        unrolled.build(counting(), 0)
