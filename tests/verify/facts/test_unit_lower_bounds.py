"""What finitely many units with steps or kinks cannot do."""

from fractions import Fraction

import pytest

from verify.facts import unit_lower_bounds as units


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_steps_and_kinks_force_what_is_known(number):
    assert units.floor_of_constant_pieces(number, {(1,): 1}) == Fraction(1, 2 * (number + 1))
    assert units.floor_of_linear_pieces(number, {(2,): 1}) == Fraction(1, 8 * (number + 1) ** 2)


def test_units_that_bend_or_tell_everything_apart_force_nothing():
    assert units.floor_of_linear_pieces(2, {(2,): 1}, lambda x: x * x) == 0
    assert units.floor_of_constant_pieces(2, {(1,): 1}, lambda x: x) == 0
    assert units.floor_of_linear_pieces(2, {(1,): 1}) == 0


def test_only_what_is_no_polynomial_exceeds_its_degree():
    assert units.exceeds_degree(units.relu, 1) and units.exceeds_degree(units.step, 3)
    assert not units.exceeds_degree(lambda x: 3 * x - 1, 1)
    assert units.exceeds_degree(lambda x: x * x, 1) and not units.exceeds_degree(lambda x: x * x, 2)
