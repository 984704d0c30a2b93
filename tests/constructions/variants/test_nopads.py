"""T + 1 tokens are enough: exact at every length, heads look back or to the first token."""

import pytest
from balls_support import fraction_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.arithmetic import Rational
from constructions.automata.families import counting, scalar
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.core.transformer import realise
from constructions.variants import nopads
from verify.exactness.routing import RoutedRational

RATIONAL = WFA.of(["1/2", -1], {"a": [["1/3", 2], [-1, 0]], "b": [[0, "5/7"], [1, -2]]}, [1, 1])


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 7), st.data())
def test_short_words_and_rational_weights_are_exact(length, data):
    word = data.draw(st.text("ab", max_size=length))
    states = nopads.build(RATIONAL, length).states(word, Rational())
    assert fraction_rows(states) == [list(state) for state in RATIONAL.states(word)]


def test_one_state_and_one_letter_need_no_layer():
    simulation = nopads.build(scalar("1/2"), 1)
    assert not simulation.transformer.layers
    assert len(simulation.encode("a")) == 2


@pytest.mark.parametrize("length", [2, 3, 5, 8, 11])
def test_the_left_head_looks_back_and_stops_at_the_first_token(length):
    simulation = nopads.build(counting(), length)
    arithmetic = RoutedRational(nopads.step(length).denominator)
    model = realise(simulation.transformer, arithmetic)
    tokens = arithmetic.array(simulation.encode("0" * length))
    states = model.states(arithmetic, tokens)
    for number, (layer, x) in enumerate(zip(model.layers, states, strict=False)):
        left, right, third = (list(head.scores(arithmetic, x)) for head in layer.heads)
        assert left == [max(0, t - 2**number) for t in range(length + 1)]
        assert right == third == list(range(length + 1))


def test_a_word_that_is_too_long_and_a_length_below_one_are_refused():
    with pytest.raises(InputError, match="at most 2"):
        nopads.build(counting(), 2).encode("000")
    with pytest.raises(InputError, match="length"):
        nopads.build(counting(), 0)
