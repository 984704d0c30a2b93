"""Theorem 2's model: it is Theorem 1's with √C and softmax, and its error falls as C grows."""

from fractions import Fraction

import flint
import numpy as np
import pytest

from constructions import theorem1, theorem2
from constructions.arithmetic import Balls, Floats, Multiprecision
from constructions.automata.families import counting, scalar
from constructions.blocks.multiplication import slim_multiplier
from constructions.core.errors import InputError
from constructions.core.sizes import sizes
from constructions.core.transformer import MLP, Attention


def largest_error(states, exact) -> float:
    return max(
        abs(float(x) - float(y))
        for a, b in zip(states, exact, strict=True)
        for x, y in zip(a, b, strict=True)
    )


@pytest.mark.parametrize("saturation", [Fraction(1), Fraction(2), Fraction(7, 3)])
def test_scores_are_c_times_those_of_theorem_1(saturation):
    for layer in (1, 2, 3):
        hard = theorem1.heads(2, layer, 8, Attention.HARD)
        soft = theorem2.heads(2, layer, 8, saturation)
        for a, b in zip(soft, hard, strict=True):
            scores, exact = a.query @ a.key.transpose, b.query @ b.key.transpose
            assert set(scores.entries) == set(exact.entries)
            assert all(scores.entries[at] == saturation * v for at, v in exact.entries.items())


def test_values_and_embedding_are_untouched_by_c():
    hard, soft = theorem1.build(counting(), 4), theorem2.build(counting(), 4, 50)
    assert soft.encode("0110") == hard.encode("0110")
    for a, b in zip(soft.transformer.layers, hard.transformer.layers, strict=True):
        for one, two in zip(a.heads, b.heads, strict=True):
            assert one.value == two.value
            assert one.attention is Attention.SOFT


def test_the_error_falls_as_c_grows_in_every_arithmetic():
    exact = counting().states("0100")
    for arithmetic in (Floats(), Multiprecision(40)):
        errors = [
            largest_error(theorem2.build(counting(), 4, c).states("0100", arithmetic), exact)
            for c in (5, 20, 80)
        ]
        assert errors[0] > 10 * errors[1] > 100 * errors[2]


def test_the_empty_word_and_length_one_give_alpha():
    model = theorem2.build(scalar(3), 1, 5)
    assert model.transformer.layers == ()
    assert [[float(x) for x in row] for row in model.states("", Floats())] == [[1.0]]
    assert [[float(x) for x in row] for row in model.states("a", Floats())] == [[1.0], [3.0]]


def test_balls_enclose_multiprecision_results():
    model = theorem2.build(counting(), 4, Fraction(33, 2))
    measured = model.states("0010", Multiprecision(60))
    with Balls(160) as balls:
        enclosed = model.states("0010", balls)
        for a, b in zip(enclosed, measured, strict=True):
            for x, y in zip(a, b, strict=True):
                assert abs(x - flint.arb(str(y))) < flint.arb(10) ** -40


def test_an_mlp_takes_the_place_of_the_product():
    made = slim_multiplier(2, "gelu", Fraction(6), Fraction(1, 10**9))
    model = theorem2.build(counting(), 4, 200, made)
    assert all(isinstance(layer.feedforward, MLP) for layer in model.transformer.layers)
    states = model.states("0100", Multiprecision(50))
    assert largest_error(states, counting().states("0100")) < 1e-7


def test_sizes_do_not_depend_on_c_but_the_largest_weight_does():
    small, large = (sizes(theorem2.build(counting(), 8, c).transformer) for c in (4, 4000))
    assert (small.parameters, small.depth, small.embedding) == (
        large.parameters,
        large.depth,
        large.embedding,
    )
    assert small.largest < large.largest


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ((counting(), 4, 0), "saturation"),
        ((counting(), 4, Fraction(-1)), "saturation"),
        ((counting(), 4, "many"), "saturation"),
        ((counting(), 0, 5), "length"),
        ((counting(), 4, 5, "sum"), "feedforward"),
        (
            (counting(), 4, 5, slim_multiplier(1, "tanh", Fraction(2), Fraction(1, 9))),
            "feedforward",
        ),
    ],
)
def test_bad_requests_name_the_field(arguments, field):
    with pytest.raises(InputError, match=field):
        theorem2.build(*arguments)


def test_floats_agree_with_numpy_softmax():
    model = theorem2.build(scalar(2), 2, 3)
    weights = np.exp(3 * np.cos(np.pi * np.arange(4) / 2))
    weights /= weights.sum()
    tokens = np.array([1.0, 1.0, 2.0, 2.0])
    mixed = np.array([sum(weights[m] * tokens[(i - m) % 4] for m in range(4)) for i in range(4)])
    expected = np.roll(mixed, 1) * mixed
    states = model.states("aa", Floats())
    assert np.allclose([row[0] for row in states], expected[1:4], rtol=1e-12)
