"""Identities and norm estimates for matrices are decided in letters that do not commute."""

import pytest

from verify.facts import free_algebra

PRODUCT = "(X + D) (Y + F) + G - X Y"
SIZES = {"X": "μ", "Y": "μ", "D": "δ", "F": "δ", "G": "ε"}


def test_the_error_of_a_product_of_perturbed_matrices_has_four_terms():
    assert free_algebra.identity(PRODUCT, "X F + D Y + D F + G").holds


def test_a_dropped_term_and_a_flipped_sign_are_seen():
    found = free_algebra.identity(PRODUCT, "X F + D Y + G")
    assert found.holds is False
    assert found.witness == {"left over": {"D F": 1}}
    assert free_algebra.identity(PRODUCT, "X F - D Y + D F + G").witness == {
        "left over": {"D Y": 2}
    }


def test_matrices_do_not_commute():
    assert free_algebra.identity("X Y", "Y X").holds is False
    assert free_algebra.identity("(A + B) (A + B)", "A A + A B + B A + B B").holds


def test_two_mu_delta_and_delta_squared_bound_the_error():
    found = free_algebra.bound(PRODUCT, SIZES, "μ δ + δ μ + δ δ + ε")
    assert found.holds
    assert found.values == {"majorant": {"δ μ": 2, "δ δ": 1, "ε": 1}}


def test_a_bound_without_the_square_is_not_enough():
    found = free_algebra.bound(PRODUCT, SIZES, "μ δ + δ μ + ε")
    assert found.holds is False
    assert found.witness == {"beyond": {"δ δ": 1}}


def test_an_average_of_rows_has_the_size_one_and_leaves_no_letter():
    sizes = {"G": "a", "P": "1", "E": "ε"}
    assert free_algebra.bound("G + P E", sizes, "a + ε").holds
    assert free_algebra.bound("G + P E", sizes, "a").witness == {"beyond": {"ε": 1}}


def test_a_difference_is_bounded_by_the_sum_of_the_sizes():
    assert free_algebra.bound("A - B", {"A": "a", "B": "a"}, "a + a").holds
    assert free_algebra.bound("A - B", {"A": "a", "B": "a"}, "a").holds is False


@pytest.mark.parametrize("text", ["", "A +", "(A", "A)", "A * B", "2 A", "__import__('os')"])
def test_what_is_no_expression_is_an_error(text):
    with pytest.raises(ValueError, match=r"expected|is no count"):
        free_algebra.identity(text, "A")
