"""The re-checker confirms hidden units by pigeonholes, differences and closed derivatives."""

import copy
from fractions import Fraction

import flint
import pytest
from confirm_support import Case, Questions
from facts_support import certificate, refused, refuses

from constructions.core.activations import smooth_activation
from verify.facts import units as facts
from verify.recheck.kernel.activation import DERIVATIVES, product_error

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
