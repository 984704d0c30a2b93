"""Residual connections carry the positions: exact in rationals, one coordinate more."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.arithmetic import Rational
from constructions.automata.families import counting, k_counting
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.variants import residual

RATIONAL = WFA.of(["1/2", -1], {"a": [["1/3", 2], [-1, 0]], "b": [[0, "5/7"], [1, -2]]}, [1, 1])


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 5), st.data())
def test_short_words_and_rational_weights_are_exact(length, data):
    word = data.draw(st.text("ab", max_size=length))
    states = residual.build(RATIONAL, length).states(word, Rational())
    found = [[Fraction(int(w.p), int(w.q)) for w in row] for row in states]
    assert found == [list(state) for state in RATIONAL.states(word)]


def test_the_blocks_write_nothing_into_positions_and_constant():
    for n in (1, 2, 3):
        kept = {*residual.layout(n)["position"], *residual.layout(n)["one"]}
        assert not kept & {column for _, column in residual.block(n).output.entries}


def test_a_word_that_is_too_long_and_a_length_below_one_are_refused():
    with pytest.raises(InputError, match="at most 2"):
        residual.build(counting(), 2).encode("000")
    with pytest.raises(InputError, match="length"):
        residual.build(counting(), 0)


@pytest.mark.parametrize(("length", "word"), [(1, "a"), (2, "ba"), (3, "ab"), (4, "abba")])
def test_small_words_are_exact(length, word):
    states = residual.build(RATIONAL, length).states(word, Rational())
    found = [[Fraction(int(w.p), int(w.q)) for w in row] for row in states]
    assert found == [list(state) for state in RATIONAL.states(word)]


def test_the_products_for_one_state_are_these():
    """left · right - one · right, into both halves; inputs are (matrix, one) on each side."""
    block = residual.block(1)
    assert block.tensor.entries == {(0, 0, 0): 1, (1, 0, 0): -1}
    assert block.left.rows() == [[1, 0], [0, 0], [0, 0], [0, 0], [0, 1]]
    assert block.right.rows() == [[0, 0], [1, 0], [0, 0], [0, 0], [0, 1]]
    assert block.output.rows() == [[1, 1, 0, 0, 0]]
    assert residual.build(RATIONAL, 2).transformer.readout.shape == (11, 2)
    assert residual.build(WFA.of([3], {"a": [[1]]}, [1]), 2).transformer.readout.entries == {
        (1, 0): 3
    }


def test_tokens_are_those_of_theorem_1_with_a_one():
    rows = residual.build(counting(), 2).encode("0")
    assert [row[:4] for row in rows] == [[1, 0, 0, 1], [1, 0, 0, 1], [1, 0, 1, 1], [1, 0, 0, 1]]
    assert [row[-1] for row in rows] == [1] * 4
    assert len(rows[0]) == 11


@pytest.mark.parametrize(("length", "layers"), [(1, 0), (2, 1), (5, 3)])
def test_there_are_as_many_layers_as_the_logarithm_asks_for(length, layers):
    found = residual.build(counting(), length).transformer.layers
    assert len(found) == layers
    assert all([head.name for head in layer.heads] == ["left", "right"] for layer in found)


def test_three_states_are_exact_too():
    """With two states n², 2n and n^n are one number."""
    three = k_counting(2, 3)
    states = residual.build(three, 2).states("02", Rational())
    found = [[Fraction(int(w.p), int(w.q)) for w in row] for row in states]
    assert found == [list(state) for state in three.states("02")]
