"""Assumptions of the recursion for soft models: sizes, gaps, leaks, remainders, all seen."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import flint
import pytest

from constructions import decoder_tree, logdepth, theorem3
from constructions.arithmetic import Balls, Rational
from constructions.automata.random_trees import rational_wta
from constructions.automata.wta import WTA
from constructions.blocks.multiplication import slim_multiplier
from constructions.blocks.smoothing import FourUnits
from constructions.core.exact import ball
from constructions.core.transformer import Mask, realise
from constructions.theorem3 import Places
from constructions.variants.theorem3_variants import build_maskless
from verify.automaton import rounding_leaves, rounding_trees
from verify.automaton.measure import MeasuredTrees
from verify.automaton.rounding_trees import attention_is_right
from verify.bounds import budget
from verify.bounds.decoder_tree import subject as decoder_subject
from verify.bounds.floating import FORMATS, Precision
from verify.bounds.logdepth import subject as logdepth_subject
from verify.bounds.states import state_bounds
from verify.bounds.tree_budget import maskless_subject, subject
from verify.exactness.tree_positions import strings

LENGTH = 13
SHORTER = list(strings(4))
MODELS = {
    "line": lambda wta: theorem3.build(wta, LENGTH, places=Places.LINE),
    "circle": lambda wta: theorem3.build(wta, LENGTH),
    "maskless": lambda wta: build_maskless(wta, LENGTH),
    "logdepth": lambda wta: logdepth.build(wta, LENGTH),
    "decoder": lambda wta: decoder_tree.build(wta, LENGTH, "relu"),
}
KNOWN = {
    "line": subject,
    "circle": subject,
    "maskless": maskless_subject,
    "logdepth": logdepth_subject,
    "decoder": decoder_subject,
}
WTAS = [rational_wta(2, 3, "abcd"), WTA.of([1], [[[3]]], {s: [-2] for s in "abcd"})]


def passes(model, symbols):
    """The tokens before each layer, hard and exact."""
    arithmetic = Rational()
    rows = arithmetic.array(model.encode(symbols))
    *before, _ = realise(model.transformer, arithmetic).states(arithmetic, rows)
    return before


def exceeded(model, known, symbols):
    """The coordinates that are larger than the recursion takes them to be."""
    found = set()
    for k, rows in enumerate(passes(model, symbols)):
        sizes = [known.embedded, *known.early, known.sizes][min(k, 1 + len(known.early))]
        with Balls(128) as balls:
            for row in rows:
                for c, (value, size) in enumerate(zip(row, sizes, strict=True)):
                    if abs(balls.element(_exact(value))) > balls.element(size):
                        found.add((k, c))
    return found


def _exact(value):
    return Fraction(int(value.p), int(value.q)) if isinstance(value, flint.fmpq) else value


@pytest.mark.parametrize("wta", WTAS, ids=["rational", "growing"])
@pytest.mark.parametrize("name", MODELS)
def test_no_coordinate_exceeds_its_size_on_any_small_tree(name, wta):
    model = MODELS[name](wta)
    known = KNOWN[name](model)
    for symbols in SHORTER:
        assert exceeded(model, known, symbols) == set()


@pytest.mark.parametrize("name", MODELS)
def test_sizes_that_are_too_small_are_exceeded(name):
    model = MODELS[name](WTAS[0])
    known = KNOWN[name](model)
    ones = (Fraction(1),) * len(known.sizes)
    assert exceeded(model, replace(known, embedded=ones, early=(), sizes=ones), SHORTER[-1])


def smallest_gap(model, symbols):
    """The smallest distance of the largest score of a row from the next, over heads and layers."""
    arithmetic, found = Rational(), flint.arb("inf")
    layers = realise(model.transformer, arithmetic).layers
    for layer, rows in zip(layers, passes(model, symbols), strict=True):
        for head in layer.heads:
            if head.mask is not Mask.SELF:
                found = found.min(_gap(head.scores(arithmetic, rows), head.mask))
    return found


def _gap(scores, mask):
    found = flint.arb("inf")
    with Balls(256) as balls:
        for i, line in enumerate(scores):
            seen = [balls.element(_exact(line[j])) for j in mask.visible(i, len(line))]
            best = max(range(len(seen)), key=lambda j: float(seen[j]))
            others = [seen[best] - score for j, score in enumerate(seen) if j != best]
            if any(abs(score) > 0 for score in seen):
                found = min([found, *others], key=float)
    return found


@pytest.mark.parametrize("name", MODELS)
def test_every_row_of_scores_has_its_gap_at_every_token(name):
    model = MODELS[name](WTAS[0])
    known = KNOWN[name](model)
    with flint.ctx.workprec(256):
        least = ball(known.gap)
        for symbols in SHORTER:
            assert not smallest_gap(model, symbols) < least * (1 - flint.arb(2) ** -60)


def test_moved_scores_leak_more_and_not_more_than_is_allowed():
    """Depths moved by e in the worst way: the leak passes what the gap alone would allow."""
    model, symbols = MODELS["line"](WTAS[0]), "[[ab]c]"
    known = KNOWN["line"](model)
    layout, head = model.plan.layout, model.transformer.layers[-1].heads[1]
    rows = [[_exact(x) for x in row] for row in passes(model, symbols)[-1]]
    target, off, saturation = 5, Fraction(1, 80), 20
    for j, row in enumerate(rows):
        row[layout.at("mark")] += off if j == target else -off
    with Balls(256) as balls:
        real = head.realised(balls)
        line = [saturation * s for s in real.scores(balls, balls.array(rows))[0]]
        given_away = 1 - balls.softmax(line)[target]
        errors = [flint.arb(0)] * layout.size
        errors[layout.at("mark")] = balls.element(off)
        read = budget.HeadRead(head, [ball(size) for size in known.sizes], known.tokens, known.gap)
        allowed = read.leak(errors, flint.arb(saturation))
        unmoved = read.leak([flint.arb(0)] * layout.size, flint.arb(saturation))
        assert unmoved < given_away < allowed


def test_a_product_of_matrices_is_off_by_more_than_one_product_and_at_most_n_squared():
    n, radius = 3, Fraction(2)
    made = slim_multiplier(n, "tanh", radius, Fraction(1, 10**6))
    units = FourUnits(FourUnits.of("tanh", 1).activation, made.step, made.scale)
    with Balls(512) as balls:
        each = units.error(radius, radius)
        row = [radius] * (2 * n * n) + [0, 0]
        block = made.block.realised(balls)
        found = block(balls, balls.array([row]))[0][: n * n]
        wanted = balls.element(n * radius**2)
        total = sum(((x - wanted) ** 2 for x in found), flint.arb(0)).sqrt()
        assert 8 * each < total
        assert not total > n * n * each


@pytest.mark.parametrize("seed", range(3))
def test_measured_rounding_is_below_its_bound(seed):
    single, wta = next(p for p in FORMATS if p.name == "float32"), rational_wta(3, seed, "ab")
    with flint.ctx.workprec(128):
        assert attention_is_right(single, subject(theorem3.build(wta, 10)))
        bound = float(rounding_leaves.state_error(single, state_bounds(wta, 4)))
    assert 0 < MeasuredTrees(wta, 10).error("tree", "float32") <= bound


def test_underflow_is_counted_where_large_weights_multiply_it():
    wta = WTA.of([1], [[[10**20]]], {"a": [Fraction(1, 10**23)]})
    single = next(p for p in FORMATS if p.name == "float32")
    with flint.ctx.workprec(128):
        bound = float(rounding_leaves.state_error(single, state_bounds(wta, 2)))
    assert 1e-27 < MeasuredTrees(wta, 4).error("tree", "float32") <= bound


def test_random_formats_that_are_right_find_the_children():
    """With as few bits as are certainly enough, rounded scores keep their order."""
    random, known = Random(1), KNOWN["line"](MODELS["line"](WTAS[1]))
    with flint.ctx.workprec(128):
        bits = next(b for b in range(2, 64) if attention_is_right(Precision("", b, -99, 99), known))
        assert not attention_is_right(Precision("", bits - 1, -99, 99), known)
        error = rounding_trees.score_error(Precision("", bits, -99, 99), known)
        assert 2 * error * flint.arb(random.random()) < ball(known.gap)
