"""Theorem 3 on the string alone: states on small trees, weights by name, and what each part is for."""

from dataclasses import replace
from fractions import Fraction

import pytest

from constructions.arithmetic import Multiprecision, Rational
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits, smooth_transformer, soft_transformer
from constructions.core.transformer import Mask, Tie
from constructions.variants.theorem3_clean import build

PAIRS = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
MIXED = WTA.of([1, 0], [[[0, 1], ["1/2", 0]], [[-1, 0], [3, 1]]], {"a": [1, 2], "b": [-1, "1/3"]})


def states(model, symbols):
    rows = model.states(symbols, Rational())
    return [tuple(Fraction(str(weight)) for weight in row) for row in rows]


def is_right(model, symbols):
    """True if no head has a tie, every position of I_t holds its state, and every other one 0."""
    expected = model.automaton.states(symbols)
    zero = (0,) * model.automaton.n
    try:
        found = states(model, symbols)
    except Tie:
        return False
    return found == [tuple(expected.get(i, zero)) for i in range(1, len(symbols) + 1)]


def test_nothing_but_the_string_is_given():
    model = build(PAIRS, 10)
    assert len(model.encode("[[ab]a]")) == 7 and len(model.encode("a")) == 1
    assert model.transformer.positions == range(0)
    heads = [head for layer in model.transformer.layers for head in layer.heads]
    assert {head.mask for head in heads} == {Mask.NONE}


def test_the_weights_do_not_know_the_length():
    short, long = build(MIXED, 4), build(MIXED, 40)
    assert all(layer == short.transformer.layers[0] for layer in long.transformer.layers)


def test_the_number_of_layers_is_twice_the_greatest_height():
    assert [len(build(PAIRS, length).transformer.layers) for length in (1, 4, 7, 40)] == [
        0,
        2,
        4,
        26,
    ]
    assert len(build(PAIRS, 7, layers=1).transformer.layers) == 1


def test_left_combs_need_all_layers_and_right_combs_fewer():
    assert is_right(build(PAIRS, 7, layers=4), "[[ab]a]")
    assert not is_right(build(PAIRS, 7, layers=3), "[[ab]a]")
    assert is_right(build(PAIRS, 7, layers=3), "[a[ab]]")
    assert not is_right(build(PAIRS, 7, layers=2), "[a[ab]]")


def test_more_layers_than_needed_change_nothing():
    assert all(is_right(build(PAIRS, 40), symbols) for symbols in ("a", "[ab]", "[a[b[ab]]]"))


def test_without_its_own_head_a_token_forgets_its_place():
    model = build(PAIRS, 7)
    layers = tuple(
        replace(x, heads=(*x.heads[:2], replace(x.heads[2], query=x.heads[0].query)))
        for x in model.transformer.layers
    )
    mutant = replace(model, transformer=replace(model.transformer, layers=layers))
    assert is_right(model, "[[ab]a]") and not is_right(mutant, "[[ab]a]")


@pytest.mark.parametrize("symbols", ["a", "[ab]", "[[ab]a]"])
def test_softmax_and_mlps_come_near_although_places_are_passed_on_inexactly(symbols):
    model = build(PAIRS, 7)
    soft = smooth_transformer(
        soft_transformer(model.transformer, Fraction(200)), FourUnits.of("tanh", 24), 1
    )
    found = replace(model, transformer=soft).states(symbols, Multiprecision(80))
    for i, state in PAIRS.states(symbols).items():
        assert abs(found[i - 1][0] - float(state[0])) < 1e-3


def test_it_has_the_methods_of_a_tree_simulation():
    model = build(PAIRS, 7)
    assert model.states(("a", "b")) == {1: (6,), 2: (2,), 3: (3,)}
    assert model.weight("[[ab]a]") == 12
    left, aimed, own = model.attention("[ab]")[:3]
    assert (left.targets(), aimed.targets()) == ([1, 1, 2, 3], [0, 1, 2, 3])
    assert own.targets() == [0, 1, 2, 3]
    assert model.draw("[ab]").startswith("<svg")


def test_letters_and_closing_brackets_look_at_themselves_in_every_layer():
    symbols = "[[ab][ba]]"
    others = [k for k, symbol in enumerate(symbols) if symbol != "["]
    for pattern in build(PAIRS, 10).attention(symbols):
        assert [pattern.targets()[k] for k in others] == others
