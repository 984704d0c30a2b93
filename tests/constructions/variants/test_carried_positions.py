"""A third head carries the positions: exact in rationals and floats, positions given once."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from balls_support import fraction_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions import theorem1
from constructions.arithmetic import Floats, Rational
from constructions.automata.families import counting, k_counting
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.core.exact import cos_pi, sin_pi
from constructions.core.transformer import realise
from constructions.variants import carried_positions

RATIONAL = WFA.of(["1/2", -1], {"a": [["1/3", 2], [-1, 0]], "b": [[0, "5/7"], [1, -2]]}, [1, 1])


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 5), st.data())
def test_short_words_and_rational_weights_are_exact(length, data):
    word = data.draw(st.text("ab", max_size=length))
    states = carried_positions.build(RATIONAL, length).states(word, Rational())
    assert fraction_rows(states) == [list(state) for state in RATIONAL.states(word)]


def test_floats_agree_with_the_states_to_their_precision():
    words = list(product("01", repeat=8))[::31]
    simulation = carried_positions.build(counting(), 8)
    for word in words:
        expected = np.array([[float(w) for w in state] for state in counting().states(word)])
        assert np.array_equal(np.round(simulation.states(word, Floats("float64"))), expected)


def test_codes_double_their_angle_in_each_layer():
    simulation = carried_positions.build(counting(), 8)
    arithmetic = Rational()
    model = realise(simulation.transformer, arithmetic)
    start = arithmetic.array(simulation.encode("01010101"))
    column = theorem1.layout(2)["position"][0]
    for layer, tokens in enumerate(model.states(arithmetic, start)):
        angle = 3 * simulation.step * 2**layer
        row = simulation.row(3)
        assert tokens[row, column] == cos_pi(angle)
        assert tokens[row, column + 1] == sin_pi(angle)


def test_nothing_is_supplied_anew():
    assert len(carried_positions.build(counting(), 4).transformer.positions) == 0


def test_a_word_that_is_too_long_and_a_length_below_one_are_refused():
    with pytest.raises(InputError, match="at most 2"):
        carried_positions.build(counting(), 2).encode("000")
    with pytest.raises(InputError, match="length"):
        carried_positions.build(counting(), 0)


@pytest.mark.parametrize(
    ("length", "step"),
    [(1, 1), (2, Fraction(1, 2)), (3, Fraction(1, 8)), (4, Fraction(1, 8)), (5, Fraction(1, 32))],
)
def test_codes_fill_the_circle_in_the_last_layer(length, step):
    """s = 2^(1-L)/M for L = ⌈log₂ T⌉ layers and M = 2^L; 1 where there is no layer."""
    assert carried_positions.step(length) == step
    assert carried_positions.build(counting(), length).step == step


def test_heads_look_one_two_and_four_positions_back():
    """In layer l a position is an angle 2^(l-1) s, and 2^(l-1) positions are 4^(l-1) s."""
    assert [carried_positions.shift(layer, Fraction(1, 8)) for layer in (1, 2, 3)] == [
        Fraction(-1, 8), Fraction(-1, 2), -2,
    ]  # fmt: skip


def test_the_block_squares_a_code():
    cosine, sine = carried_positions.inner_layout(1)["code"]
    entries = carried_positions.tensor(1).entries
    assert (cosine, sine) == (1, 2)
    assert {at: value.rational() for at, value in entries.items() if 0 not in at} == {
        (1, 1, 1): 1, (2, 2, 1): -1, (1, 2, 2): 1, (2, 1, 2): 1,
    }  # fmt: skip
    assert entries[0, 0, 0] == 1


def test_tokens_are_identities_letters_identities():
    simulation = carried_positions.build(counting(), 2)
    rows = simulation.encode("0")
    identity, zero = [1, 0, 0, 1], [1, 0, 1, 1]
    assert [row[:4] for row in rows] == [identity, identity, zero, identity]
    assert [row[4:8] for row in rows] == [row[:4] for row in rows]
    assert simulation.positions == range(-1, 3)
    assert [simulation.row(t) for t in (-1, 0, 2)] == [0, 1, 3]
    assert [[w.rational() for w in row[8:]] for row in rows] == [[0, -1], [1, 0], [0, 1], [-1, 0]]


def test_sizes_are_those_of_theorem_1_but_for_the_code():
    for length, layers in ((1, 0), (2, 1), (5, 3)):
        model = carried_positions.build(counting(), length).transformer
        assert len(model.layers) == layers
        assert model.readout.shape == (10, 2)
        for layer in model.layers:
            assert [head.name for head in layer.heads] == ["left", "right", "position"]
            assert layer.feedforward.left.shape == layer.feedforward.right.shape == (10, 6)


def test_three_states_are_exact_too():
    """With two states n², 2n and n^n are one number."""
    three = k_counting(2, 3)
    states = carried_positions.build(three, 2).states("02", Rational())
    found = [[Fraction(int(w.p), int(w.q)) for w in row] for row in states]
    assert found == [list(state) for state in three.states("02")]
