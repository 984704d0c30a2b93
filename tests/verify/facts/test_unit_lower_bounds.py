"""Lower bounds on the error of finitely many units with steps or kinks."""

from fractions import Fraction

import pytest

from verify.facts import unit_lower_bounds as units


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_steps_and_kinks_force_what_is_known(number):
    assert units.floor_of_constant_pieces(number, {(1,): 1}) == Fraction(1, 2 * (number + 1))
    assert units.floor_of_linear_pieces(number, {(2,): 1}) == Fraction(1, 8 * (number + 1) ** 2)


def test_steps_and_kinks_are_at_zero():
    points = [Fraction(x) for x in ("-1/2", "0", "3")]
    assert [units.step(x) for x in points] == [0, 1, 1]
    assert [units.relu(x) for x in points] == [0, 0, 3]


def test_two_points_force_half_of_what_they_differ_by():
    """Of four points two steps tell all apart but two neighbours, and 2x - 1 differs there by 2/3."""
    assert units.floor_of_constant_pieces(2, {(0,): -1, (1,): 2}) == Fraction(1, 3)


def test_only_points_that_no_unit_tells_apart_force_an_error():
    """A unit that sees one point: of (1 - x)² at 0, 1/2 and 1 it best sees 0, which leaves 1/4."""
    square = {(0,): 1, (1,): -2, (2,): 1}
    assert units.floor_of_constant_pieces(1, square, lambda x: Fraction(x == 0)) == Fraction(1, 8)


@pytest.mark.parametrize(("degree", "last"), [(0, 1), (1, 2), (2, 3), (3, 4)])
def test_a_degree_is_seen_at_the_whole_numbers_around_zero(degree, last):
    asked = []
    units.exceeds_degree(lambda x: asked.append(x) or x, degree)
    assert asked == list(range(-last, last + 1))


def test_units_that_bend_or_tell_everything_apart_force_nothing():
    assert units.floor_of_linear_pieces(2, {(2,): 1}, lambda x: x * x) == 0
    assert units.floor_of_constant_pieces(2, {(1,): 1}, lambda x: x) == 0
    assert units.floor_of_linear_pieces(2, {(1,): 1}) == 0


def test_only_what_is_no_polynomial_exceeds_its_degree():
    assert units.exceeds_degree(units.relu, 1) and units.exceeds_degree(units.step, 3)
    assert not units.exceeds_degree(lambda x: 3 * x - 1, 1)
    assert units.exceeds_degree(lambda x: x * x, 1) and not units.exceeds_degree(lambda x: x * x, 2)
