"""Gated units multiply exactly, and a linear unit undoes its open gate."""

from fractions import Fraction

import flint
import numpy as np
import pytest

from constructions.arithmetic import Balls, Rational
from constructions.blocks import gated
from constructions.core.activations import GateInverse
from constructions.core.errors import InputError
from constructions.core.forms import ONE, at
from constructions.core.layout import Layout

LAYOUT = Layout(one=1, x=1, y=1, out=1)
UNITS = {
    "product": lambda sigma: gated.product_units(at("x"), at("y"), at("out")),
    "linear": lambda sigma: gated.linear_units(at("x"), at("out", 0, Fraction(-3, 2)), ONE, sigma),
}


def outputs(name, sigma, arithmetic, x, y):
    block = gated.gated_block(LAYOUT, UNITS[name](sigma), sigma)
    realised = block.realised(arithmetic)
    return realised(arithmetic, arithmetic.array([[1, x, y, 0]]))[0]


@pytest.mark.parametrize("x", [Fraction(3), Fraction(-1, 7)])
@pytest.mark.parametrize("y", [Fraction(-2), Fraction(5, 3), Fraction(0)])
def test_two_units_are_a_product_whatever_the_gate(x, y):
    found = outputs("product", "relu", Rational(), x, y)
    assert str(found[LAYOUT.at("out")]) == str(x * y)
    for sigma in ("silu", "gelu", "gelu_new"):
        with Balls(200) as balls:
            value = outputs("product", sigma, balls, x, y)[LAYOUT.at("out")]
            assert value.contains(flint.fmpq((x * y).numerator, (x * y).denominator))
            assert value.rad() < 1e-50


@pytest.mark.parametrize("sigma", gated.GATES)
def test_one_unit_is_linear(sigma):
    with Balls(200) as balls:
        value = outputs("linear", sigma, balls, Fraction(5), 0)[LAYOUT.at("out")]
        assert flint.arb(value).contains(flint.fmpq(-15, 2))


def test_a_gate_that_is_not_odd_up_to_evenness_is_refused():
    with pytest.raises(InputError, match="activation"):
        gated.gated_block(LAYOUT, UNITS["product"]("tanh"), "tanh")


def test_the_number_over_sigma_of_one_is_enclosed():
    with flint.ctx.workprec(100):
        assert (GateInverse("silu").ball() * (1 / (1 + flint.arb(-1).exp()))).contains(1)
    assert gated.gate_inverse("relu", 7) == 7
    assert np.isfinite(float(GateInverse("gelu").ball().mid()))
