"""Theorem 3 without masks, and with causal ones: states on small trees, and the weights by name."""

from fractions import Fraction

import pytest
from trees_support import maskless_layers, maskless_ranks

from constructions.arithmetic import Rational
from constructions.automata.trees import shapes, tokens
from constructions.automata.wta import WTA
from constructions.variants.theorem3_variants import (
    build_causal,
    build_maskless,
)

PAIRS = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})


def states(model, symbols):
    rows = model.states(symbols, Rational())
    return [tuple(Fraction(str(weight)) for weight in row) for row in rows]


def test_states_are_at_opening_or_at_closing_brackets():
    assert [x for (x,) in states(build_maskless(PAIRS, 7), "[[ab]a]")] == [12, 6, 2, 3, 0, 2, 0]
    assert [x for (x,) in states(build_causal(PAIRS, 7), "[[ab]a]")] == [0, 0, 2, 3, 6, 2, 12]


def test_a_longer_model_accepts_a_shorter_tree():
    for build in (build_maskless, build_causal):
        assert states(build(PAIRS, 10), "a") == [(2,)]
        assert max(states(build(PAIRS, 10), "[ab]")) == (6,)


def test_the_number_of_layers_follows_the_height():
    assert len(build_maskless(PAIRS, 7).transformer.layers) == 2 * 2
    assert len(build_causal(PAIRS, 7).transformer.layers) == 3 + 2
    assert len(build_maskless(PAIRS, 7, layers=1).transformer.layers) == 1
    assert len(build_causal(PAIRS, 7, height=0).transformer.layers) == 3
    for build in (build_maskless, build_causal):
        assert len(build(PAIRS, 7).transformer.positions) == 2


def test_ranks_are_two_after_the_left_and_one_after_the_right_child():
    assert maskless_ranks("[[ab]c]") == {3: 0, 4: 0, 2: 2, 6: 0, 1: 4}
    assert maskless_ranks("[a[bc]]") == {2: 0, 4: 0, 5: 0, 3: 2, 1: 3}
    assert [maskless_layers(symbols) for symbols in ("a", "[ab]", "[[ab]c]", "[a[bc]]")] == [
        0,
        2,
        4,
        3,
    ]


@pytest.mark.parametrize("leaves", [1, 2, 3, 4])
def test_number_of_layers_without_masks(leaves):
    for shape in shapes(leaves):
        symbols = tokens(shape)
        needed, root = maskless_layers(symbols), PAIRS.states(symbols)[1]
        for layers, right in ((needed, True), (needed - 1, False)):
            if layers >= 0:
                model = build_maskless(PAIRS, len(symbols), layers=layers)
                assert (states(model, symbols)[0] == root) is right
