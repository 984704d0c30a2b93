"""Printed counts: read, evaluated, and decided from their differences."""

from fractions import Fraction

import pytest

from verify.recheck.errors import Refused
from verify.recheck.kernel.formula import (
    agreements,
    degree,
    differences,
    first_difference,
    names,
    points,
    read,
    value,
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("7", 7),
        ("n", 3),
        ("2n²+2", 20),
        ("2n⁴+3n²+1", 190),
        ("n-k", 1),
        ("10-n-k", 5),
        ("10−n+k", 9),
        ("2·n·k", 12),
        ("2*n k", 12),
        ("(n+1)(k+2)", 16),
        ("(n+k)²", 25),
        ("C(n, 2)", 3),
        ("C(2n²+2, 2)", 190),
        ("C(k, 3)", 0),
        ("C(n, 0)", 1),
        ("C n", 3 * 5),
        ("n⁹", 19683),
        (" n + 1", 4),
    ],
)
def test_a_count_has_the_value_that_one_computes(text, wanted):
    assert value(read(text), {"n": 3, "k": 2, "C": 5}) == wanted


def test_a_binomial_of_a_fraction_is_a_polynomial():
    """C(x, 3) = x (x - 1)(x - 2)/6 at x = -1."""
    assert value(read("C(n-k, 3)"), {"n": 1, "k": 2}) == -1


def test_a_name_without_a_value_is_refused():
    with pytest.raises(Refused, match="the name 'k' has no value here"):
        value(read("n+k"), {"n": 1})


@pytest.mark.parametrize(
    ("text", "in_n", "in_k"),
    [
        ("7", 0, 0),
        ("n", 1, 0),
        ("n²k+k³", 2, 3),
        ("(n+k)⁴", 4, 4),
        ("C(n², 3)", 6, 0),
        ("n-n", 1, 0),
    ],
)
def test_the_degree_in_a_name_is_that_of_its_highest_power(text, in_n, in_k):
    assert (degree(read(text), "n"), degree(read(text), "k")) == (in_n, in_k)


def test_names_are_sorted_and_named_once():
    assert names(read("k n + n² + C(T, 2)")) == ["T", "k", "n"]
    assert names(read("5")) == []


def test_points_come_with_the_smaller_ones_first():
    assert list(points(["n"], 3)) == [{"n": 1}, {"n": 2}, {"n": 3}]
    found = [(at["a"], at["b"]) for at in points(["a", "b"], 2)]
    assert found == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert list(points([], 1)) == [{}]


def test_the_first_difference_names_the_point_and_the_pair():
    same = (read("(n+1)²"), read("n²+2n+1"))
    assert first_difference([same]) is None
    assert first_difference([]) is None
    assert first_difference([same, (read("n²"), read("n"))]) == ({"n": 2}, 1)
    assert first_difference([(read("n k"), read("k")), same]) == ({"k": 1, "n": 2}, 0)
    assert first_difference([(read("7"), read("7"))]) is None


def test_polynomials_that_agree_up_to_their_degree_differ_one_further():
    """(n-1)(n-2) is 0 at 1 and 2, so that three places are needed."""
    assert first_difference([(read("n²+2"), read("3n"))]) == ({"n": 3}, 0)


def test_differences_are_those_of_the_values_one_after_the_other():
    """n³ - n at 2, 3, 4, 5 is 6, 24, 60, 120."""
    assert differences(read("n³"), read("n"), "n", 2) == [6, 18, 18, 6]
    assert differences(read("7"), read("4"), "n", 1) == [Fraction(3)]


@pytest.mark.parametrize(
    ("left", "right", "places"),
    [
        ("n²", "n", [1]),
        ("n", "n²", [1]),
        ("n²+6", "5n", [2, 3]),
        ("n²", "n+1", []),
        ("n²", "9", [3]),
        ("C(n, 2)", "3", [3]),
    ],
)
def test_two_counts_agree_where_their_values_do_and_nowhere_beyond(left, right, places):
    assert agreements([(read(left), read(right))], "n") == places


def test_degrees_and_values_of_every_part():
    tree = read("(n+2)³·C(n, 2) - 4")
    assert (degree(tree, "n"), degree(tree, "T")) == (5, 0)
    assert value(tree, {"n": 2}) == 60


def test_several_pairs_agree_where_all_of_them_do():
    pairs = [(read("n²+6"), read("5n")), (read("n²+12"), read("7n"))]
    assert agreements(pairs, "n") == [3]


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("٢n", "not understood from character 1"),
        ("n^2", "not understood from character 2"),
        ("2n+", "ends too early"),
        ("n)", "'\\)' is not understood"),
        ("", "expected a count such as"),
        (7, "expected a count such as"),
        ("n" * 201, "expected a count such as"),
        ("C(n, n)", "not a small whole number"),
        ("C(n, 41)", "not a small whole number"),
        ("C(n 2)", "a count lacks ','"),
        ("C(n, 2", "a count lacks '\\)'"),
        ("(n+1", "a count lacks '\\)'"),
        ("+n", "has '\\+' where a number or a name is expected"),
        ("n·" * 40 + "n", "the degree is above 40"),
    ],
)
def test_what_is_no_count_is_refused(text, because):
    with pytest.raises(Refused, match=because):
        read(text)


def test_counts_that_differ_by_a_constant_agree_nowhere():
    """Their differences are the constant and 0."""
    assert agreements([(read("n+1"), read("n"))], "n") == []
    assert agreements([(read("n"), read("n+1"))], "n") == []
