"""An activation is one function, whatever the arithmetic: held against definitions in mpmath."""

from fractions import Fraction

import flint
import mpmath
import pytest
import torch
from balls_support import ball

from constructions.arithmetic import Balls, Floats, Multiprecision
from constructions.arithmetic.torch import Torch
from constructions.blocks.gated import GATES
from constructions.core.activations import SMOOTH, OverOne

mp = mpmath.MPContext()
mp.dps = 60


def logistic(x):
    return mp.exp(x) / (mp.exp(x) + 1)


DEFINED = {
    "tanh": lambda x: (mp.exp(x) - mp.exp(-x)) / (mp.exp(x) + mp.exp(-x)),
    "sigmoid": logistic,
    "softplus": lambda x: -mp.log(1 - mp.exp(x) / (1 + mp.exp(x))),
    "gelu": lambda x: x * mp.quad(lambda t: mp.exp(-t * t / 2), [-mp.inf, 0, x]) / mp.sqrt(2 * mp.pi),
    "gelu_new": lambda x: x * logistic(2 * mp.sqrt(2 / mp.pi) * (x + mp.mpf("0.044715") * x**3)),
    "silu": lambda x: x * logistic(x),
    "relu": lambda x: (x + abs(x)) / 2,
    "square": lambda x: x**2,
}  # fmt: skip
POINTS = [Fraction(-3), Fraction(-1, 2), Fraction(0), Fraction(1, 3), Fraction(2)]
# Rounding of the point, of the functions inside (a few units each) and of the result.
UNITS = 64 * 2.0**-53

each = pytest.mark.parametrize("name", DEFINED)


def wanted(name: str, point: Fraction):
    return DEFINED[name](mp.mpf(point.numerator) / point.denominator)


def contains(ball: flint.arb, value) -> bool:
    near = flint.arb(mp.nstr(value, 40), "1e-35")
    return bool(ball.overlaps(near)) and float(ball.rad()) < 1e-9


@each
@pytest.mark.parametrize("point", POINTS, ids=str)
def test_every_arithmetic_has_the_same_function(name, point):
    value = wanted(name, point)
    with Balls(128) as balls:
        assert contains(flint.arb(balls.activate(name, balls.array([[point]]))[0, 0]), value)
    digits = Multiprecision(40)
    found = digits.activate(name, digits.array([[point]]))[0, 0]
    assert abs(mp.mpf(found) - value) < mp.mpf(10) ** -35
    for arithmetic in (Floats("float64"), Torch(torch.float64)):
        found = float(arithmetic.activate(name, arithmetic.array([[point]]))[0, 0])
        assert abs(found - float(value)) <= UNITS * (1 + abs(float(point))) ** 2


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_derivatives_over_a_point_contain_those_of_the_definition(name, order):
    """Differences of the definition with 60 digits, over steps of 10^-12, are right to 20 digits."""
    point, step = SMOOTH[name].point, mp.mpf(10) ** -12
    at = mp.mpf(point.numerator) / point.denominator
    rows = [(-1) ** (order - k) * mp.binomial(order, k) for k in range(order + 1)]
    steps = [DEFINED[name](at + (k - mp.mpf(order) / 2) * step) for k in range(order + 1)]
    value = mp.fdot(rows, steps) / step**order
    with flint.ctx.workprec(128):
        found = SMOOTH[name].derivative(ball(point), order)
        assert bool(found.overlaps(flint.arb(mp.nstr(value, 30), "1e-18")))
        assert float(found.rad()) < 1e-20


@pytest.mark.parametrize("name", GATES)
def test_what_undoes_an_open_gate_is_one_over_the_value_at_one(name):
    with flint.ctx.workprec(128):
        assert contains(OverOne(name, Fraction(3)).ball(), 3 / wanted(name, Fraction(1)))
