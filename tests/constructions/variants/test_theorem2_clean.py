"""Theorem 2 on the word alone: all states, the weights by name, and what each part is for."""

from dataclasses import replace
from fractions import Fraction

import pytest

from constructions.arithmetic import Multiprecision, Rational
from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.blocks.smoothing import FourUnits, smooth_transformer, soft_transformer
from constructions.core.transformer import Mask, Tie
from constructions.variants.theorem2_clean import build, double_layer

MIXED = WFA.of([1, "1/2"], {"a": [[1, 2], [0, -1]], "b": [["1/3", 0], [5, 1]]}, [1, 1])


def states(model, word):
    rows = model.states(word, Rational())
    return [tuple(Fraction(str(weight)) for weight in row) for row in rows]


def is_right(model, word):
    """True if no head has a tie and all states are right."""
    try:
        return states(model, word) == [tuple(row) for row in model.automaton.states(word)]
    except Tie:
        return False


def test_nothing_but_the_word_and_a_begin_token_is_given():
    model = build(MIXED, 5)
    assert len(model.encode("abbab")) == 6 and len(model.encode("")) == 1
    assert model.transformer.positions == range(0)
    heads = [head for layer in model.transformer.layers for head in layer.heads]
    assert {head.mask for head in heads} == {Mask.NONE} and len(heads) == 2 * 3


def test_the_depth_is_the_logarithm_of_the_length():
    depths = [len(build(MIXED, length).transformer.layers) for length in (1, 2, 3, 4, 5, 64, 65)]
    assert depths == [0, 1, 2, 2, 3, 6, 7]


def test_one_layer_fewer_is_wrong():
    model = build(counting(), 8)
    fewer = replace(model.transformer, layers=model.transformer.layers[:-1])
    assert is_right(model, "0" * 8)
    assert not is_right(replace(model, transformer=fewer), "0" * 8)


def test_heads_look_back_by_powers_of_two():
    queries = [double_layer(1, number).heads[0].query.entries for number in (1, 2, 3)]
    assert [entries[1, 0] for entries in queries] == [-2, -4, -8]


@pytest.mark.parametrize("word", ["", "a", "abb"])
def test_softmax_and_mlps_come_near_although_places_are_passed_on_inexactly(word):
    model = build(MIXED, 3)
    soft = smooth_transformer(
        soft_transformer(model.transformer, Fraction(200)), FourUnits.of("tanh", 24), 4
    )
    found = replace(model, transformer=soft).states(word, Multiprecision(80))
    for row, state in zip(found, MIXED.states(word), strict=True):
        assert all(abs(x - float(y)) < 1e-3 for x, y in zip(row, state, strict=True))


def test_it_has_the_methods_of_a_simulation():
    model = build(counting(), 5)
    assert model.states("010")[-1] == (2, 1) and model.weight("010") == 2
    back, own = model.attention("01")[:2]
    assert (back.head, back.targets(), own.targets()) == ("back", [0, 0, 1], [0, 1, 2])
    assert model.names("01") == ["begin", "0", "1"]
    assert model.contents("010") == [["I", "0", "1", "0"], ["I", "0", "01", "10"],
                                 ["I", "0", "01", "010"], ["I", "0", "01", "010"]]  # fmt: skip
    assert model.draw("01").startswith("<svg")
