"""Rational combinations of words: the laws of an algebra that does not commute."""

from fractions import Fraction

import pytest

from constructions.arithmetic.free import Combination, FreeAlgebra
from constructions.core.exact import cos_pi

A, B = Combination.letter("a"), Combination.letter("b")


def test_products_distribute_and_do_not_commute():
    assert (A + B) * (A - B) == A * A - A * B + B * A - B * B
    assert A * B != B * A
    assert dict((A + 2) * (A + 2)) == {"": 4, "a": 4, "aa": 1}


def test_opposite_words_cancel():
    assert A - A == 0
    assert (A - A).terms == {}
    assert (A * 0).terms == {} == (0 * A).terms


def test_numbers_are_multiples_of_the_identity_on_both_sides():
    half = Fraction(1, 2)
    assert dict(half * A) == dict(A * half) == {"a": half}
    assert dict(1 - A) == {"": 1, "a": -1}
    assert dict(A - 1) == {"": -1, "a": 1}
    assert dict(1 + A) == dict(A + 1) == {"": 1, "a": 1}
    assert dict(-(A + half)) == {"": -half, "a": -1}
    assert Combination.of(3) == 3 != Combination.of(2)


def test_words_are_listed_in_order_with_the_identity_named():
    assert str(B - A + 1) == "1 I + -1 a + 1 b"
    assert list(B - A) == [("a", -1), ("b", 1)]


@pytest.mark.parametrize("other", ["a", 0.5, None])
def test_other_things_are_no_combinations(other):
    for operation in (lambda: A + other, lambda: A - other, lambda: A * other):
        with pytest.raises(TypeError):
            operation()
    assert other != A


def test_entries_become_combinations_and_positions_stay():
    place = cos_pi(Fraction(1, 5))
    assert dict(FreeAlgebra().element(Fraction(2, 3))) == {"": Fraction(2, 3)}
    assert FreeAlgebra().element(A) is A
    assert FreeAlgebra().element(place) is place
