"""Activations: one file each, one function in every arithmetic, compared with mpmath."""

from dataclasses import replace
from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
import torch
from balls_support import ball

from constructions.arithmetic import Balls, Floats, Multiprecision, Rational
from constructions.arithmetic.torch import Torch
from constructions.blocks.gated import GATES
from constructions.core.activations import (
    ACTIVATIONS,
    PIECEWISE_LINEAR,
    SMOOTH,
    GateInverse,
    activation_by_name,
    gelu,
    gelu_new,
    mish,
    relu,
    sigmoid,
    silu,
    smooth_activation,
    softplus,
    square,
    tanh,
)
from constructions.core.errors import InputError
from constructions.core.exact import fraction

mp = mpmath.MPContext()
mp.dps = 60


def logistic(x):
    return mp.exp(x) / (mp.exp(x) + 1)


FILES = (gelu, gelu_new, mish, relu, sigmoid, silu, softplus, square, tanh)
# A new activation needs its file, and its definition here.
DEFINITIONS = {
    "tanh": lambda x: (mp.exp(x) - mp.exp(-x)) / (mp.exp(x) + mp.exp(-x)),
    "sigmoid": logistic,
    "softplus": lambda x: -mp.log(1 - mp.exp(x) / (1 + mp.exp(x))),
    "gelu": lambda x: x * mp.quad(lambda t: mp.exp(-t * t / 2), [-mp.inf, 0, x]) / mp.sqrt(2 * mp.pi),
    "gelu_new": lambda x: x * logistic(2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3)),
    "mish": lambda x: x * ((1 + mp.exp(x)) ** 2 - 1) / ((1 + mp.exp(x)) ** 2 + 1),
    "silu": lambda x: x * logistic(x),
    "relu": lambda x: (x + abs(x)) / 2,
    "square": lambda x: x**2,
}  # fmt: skip
POINTS = [Fraction(-3), Fraction(-1, 2), Fraction(0), Fraction(1, 3), Fraction(2)]
FAR = (-30.0, -5.0, -1.0, -0.25, 0.0, 2.0**-20, 0.75, 3.0, 40.0)
# Rounding of the point, of the functions inside (a few units each) and of the result.
UNITS = 64 * 2.0**-53

each = pytest.mark.parametrize("name", ACTIVATIONS)
each_smooth = pytest.mark.parametrize("name", SMOOTH)


def definition(name: str, point: Fraction):
    return DEFINITIONS[name](mp.mpf(point.numerator) / point.denominator)


def contains(enclosure: flint.arb, value) -> bool:
    near = flint.arb(mp.nstr(value, 40), "1e-35")
    return bool(enclosure.overlaps(near)) and float(enclosure.rad()) < 1e-9


def odd_part(name: str, x: float) -> flint.arb:
    sigma = ACTIVATIONS[name].enclosure
    return sigma(flint.arb(x)) - sigma(flint.arb(-x))


def test_every_file_is_an_activation_with_its_definition_here():
    assert set(ACTIVATIONS) == set(DEFINITIONS)
    assert [file.ACTIVATION for file in FILES] == [
        ACTIVATIONS[name] for name in sorted(ACTIVATIONS)
    ]
    assert [file.ACTIVATION.name for file in FILES] == sorted(ACTIVATIONS)


@each
@pytest.mark.parametrize("point", POINTS, ids=str)
def test_every_arithmetic_has_the_function_of_the_definition(name, point):
    value = definition(name, point)
    with Balls(128) as balls:
        assert contains(flint.arb(balls.activate(name, balls.array([[point]]))[0, 0]), value)
    digits = Multiprecision(40)
    found = digits.activate(name, digits.array([[point]]))[0, 0]
    assert abs(mp.mpf(found) - value) < mp.mpf(10) ** -35
    for arithmetic in (Floats("float64"), Torch(torch.float64)):
        found = float(arithmetic.activate(name, arithmetic.array([[point]]))[0, 0])
        assert abs(found - float(value)) <= UNITS * (1 + abs(float(point))) ** 2
    if ACTIVATIONS[name].rational is not None:
        found = Rational().activate(name, Rational().array([[point]]))[0, 0]
        exact = fraction(flint.fmpq(found))
        assert exact == DEFINITIONS[name](point)


@each
def test_all_arithmetics_agree_far_from_zero(name):
    floats = Floats().activate(name, np.array([FAR]))[0]
    tensors = Torch().activate(name, torch.tensor([FAR], dtype=torch.float64))[0].tolist()
    with Balls(200) as balls:
        enclosed = balls.activate(name, balls.array([[Fraction(x) for x in FAR]]))[0]
        many = Multiprecision(60)
        digits = many.activate(name, many.array([[Fraction(x) for x in FAR]]))[0]
        for x, value, text, a, b in zip(FAR, enclosed, digits, floats, tensors, strict=True):
            value = flint.arb(value)
            assert value.rad() < 1e-40
            assert abs(value - flint.arb(str(text))) < 1e-45 * (1 + x * x)
            assert abs(value - flint.arb(float(a))) <= 2.0**-49 * (1 + abs(x))
            assert abs(value - flint.arb(float(b))) <= 2.0**-49 * (1 + abs(x))


@each_smooth
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_derivatives_over_a_point_contain_those_of_the_definition(name, order):
    """Differences of the definition with 60 digits, over steps of 10^-12, are right to 20 digits."""
    point, step = SMOOTH[name].point, mp.mpf(10) ** -12
    at = mp.mpf(point.numerator) / point.denominator
    rows = [(-1) ** (order - k) * mp.binomial(order, k) for k in range(order + 1)]
    steps = [DEFINITIONS[name](at + (k - mp.mpf(order) / 2) * step) for k in range(order + 1)]
    value = mp.fdot(rows, steps) / step**order
    with flint.ctx.workprec(128):
        found = SMOOTH[name].derivative(ball(point), order)
        assert bool(found.overlaps(flint.arb(mp.nstr(value, 30), "1e-18")))
        assert float(found.rad()) < 1e-20


@each_smooth
def test_the_second_derivative_at_the_point_of_expansion_is_not_zero(name):
    with flint.ctx.workprec(128):
        assert SMOOTH[name].derivative(ball(SMOOTH[name].point), 2) != 0


@each_smooth
def test_the_series_begins_with_the_value(name):
    with flint.ctx.workprec(128):
        for x in (-1.5, 0.0, 0.5):
            variable = flint.arb_series([flint.arb(x), 1], prec=3)
            value = flint.arb(SMOOTH[name].enclosure(flint.arb(x)))
            assert SMOOTH[name].series(variable)[0].overlaps(value)


def steeper_than_recorded(record) -> bool:
    """Enclosed on [-10, 10]; further out each of them is nearly 0, 1 or the identity."""
    pieces = ((flint.arb(k) / 64).union(flint.arb(k + 1) / 64) for k in range(-640, 640))
    return any(not abs(record.derivative(piece, 1)) < ball(record.lipschitz) for piece in pieces)


@each_smooth
def test_no_activation_is_steeper_than_its_record_says(name):
    with flint.ctx.workprec(64):
        assert not steeper_than_recorded(SMOOTH[name])


@each_smooth
def test_a_bound_on_the_slope_is_at_most_a_quarter_more_than_needed(name):
    """But for sigmoid, whose slope is 1/4."""
    record, enough = SMOOTH[name], Fraction(1, 5) if name == "sigmoid" else Fraction(4, 5)
    with flint.ctx.workprec(64):
        assert steeper_than_recorded(replace(record, lipschitz=record.lipschitz * enough))


def test_too_small_a_bound_on_the_slope_is_noticed():
    with flint.ctx.workprec(64):
        assert steeper_than_recorded(replace(SMOOTH["gelu"], lipschitz=Fraction(11, 10)))


@each
def test_the_odd_part_is_the_identity_where_the_record_says_so_and_nowhere_else(name):
    with flint.ctx.workprec(200):
        for x in (0.125, 1.0, 7.5):
            is_identity = bool(odd_part(name, x).contains(flint.arb(x)))
            assert is_identity is ACTIVATIONS[name].odd_part_is_identity
            assert odd_part(name, x).rad() < 1e-50


def test_gates_are_activations_whose_odd_part_is_the_identity():
    assert set(GATES) == {name for name, record in ACTIVATIONS.items() if record.is_gate}
    assert all(ACTIVATIONS[name].odd_part_is_identity for name in GATES)
    assert GATES[0] == "silu", "the default of the libraries with gated blocks"


@pytest.mark.parametrize("name", GATES)
def test_the_inverse_of_an_open_gate_is_one_over_the_value_at_one(name):
    with flint.ctx.workprec(128):
        assert contains(GateInverse(name, Fraction(3)).ball(), 3 / definition(name, Fraction(1)))


def test_piecewise_linear_activations_are_linear_on_both_sides_of_zero():
    assert PIECEWISE_LINEAR == ("relu",)
    sigma = ACTIVATIONS["relu"].rational
    assert [sigma(Fraction(x)) for x in (-2, -1, 0, 1, 2)] == [0, 0, 0, 1, 2]


def test_the_two_forms_of_gelu_are_two_functions():
    with flint.ctx.workprec(128):
        gap = abs(ACTIVATIONS["gelu"].enclosure(1) - ACTIVATIONS["gelu_new"].enclosure(1))
        assert gap > 1e-4


@pytest.mark.parametrize(
    "look_up",
    [
        activation_by_name,
        smooth_activation,
        lambda name: Floats().activate(name, np.zeros((1, 1))),
    ],
)
def test_an_unknown_activation_is_refused_by_the_list_of_known_ones(look_up):
    with pytest.raises(InputError, match=r"found misch, expected one of gelu, gelu_new, mish"):
        look_up("misch")


def test_an_activation_without_one_of_its_forms_is_no_record():
    with pytest.raises(TypeError, match="tensor"):
        type(SMOOTH["mish"])(name="half", title="half")
