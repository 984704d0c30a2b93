"""Theorem 1's construction in every arithmetic, for every T ≥ 1, and its errors."""

from fractions import Fraction

import numpy as np

from constructions import theorem1
from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.core.sizes import sizes


def expected_floats(automaton, word):
    return np.array([[float(w) for w in state] for state in automaton.states(word)])


def test_the_sizes_are_those_of_the_theorem():
    found = sizes(theorem1.build(counting(), 16).transformer)
    assert (found.depth, found.embedding, found.attention, found.feedforward, found.heads) == (
        4,
        10,
        10,
        8,
        2,
    )
    assert found.nonzero < found.parameters
    assert found.largest == 1


def test_depth_and_span_are_those_of_the_next_power_of_two():
    lengths = (1, 2, 3, 4, 5, 8, 9)
    assert [theorem1.depth(length) for length in lengths] == [0, 1, 2, 2, 3, 3, 4]
    assert [theorem1.span(length) for length in lengths] == [1, 2, 4, 4, 8, 8, 16]
    assert [theorem1.theta(layer, 8) for layer in (1, 2, 3)] == [
        Fraction(-1, 8), Fraction(-1, 4), Fraction(-1, 2),
    ]  # fmt: skip


def test_the_tensor_multiplies_matrices():
    assert theorem1.tensor(2).entries.keys() == {
        (0, 0, 0), (0, 1, 1), (1, 2, 0), (1, 3, 1), (2, 0, 2), (2, 1, 3), (3, 2, 2), (3, 3, 3),
    }  # fmt: skip
    assert set(theorem1.tensor(2).entries.values()) == {1}
    assert theorem1.tensor(3).shape == (9, 9, 9)


def test_each_token_holds_the_product_of_its_last_letters():
    assert theorem1.build(counting(), 4).contents("0110") == [
        ["I", "0", "1", "1", "0"],
        ["I", "0", "01", "11", "10"],
        ["I", "0", "01", "011", "0110"],
    ]


def test_long_products_are_named_by_their_first_and_last_letter():
    held = theorem1.build(counting(), 16).contents("0" * 16)
    assert held[3][8] == "0" * 8
    assert held[4][9] == "1–9"
    assert held[4][16] == "1–16"
    long = theorem1.build(WFA.of([1], {"a-long-symbol": [[1]]}, [1]), 2).contents(
        ["a-long-symbol"] * 2
    )
    assert long[0][2] == "a-long-symbol", "one letter is never shortened"
    assert long[1][2] == "1–2"
    short = theorem1.build(WFA.of([1], {"xy": [[1]]}, [1]), 2).contents(["xy"] * 2)
    assert short[1][2] == "xy xy"


def test_tokens_are_named_by_letters_and_pads():
    model = theorem1.build(counting(), 4)
    assert model.names("011") == [*[theorem1.PAD] * 4, "0", "1", "1", theorem1.PAD]
    assert model.names("") == [theorem1.PAD] * 8
