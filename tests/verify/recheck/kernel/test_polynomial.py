"""Polynomials of the re-checker: sums, products and powers by hand."""

import pytest

from verify.recheck.kernel.polynomial import add, joined, minus, number, power, symbol, times

X, Y = symbol("x"), symbol("y")


def test_a_number_and_a_symbol_have_one_term_and_zero_has_none():
    assert number(3) == {(): 3} and number(0) == {}
    assert X == {("x",): 1}


def test_sums_gather_equal_monomials_and_drop_those_that_cancel():
    assert add(X, X, number(2)) == {("x",): 2, (): 2}
    assert add(X, times(number(-1), X)) == {} == add()


def test_products_do_not_depend_on_the_order():
    assert times(X, Y) == times(Y, X) == {("x", "y"): 1}
    assert times(add(X, Y), minus(X, Y)) == {("x", "x"): 1, ("y", "y"): -1}
    assert times(X, number(0)) == {}


def test_a_difference_takes_the_second_from_the_first():
    assert minus(number(5), number(3)) == number(2)
    assert minus(X, X) == {}


@pytest.mark.parametrize(("exponent", "wanted"), [(0, {(): 1}), (1, {("x",): 1, (): 1}),
                         (3, {("x",) * 3: 1, ("x", "x"): 3, ("x",): 3, (): 1})])  # fmt: skip
def test_powers_of_a_binomial_have_its_coefficients(exponent, wanted):
    assert power(add(X, number(1)), exponent) == wanted


def test_words_are_put_one_after_the_other_and_do_not_commute():
    one, other = add(X, number(1)), minus(Y, number(2))
    assert joined(one, other) == {("x", "y"): 1, ("x",): -2, ("y",): 1, (): -2}
    assert joined(Y, X) == {("y", "x"): 1} != joined(X, Y)
    assert minus(joined(Y, X), joined(Y, X)) == {} != minus(joined(Y, X), joined(X, Y))
