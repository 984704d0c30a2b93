"""Depths without a mask: near the true ones, nearer as the growth grows, no mask anywhere."""

from fractions import Fraction

import flint
import pytest

from constructions.arithmetic import Balls
from constructions.core.errors import InputError
from constructions.core.transformer import Attention, Mask
from constructions.variants.theorem3_depths import build, depths, token
from constructions.variants.theorem3_printed import open_before


def largest_error(symbols, growth):
    with Balls(256) as balls:
        rows = depths(symbols, growth, balls)
        errors = [abs(row[0] - d) for row, d in zip(rows, open_before(symbols), strict=True)]
        return max(float(error.upper()) for error in errors)


def test_errors_fall_as_the_growth_grows():
    errors = [largest_error("[[ab][cd]]", growth) for growth in (64, 1024, 16384)]
    assert errors[0] < 0.1
    assert errors[0] > 10 * errors[1] > 100 * errors[2] > 0


def test_squares_come_from_the_second_layer():
    with Balls(256) as balls:
        rows = depths("[a[bc]]", 16384, balls)
        assert all(
            abs(row[1] - d * d) < flint.arb("0.01")
            for row, d in zip(rows, (0, 1, 1, 2, 2, 2, 1), strict=True)
        )


def test_two_layers_softmax_and_no_mask():
    model = build(64)
    heads = [head for layer in model.layers for head in layer.heads]
    assert len(model.layers) == 2
    assert {head.mask for head in heads} == {Mask.NONE}
    assert {head.attention for head in heads} == {Attention.SOFT}


def test_a_string_that_is_no_tree_is_refused():
    with pytest.raises(InputError, match="position 4"), Balls(64) as balls:
        depths("[ab", 64, balls)


def test_a_token_has_its_powers_its_place_and_no_depth_yet():
    """1, growth^(2i), growth^(1-2i), i, i², i - 1, the marker, and 0 for depth and square."""
    assert token("[", 2, 10) == [1, 10**4, Fraction(1, 1000), 2, 4, 1, 1, 0, 0]
    assert token("]", 1, 10) == [1, 100, Fraction(1, 10), 1, 1, 0, -1, 0, 0]
    assert token("a", 1, 10)[-3:] == [0, 0, 0]
