"""Theorem 3 without masks, and with causal ones: states on small trees, and the weights by name."""

from fractions import Fraction
from itertools import product

import pytest
from trees_support import maskless_layers, maskless_ranks

from constructions.arithmetic import Rational
from constructions.automata.random_trees import random_wta
from constructions.automata.trees import ends, relabelled_tree, shapes, tokens
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.transformer import Mask
from constructions.variants.theorem3_variants import (
    build_causal,
    build_maskless,
    causal_layout,
    causal_match,
    causal_parse,
    maskless_layer,
    maskless_layout,
)

PAIRS = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
MIXED = WTA.of([1, 0], [[[0, 1], ["1/2", 0]], [[-1, 0], [3, 1]]], {"a": [1, 2], "b": [-1, "1/3"]})


def forms(coordinates, matrix):
    """The columns of a matrix, each by the names of its coordinates."""
    found = [{} for _ in range(matrix.shape[1])]
    for (row, column), value in matrix.entries.items():
        found[column][coordinates.name_of(row)] = value
    return found


def states(model, symbols):
    rows = model.states(symbols, Rational())
    return [tuple(Fraction(str(weight)) for weight in row) for row in rows]


@pytest.mark.parametrize("leaves", [1, 2, 3, 4])
def test_every_small_tree_is_right_in_both(leaves):
    maskless, causal = build_maskless(MIXED, 10), build_causal(MIXED, 10)
    letters = [
        "a" * leaves,
        "ab" * leaves,
        "ba" * leaves,
    ]  # a leaf that is read for another is seen
    for shape, word in product(shapes(leaves, "b"), letters):
        symbols = tokens(relabelled_tree(shape, word[:leaves]))
        expected, last = MIXED.states(symbols), ends(symbols)
        plain, late = states(maskless, symbols), states(causal, symbols)
        assert {i: plain[i - 1] for i in expected} == expected
        assert {i: late[last[i] - 1] for i in expected} == expected


def test_states_stand_at_opening_or_at_closing_brackets():
    assert [x for (x,) in states(build_maskless(PAIRS, 7), "[[ab]a]")] == [12, 6, 2, 3, 0, 2, 0]
    assert [x for (x,) in states(build_causal(PAIRS, 7), "[[ab]a]")] == [0, 0, 2, 3, 6, 2, 12]


def test_a_shorter_tree_may_stand_in_a_longer_model():
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
def test_so_many_layers_are_needed_without_masks(leaves):
    for shape in shapes(leaves):
        symbols = tokens(shape)
        needed, root = maskless_layers(symbols), PAIRS.states(symbols)[1]
        for layers, right in ((needed, True), (needed - 1, False)):
            if layers >= 0:
                model = build_maskless(PAIRS, len(symbols), layers=layers)
                assert (states(model, symbols)[0] == root) is right


def test_coordinates_without_masks():
    """state, 1, i, i², kind, done, size, target; targets lie beyond the 5 tokens at first."""
    rows = build_maskless(PAIRS, 4).encode("[ab]")
    assert rows == [
        [0, 1, 1, 1, 1, 0, 0, 6], [2, 1, 2, 4, 0, 1, 1, 6], [3, 1, 3, 9, 0, 1, 1, 6],
        [0, 1, 4, 16, 0, 0, 0, 6], [0, 1, 5, 25, -1, 0, 0, 6],
    ]  # fmt: skip


def test_coordinates_with_causal_masks():
    """A begin token; state, 1, i, i², count = i, close, mark, side = opening."""
    rows = build_causal(PAIRS, 4).encode("[ab]")
    assert rows == [
        [0, 1, 1, 1, 1, -1, 0, 0], [0, 1, 2, 4, 2, 0, 1, 1], [2, 1, 3, 9, 3, 0, 0, 0],
        [3, 1, 4, 16, 4, 0, 0, 0], [0, 1, 5, 25, 5, 1, -1, 0],
    ]  # fmt: skip


def test_the_heads_without_masks_are_these():
    """For N = 5 tokens the end token's weight is (N + 2)² = 49."""
    left, right, own = maskless_layer(PAIRS, 5).heads
    layout = maskless_layout(1)
    one, place, kind = "one[0]", ("place[0]", "place[1]"), "kind[0]"
    assert forms(layout, left.query) == [{place[0]: 2, one: 2}, {one: -1}, {one: -49, kind: 49}]
    assert forms(layout, left.key) == [{place[0]: 1}, {place[1]: 1}, {kind: 1}]
    assert forms(layout, right.query) == [{"target[0]": 2}, {one: -1}]
    assert forms(layout, right.key) == [{place[0]: 1}, {place[1]: 1}]
    assert forms(layout, left.value) == [{"state[0]": 1}, {"done[0]": 1}, {"size[0]": 1}]
    assert forms(layout, own.query) == [{place[0]: 2, one: 0}, {one: -1}]
    assert {head.mask for head in (left, right, own)} == {Mask.NONE}


def test_the_heads_with_causal_masks_are_these():
    """For N = 5 tokens: β = N + 1 = 6 and the begin token's weight (N + 2)² = 49."""
    layout, (match, own) = causal_layout(1), causal_match(1, 5).heads
    one, place, count, mark = "one[0]", ("place[0]", "place[1]"), "count[0]", "mark[0]"
    assert forms(layout, match.query) == [{one: -6}, {count: 12, one: 12}, {one: 1}]
    assert forms(layout, match.key) == [{mark: 1}, {count: 1}, {place[0]: 1}]
    assert own.mask is Mask.SELF
    left, right, _ = causal_parse(PAIRS, 5).heads
    assert forms(layout, left.query) == [{one: -6}, {count: 12, one: 12}, {one: 6}, {one: 1}]
    assert forms(layout, left.key) == [{mark: 1}, {count: 1}, {"side[0]": 1}, {place[0]: 1}]
    assert forms(layout, right.query) == [
        {place[0]: 2, one: -2}, {one: -1}, {one: -49, "close[0]": 49},
    ]  # fmt: skip
    assert forms(layout, right.key) == [{place[0]: 1}, {place[1]: 1}, {"close[0]": 1}]
    assert {head.mask for head in (match, left, right)} == {Mask.CAUSAL}


@pytest.mark.parametrize("build", [build_maskless, build_causal])
def test_a_tree_of_the_length_is_taken_and_a_longer_one_refused(build):
    assert len(build(PAIRS, 4).encode("[ab]")) == 5
    with pytest.raises(InputError, match="tree: found 7 tokens, expected at most 4, the length"):
        build(PAIRS, 4).encode("[a[ab]]")


@pytest.mark.parametrize("build", [build_maskless, build_causal])
def test_three_states_are_right_too(build):
    """With two states n², 2n and n^n are one number."""
    three, last = random_wta(3, 4), ends("[a[ab]]")
    found = states(build(three, 7), "[a[ab]]")
    causal = build is build_causal
    expected = three.states("[a[ab]]")
    assert {i: found[(last[i] if causal else i) - 1] for i in expected} == expected
