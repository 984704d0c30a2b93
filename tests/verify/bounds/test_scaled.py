"""Certificates in scaled coordinates: no larger than the plain ones, and never below what runs show."""

from fractions import Fraction

import flint
import pytest

from constructions import theorem1
from constructions.automata.balancing import levels, scaled_reduction, scalings
from constructions.automata.families import counting, hmm
from constructions.automata.reduction import Reduction
from constructions.automata.wfa import WFA
from constructions.core.matrix import Matrix
from constructions.exports.built_model import Constants
from constructions.exports.order import Order
from verify.automaton import rounding
from verify.automaton.export import make
from verify.automaton.sampling import attack
from verify.bounds import leak, scaled
from verify.bounds.floating import FORMATS
from verify.bounds.growth import listed_products
from verify.bounds.saturation import required_saturation, uniform_bounds
from verify.bounds.scaled import coordinates, least_saturation, scaled_products, soft_errors
from verify.bounds.windows import window_bounds

CHAIN = WFA.of([1, 0, 0], {"a": [[1, 4, 0], [0, 1, 4], [0, 0, 1]]}, [0, 0, 1])
WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
AUTOMATA = {"chain": CHAIN, "counting": counting(), "weather": WEATHER}
EPS = Fraction(1, 1000)


def test_levels_count_the_cycles_that_a_way_leaves():
    assert levels(CHAIN) == [0, 1, 2]
    assert levels(WEATHER) == [0, 0]
    back = WFA.of([1, 0, 0], {"a": [[0, 1, 0], [1, 0, 1], [0, 0, 1]]}, [0, 0, 1])
    assert levels(back) == [0, 0, 1]


def test_scaled_coordinates_have_the_same_outputs():
    for powers in scalings(CHAIN, [3, 5]):
        scaled = scaled_reduction(Reduction(CHAIN, Matrix.identity(3)), powers)
        (row,) = (Matrix.dense([list(scaled.automaton.states("aaaa")[-1])]) @ scaled.outputs).rows()
        assert tuple(row) == tuple(CHAIN.states("aaaa")[-1])


def test_the_norm_of_the_scale_is_1_and_that_of_its_inverse_is_said():
    for own in list(coordinates(CHAIN, 8))[1:]:
        shares = [b / a for a, b in zip(CHAIN.beta, own.automaton.beta, strict=True) if a]
        assert max(shares) == Fraction(2) ** own.spread


@pytest.mark.parametrize("length", [2, 7, 16])
@pytest.mark.parametrize("name", AUTOMATA)
def test_the_least_constant_is_no_larger_and_keeps_its_error(name, length):
    automaton = AUTOMATA[name]
    needed = least_saturation(automaton, length, EPS)
    assert needed.constant <= required_saturation(automaton, length, EPS).constant
    model, guarantee = make(automaton, Order(length, "soft", feedforward="exact", eps=EPS))
    assert model.constants == Constants(model.constants.saturation)
    assert attack(model, 1).error <= soft_errors(automaton, length)(model.constants.saturation)
    assert soft_errors(automaton, length)(model.constants.saturation) <= flint.arb(guarantee.error)


@pytest.mark.parametrize("name", AUTOMATA)
def test_windows_bound_no_worse_than_layers(name):
    automaton, constant = AUTOMATA[name], Fraction(300)
    layers = uniform_bounds(automaton, 16)
    assert window_bounds(automaton, 16).states(constant) <= layers.states(constant)


def test_one_layer_of_windows_by_hand():
    """Letters of 1/2 are apart by d = 1/2 from pads: δ = d(1 - p_0); pads have N = 1."""
    half, saturation = WFA.of([1], {"a": [["1/2"]]}, [1]), Fraction(20)
    with flint.ctx.workprec(192):
        delta = leak.leak(saturation, 2) / 2
        square = delta * delta
        wanted = [2 * delta + square, 3 * delta / 2 + square, delta + square]
        found = window_bounds(half, 2).errors(saturation)
        for error, own in zip(found, wanted, strict=True):
            assert abs(error / own - 1) < 1e-30


def test_a_shrinking_product_has_a_shrinking_error():
    """A = 1/2: a window of k letters misses by less than one of k/2, though layers double errors."""
    errors = window_bounds(WFA.of([1], {"a": [["1/2"]]}, [1]), 16).errors(Fraction(2000))
    assert errors[16] < errors[8] < errors[4] < errors[2]


@pytest.mark.parametrize("name", AUTOMATA)
def test_rounding_in_scaled_coordinates_is_no_larger_than_in_plain_ones(name):
    automaton, form = AUTOMATA[name], FORMATS[1]
    norms, scaled = listed_products(automaton, theorem1.span(64)), scaled_products(automaton, 64)
    plain, best = (rounding.state_error(form, automaton, 64, norms, s) for s in ((), scaled))
    assert best <= plain
    assert best < plain or name != "chain"


def test_windows_are_split_at_the_largest_power_of_two_below_them():
    assert [rounding.halves(k) for k in (2, 3, 4, 5, 8, 9)] == [
        (1, 1), (1, 2), (2, 2), (1, 4), (4, 4), (1, 8)]  # fmt: skip


@pytest.mark.parametrize(("length", "steps"), [(1, []), (2, [1]), (4, [1, 2]), (8, [2, 3]),
                                               (16, [2, 4]), (17, [3, 5])])  # fmt: skip
def test_coordinates_are_graded_by_half_of_the_layers_and_by_all(length, steps):
    assert scaled.grading_steps(length) == steps


def test_coordinates_have_their_scale_and_its_inverse():
    """The levels 0, 1, 2 of the chain: 2^-k for each, so that 2^2k is ‖D⁻¹‖."""
    plain, *others = coordinates(CHAIN, 8)
    assert plain.automaton is CHAIN and plain.inverse == 1
    assert all(own.inverse == 2**own.spread > 1 for own in others)
    for own in others:
        ratios = [Fraction(own.automaton.matrix("a")[i][i + 1], 4) for i in range(2)]
        assert all(ratio < 1 for ratio in ratios) and own.automaton.alpha[0] == 1
