"""The recursion for soft attention and hidden units on a transformer that fits on a page."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest
from balls_support import check_agreement, precision_fixture

from constructions.blocks.smoothing import FourUnits, Product
from constructions.core.exact import ball, ceiling
from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import MLP, Bilinear, Head, Layer, Mask, Transformer
from verify.bounds import budget
from verify.bounds.budget import (
    BudgetRecursion,
    BudgetStep,
    BudgetSubject,
    HeadRead,
    LayerProduct,
    TooSoft,
)

working = precision_fixture(budget.BITS)


# Two coordinates: a value of size 3 and the constant 1. The head reads both, the block multiplies.
HEAD = Head(Matrix.dense([[2], [-3]]), Matrix.dense([[5], [7]]), Matrix.identity(2), name="one")
BLOCK = Bilinear(
    Matrix.dense([[1], [1]]), Matrix.dense([[0], [4]]), Tensor((1, 1, 1), {(0, 0, 0): 1}),
    Matrix.dense([[-6, 1]]),
)  # fmt: skip
LAYER = Layer((HEAD,), Matrix.identity(2), BLOCK)
SUBJECT = BudgetSubject(
    Transformer((LAYER, LAYER), Matrix.identity(2)), (Fraction(2), Fraction(1)),
    (Fraction(3), Fraction(1)), 6, Fraction(200), range(1), 1,
)  # fmt: skip
SIZES = [flint.arb(3), flint.arb(1)]
E0, E1 = Fraction(1, 8), Fraction(1, 16)
MOVED = 9 * (5 * E0 + 7 * E1) + (2 * E0 + 3 * E1) * 22 + (2 * E0 + 3 * E1) * (5 * E0 + 7 * E1)


def errors():
    return [ball(E0), ball(E1)]


def test_a_score_moves_by_the_errors_of_its_two_sides():
    read = HeadRead(HEAD, SIZES, 6, SUBJECT.gap)
    assert read.movement(errors()) == ball(MOVED)
    check_agreement(read.leak(errors(), flint.arb(3)), 5 * (-3 * (200 - 2 * ball(MOVED))).exp())
    lost = read.leak(errors(), flint.arb(3))
    found = read.errors(errors(), flint.arb(3))
    check_agreement(found[0], ball(E0) + 6 * lost)
    check_agreement(found[1], ball(E1) + 2 * lost)


def test_scores_that_may_move_by_half_their_gap_are_too_soft():
    for gap, soft in ((2 * MOVED, True), (2 * MOVED + Fraction(1, 99), False)):
        read = HeadRead(HEAD, SIZES, 6, gap)
        if soft:
            with pytest.raises(TooSoft, match="head one"):
                read.leak(errors(), flint.arb(3))
        else:
            assert read.leak(errors(), flint.arb(3)) > 0


@pytest.mark.parametrize(
    "head",
    [
        replace(HEAD, mask=Mask.SELF),
        replace(HEAD, query=Matrix.zeros(2, 0), key=Matrix.zeros(2, 0)),
    ],
)
def test_a_head_that_reads_its_own_token_or_has_no_score_leaks_nothing(head):
    assert HeadRead(head, SIZES, 6, SUBJECT.gap).leak(errors(), flint.arb(3)).is_zero()


def test_a_product_is_off_by_its_factors_and_the_rest_of_its_units():
    """Factors 2x of size 6 and -5y of size 5: errors 1/4 and 5/16."""
    product = Product({0: 2}, {1: -5}, {0: 3})
    dx, dy = 2 * E0, 5 * E1
    plain = LayerProduct(product, SIZES, None, copy=False)
    assert (float(plain.x), float(plain.y)) == (6, 5) and float(plain.output[0][1]) == 3
    assert plain.error(errors()) == ball(6 * dy + 5 * dx + dx * dy)
    asked = []
    units = SimpleNamespace(copies=True, error=lambda x, y: asked.append((x, y)) or flint.arb(7))
    assert LayerProduct(product, SIZES, units, copy=True).rest.is_zero()
    assert (
        LayerProduct(product, SIZES, units, copy=False).error(errors()) == plain.error(errors()) + 7
    )
    units.copies = False
    assert LayerProduct(product, SIZES, units, copy=True).rest == 7
    assert asked == [(8, 10)] * 2  # what the factors are at most if their inputs are off by 1


def test_a_step_adds_up_the_products_at_their_outputs():
    """The block writes -6 and 1 times (x + y) · 4y, of sizes 4 and 4."""
    step = BudgetStep(LAYER, SIZES, SUBJECT, None)
    read = HeadRead(HEAD, SIZES, 6, SUBJECT.gap).errors(errors(), flint.arb(3))
    dx, dy = read[0] + read[1], 4 * read[1]
    product = 4 * dy + 4 * dx + dx * dy
    found = step.after(errors(), flint.arb(3))
    check_agreement(found[0], 6 * product)
    check_agreement(found[1], product)
    renewed = replace(SUBJECT, transformer=Transformer((LAYER,), Matrix.identity(2), range(1, 2)))
    kept = BudgetStep(LAYER, SIZES, renewed, None).after(errors(), flint.arb(3))
    assert kept[1].is_zero() and kept[0] > 0


def test_only_bilinear_layers_are_run_over():
    mlp = MLP(Matrix.identity(2), (0, 0), "tanh", Matrix.identity(2), (0, 0))
    with pytest.raises(TypeError, match="bilinear"):
        BudgetStep(replace(LAYER, feedforward=mlp), SIZES, SUBJECT, None)


def test_a_recursion_runs_through_all_layers_and_prepares_like_ones_once():
    three = replace(SUBJECT, transformer=Transformer((LAYER,) * 3, Matrix.identity(2)))
    recursion = BudgetRecursion(three)
    assert recursion.steps[1] is recursion.steps[2] is not recursion.steps[0]
    now = [flint.arb(0)] * 2
    for step in recursion.steps:
        now = step.after(now, flint.arb(2))
    assert recursion.bound(2) == ceiling(now[0])
    assert budget.error_bound(three, 2) == recursion.bound(2)
    both = BudgetRecursion(replace(three, states=range(2)))
    assert both.bound(2) == ceiling(now[0].max(now[1]))


def test_the_least_c_is_found_and_an_impossible_one_is_refused():
    eps = Fraction(1, 10**6)
    found = budget.sufficient_saturation(SUBJECT, eps)
    assert BudgetRecursion(SUBJECT).within(found, eps) and not BudgetRecursion(SUBJECT).within(
        found - 1, eps
    )
    for wrong in (Fraction(0), Fraction(-1)):
        with pytest.raises(TooSoft, match="no C brings the error to"):
            budget.sufficient_saturation(SUBJECT, wrong)
    with pytest.raises(TooSoft, match="no C up to"):
        budget.sufficient_saturation(replace(SUBJECT, gap=Fraction(0)), eps)


@pytest.mark.parametrize("least", [1, 2, 3, 7, 8, 9, 64, 100])
def test_the_least_number_is_found_by_doubling_and_halving(least):
    assert budget.least_number(lambda k: k >= least, 128, "k") == least


def test_the_coarsest_step_keeps_the_error():
    eps = Fraction(1, 1000)
    found = budget.sufficient_fineness(SUBJECT, 2, eps, "tanh")
    assert BudgetRecursion(SUBJECT, FourUnits.of("tanh", found)).within(2, eps)
    assert not BudgetRecursion(SUBJECT, FourUnits.of("tanh", found - 1)).within(2, eps)


def test_heads_of_integer_scores_have_the_gap_one_and_means_are_known():
    read = HeadRead(HEAD, SIZES, 6)
    assert (read.gap, read.others, read.leaks, read.mean) == (1, 5, True, False)
    equal = replace(HEAD, query=Matrix.zeros(2, 0), key=Matrix.zeros(2, 0))
    assert HeadRead(equal, SIZES, 6).mean
    for head in (HEAD, equal):
        own = HeadRead(replace(head, mask=Mask.SELF), SIZES, 6)
        assert not own.mean and not own.leaks


def test_a_leak_moves_a_read_by_twice_the_sizes_that_it_reads():
    """Scores that stay 1 above the others, of five other tokens: λ = 5 e^-3; sizes 3 and 1."""
    read = HeadRead(HEAD, SIZES, 6, 2 * MOVED + 1)
    lost = 5 * flint.arb(-3).exp()
    check_agreement(read.leak(errors(), flint.arb(3)), lost)
    first, second = read.errors(errors(), flint.arb(3))
    check_agreement(first, ball(E0) + 2 * lost * 3)
    check_agreement(second, ball(E1) + 2 * lost)
