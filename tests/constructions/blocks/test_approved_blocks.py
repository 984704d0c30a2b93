"""Steps, slopes, weights and certified errors of hidden units, as they were approved."""

from fractions import Fraction
from pathlib import Path

import flint
import pytest
from approved_support import agree_with_approved, plain_data

from constructions import theorem1
from constructions.automata.named import automaton_by_name
from constructions.blocks.digital import residue, slope_for
from constructions.blocks.logarithm import certified_error, fit_logarithm
from constructions.blocks.multiplication import (
    printed_width,
    relu_floor,
    slim_multiplier,
    strassen_multiplier,
)
from constructions.blocks.refined import RefinedUnits, richardson_weights
from constructions.blocks.smoothing import FourUnits, SoftplusUnits, constants
from constructions.core.activations import SMOOTH
from constructions.core.errors import InputError

APPROVED = Path(__file__).with_suffix(".json")
GATES = [name for name, sigma in SMOOTH.items() if sigma.is_gate]


def shown(value):
    """Balls and rationals as decimals of twelve digits."""
    ball = (
        value
        if isinstance(value, flint.arb)
        else flint.arb(flint.fmpq(value.numerator, value.denominator))
    )
    return f"{float(ball.mid()):.11e}"


def entries(matrix):
    """The shape, how many entries there are, and sums that another size or place changes."""
    values = [abs(float(plain_number(value))) for value in matrix.entries.values()]
    places = [1 + row * matrix.shape[1] + column for row, column in matrix.entries]
    weighed = sum(place * value for place, value in zip(places, values, strict=True))
    return [*matrix.shape, len(values), f"{sum(values):.9e}", f"{weighed:.9e}"]


def plain_number(value):
    return value.ball().mid() if hasattr(value, "ball") else value


@pytest.mark.parametrize("name", SMOOTH)
def test_four_units_and_their_errors_are_as_approved(name):
    found = {}
    for bits in (3, 9):
        units = FourUnits.of(name, bits)
        errors = [units.error(Fraction(x), Fraction(y)) for x, y in ((1, 1), (2, 3))]
        found[str(bits)] = [shown(plain_number(units.scale)), *map(shown, errors)]
    agree_with_approved(APPROVED, f"four units: {name}", found)


def test_blocks_of_units_are_as_approved():
    layer = theorem1.build(automaton_by_name("hmm:2:7"), 4).transformer.layers[0]
    ones = constants(layer, layer.feedforward.left.shape[0] - 1)
    made = {
        "four": FourUnits.of("gelu", 5),
        "refined": RefinedUnits(FourUnits.of("silu", 5), 3),
        "refined, no copies": RefinedUnits(FourUnits.of("tanh", 5), 2),
        "softplus": SoftplusUnits(Fraction(1, 32)),
    }
    for name, units in made.items():
        mlp = units.block(layer.feedforward, ones)
        found = [entries(mlp.hidden), entries(mlp.output), mlp.activation, sorted(ones)]
        agree_with_approved(APPROVED, f"block: {name}", found)


def test_weights_of_several_steps_and_widths_are_as_approved():
    found = {
        "weights": [[str(weight) for weight in richardson_weights(k)] for k in range(1, 5)],
        "widths": [printed_width(n) for n in range(1, 6)],
        "floors": [str(relu_floor(units)) for units in (1, 2, 10)],
        "softplus": [
            str(SoftplusUnits(Fraction(1, 8)).error(Fraction(2), Fraction(y))) for y in (1, 3)
        ],
    }
    agree_with_approved(APPROVED, "numbers", found)


@pytest.mark.parametrize("kind", [slim_multiplier, strassen_multiplier])
def test_multipliers_are_as_approved(kind):
    found = {}
    for name, n, radius, eps in (("gelu", 2, 1, 10), ("tanh", 2, 2, 1000), ("sigmoid", 4, 1, 100)):
        made = kind(n, name, Fraction(radius), Fraction(1, eps))
        found[name] = [made.units, made.used_units, str(made.step), shown(made.bound),
                       shown(made.norm_bound), entries(made.block.hidden)]  # fmt: skip
    agree_with_approved(APPROVED, kind.__name__, found)


@pytest.mark.parametrize("name", GATES)
def test_residues_and_slopes_of_digital_blocks_are_as_approved(name):
    found = {
        "residues": [shown(residue(name, slope)) for slope in (16, 64, 128)],
        "slopes": [slope_for(name, Fraction(1, 2**k)) for k in (1, 10, 40, 80)],
    }
    agree_with_approved(APPROVED, f"digital: {name}", found)


FITS = [
    ("silu", 10, 10), ("silu", 1000, 20), ("gelu", 100, 1000), ("gelu_new", 50, 100), ("softplus", 20, 50),
    ("mish", 20, 30), ("sigmoid", 20, 10), ("tanh", 5, 10),
]  # fmt: skip


def test_units_of_logarithms_are_as_approved():
    found = {}
    for name, delta, eta in FITS:
        try:
            log = fit_logarithm(name, Fraction(1, delta), Fraction(1, eta))
        except InputError as error:
            found[f"{name} {delta} {eta}"] = str(error)
            continue
        values = [
            log.error,
            log.offset,
            log.slope,
            log.knots[0],
            log.knots[-1],
            *log.weights[:2],
            log.at_zero,
        ]
        found[f"{name} {delta} {eta}"] = [len(log.knots), str(log.sharpness), *map(shown, values)]
        assert certified_error(log, 2 * log.error) == log.error
        assert certified_error(log, log.error / 2) is None
    agree_with_approved(APPROVED, "logarithms", plain_data(found))
