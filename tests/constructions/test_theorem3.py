"""The repaired Theorem 3 and its variants: exact on trees, sized as stated, refusing bad input."""

from dataclasses import replace

import pytest
from trees_support import maskless_layers

from constructions.arithmetic import Floats, Rational
from constructions.automata.random_trees import random_tokens, random_wta
from constructions.automata.trees import (
    ends,
    tokens,
)
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
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


def is_right(model, symbols, causal=False):
    rows, last = model.states(symbols, ARITHMETIC), ends(symbols)
    return all(
        list(rows[(last[i] if causal else i) - 1]) == [ARITHMETIC.element(x) for x in state]
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


@pytest.mark.parametrize("leaves", [1, 2, 3, 4, 5])
def test_no_mask_is_needed_if_brackets_learn_lengths(leaves):
    model = build_maskless(random_wta(2, 3), 3 * leaves - 2)
    assert all(h.mask in (Mask.NONE, Mask.SELF) for x in model.transformer.layers for h in x.heads)
    for k in range(3):
        assert is_right(model, random_tokens(leaves, k))


def test_left_combs_need_twice_their_height_without_masks():
    symbols = tokens((("a", "b"), "a"))
    assert maskless_layers(symbols) == 4
    assert is_right(build_maskless(PAIRS, 7, layers=4), symbols)
    assert not is_right(build_maskless(PAIRS, 7, layers=3), symbols)


@pytest.mark.parametrize("leaves", [1, 2, 3, 4, 5])
def test_causal_masks_are_enough_for_closing_brackets(leaves):
    model = build_causal(random_wta(2, 3), 3 * leaves - 2)
    assert all(
        h.mask in (Mask.CAUSAL, Mask.SELF) for x in model.transformer.layers for h in x.heads
    )
    for k in range(3):
        assert is_right(model, random_tokens(leaves, k), causal=True)


def test_sizes_are_those_of_the_footnote():
    for n in (1, 2, 4):
        measured = sizes(build(random_wta(n, n), 13).transformer)
        assert (measured.embedding, measured.attention, measured.heads) == (n + 6, n + 6, 3)
        assert measured.depth == 2 + 4


def test_floats_agree_on_a_small_tree():
    model = build(random_wta(2, 1), 10)
    rows = model.states("[[ab][ba]]", Floats())
    for i, state in model.automaton.states("[[ab][ba]]").items():
        assert [round(float(x), 6) for x in rows[i - 1]] == [float(x) for x in state]


def test_places_are_exact_on_the_circle_and_whole_on_the_line():
    assert place(3, 6, Places.LINE) == (3, 9)
    cosine, sine = place(3, 6, Places.CIRCLE)
    assert (cosine, sine) == (0, 1)


@pytest.mark.parametrize(
    ("symbols", "words"),
    [("[a[ab]]", "at most 4"), ("[ab", "a closing ]"), ("[az]", "alphabet a, b")],
)
@pytest.mark.parametrize("make", [build, build_maskless, build_causal])
def test_bad_trees_get_one_clear_line(make, symbols, words):
    with pytest.raises(InputError, match=words):
        make(PAIRS, 4).encode(list(symbols))
