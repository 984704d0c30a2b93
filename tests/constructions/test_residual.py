"""Residual connections carry the positions: exact in rationals, one coordinate more."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions import residual
from constructions.arithmetic import Rational
from constructions.errors import InputError
from constructions.families import counting
from constructions.wfa import WFA

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
