"""Words of a free monoid: products are words, sums of them are not."""

from fractions import Fraction

import pytest

from constructions.arithmetic.words import FreeMonoid, MonoidWord
from constructions.core.exact import cos_pi

A, B = MonoidWord("a"), MonoidWord("b")


def test_a_product_is_one_word_after_the_other():
    assert A * B == MonoidWord("ab") != B * A
    assert A * MonoidWord() == A == MonoidWord() * A


@pytest.mark.parametrize("times", [lambda w, k: w * k, lambda w, k: k * w])
def test_words_times_one_times_zero_and_times_other_numbers(times):
    assert times(A, 1) == A
    assert times(A, 0) == 0
    for factor in (-1, 2, Fraction(1, 2)):
        with pytest.raises(
            ArithmeticError, match=f"a word and .*{factor.numerator}.* is not a word"
        ):
            times(A, factor)


def test_only_zero_is_added_to_a_word():
    assert A + 0 == A == 0 + A
    for other in (1, -1, A, B):
        with pytest.raises(ArithmeticError, match="the sum of two words is not a word"):
            A + other


def test_one_is_the_empty_word_and_positions_stay():
    words, place = FreeMonoid(), cos_pi(Fraction(1, 5))
    assert words.element(1) == MonoidWord()
    assert words.element(A) is A
    assert words.element(place) is place
    for value in (0, -1, 2, Fraction(1), "a"):
        with pytest.raises(ArithmeticError, match="is not a word"):
            words.element(value)


def test_tokens_hold_words_and_structural_zeros():
    assert FreeMonoid().array([[1, A, 0]]).tolist() == [[MonoidWord(), A, 0]]
