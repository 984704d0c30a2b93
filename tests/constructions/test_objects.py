"""Arrays of objects: what counts as a zero that is there by construction."""

from fractions import Fraction

import pytest

from constructions.arithmetic import objects


def test_only_the_integer_zero_is_structural():
    assert objects.is_zero(0)
    for value in (-1, 1, 2, False, 0.0, Fraction(0), "0"):
        assert not objects.is_zero(value)


@pytest.mark.parametrize("value", [-1, 1, Fraction(-2, 3), "word"])
def test_a_structural_zero_adds_nothing_and_takes_a_product_away(value):
    column = objects.zeros(1)
    column[0] = value
    assert objects.plus(column, objects.zeros(1))[0] is value
    assert objects.plus(objects.zeros(1), column)[0] is value
    assert objects.times(column, objects.zeros(1))[0] == 0
    assert objects.times(objects.zeros(1), column)[0] == 0


def test_negative_numbers_are_added_and_multiplied():
    column = objects.elementwise(lambda _: -1, objects.zeros(2))
    assert objects.plus(column, column).tolist() == [-2, -2]
    assert objects.times(column, column).tolist() == [1, 1]
