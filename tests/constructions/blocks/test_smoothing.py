"""Smooth MLPs in place of bilinear layers: widths, copies, errors, and what a wrong sign does."""

from fractions import Fraction
from random import Random

import pytest

from constructions.arithmetic import Balls, Rational
from constructions.automata.random_trees import rational_wta
from constructions.blocks.smoothing import (
    FourUnits,
    SoftplusUnits,
    constants,
    greatest_width,
    is_copy,
    products,
    smooth_layer,
    smooth_transformer,
    soft_transformer,
)
from constructions.core.exact import ceiling
from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import Attention, Bilinear, realise_layer
from constructions.theorem3 import Places, build
from verify.bounds.refined import BoundedRefinedUnits

WAYS = [
    FourUnits.of("tanh", 16),
    FourUnits.of("gelu", 16),
    SoftplusUnits(Fraction(1, 1 << 16)),
    BoundedRefinedUnits.of("gelu", 6, 3),
    BoundedRefinedUnits.of("tanh", 7, 2),
]


def parse_layer(n=2):
    model = build(rational_wta(n, 1), 7, places=Places.LINE)
    return model.transformer.layers[-1], model.plan.layout.at("one")


def outputs(layer, rows, bits=400):
    with Balls(bits) as balls:
        return realise_layer(layer, balls).feedforward(balls, balls.array(rows))


def inputs(layer, ones, seed=3):
    """Rows as the heads bring them: any numbers, and one where the constant is."""
    random = Random(seed)
    width = layer.combine.shape[1]
    row = [Fraction(random.randint(-20, 20), 10) for _ in range(width)]
    return [[Fraction(1) if k in ones else value for k, value in enumerate(row)]]


@pytest.mark.parametrize("units", WAYS, ids=["tanh", "gelu", "softplus", "three steps", "two"])
def test_every_output_is_within_the_sum_of_the_errors_of_its_products(units):
    assert largest_excess(units) <= 0


def test_a_step_some_thousand_times_as_large_gives_the_same_error():
    one, three = FourUnits.of("gelu", 21), BoundedRefinedUnits.of("gelu", 11, 3)
    size = Fraction(15)
    assert three.error(size, size) < one.error(size, size)
    assert not BoundedRefinedUnits.of("gelu", 11, 1).error(size, size) < one.error(size, size)


def largest_excess(units):
    """By how much an output is further from the exact one than its products allow, at most."""
    layer, one = parse_layer()
    ones = constants(layer, one)
    rows = inputs(layer, ones)
    smooth_rows = outputs(smooth_layer(layer, units, one), rows)
    exact = realise_layer(layer, Rational()).feedforward(Rational(), Rational().array(rows))
    allowed = [Fraction(0)] * len(exact[0])
    for product in products(layer.feedforward):
        if not (units.copies and is_copy(product, ones)):
            for target, weight in product.output.items():
                error = ceiling(units.error(Fraction(2), Fraction(2)))
                allowed[target] += abs(weight) * error
    tiny, excess = Fraction(1, 10**90), []
    for found, wanted, limit in zip(smooth_rows[0], exact[0], allowed, strict=True):
        with Balls(400) as balls:
            distance = abs(found - balls.element(Fraction(str(wanted))))
            excess.append(float((distance - balls.element(limit + tiny)).upper()))
    return max(excess)


def test_the_products_of_a_block_are_those_of_its_tensor():
    layer, one = parse_layer()
    found = products(layer.feedforward)
    assert sum(len(p.output) for p in found) == len(layer.feedforward.tensor.entries)
    copies = [p for p in found if is_copy(p, constants(layer, one))]
    assert len(copies) == 2 + 4  # the states, and four coordinates that stay


def test_softplus_copies_are_exact_and_tanh_ones_are_not():
    layer, one = parse_layer()
    rows = inputs(layer, constants(layer, one))
    kept = build(rational_wta(2, 1), 7, places=Places.LINE).plan.layout.at("count")
    own = layer.combine.shape[1] - 8 + kept
    for units, exact in (
        (SoftplusUnits(Fraction(1, 4)), True),
        (BoundedRefinedUnits.of("gelu", 2, 3), True),
        (FourUnits.of("tanh", 2), False),
        (BoundedRefinedUnits.of("tanh", 2, 3), False),
    ):
        found = outputs(smooth_layer(layer, units, one), rows)[0][kept]
        assert (abs(float(found) - float(rows[0][own])) < 1e-60) is exact


def test_widths_are_the_stated_ones():
    for n, hidden in ((1, 17), (2, 26), (3, 37)):
        hard = build(rational_wta(n, 1), 7, places=Places.LINE)
        units, one = SoftplusUnits(Fraction(1, 64)), hard.plan.layout.at("one")
        model = smooth_transformer(hard.transformer, units, one)
        assert greatest_width(model.layers) == hidden == n * n + 6 * n + 10
        assert not any(
            isinstance(a.feedforward, type(b.feedforward))
            for a, b in zip(model.layers, hard.transformer.layers, strict=True)
        )


def test_softened_weights_are_those_of_the_soft_construction():
    automaton = rational_wta(2, 1)
    soft = build(automaton, 7, places=Places.LINE, attention=Attention.SOFT, saturation=40)
    hard = build(automaton, 7, places=Places.LINE)
    for found, wanted in zip(
        soft_transformer(hard.transformer, 40).layers, soft.transformer.layers, strict=True
    ):
        for one, other in zip(found.heads, wanted.heads, strict=True):
            assert (one.query.entries, one.key.entries) == (other.query.entries, other.key.entries)
            assert one.attention is other.attention is Attention.SOFT


def test_a_product_that_reaches_a_coordinate_twice_has_the_sum_of_both_weights():
    """3 · 2 by the first output of the tensor and 5 · 7 by the second."""
    one, tensor = Matrix.identity(1), Tensor((1, 1, 2), {(0, 0, 0): 3, (0, 0, 1): 5})
    (found,) = products(Bilinear(one, one, tensor, Matrix.dense([[2], [7]])))
    assert found.output == {0: 41}
