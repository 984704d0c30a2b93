"""One step of the automaton a layer: T layers give all states, fewer do not."""

from fractions import Fraction

import pytest
from balls_support import fraction_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.arithmetic import Rational
from constructions.automata.families import counting, k_counting
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.variants import unrolled

RATIONAL = WFA.of(["1/2", -1], {"a": [["1/3", 2], [-1, 0]], "b": [[0, "5/7"], [1, -2]]}, [1, 1])


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 5), st.data())
def test_short_words_and_rational_weights_are_exact(length, data):
    word = data.draw(st.text("ab", max_size=length))
    states = unrolled.build(RATIONAL, length).states(word, Rational())
    assert fraction_rows(states) == [list(state) for state in RATIONAL.states(word)]


def test_after_fewer_layers_a_late_state_is_not_there_yet():
    few = unrolled.build(counting(), 3, layers=2).states("000", Rational())
    assert fraction_rows(few)[2] == [2, 1]
    assert fraction_rows(few)[3] != [3, 1]


def test_a_word_that_is_too_long_and_a_length_below_one_are_refused():
    with pytest.raises(InputError, match="at most 2"):
        unrolled.build(counting(), 2).encode("000")
    with pytest.raises(InputError, match="length"):
        unrolled.build(counting(), 0)


@pytest.mark.parametrize(("length", "word"), [(1, "a"), (2, "ba"), (3, "ab"), (4, "abba")])
def test_small_words_are_exact(length, word):
    states = unrolled.build(RATIONAL, length).states(word, Rational())
    found = [[Fraction(int(w.p), int(w.q)) for w in row] for row in states]
    assert found == [list(state) for state in RATIONAL.states(word)]


def test_there_is_a_layer_for_each_letter_unless_another_number_is_asked_for():
    for length in (1, 3, 4):
        assert len(unrolled.build(counting(), length).transformer.layers) == length
    assert len(unrolled.build(counting(), 3, layers=1).transformer.layers) == 1


def test_the_products_for_one_state_are_these():
    """state × matrix, one × matrix, one × one; inputs (state, one) and (matrix, one)."""
    block = unrolled.block(1)
    assert block.tensor.entries == {(0, 0, 0): 1, (1, 0, 1): 1, (1, 1, 2): 1}
    assert block.left.rows() == [[1, 0], [0, 0], [0, 1], [0, 0], [0, 0]]
    assert block.right.rows() == [[0, 0], [1, 0], [0, 1], [0, 0], [0, 0]]
    assert block.output.rows() == [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]]
    assert unrolled.layout(2).size == 9


def test_every_token_begins_with_alpha():
    rows = unrolled.build(counting(), 2).encode("0")
    assert [row[:2] for row in rows] == [[0, 1]] * 4
    assert [row[2:6] for row in rows] == [[1, 0, 0, 1], [1, 0, 0, 1], [1, 0, 1, 1], [1, 0, 0, 1]]
    assert [row[6] for row in rows] == [1] * 4


def test_three_states_are_exact_too():
    """With two states n², 2n and n^n are one number."""
    three = k_counting(2, 3)
    states = unrolled.build(three, 2).states("02", Rational())
    found = [[Fraction(int(w.p), int(w.q)) for w in row] for row in states]
    assert found == [list(state) for state in three.states("02")]
