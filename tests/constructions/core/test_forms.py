"""Linear forms: sums by coordinates, multiples, and the matrix of their columns."""

from fractions import Fraction

import pytest

from constructions.core.forms import ONE, at, block, columns, plus, times
from constructions.core.layout import Layout

LAYOUT = Layout(one=1, state=3)


def test_terms_of_one_coordinate_are_added():
    form = plus(at("state", 2), at("one", 0, 5), at("state", 2, Fraction(1, 2)))
    assert form == {("state", 2): Fraction(3, 2), ("one", 0): 5}
    assert times(-2, form) == {("state", 2): -3, ("one", 0): -10}
    assert ONE == at("one") == at("one", 0, 1) == {("one", 0): 1}
    assert plus() == {}


def test_a_coordinate_has_one_name():
    """Counted from the end it would have two, and its terms would not be added."""
    with pytest.raises(IndexError, match="offset -1 of block 'one', expected 0 or more"):
        at("one", -1)


def test_the_columns_of_a_matrix_are_forms_without_their_zeros():
    forms = [*block("state", 3), plus(ONE, at("state", 1, 7)), at("state", 0, 0)]
    matrix = columns(LAYOUT, forms)
    assert matrix.shape == (4, 5)
    assert matrix.entries == {(1, 0): 1, (2, 1): 1, (3, 2): 1, (0, 3): 1, (2, 3): 7}
