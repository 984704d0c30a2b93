"""The repaired Theorem 3 and its variants: exact on trees, sized as stated, refusing bad input."""

from dataclasses import replace

import pytest
from trees_support import maskless_layers

from constructions.arithmetic import Rational
from constructions.automata.random_trees import random_wta
from constructions.automata.trees import (
    tokens,
)
from constructions.automata.wta import WTA
from constructions.core.sizes import sizes
from constructions.core.transformer import Mask, Transformer
from constructions.theorem3 import (
    Places,
    build,
    place,
)
from constructions.variants.theorem3_variants import build_causal, build_maskless

PAIRS = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
ARITHMETIC = Rational()


def is_right(model, symbols):
    rows = model.states(symbols, ARITHMETIC)
    return all(
        list(rows[i - 1]) == [ARITHMETIC.element(x) for x in state]
        for i, state in model.automaton.states(symbols).items()
    )


def test_too_few_layers_leave_the_root_at_zero():
    rows = build(PAIRS, 7, height=1).states("[a[ab]]", ARITHMETIC)
    assert [str(row[0]) for row in rows] == ["0", "2", "6", "2", "3", "0", "0"]


def test_a_mutant_without_the_mask_is_wrong():
    model = build(PAIRS, 10, places=Places.LINE)
    layers = tuple(
        replace(
            x, heads=tuple(replace(h, mask=Mask.NONE) if h.name == "right" else h for h in x.heads)
        )
        for x in model.transformer.layers
    )
    old = model.transformer
    mutant = replace(model, transformer=Transformer(layers, old.readout, old.positions))
    assert is_right(model, "[[ab][ba]]")
    assert not is_right(mutant, "[[ab][ba]]")


@pytest.mark.parametrize(
    ("make", "mask"), [(build_maskless, Mask.NONE), (build_causal, Mask.CAUSAL)]
)
def test_the_variants_use_their_mask_alone(make, mask):
    layers = make(random_wta(2, 3), 13).transformer.layers
    assert {head.mask for layer in layers for head in layer.heads} <= {mask, Mask.SELF}


def test_left_combs_need_twice_their_height_without_masks():
    symbols = tokens((("a", "b"), "a"))
    assert maskless_layers(symbols) == 4
    assert is_right(build_maskless(PAIRS, 7, layers=4), symbols)
    assert not is_right(build_maskless(PAIRS, 7, layers=3), symbols)


def test_sizes_are_those_of_the_footnote():
    for n in (1, 2, 4):
        measured = sizes(build(random_wta(n, n), 13).transformer)
        assert (measured.embedding, measured.attention, measured.heads) == (n + 6, n + 6, 3)
        assert measured.depth == 2 + 4


def test_places_are_exact_on_the_circle_and_whole_on_the_line():
    assert place(3, 6, Places.LINE) == (3, 9)
    cosine, sine = place(3, 6, Places.CIRCLE)
    assert (cosine, sine) == (0, 1)
