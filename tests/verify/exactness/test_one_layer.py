"""One layer that counts: its tokens, its induction and its inequalities, each term by hand."""

from fractions import Fraction

import sympy

from verify.exactness import one_layer


def test_a_token_has_its_letter_its_place_and_powers_of_the_base():
    assert one_layer.PLACES.size == 6 and one_layer.tokens("") == [[0, 1, 1, 1, 1, 1]]
    assert one_layer.tokens("01", 3) == [
        [0, 1, 1, 1, 9, Fraction(1, 27)],
        [1, 2, 4, 1, 81, Fraction(1, 243)],
        [0, 3, 9, 1, 729, Fraction(1, 2187)],
    ]


def test_the_block_multiplies_mean_and_place_and_keeps_the_one():
    tensor = one_layer.times_place().tensor
    assert (tensor.shape, tensor.entries) == ((3, 3, 2), {(0, 1, 0): 1, (2, 2, 1): 1})


def test_an_induction_begins_at_no_letter():
    """The last term is nothing before the first letter, and something after it."""
    output = lambda t, mean: sympy.Matrix([[(t + 1) * mean + t, 1]])  # noqa: E731
    assert one_layer.induction(output) == (True, False)
