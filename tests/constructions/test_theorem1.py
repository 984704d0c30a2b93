"""Theorem 1's construction in every arithmetic, for every T ≥ 1, and its errors."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from constructions import theorem1
from constructions.arithmetic import Floats, Multiprecision
from constructions.arithmetic.torch import Torch
from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.core.sizes import sizes


def expected_floats(automaton, word):
    return np.array([[float(w) for w in state] for state in automaton.states(word)])


@pytest.mark.parametrize(
    ("arithmetic", "digits"),
    [
        (Floats(np.float64), 53),
        (Floats(np.float32), 24),
        (Torch(torch.float64), 53),
        (Torch(torch.float32), 24),
        (Torch(torch.bfloat16), 8),
        (Multiprecision(40), 53),
    ],
    ids=["float64", "float32", "torch64", "torch32", "bfloat16", "mpmath"],
)
def test_counting_is_right_in_floating_point(arithmetic, digits):
    word = "01001011"
    states = theorem1.build(counting(), 8).states(word, arithmetic)
    found = np.array([[float(w) for w in row] for row in states])
    assert (found == expected_floats(counting(), word)).all(), digits


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


@pytest.mark.parametrize(("length", "words"), [("4", "the text 4"), (True, "true"), (0, "0")])
def test_the_refused_length_is_named(length, words):
    with pytest.raises(InputError, match=f"length: found {words}, expected a whole number ≥ 1"):
        theorem1.check_length(length)
    assert theorem1.check_length(np.int64(3)) == 3
    assert type(theorem1.check_length(np.int64(3))) is int


def test_tokens_are_named_by_letters_and_pads():
    model = theorem1.build(counting(), 4)
    assert model.names("011") == [*[theorem1.PAD] * 4, "0", "1", "1", theorem1.PAD]
    assert model.names("") == [theorem1.PAD] * 8
