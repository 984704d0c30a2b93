"""Hidden units: what they reach, what they multiply, and mutants of each."""

from dataclasses import replace
from fractions import Fraction

import pytest

from constructions.blocks import multiplication
from verify.facts import unit_lower_bounds as engine
from verify.facts import units

SQUARE = [[[2], 1]]


def test_three_relu_units_miss_the_square_by_a_128th():
    assert units.units_reach_polynomial("relu", 2, SQUARE).witness == {"units": 3, "floor": "1/128"}


def test_six_relu_units_miss_the_product_on_the_diagonal():
    assert units.units_reach_polynomial("relu", 2, [[[1, 1], 1]]).witness == {
        "units": 6,
        "floor": "1/392",
    }


def test_three_steps_miss_the_identity():
    assert units.units_reach_polynomial("step", 2, [[[1], 1]]).witness == {
        "units": 3,
        "floor": "1/8",
    }


def test_a_linear_target_decides_nothing_for_relu():
    assert units.units_reach_polynomial("relu", 2, [[[1], 1]]).holds is None


def test_an_activation_that_bends_everywhere_decides_nothing(monkeypatch):
    monkeypatch.setitem(units.FLOORS, "relu", (engine.floor_of_linear_pieces, lambda x: x * x))
    assert units.units_reach_polynomial("relu", 2, SQUARE).holds is None


def test_an_activation_that_the_theorem_does_not_admit_decides_nothing(monkeypatch):
    monkeypatch.setitem(units.FLOORS, "relu", (engine.floor_of_linear_pieces, lambda x: x))
    assert units.units_reach_polynomial("relu", 2, SQUARE).holds is None


def test_mixed_differences_single_out_every_monomial():
    assert units.differences(1).values == {"monomials": 1}
    assert units.differences(3).values == {"monomials": 6}


@pytest.mark.parametrize("states", [1, 2])
def test_four_units_a_product_multiply(states):
    assert units.multiply(["tanh", "gelu"], states, "2", "1/1000000").holds


def test_a_network_that_misses_its_tolerance_is_named(monkeypatch):
    def late(n, activation, radius, eps):
        return replace(multiplication.slim_multiplier(n, activation, radius, eps), bound=2 * eps)

    monkeypatch.setattr(units, "slim_multiplier", late)
    assert units.multiply(["tanh"], 2, "2", "1/1000").witness == {"activation": "tanh", "units": 32}


def test_strassen_and_schoolbook_are_the_matrix_product():
    assert units.bilinear_scheme("strassen", 2, 7).holds
    assert units.bilinear_scheme("schoolbook", 1, 1).holds
    assert units.bilinear_scheme("schoolbook", 2, 7).witness == {"products": 8}


def test_a_scheme_without_one_product_is_refused(monkeypatch):
    monkeypatch.setitem(
        units.SCHEMES, "strassen", lambda n: multiplication.strassen_products(n)[1:]
    )
    assert units.bilinear_scheme("strassen", 2, 6).holds is False


def test_an_odd_network_misses_an_even_polynomial_and_not_an_odd_one():
    assert units.networks_reach_polynomial("tanh", SQUARE, "1").witness == {
        "point": "1",
        "floor": "1",
    }
    assert units.networks_reach_polynomial("tanh", [[[3], 1]], "1").holds is None


def test_an_even_activation_is_no_counterexample():
    assert units.networks_reach_polynomial("cosh", SQUARE, "1").holds is None


def test_the_floor_of_a_polynomial_is_half_of_its_even_part():
    found = units.networks_reach_polynomial("tanh", [[[2], 3], [[1], 5]], "1/2")
    assert Fraction(found.witness["floor"]) == Fraction(3, 4)
