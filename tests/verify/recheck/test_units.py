"""The re-checker confirms hidden units by pigeonholes, differences and closed derivatives."""

import copy
from fractions import Fraction
from itertools import product

import flint
import pytest
from confirm_support import Case, Questions
from facts_support import certificate, refused, refuses

from constructions.core.activations import smooth_activation
from verify.facts import units as facts
from verify.recheck.errors import Refused
from verify.recheck.kernel.activation import DERIVATIVES, product_error
from verify.recheck.kinds import units as kinds

SQUARE = [[[2], 1]]
MULTIPLY = {"activations": sorted(DERIVATIVES), "states": 2, "radius": "2", "eps": "1/1000000"}
CASES = [
    Case(
        "units.reach",
        facts.units_reach_polynomial,
        {"activation": "relu", "degree": 2, "polynomial": SQUARE},
    ),
    Case(
        "units.reach",
        facts.units_reach_polynomial,
        {"activation": "relu", "degree": 2, "polynomial": [[[1], 1]]},
    ),
    Case(
        "units.reach",
        facts.units_reach_polynomial,
        {"activation": "step", "degree": 2, "polynomial": [[[1], 1]]},
    ),
    Case("units.differences", facts.differences, {"most": 4}),
    Case("units.multiply", facts.multiply, MULTIPLY),
    Case("units.widths", facts.multiplier_widths, {"most": 4}),
    Case("scheme.product", facts.bilinear_scheme, {"scheme": "strassen", "size": 2, "products": 7}),
    Case(
        "network.parity",
        facts.networks_reach_polynomial,
        {"activation": "tanh", "polynomial": SQUARE, "point": "1"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@pytest.mark.parametrize("field", ["point", "step", "scale"])
def test_a_changed_weight_no_longer_multiplies(field):
    stated = certificate(facts.multiply(**MULTIPLY))
    wrong = copy.deepcopy(stated)
    weights = wrong["values"]["weights"]["tanh"]
    weights[field] = str(Fraction(weights[field]) * 2)
    assert refused("units.multiply", MULTIPLY, **wrong)


def test_a_scheme_without_a_term_or_with_a_wrong_sign_is_refused():
    parameters = {"scheme": "strassen", "size": 2, "products": 7}
    stated = certificate(facts.bilinear_scheme(**parameters))
    wrong = copy.deepcopy(stated)
    wrong["values"]["terms"][0][0][0][1] = -1
    assert refused("scheme.product", parameters, **wrong)
    wrong = copy.deepcopy(stated)
    del wrong["values"]["terms"][0]
    assert refused("scheme.product", {**parameters, "products": 6}, **wrong)


@pytest.mark.parametrize(
    ("name", "parameters", "because"),
    [
        ("units.reach", {"activation": "gelu", "degree": 2, "polynomial": SQUARE}, "relu, step"),
        ("units.reach", {"activation": "relu", "degree": 1, "polynomial": SQUARE}, "degree"),
        ("units.reach", {"activation": "relu", "degree": 2, "polynomial": [[[3], 1]]}, "degree"),
        ("units.reach", {"activation": "relu", "degree": 2, "polynomial": []}, "polynomial"),
        (
            "units.reach",
            {"activation": "relu", "degree": 2, "polynomial": [[[1], 1], [[1, 1], 1]]},
            "different numbers of variables",
        ),
        ("units.differences", {"most": 0}, "most"),
        ("units.differences", {"most": 10**9}, "most"),
        ("units.widths", {"most": 0}, "most"),
        (
            "network.parity",
            {"activation": "cosh", "polynomial": SQUARE, "point": "1"},
            "one of tanh",
        ),
    ],
)
def test_parameters_that_say_nothing_or_too_much_are_refused(name, parameters, because):
    refuses(name, parameters, because)


@pytest.mark.parametrize("name", sorted(DERIVATIVES))
@pytest.mark.parametrize("order", [2, 4])
def test_the_closed_derivatives_agree_with_series_of_balls(name, order):
    for x in (Fraction(-1), Fraction(0), Fraction(1, 2), Fraction(3)):
        low, high = DERIVATIVES[name]((x, x), order)
        with flint.ctx.workprec(256):
            value = smooth_activation(name).derivative(
                flint.arb(flint.fmpq(x.numerator, x.denominator)), order
            )
            assert flint.arb(flint.fmpq(low.numerator, low.denominator)) <= value + flint.arb(
                "1e-60"
            )
            assert value - flint.arb("1e-60") <= flint.arb(
                flint.fmpq(high.numerator, high.denominator)
            )
        assert high - low < Fraction(1, 10**40)


def test_a_finer_step_multiplies_better():
    curvature = DERIVATIVES["gelu"]((Fraction(0),) * 2, 2)[0]
    errors = []
    for k in (4, 8):
        h = Fraction(1, 1 << k)
        errors.append(
            product_error("gelu", Fraction(0), h, 1 / (4 * h * h * curvature), Fraction(1))
        )
    assert errors[1] < errors[0] / 200


@pytest.mark.parametrize(
    ("activation", "degree", "polynomial", "floor"),
    [
        # 4 units, 5 pieces: f'' = 66 - 60x at 1/10, 3/10, …, 9/10; beyond them it is 0
        ("relu", 3, [[[3], -10], [[2], 33]], Fraction(12, 100) / 4),
        # f'' = 60x + 6, least in the first piece
        ("relu", 3, [[[3], 10], [[2], 3]], Fraction(12, 100) / 4),
        # 3 units, 4 pieces, on which 9x - 4x² grows by 2, 3/2, 1, 1/2; beyond them by 0
        ("step", 2, [[[1], 9], [[2], -4]], Fraction(1, 4)),
        ("step", 2, [[[1], 1], [[2], 4]], Fraction(1, 4)),
    ],
)  # fmt: skip
def test_pieces_miss_a_polynomial_by_what_it_bends_or_grows_least(
    activation, degree, polynomial, floor
):
    asked = {"activation": activation, "degree": degree, "polynomial": polynomial}
    answer = kinds.reach(asked, {})
    assert answer.holds is False
    assert answer.witness == {"units": {3: 4, 2: 3}[degree], "floor": str(floor)}


def test_units_are_counted_by_monomials_of_all_variables():
    asked = {"activation": "relu", "degree": 2, "polynomial": [[[1, 1, 0], 3], [[0, 0, 2], 1]]}
    assert kinds.reach(asked, {}).values == {"units": 10}
    flat = {**asked, "polynomial": [[[1, 0], 3]]}
    assert (kinds.reach(flat, {}).holds, kinds.reach(flat, {}).values) == (None, {"units": 6})


def test_parity_is_asked_of_polynomials_of_degree_four():
    asked = {"activation": "tanh", "point": "1/2"}
    assert kinds.parity({**asked, "polynomial": [[[4], 3], [[0], 1]]}, {}).witness == {
        "point": "1/2", "floor": "19/16"
    }  # fmt: skip
    refuses("network.parity", {**asked, "polynomial": [[[5], 3]]}, "degree at most 4")


def plain_scheme(size):
    """One product for each i, k and j."""
    return [
        [[[i * size + k, 1]], [[k * size + j, 1]], [[i * size + j, 1]]]
        for i, k, j in product(range(size), repeat=3)
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_the_plain_scheme_multiplies(size):
    asked = {"scheme": "plain", "size": size, "products": size**3}
    values = {"terms": plain_scheme(size)}
    assert kinds.scheme(asked, {"values": values}).values == values
    with pytest.raises(Refused, match="number of products"):
        kinds.scheme({**asked, "products": size**3 % 64 + 1}, {"values": values})


@pytest.mark.parametrize("count", [0, 65])
def test_a_scheme_has_one_to_64_terms(count):
    with pytest.raises(Refused, match="terms: expected a list of 1 to 64 entries"):
        kinds.scheme({"scheme": "x", "size": 1, "products": 1}, {"values": {"terms": [[]] * count}})


def test_widths_of_four_states():
    curves = kinds.widths({"most": 4}, {}).values["curves"]
    assert [curve["y"] for curve in curves] == [
        ["6", "45", "190", "561"], ["4", "32", "108", "256"], ["28", "224"]
    ]  # fmt: skip
    assert [curve["x"] for curve in curves] == [["1", "2", "3", "4"]] * 2 + [["2", "4"]]
