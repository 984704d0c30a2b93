"""The tree decoder against game and automaton after every layer; its certified error."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import flint
import pytest
from trees_support import caterpillar

from constructions.arithmetic import Balls, Rational
from constructions.decoder_tree import Builder, build
from constructions.exact import ball
from constructions.matrix import Matrix
from constructions.pebbling import extremal
from constructions.random_trees import labelled, random_tokens, random_tree, random_wta
from constructions.transformer import Attention, Head, Mask, realise
from constructions.trees import balanced, comb, from_text, shapes, tokens, zigzag
from constructions.wta import WTA
from verify.bounds import decoder_tree as bounds
from verify.bounds.budget import Read, TooSoft
from verify.engines.decoder_trees import check

STOCHASTIC = WTA.of(
    [1, 0],
    [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
    {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]},
)
MIXED = random_wta(2, 5, denominator=2)


@pytest.mark.parametrize("leaves", range(1, 8))
def test_every_layer_is_as_the_game_says_on_all_shapes_up_to_seven_leaves(leaves):
    model = build(random_wta(1 if leaves == 7 else 2, 7), 3 * leaves - 2, "relu")
    for shape in shapes(leaves):
        assert check(model, labelled(shape, leaves)) is None


@pytest.mark.slow
@pytest.mark.parametrize("leaves", [8, 9])
def test_every_layer_is_as_the_game_says_on_all_shapes_up_to_nine_leaves(leaves):
    model = build(random_wta(1, 7), 3 * leaves - 2, "relu")
    for shape in shapes(leaves):
        assert check(model, labelled(shape, leaves)) is None


LARGE = {
    "comb": comb(["a"] * 30),
    "zigzag": zigzag(["a"] * 30),
    "balanced": balanced(["a"] * 30),
    "caterpillar": caterpillar(["a"] * 30),
    "extremal": extremal(9),
    "random": random_tree(30, 11),
}


@pytest.mark.parametrize("name", LARGE)
def test_every_layer_is_as_the_game_says_on_large_trees_of_every_family(name):
    model = build(random_wta(2, 3), 88, "relu")
    assert check(model, labelled(LARGE[name], 5)) is None


@pytest.mark.slow
@pytest.mark.parametrize("make", [comb, zigzag, balanced, caterpillar])
def test_every_layer_is_as_the_game_says_on_trees_with_sixty_leaves(make):
    model = build(random_wta(2, 3), 178, "relu")
    assert check(model, labelled(make(["a"] * 60), 5)) is None


@pytest.mark.parametrize("mutant", ["gate", "match", "jump"])
def test_a_changed_construction_is_refuted(mutant, monkeypatch):
    if mutant == "gate":
        monkeypatch.setattr(Builder, "gate", property(lambda self: {}))
    elif mutant == "match":
        monkeypatch.setattr(Builder, "match", Builder.near)
    else:
        monkeypatch.setattr(Builder, "jump_units", lambda self: self.erase("read_pointer"))
    model = build(random_wta(2, 3), 13, "relu")
    assert any(check(model, labelled(shape, 2)) is not None for shape in shapes(5))


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
            x = arithmetic.array(model.encode(tokens(labelled(shape, leaves))))
            for number, layer in enumerate(realise(model.transformer, arithmetic).layers, 1):
                sizes = early if number <= 3 else late
                between = layer.attend(arithmetic, x)
                x = layer(arithmetic, x)
                for row in (*between, *x):
                    assert all(
                        abs(flint.arb(v)) <= size for v, size in zip(row, sizes, strict=True)
                    )


def measured(automaton, length, saturation, strings):
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
        bound = bounds.Recursion(automaton, 3 * leaves - 2).bound(Fraction(saturation))
        assert measured(automaton, 3 * leaves - 2, saturation, some_trees(leaves)) <= bound


def test_a_bound_without_the_leak_is_too_small(monkeypatch):
    monkeypatch.setattr(Read, "leak", lambda *_: flint.arb(0))
    bound = bounds.Recursion(STOCHASTIC, 16).bound(Fraction(30))
    assert measured(STOCHASTIC, 16, 30, some_trees(6)) > bound


def test_a_small_c_is_called_too_soft():
    with pytest.raises(TooSoft):
        bounds.Recursion(STOCHASTIC, 40).bound(Fraction(2))


def test_c_grows_with_the_logarithm_of_the_length():
    eps = Fraction(1, 10**6)
    found = [bounds.required(STOCHASTIC, length, eps) for length in (22, 88, 352)]
    assert all(choice.error <= ball(eps) for choice in found)
    assert found[2].saturation < 3 * found[0].saturation


def test_a_block_that_is_no_product_is_refused():
    model = build(STOCHASTIC, 13)
    block, one = model.transformer.layers[-1].feedforward, model.layout.at("one")
    assert len(bounds.update(block, model.layout.size, one)) == model.layout.size
    gate = Matrix(block.gate.shape, {**block.gate.entries, (3, 0): 7})
    with pytest.raises(TypeError, match="unit 0"):
        bounds.update(replace(block, gate=gate), model.layout.size, one)


def test_a_tree_in_text_is_read_like_its_tokens():
    model = build(STOCHASTIC, 10, "relu")
    assert check(model, from_text("[a[b[ab]]]")) is None


@pytest.mark.parametrize("tokens", [2, 7])
def test_all_other_tokens_leak_with_the_gap_of_one_and_an_exact_score(tokens):
    """λ = (R - 1) e^(-C) where nothing is off; a head without scores looks nowhere else."""
    with flint.ctx.workprec(128):
        rows, none = Matrix.dense([[1], [1]]), Matrix.zeros(2, 0)
        head = Head(rows, rows, rows, Attention.SOFT, Mask.NONE, "match")
        read = Read(head, [flint.arb(1)] * 2, tokens)
        exact = [flint.arb(0)] * 2
        wanted = (tokens - 1) * flint.arb(-8).exp()
        assert abs(read.leak(exact, flint.arb(8)) - wanted) < wanted / 2**100
        assert Read(replace(head, query=none, key=none), exact, tokens).leak(exact, 8) == 0
