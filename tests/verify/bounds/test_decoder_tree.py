"""The tree decoder's recursion on blocks and heads that fit on a page."""

from dataclasses import replace
from fractions import Fraction
from random import Random
from types import SimpleNamespace

import flint
import pytest
from balls_support import check_agreement, precision_fixture

from constructions import decoder_tree as construction
from constructions.arithmetic import Balls, Rational
from constructions.automata.random_trees import labelled_shape, random_tokens, random_wta
from constructions.automata.trees import shapes, tokens, zigzag
from constructions.automata.wta import WTA
from constructions.core.activations import GateInverse
from constructions.core.errors import InputError
from constructions.core.exact import ball, ceiling
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
GROWING = WTA.of([1], [[[3]]], {"a": [-2]})
COIN = WTA.of([1], [[["1/2"]]], {"a": [1]})


def test_a_block_is_one_polynomial_in_each_coordinate():
    """a + 15 ab + 30 b, b + 7 (a - b), 1."""
    assert block_update(BLOCK, 3, ONE) == [
        {(0,): 1, (0, 1): 15, (1,): 30},
        {(1,): -6, (0,): 7},
        {(): 1},
    ]


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
SMALL = [Fraction(1, 1024), Fraction(1, 512), Fraction(0)]


def errors():
    return [ball(e) for e in SMALL]


def score_movement() -> Fraction:
    dq, dk = 2 * SMALL[0] + 3 * SMALL[1], 5 * SMALL[0]
    return 12 * dk + dq * 22 + dq * dk


def test_a_head_leaks_what_its_moved_scores_allow():
    """Sizes |q| = 2·3 + 3·2 and |k| = 5·3 + 7; λ = (R - 1) e^{-C(1 - 2η)}."""
    read = HeadRead(HEAD, SIZES, 6)
    check_agreement(
        read.leak(errors(), flint.arb(9)), 5 * (-9 * (1 - 2 * ball(score_movement()))).exp()
    )
    lost = read.leak(errors(), flint.arb(9))
    found = read.errors(errors(), flint.arb(9))
    check_agreement(found[0], ball(SMALL[0]) + 6 * lost)
    check_agreement(found[1], 4 * ball(SMALL[1]) + 16 * lost)


def test_scores_that_may_move_by_half_their_gap_are_too_soft():
    read = HeadRead(replace(HEAD, query=Matrix.dense([[1], [0], [0]]), key=Matrix.dense([[0], [0], [1]])),
                SIZES, 6)  # fmt: skip
    half = [flint.arb("0.5"), flint.arb(0), flint.arb(0)]
    with pytest.raises(TooSoft, match="head match"):
        read.leak(half, flint.arb(9))
    assert read.leak([flint.arb("0.499"), *half[1:]], flint.arb(9)) > 0


def test_a_step_adds_what_the_head_reads_and_runs_through_the_polynomials():
    """The head goes to a and b; then 15 ab has 15 (3 e_b + 2 e_a + e_a e_b), 30 b has 30 e_b."""
    combine = Matrix.dense([[1, 0, 0], [0, 2, 0]])
    step = TreeDecoderStep(Layer((HEAD,), combine, BLOCK), SIZES, 6, ONE)
    read = HeadRead(HEAD, SIZES, 6).errors(errors(), flint.arb(9))
    a, b = errors()[0] + read[0], errors()[1] + 2 * read[1]
    found = step.after(errors(), flint.arb(9))
    check_agreement(found[0], a + 15 * (3 * b + 2 * a + a * b) + 30 * b)
    check_agreement(found[1], 6 * b + 7 * a)
    assert found[2].is_zero()
    alone = TreeDecoderStep(Layer((), Matrix.zeros(0, 3), BLOCK), SIZES, 6, ONE).after(
        errors(), flint.arb(9)
    )
    check_agreement(alone[1], 6 * errors()[1] + 7 * errors()[0])


def test_only_gated_blocks_are_run_over():
    mlp = MLP(Matrix.identity(3), (0,) * 3, "tanh", Matrix.identity(3), (0,) * 3)
    with pytest.raises(TypeError, match="gated"):
        TreeDecoderStep(Layer((HEAD,), Matrix.identity(3), mlp), SIZES, 6, ONE)


@pytest.mark.parametrize("squared", [True, False])
def test_sizes_of_all_coordinates_by_name(squared):
    """Three leaves within 7 tokens: states up to 72; a context of two leaves takes 36 = (3 · 2)²."""
    layout = construction.build(GROWING, 7).layout
    found = bounds.sizes(GROWING, 7, layout, squared)
    by_name = {name: [float(found[k]) for k in layout[name]] for name in layout}
    special = {"state": [72], "near_state": [72], "far_state": [72], "read_state": [72],
               "index": [7], "left": [7], "pointer": [7], "read_pointer": [7], "square": [49],
               "matrix": [36], "read_matrix": [49 if squared else 36]}  # fmt: skip
    assert set(special) <= set(layout)
    for name, values in by_name.items():
        assert values == special.get(name, [1] * len(values)), name


def test_a_recursion_prepares_its_layers_once_and_adds_the_squares_of_a_state():
    recursion = bounds.TreeDecoderRecursion(COIN, 7)
    layers = construction.build(COIN, 7).transformer.layers
    assert len(recursion.steps) == len(layers)
    now = [flint.arb(0)] * len(recursion.steps[0].sizes)
    for step in recursion.steps:
        now = step.after(now, flint.arb(40))
    total = sum((now[c] * now[c] for c in recursion.states), flint.arb(0)).sqrt()
    check_agreement(recursion.bound(Fraction(40)), total)
    early = [max(map(float, step.sizes)) for step in recursion.steps]
    assert early[:3] == [49] * 3


def test_read_matrix_may_hold_the_square_of_the_depth_up_to_the_third_layer():
    recursion, layout = bounds.TreeDecoderRecursion(COIN, 13), construction.build(COIN, 13).layout
    first, *rest = layout["read_matrix"]
    assert rest == [] and len(recursion.steps) == 5
    assert [step.sizes[first] == 169 for step in recursion.steps] == [True] * 3 + [False] * 2
    assert [step.sizes[first] <= 1 for step in recursion.steps] == [False] * 3 + [True] * 2


def test_trees_of_up_to_sixty_four_leaves_are_bounded_by_nodes_too(monkeypatch):
    for name in ("reachable_bounds", "NodeRecursion", "TreeDecoderRecursion"):
        monkeypatch.setattr(bounds, name, lambda *asked: asked)
    most = bounds.TreeDecoderBounds.of(COIN, 190)
    assert most.nodes == ((COIN, 64), 190, construction.depth(190))
    assert most.coordinates == (COIN, 190)
    assert bounds.TreeDecoderBounds.of(COIN, 193).nodes is None


def bound_or_too_soft(value):
    """Something that has a bound, or is too soft for one."""

    def bound(_):
        if value is None:
            raise TooSoft("too soft")
        return flint.arb(value)

    return SimpleNamespace(bound=bound)


@pytest.mark.parametrize(("one", "two", "least"), [(3, 2, 2), (2, 3, 2), (None, 3, 3), (3, None, 3),
                                                   (None, None, "inf")])  # fmt: skip
def test_a_bound_is_the_lesser_one_of_those_that_there_are(one, two, least):
    both = bounds.TreeDecoderBounds(bound_or_too_soft(one), bound_or_too_soft(two))
    assert str(both.bound(Fraction(1))) == str(flint.arb(least))
    alone = bounds.TreeDecoderBounds(bound_or_too_soft(one), None)
    assert str(alone.bound(Fraction(1))) == str(flint.arb("inf" if one is None else one))


def test_an_error_is_kept_if_the_bound_is_at_most_that():
    found = bounds.TreeDecoderBounds(bound_or_too_soft(2), None)
    assert found.within(Fraction(1), Fraction(2))
    assert not found.within(Fraction(1), Fraction(199, 100))


def test_the_least_whole_c_keeps_the_error():
    eps = Fraction(1, 1000)
    found = bounds.required_saturation(COIN, 7, eps)
    recursion = bounds.TreeDecoderBounds.of(COIN, 7)
    assert found.saturation.denominator == 1 and found.error <= ball(eps)
    assert recursion.within(found.saturation, eps)
    assert not recursion.within(found.saturation - 1, eps)
    assert not recursion.within(Fraction(1), Fraction(10**9))
    for wrong in (Fraction(0), Fraction(-1)):
        with pytest.raises(InputError, match="eps"):
            bounds.required_saturation(COIN, 7, wrong)


def test_the_lesser_of_the_two_bounds_counts():
    """By coordinates for an automaton that adds on large trees, by nodes for one whose states cancel."""
    adder = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, -1]})
    for automaton, length, better in ((adder, 100, "coordinates"), (MIXED, 40, "nodes")):
        found, constant = bounds.TreeDecoderBounds.of(automaton, length), Fraction(60)
        two = {name: getattr(found, name).bound(constant) for name in ("coordinates", "nodes")}
        assert min(two, key=two.__getitem__) == better
        assert found.bound(constant) == two[better]
    assert not found.bound(Fraction(1)).is_finite()
    assert bounds.TreeDecoderBounds.of(COIN, 400).nodes is None


def test_the_upper_end_of_a_ball_is_exact():
    assert ball(ceiling(flint.arb(1, "0.5"))) == flint.arb(1, "0.5").upper()


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


def test_a_bound_without_the_leak_is_too_small(monkeypatch):
    monkeypatch.setattr(HeadRead, "leak", lambda *_: flint.arb(0))
    bound = bounds.TreeDecoderRecursion(STOCHASTIC, 16).bound(Fraction(30))
    assert measured_error(STOCHASTIC, 16, 30, some_trees(6)) > bound


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
