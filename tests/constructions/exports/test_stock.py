"""Weights in stock shapes: heads padded to one width, scores multiplied by what stock divides by."""

from fractions import Fraction

import numpy as np
import pytest

from constructions import decoder
from constructions.automata.families import scalar
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from constructions.core.transformer import MLP, Gated, Head, Layer, Transformer
from constructions.exports.stock import (
    Shape,
    layer_weights,
    padded,
    readout,
    shape,
    table,
    typed,
)

SIZE = Shape(2, 3, 2, 4, 5, 7, 3, 1, False, "gelu")
NARROW = Head(
    Matrix((2, 1), {(0, 0): 3}), Matrix((2, 1), {(1, 0): 5}), Matrix.identity(2), bias=(7,)
)
WIDE = Head(Matrix.zeros(2, 2), Matrix.identity(2), Matrix((2, 1), {(1, 0): 4}))
COMBINE = Matrix.dense([[1, 2], [3, 4], [5, 6]])
UNITS = MLP(Matrix((2, 1), {(0, 0): 8}), (9,), "gelu", Matrix((1, 2), {(0, 1): 6}), (0, 0))


def test_a_matrix_has_zeros_after_it():
    given = np.array([[1.0, 2.0]])
    assert padded(given, 2, 3).tolist() == [[1, 2, 0], [0, 0, 0]]
    assert padded(given[0], 4).tolist() == [1, 2, 0, 0]
    assert padded(given, 2, 3).dtype == np.float64


def test_heads_stand_side_by_side_with_queries_times_the_root_of_their_width():
    found = layer_weights(Layer((NARROW, WIDE), COMBINE, UNITS), SIZE)
    assert {name: tuple(w.shape) for name, w in found.items()} == {
        "W_Q": (3, 2, 4), "W_K": (3, 2, 4), "W_V": (3, 2, 4), "W_O": (3, 4, 2), "b_Q": (3, 4),
        "W_in": (2, 5), "W_out": (5, 2), "b_in": (5,),
    }  # fmt: skip
    assert found["W_Q"][0].tolist() == [[6, 0, 0, 0], [0, 0, 0, 0]]
    assert found["b_Q"].tolist() == [[14, 0, 0, 0], [0] * 4, [0] * 4]
    assert found["W_K"][1].tolist() == [[1, 0, 0, 0], [0, 1, 0, 0]]
    assert found["W_V"][0].tolist() == [[1, 0, 0, 0], [0, 1, 0, 0]]
    assert found["W_V"][1].tolist() == [[0, 0, 0, 0], [4, 0, 0, 0]]
    assert found["W_O"][0].tolist() == [[1, 2], [3, 4], [0, 0], [0, 0]]
    assert found["W_O"][1].tolist() == [[5, 6], [0, 0], [0, 0], [0, 0]]
    assert not found["W_O"][2].any()
    assert found["W_in"].tolist() == [[8, 0, 0, 0, 0], [0] * 5]
    assert found["b_in"].tolist() == [9, 0, 0, 0, 0]
    assert found["W_out"].tolist() == [[0, 6], *[[0, 0]] * 4]


def test_a_gated_block_has_a_gate_and_no_bias():
    block = Gated(
        Matrix((2, 1), {(0, 0): 2}), Matrix((2, 1), {(1, 0): 3}), "silu", Matrix.zeros(1, 2)
    )
    found = layer_weights(Layer((), Matrix.zeros(0, 2), block), SIZE)
    assert found["W_in"].tolist() == [[2, 0, 0, 0, 0], [0] * 5]
    assert found["W_gate"].tolist() == [[0] * 5, [3, 0, 0, 0, 0]]
    assert not found["b_in"].any()
    assert not found["W_Q"].any()


def test_a_head_is_at_least_two_wide():
    assert shape(decoder.build(scalar(1), 4)).head == 2


def test_the_readout_has_a_bias_or_zeros():
    weight = Matrix((2, 1), {(0, 0): Fraction(1, 2)})
    matrix, bias = readout(Transformer((), weight))
    assert (matrix.tolist(), bias.tolist()) == ([[0.5], [0]], [0])
    assert readout(Transformer((), weight, bias=(Fraction(3, 4),)))[1].tolist() == [0.75]
    assert table([[1, Fraction(1, 4)]]).tolist() == [[1, 0.25]]


def test_an_infinite_weight_is_named_with_the_largest_number_of_its_type():
    weights = {"w": np.array([1e38, 1 / 3])}
    assert typed(weights, "float32")["w"].dtype == np.float32
    line = r"infinity in w, expected numbers below 3\.4e\+38, for float32"
    with pytest.raises(InputError, match=line):
        typed({"w": np.array([1e39])}, "float32")
