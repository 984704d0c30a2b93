"""Printed counts: read, evaluated, and decided from their differences."""

from fractions import Fraction

import pytest

from verify.recheck.errors import Refused
from verify.recheck.kernel.formula import agreements, degree, differences, read, value


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


def test_a_name_without_a_value_is_refused():
    with pytest.raises(Refused, match="the name 'T' has no value here"):
        value(read("n+T"), {"n": 1})


def test_several_pairs_agree_where_all_of_them_do():
    pairs = [(read("n²+6"), read("5n")), (read("n²+12"), read("7n"))]
    assert agreements(pairs, "n") == [3]


def test_counts_that_never_differ_are_refused():
    with pytest.raises(Refused, match="no pair of counts"):
        agreements([(read("n+n"), read("2n"))], "n")


@pytest.mark.parametrize("text", ["٢n", "2n+", "n)", "", "n^2", "C(n, n)"])
def test_what_is_no_count_is_refused(text):
    with pytest.raises(Refused):
        read(text)
