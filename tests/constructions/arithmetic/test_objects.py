"""Arrays of objects: what counts as a zero that is there by construction."""

from fractions import Fraction

import pytest

from constructions.arithmetic import Rational, objects
from constructions.core.exact import Exact, cos_pi
from constructions.core.matrix import Matrix
from constructions.core.transformer import Attention, Mask, Tie


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
    column = objects.map_entries(lambda _: -1, objects.zeros(2))
    assert objects.plus(column, column).tolist() == [-2, -2]
    assert objects.times(column, column).tolist() == [1, 1]


def test_ones_and_zeros_of_a_weight_stay_whole_numbers():
    found = Rational().weight(Matrix((1, 4), {(0, 0): 0, (0, 1): 1, (0, 2): 2, (0, 3): -1}))
    assert [type(value) for value in found.entries.values()][:2] == [int, int]
    assert [type(value).__name__ for value in found.entries.values()][2:] == ["fmpq", "fmpq"]


def test_a_column_times_one_is_the_column_itself():
    column = objects.zeros(2)
    column[:] = [3, "word"]
    assert objects.scaled_column(column, 1) is column
    assert objects.scaled_column(column, 2).tolist() == [6, "wordword"]
    assert objects.scaled_column(column, 0).tolist() == [0, ""]
    assert objects.scaled_column(column[:1], Fraction(1, 2)).tolist() == [Fraction(3, 2)]


@pytest.mark.parametrize(
    ("row", "largest"),
    [
        ([Exact.of(2)], [0]),
        ([cos_pi(Fraction(1, 5)), Rational().element(Fraction(4, 5)), 0], [0]),
        ([0, Fraction(1, 2), cos_pi(Fraction(1, 3))], [1, 2]),
        ([1, 2, cos_pi(0), 2, 3], [4]),
    ],
)
def test_the_largest_of_exact_scores_are_found(row, largest):
    assert objects.ObjectArithmetic.maximisers(Rational(), row) == largest


def test_a_tie_names_its_row_and_the_places():
    scores, values = Rational().array([[5, 1], [2, 2]]), Rational().array([[1], [2]])
    with pytest.raises(Tie, match=r"row 1 has equal largest scores at \[0, 1\]"):
        Rational().mix(scores, values, Attention.HARD, Mask.NONE)
