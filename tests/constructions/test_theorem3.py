"""The repaired Theorem 3 and its variants: exact on trees, sized as stated, refusing bad input."""

from dataclasses import replace

import pytest
from trees_support import maskless_layers

from constructions.arithmetic import Floats, Rational
from constructions.automata.random_trees import random_tokens, random_wta
from constructions.automata.trees import (
    balanced_tree,
    comb,
    ends,
    most_leaves,
    shapes,
    tokens,
    zigzag,
)
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.layout import Layout
from constructions.core.matrix import Matrix
from constructions.core.sizes import sizes
from constructions.core.transformer import Attention, Mask, Transformer
from constructions.theorem3 import (
    Places,
    TreePlan,
    block,
    build,
    depth_weight,
    end_weight,
    greatest_height,
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


@pytest.mark.parametrize("places", list(Places))
def test_every_position_of_every_small_tree_is_right(places):
    model = build(random_wta(2, 1), 10, places=places)
    for leaves in range(1, 5 if places is Places.LINE else 4):
        for shape in shapes(leaves):
            assert is_right(model, tokens(shape))


@pytest.mark.parametrize("family", [comb, zigzag, balanced_tree])
def test_families_of_trees_are_right(family):
    symbols = tokens(family(list("abbaab")))
    assert is_right(build(random_wta(3, 2), len(symbols), places=Places.LINE), symbols)


def test_the_smallest_inputs_are_examples_not_exclusions():
    assert is_right(build(PAIRS, 1), ["a"])
    assert is_right(build(PAIRS, 4), ["b"])
    assert is_right(build(WTA.of([0], [[[0]]], {"a": [0]}), 4), "[aa]")
    assert (most_leaves(1), greatest_height(1), most_leaves(25), greatest_height(25)) == (
        1,
        0,
        9,
        8,
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


def test_a_length_below_one_is_refused():
    with pytest.raises(InputError, match="length: found 0"):
        build(PAIRS, 0)


def forms(coordinates, matrix):
    """The columns of a matrix, each by the names of its coordinates."""
    found = [{} for _ in range(matrix.shape[1])]
    for (row, column), value in matrix.entries.items():
        found[column][coordinates.name_of(row)] = value
    return found


def test_the_heads_on_the_line_are_these():
    """For N = 5 tokens: β = N + 1 = 6, and (N + 2)² = 49 draws what is no bracket to the end token."""
    plan = TreePlan(1, 5, Places.LINE)
    left, right = plan.left(), plan.right()
    one, place, kind = "one[0]", ("place[0]", "place[1]"), "kind[0]"
    assert forms(plan.layout, left.query) == [
        {place[0]: 2, one: 2},
        {one: -1},
        {one: -49, kind: 49},
    ]
    assert forms(plan.layout, left.key) == [{place[0]: 1}, {place[1]: 1}, {kind: 1}]
    assert forms(plan.layout, right.query) == [{one: -6}, {"count[0]": 12, one: 12}, {one: -1}]
    assert forms(plan.layout, right.key) == [{"mark[0]": 1}, {"count[0]": 1}, {place[0]: 1}]
    assert forms(plan.layout, plan.previous().query) == [{place[0]: 2, one: -2}, {one: -1}]
    assert (left.mask, right.mask) == (Mask.NONE, Mask.ANTICAUSAL)
    assert plan.mean().mask is Mask.CAUSAL
    assert plan.mean().attention is Attention.SATURATED
    assert plan.own().mask is Mask.SELF


def test_on_the_circle_positions_turn_and_both_weights_are_three():
    plan = TreePlan(1, 6)
    assert plan.places is Places.CIRCLE
    cosine, sine = place(1, 6, Places.CIRCLE)
    turn = [{"place[0]": cosine, "place[1]": -sine}, {"place[0]": sine, "place[1]": cosine}]
    gate = {"one[0]": -3, "kind[0]": 3}
    assert forms(plan.layout, plan.left().query) == [*turn, gate]
    assert forms(plan.layout, plan.left().key) == [{"place[0]": 1}, {"place[1]": 1}, {"kind[0]": 1}]
    assert forms(plan.layout, plan.right().query)[:2] == [
        {"one[0]": -3},
        {"count[0]": 6, "one[0]": 6},
    ]
    assert (depth_weight(6, Places.CIRCLE), end_weight(6, Places.CIRCLE)) == (3, 3)


def test_the_plan_is_hard_and_on_the_circle_unless_asked():
    model = build(PAIRS, 7)
    assert model.plan == TreePlan(1, 8, Places.CIRCLE, Attention.HARD, 1)
    soft = build(PAIRS, 7, attention=Attention.SOFT, saturation=5)
    hard_query, soft_query = (m.plan.left().query for m in (model, soft))
    assert forms(soft.plan.layout, soft_query) == forms(model.plan.layout, hard_query.scaled(5))
    assert soft.plan.mean().attention is Attention.SOFT
    assert len(build(PAIRS, 7, height=0).transformer.layers) == 2
    assert model.transformer.positions == range(2, 4)


def test_tokens_have_their_kind_mark_and_count():
    rows = build(PAIRS, 4, places=Places.LINE).encode("[ab]")
    assert rows == [
        [0, 1, 1, 1, 1, 1, 1], [2, 1, 2, 4, 2, 0, 0], [3, 1, 3, 9, 3, 0, 0],
        [0, 1, 4, 16, 4, 0, -1], [0, 1, 5, 25, 5, -1, 0],
    ]  # fmt: skip


def test_units_with_one_place_are_added():
    names = Layout(x=1, y=2)
    found = block(
        names, names, [("x", "y.1", "y.0", 2), ("x", "y.1", "y.0", 5), ("x", "x", "x", 1)]
    )
    assert found.left.entries == {(0, 0): 1}
    assert found.right.entries == {(0, 0): 1, (2, 1): 1}
    assert found.tensor.entries == {(0, 1, 1): 7, (0, 0, 0): 1}
    assert found.tensor.shape == (1, 2, 3)
    assert found.output == Matrix.identity(3)
