"""Log depth on the string alone: states on small and random trees, sizes, and what each part is for."""

from dataclasses import replace
from fractions import Fraction

import pytest

from constructions.arithmetic import Rational
from constructions.automata.pebbling import extremal_tree, least_leaves
from constructions.automata.trees import shapes, tokens
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import soft_transformer
from constructions.core.transformer import Bilinear, Mask, Tie
from constructions.variants.logdepth_clean import build, build_short, layout

PAIRS = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
MIXED = WTA.of([1, 0], [[[0, 1], ["1/2", 0]], [[-1, 0], [3, 1]]], {"a": [1, 2], "b": [-1, "1/3"]})


def right(model, symbols):
    """True if no head has a tie, every position of I_t holds its state, and every other one 0."""
    expected, zero = model.automaton.states(symbols), (0,) * model.automaton.n
    try:
        rows = model.states(symbols, Rational())
    except Tie:
        return False
    found = [tuple(Fraction(str(weight)) for weight in row) for row in rows]
    return found == [tuple(expected.get(i, zero)) for i in range(1, len(symbols) + 1)]


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_least_tree_that_needs_k_steps_needs_k_steps(k):
    symbols, length = tokens(extremal_tree(k, "b")), 3 * least_leaves(k) - 2
    assert right(build(PAIRS, length, k), symbols)
    assert not right(build(PAIRS, length, k - 1), symbols)


def test_nothing_but_the_string_is_given():
    model = build(PAIRS, 10)
    assert len(model.encode("[[ab]a]")) == 7 and len(model.encode("a")) == 1
    assert model.transformer.positions == range(0)
    heads = [head for layer in model.transformer.layers for head in layer.heads]
    assert {head.mask for head in heads} == {Mask.NONE}


def test_there_are_log_many_layers_of_at_most_four_heads_on_n2_and_n_and_12_coordinates():
    model = build(MIXED, 100)
    assert layout(2).size == 2 * 2 + 2 + 12
    assert len(model.transformer.layers) == 7 + 1 + 9
    assert max(len(layer.heads) for layer in model.transformer.layers) == 4


@pytest.mark.parametrize("kind", ["scan", "match", "step"])
def test_a_model_without_one_product_is_wrong(kind):
    """One coefficient that matters, of each kind of layer, set to 0."""
    model, symbols = build(MIXED, 13), "[[ab][[ab]a]]"
    place, coordinate = {"scan": (0, "count"), "match": (4, "phi"), "step": (5, "b")}[kind]
    layers = list(model.transformer.layers)
    block = layers[place].feedforward
    assert isinstance(block, Bilinear)
    target = layout(2)[coordinate].start
    entries = {at: w for at, w in block.tensor.entries.items() if at[2] != target}
    fewer = replace(block, tensor=replace(block.tensor, entries=entries))
    layers[place] = replace(layers[place], feedforward=fewer)
    assert right(model, symbols)
    assert not right(
        replace(model, transformer=replace(model.transformer, layers=tuple(layers))), symbols
    )


def test_softmax_comes_near():
    model, symbols = build(MIXED, 10), "[[ab]a]"
    soft = replace(model, transformer=soft_transformer(model.transformer, Fraction(60)))
    found, expected = soft.states(symbols, dtype="float64"), MIXED.states(symbols)
    assert all(found[i] == pytest.approx(list(map(float, expected[i])), abs=1e-9) for i in expected)


def near(model, symbols):
    found, expected = model.states(symbols, dtype="float64"), model.automaton.states(symbols)
    return all(found[i] == pytest.approx(list(map(float, expected[i])), abs=1e-9) for i in expected)


def test_the_short_form_comes_near_with_two_layers_and_the_steps():
    short = build_short(MIXED, 10, 60)
    assert len(short.transformer.layers) == 2 + 3
    assert all(near(short, tokens(shape)) for n in range(1, 5) for shape in shapes(n, "b"))


def test_the_short_form_needs_a_base_and_a_sink():
    """Without the powers of the base the head sums over the whole string."""
    symbols = "[[ab][[ab]a]]"
    assert near(build_short(MIXED, 13, 60), symbols)
    assert not near(build_short(MIXED, 13, 60, base=1), symbols)
    assert not near(build_short(MIXED, 13, 60, sink=0), symbols)
