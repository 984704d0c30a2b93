"""The tree decoder's recursion on blocks and heads that fit on a page."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import flint
import pytest
from balls_support import precision_fixture

from constructions.arithmetic import Balls, Rational
from constructions.automata.random_trees import labelled_shape, random_tokens, random_wta
from constructions.automata.trees import shapes, tokens, zigzag
from constructions.automata.wta import WTA
from constructions.core.activations import GateInverse
from constructions.core.exact import ball
from constructions.core.matrix import Matrix
from constructions.core.transformer import MLP, Attention, Gated, Head, Layer, Mask, realise
from constructions.decoder_tree import build
from verify.bounds import decoder_tree as bounds
from verify.bounds.budget import BITS, HeadRead, TooSoft
from verify.bounds.decoder_tree import TreeDecoderStep, block_update

working = precision_fixture(BITS)


# Coordinates a, b and the constant; units 0 and 1 multiply (a + 2·1)(3b), unit 2 copies a - b.
ONE = 2
BLOCK = Gated(
    Matrix.dense([[1, 1, 1], [0, 0, -1], [2, 2, 0]]),
    Matrix.dense([[0, 0, 0], [3, -3, 0], [0, 0, 1]]),
    "silu",
    Matrix.dense([[5, 0, 0], [-5, 0, 0], [0, GateInverse("silu", Fraction(7)), 0]]),
)


def test_what_is_erased_leaves_nothing():
    """One unit that takes a away from itself."""
    block = Gated(Matrix.dense([[1], [0], [0]]), Matrix.dense([[0], [0], [1]]), "silu",
                  Matrix.dense([[-1, 0, 0]]))  # fmt: skip
    assert block_update(block, 3, ONE) == [{}, {(1,): 1}, {(): 1}]


def changed_block(name: str, at: tuple[int, int], value: int) -> Gated:
    matrix = getattr(BLOCK, name)
    return replace(BLOCK, **{name: Matrix(matrix.shape, {**matrix.entries, at: value})})


@pytest.mark.parametrize(
    ("block", "because"),
    [
        (changed_block("inward", (0, 1), 9), "units 0 and 1 are no product"),
        (changed_block("output", (1, 0), 5), "units 0 and 1 are no product"),
        (changed_block("gate", (1, 1), 3), "unit 0 is neither a product nor linear"),
        (changed_block("gate", (0, 1), 1), "unit 0 is neither a product nor linear"),
        (changed_block("gate", (2, 2), 2), "unit 2 is neither a product nor linear"),
        (changed_block("gate", (0, 2), 1), "unit 2 is neither a product nor linear"),
    ],
)
def test_a_block_that_is_no_sum_of_products_is_refused(block, because):
    with pytest.raises(TypeError, match=because):
        block_update(block, 3, ONE)


HEAD = Head(Matrix.dense([[2], [-3], [0]]), Matrix.dense([[5], [0], [7]]),
            Matrix.dense([[1, 0], [0, 4], [0, 0]]), name="match")  # fmt: skip
SIZES = [flint.arb(3), flint.arb(2), flint.arb(1)]


def test_scores_that_may_move_by_half_their_gap_are_too_soft():
    read = HeadRead(replace(HEAD, query=Matrix.dense([[1], [0], [0]]), key=Matrix.dense([[0], [0], [1]])),
                SIZES, 6)  # fmt: skip
    half = [flint.arb("0.5"), flint.arb(0), flint.arb(0)]
    with pytest.raises(TooSoft, match="head match"):
        read.leak(half, flint.arb(9))
    assert read.leak([flint.arb("0.499"), *half[1:]], flint.arb(9)) > 0


def test_only_gated_blocks_are_run_over():
    mlp = MLP(Matrix.identity(3), (0,) * 3, "tanh", Matrix.identity(3), (0,) * 3)
    with pytest.raises(TypeError, match="gated"):
        TreeDecoderStep(Layer((HEAD,), Matrix.identity(3), mlp), SIZES, 6, ONE)


STOCHASTIC = WTA.of(
    [1, 0],
    [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
    {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]},
)


MIXED = random_wta(2, 5, denominator=2)


def test_scores_of_the_match_head_reach_three_quarters_of_the_cube_of_the_length():
    length, arithmetic, top = 28, Rational(), 0
    model = build(random_wta(1, 3), length, "relu")
    x = arithmetic.array(model.encode(tokens(zigzag(["a"] * 10))))
    for layer in realise(model.transformer, arithmetic).layers[:3]:
        for head in layer.heads:
            if head.name == "match":
                scores = head.scores(arithmetic, x)
                top = max(abs(scores[i][j]) for i in range(1, len(scores)) for j in range(i + 1))
        x = layer(arithmetic, x)
    assert 74 * length**3 < 100 * top <= 100 * length**3


@pytest.mark.parametrize("automaton", [STOCHASTIC, MIXED], ids=["stochastic", "mixed"])
def test_the_sizes_that_the_bound_uses_hold_in_every_hard_run(automaton):
    model, arithmetic = build(automaton, 13, "relu"), Rational()
    with flint.ctx.workprec(128):
        early, late = (bounds.sizes(automaton, 13, model.layout, squared=s) for s in (True, False))
    for leaves in range(1, 6):
        for shape in shapes(leaves):
            x = arithmetic.array(model.encode(tokens(labelled_shape(shape, leaves))))
            for number, layer in enumerate(realise(model.transformer, arithmetic).layers, 1):
                sizes = early if number <= 3 else late
                between = layer.attend(arithmetic, x)
                x = layer(arithmetic, x)
                for row in (*between, *x):
                    assert all(
                        abs(flint.arb(v)) <= size for v, size in zip(row, sizes, strict=True)
                    )


def measured_error(automaton, length, saturation, strings):
    top = flint.arb(0)
    with Balls(256) as balls:
        model = build(automaton, length, "silu", saturation)
        for string in strings:
            found = model.states(string, balls)
            for i, state in automaton.states(string).items():
                apart = [x - ball(y) for x, y in zip(found[i], state, strict=True)]
                top = top.max(sum((a * a for a in apart), flint.arb(0)).nonnegative_part().sqrt())
    return top


def some_trees(leaves):
    random = Random(leaves)
    return [random_tokens(leaves, random.randrange(99)) for _ in range(6)]


@pytest.mark.parametrize("automaton", [STOCHASTIC, MIXED], ids=["stochastic", "mixed"])
@pytest.mark.parametrize("saturation", [30, 45])
def test_runs_in_balls_stay_below_the_bound(automaton, saturation):
    for leaves in (2, 4, 6):
        bound = bounds.TreeDecoderRecursion(automaton, 3 * leaves - 2).bound(Fraction(saturation))
        assert measured_error(automaton, 3 * leaves - 2, saturation, some_trees(leaves)) <= bound


def test_a_small_c_is_called_too_soft():
    with pytest.raises(TooSoft):
        bounds.TreeDecoderRecursion(STOCHASTIC, 40).bound(Fraction(2))


def test_c_grows_with_the_logarithm_of_the_length():
    eps = Fraction(1, 10**6)
    found = [bounds.required_saturation(STOCHASTIC, length, eps) for length in (22, 88, 352)]
    assert all(choice.error <= ball(eps) for choice in found)
    assert found[2].saturation < 3 * found[0].saturation


def test_a_block_that_is_no_product_is_refused():
    model = build(STOCHASTIC, 13)
    block, one = model.transformer.layers[-1].feedforward, model.layout.at("one")
    assert len(bounds.block_update(block, model.layout.size, one)) == model.layout.size
    gate = Matrix(block.gate.shape, {**block.gate.entries, (3, 0): 7})
    with pytest.raises(TypeError, match="unit 0"):
        bounds.block_update(replace(block, gate=gate), model.layout.size, one)


@pytest.mark.parametrize("tokens", [2, 7])
def test_all_other_tokens_leak_with_the_gap_of_one_and_an_exact_score(tokens):
    """λ = (R - 1) e^(-C) where nothing is off; a head without scores looks nowhere else."""
    with flint.ctx.workprec(128):
        rows, none = Matrix.dense([[1], [1]]), Matrix.zeros(2, 0)
        head = Head(rows, rows, rows, Attention.SOFT, Mask.NONE, "match")
        read = HeadRead(head, [flint.arb(1)] * 2, tokens)
        exact = [flint.arb(0)] * 2
        wanted = (tokens - 1) * flint.arb(-8).exp()
        assert abs(read.leak(exact, flint.arb(8)) - wanted) < wanted / 2**100
        assert HeadRead(replace(head, query=none, key=none), exact, tokens).leak(exact, 8) == 0
