"""Activations: every arithmetic computes the same function, and odd parts are exact where claimed."""

from fractions import Fraction

import flint
import numpy as np
import pytest
import torch

from constructions.arithmetic import Balls, Floats, Multiprecision
from constructions.arithmetic.balls import ACTIVATIONS
from constructions.arithmetic.torch import Torch
from constructions.blocks.gated import GATES
from constructions.core.activations import ODD, SMOOTH, OverOne, smooth

POINTS = (-30.0, -5.0, -1.0, -0.25, 0.0, 2.0**-20, 0.75, 3.0, 40.0)


@pytest.mark.parametrize("name", [*SMOOTH, "relu"])
def test_all_arithmetics_compute_the_same_function(name):
    floats = Floats().activate(name, np.array([POINTS]))[0]
    tensors = Torch().activate(name, torch.tensor([POINTS], dtype=torch.float64))[0].tolist()
    with Balls(200) as balls:
        enclosed = balls.activate(name, balls.array([[Fraction(x) for x in POINTS]]))[0]
        many = Multiprecision(60)
        digits = many.activate(name, many.array([[Fraction(x) for x in POINTS]]))[0]
        for x, value, text, a, b in zip(POINTS, enclosed, digits, floats, tensors, strict=True):
            value = flint.arb(value)
            assert value.rad() < 1e-40
            assert abs(value - flint.arb(str(text))) < 1e-45 * (1 + abs(x))
            assert abs(value - flint.arb(float(a))) <= 2.0**-49 * (1 + abs(x))
            assert abs(value - flint.arb(float(b))) <= 2.0**-49 * (1 + abs(x))


@pytest.mark.parametrize("name", SMOOTH)
def test_the_series_begins_with_the_value_and_the_value_at_one_is_its_own(name):
    with flint.ctx.workprec(128):
        for x in (-1.5, 0.0, 0.5):
            variable = flint.arb_series([flint.arb(x), 1], prec=3)
            assert (
                smooth(name)
                .series(variable)[0]
                .overlaps(flint.arb(ACTIVATIONS[name](flint.arb(x))))
            )
        if name in GATES:
            assert (OverOne(name).ball() * ACTIVATIONS[name](flint.arb(1))).contains(1)


@pytest.mark.parametrize("name", sorted({*ODD, *GATES}))
def test_the_odd_part_is_the_identity(name):
    with flint.ctx.workprec(200):
        for x in (0.125, 1.0, 7.5):
            odd = ACTIVATIONS[name](flint.arb(x)) - ACTIVATIONS[name](flint.arb(-x))
            assert odd.contains(flint.arb(x)) and odd.rad() < 1e-50


@pytest.mark.parametrize("name", ["tanh", "sigmoid"])
def test_that_of_others_is_not(name):
    with flint.ctx.workprec(200):
        odd = ACTIVATIONS[name](flint.arb(1)) - ACTIVATIONS[name](flint.arb(-1))
        assert not odd.contains(flint.arb(1))


def test_the_two_forms_of_gelu_are_two_functions():
    with flint.ctx.workprec(128):
        gap = abs(ACTIVATIONS["gelu"](flint.arb(1)) - ACTIVATIONS["gelu_new"](flint.arb(1)))
        assert gap > 1e-4
