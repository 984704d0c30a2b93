"""The transformer of Section 2.4: one forward pass, alike in every arithmetic."""

from fractions import Fraction
from random import Random

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.arithmetic import Balls, Floats, FreeMonoid, MonoidWord, Multiprecision, Rational
from constructions.arithmetic.torch import Torch
from constructions.core.activations import ACTIVATIONS
from constructions.core.layout import Layout
from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import (
    MLP,
    Attention,
    Bilinear,
    Head,
    Layer,
    Mask,
    Tie,
    Transformer,
    run,
)


@pytest.mark.parametrize(
    ("mask", "seen"),
    [
        (Mask.NONE, [[0, 1, 2], [0, 1, 2], [0, 1, 2]]),
        (Mask.CAUSAL, [[0], [0, 1], [0, 1, 2]]),
        (Mask.ANTICAUSAL, [[0, 1, 2], [1, 2], [2]]),
        (Mask.SELF, [[0], [1], [2]]),
    ],
)
def test_a_mask_says_which_positions_are_seen(mask, seen):
    assert [list(mask.visible(i, 3)) for i in range(3)] == seen


class Draw:
    """Small rational weights and a model made of them, from a seed."""

    def __init__(self, seed):
        self.random = Random(seed)

    def weight(self):
        return Fraction(self.random.randint(-8, 8), 4)

    def row(self, size):
        return tuple(self.weight() for _ in range(size))

    def matrix(self, rows, columns):
        return Matrix.dense([self.row(columns) for _ in range(rows)])

    def model(self):
        mask = self.random.choice(list(Mask))
        part = Head(self.matrix(3, 2), self.matrix(3, 2), self.matrix(3, 3), Attention.SOFT, mask)
        cube = {(a, b, c): self.weight() for a in range(2) for b in range(2) for c in range(2)}
        bilinear = Bilinear(
            self.matrix(3, 2), self.matrix(3, 2), Tensor((2, 2, 2), cube), self.matrix(2, 3)
        )
        name = self.random.choice(list(ACTIVATIONS))
        mlp = MLP(self.matrix(3, 4), self.row(4), name, self.matrix(4, 3), self.row(3))
        layers = (
            Layer((part, part), sum_of_two_heads(), bilinear),
            Layer((part, part), sum_of_two_heads(), mlp),
        )
        return Transformer(layers, self.matrix(3, 2), range(2, 3))


def sum_of_two_heads():
    halves = Layout(first=3, second=3)
    one = Matrix.identity(3)
    return Matrix.blocks(halves, 3, {("first", ""): one, ("second", ""): one})


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_soft_models_agree_in_every_arithmetic(seed):
    draw = Draw(seed)
    model, rows = draw.model(), [draw.row(3) for _ in range(draw.random.randint(1, 4))]
    digits = run(model, Multiprecision(50), rows)
    with Balls(200) as balls:
        for ball, value in zip(run(model, balls, rows).flat, digits.flat, strict=True):
            gap = abs(flint.arb(ball) - flint.arb(str(value)))
            assert gap < flint.arb("1e-35") * (1 + abs(flint.arb(str(value))))
    middle = np.array([[float(v) for v in row] for row in digits])
    for arithmetic in (Floats(), Torch()):
        found = np.array([[float(v) for v in row] for row in run(model, arithmetic, rows)])
        assert np.abs(found - middle).max() <= 1e-9 * (1 + np.abs(middle).max())


def head(attention, mask=Mask.NONE, scores=True):
    """Reads the one coordinate; scores are the product of the tokens' own numbers."""
    width = Matrix.identity(1) if scores else Matrix.zeros(1, 0)
    return Head(width, width, Matrix.identity(1), attention, mask)


def attended_values(head_, values, arithmetic=None):
    arithmetic = arithmetic or Rational()
    x = arithmetic.array([[value] for value in values])
    found = head_.realised(arithmetic).attend(arithmetic, x)
    return [Fraction(str(value)) for value in found[:, 0]]


def test_hard_attention_picks_the_largest_score():
    assert attended_values(head(Attention.HARD), [1, 3, 2]) == [3, 3, 3]
    assert attended_values(head(Attention.HARD), [-1, 3, 2]) == [-1, 3, 3]


def test_hard_attention_refuses_a_tie_and_names_it():
    with pytest.raises(Tie, match=r"row 0 has equal largest scores at \[0, 1\]"):
        attended_values(head(Attention.HARD), [1, 1])


def test_saturated_attention_averages_over_the_maximisers():
    assert attended_values(head(Attention.SATURATED), [2, 2, 1]) == [2, 2, 2]
    assert attended_values(head(Attention.SATURATED, scores=False), [1, 2, 6]) == [3, 3, 3]


def test_masks_restrict_attention():
    uniform = head(Attention.SATURATED, Mask.CAUSAL, scores=False)
    assert attended_values(uniform, [4, 2, 0]) == [4, 3, 2]
    after = head(Attention.SATURATED, Mask.ANTICAUSAL, scores=False)
    assert attended_values(after, [4, 2, 0]) == [2, 1, 0]
    assert attended_values(head(Attention.SOFT, Mask.SELF), [4, 2, 0]) == [4, 2, 0]


@pytest.mark.parametrize("arithmetic", [Floats(), Torch()], ids=["numpy", "torch"])
@pytest.mark.parametrize("mask", list(Mask))
def test_floats_mask_and_saturate_as_rationals_do(arithmetic, mask):
    for kind, scores in ((Attention.SATURATED, False), (Attention.HARD, True)):
        part = head(kind, mask, scores)
        x = arithmetic.array([[4.0], [1.0], [-2.0]])
        found = part.realised(arithmetic).attend(arithmetic, x).tolist()
        rounding = 2**-53 * 6 * 7  # six roundings on the way to a sum of |4|, |1| and |-2|
        for (value,), exact in zip(found, attended_values(part, [4, 1, -2]), strict=True):
            assert abs(Fraction(value) - exact) <= rounding


def test_exact_arithmetics_refuse_unsupported_operations():
    with pytest.raises(TypeError, match="no exponential"):
        attended_values(head(Attention.SOFT), [1, 2])
    with pytest.raises(TypeError, match="activation"):
        Rational().activate("tanh", np.array([[1]], dtype=object))
    with pytest.raises(ArithmeticError, match="is not a word"):
        FreeMonoid().element(Fraction(1, 2))
    with pytest.raises(ArithmeticError, match="sum of two words"):
        MonoidWord("a") + MonoidWord("b")
