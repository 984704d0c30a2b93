"""Sizes of transformers whose weights are counted by hand."""

from fractions import Fraction

import flint

from constructions import theorem1
from constructions.core.exact import root
from constructions.core.matrix import Matrix, Tensor
from constructions.core.sizes import sizes
from constructions.core.transformer import MLP, Bilinear, Gated, Head, Layer, Transformer

HEAD = Head(Matrix.zeros(4, 2), Matrix.zeros(4, 2), Matrix((4, 3), {(0, 0): -7}))
WIDE = Head(
    Matrix((4, 5), {(0, 0): 1}), Matrix.zeros(4, 5), Matrix.zeros(4, 1), bias=(0, 2, 0, 0, 0)
)
COMBINE, READOUT = Matrix((4, 4), {(0, 0): Fraction(1, 2)}), Matrix((4, 1), {(3, 0): 1})
PRODUCT = Bilinear(
    Matrix.identity(4), Matrix.zeros(4, 2), Tensor((4, 2, 3), {(0, 0, 0): 1}), Matrix.zeros(3, 4)
)
UNITS = MLP(Matrix((4, 6), {(0, 0): 3}), (1,) * 6, "relu", Matrix.zeros(6, 4), (0, 0, 0, 1))
GATED = Gated(Matrix.zeros(4, 7), Matrix((4, 7), {(0, 0): 1}), "silu", Matrix.zeros(7, 4))


def sizes_of_layers(*layers: Layer[Matrix], bias: tuple[int, ...] | None = None):
    return sizes(Transformer(layers, READOUT, bias=bias))


def test_parameters_are_counted_matrix_by_matrix():
    head, wide = 8 + 8 + 12, 20 + 20 + 4 + 5
    bilinear = sizes_of_layers(Layer((HEAD,), COMBINE, PRODUCT))
    assert bilinear.parameters == head + 16 + (16 + 8 + 24 + 12) + 4
    assert bilinear.nonzero == 1 + 1 + (4 + 0 + 1 + 0) + 1
    mlp = sizes_of_layers(Layer((WIDE,), COMBINE, UNITS))
    assert mlp.parameters == wide + 16 + (24 + 6 + 24 + 4) + 4
    assert mlp.nonzero == 2 + 1 + (1 + 6 + 0 + 1) + 1
    gated = sizes_of_layers(Layer((), COMBINE, GATED))
    assert gated.parameters == 16 + 3 * 28 + 4
    assert gated.nonzero == 1 + 1 + 1


def test_the_largest_weight_is_that_in_absolute_value():
    assert sizes_of_layers(Layer((HEAD,), COMBINE, PRODUCT)).largest == 7
    irrational = Matrix((4, 4), {(0, 0): root(2) * -9, (1, 1): 12})
    with flint.ctx.workprec(64):
        largest = sizes_of_layers(Layer((HEAD,), irrational, PRODUCT)).largest
        assert largest.overlaps(9 * flint.arb(2).sqrt())
        assert largest > 12


def test_theorem_1_has_the_sizes_that_it_claims():
    for n, length in ((1, 1), (2, 8), (3, 9)):
        model = Transformer(theorem1.layers(n, length), theorem1.readout([1] * n))
        found = sizes(model)
        layers = (length - 1).bit_length()
        assert (found.depth, found.embedding) == (layers, 2 * n * n + 2)
        assert found.heads == 2 * (layers > 0)
        assert found.feedforward == 2 * n * n * (layers > 0)
