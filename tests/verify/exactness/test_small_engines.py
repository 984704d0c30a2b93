"""Combs, positions in strings, one counting layer and the integer engine, against definitions by hand."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
import sympy

from constructions.automata.families import counting
from constructions.automata.trees import parse, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.layout import Layout
from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import Attention, Bilinear, Head, Layer, Mask, Transformer
from verify.exactness import combs, integers, one_layer, routing, tree_positions

ADDER = WTA.of([1, 0], [[[0, 1], [2, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
STRING = tuple("[a[bc]]")


def test_the_states_of_a_comb_are_those_of_a_word():
    """x + 2y is neither commutative nor associative: [a[ab]] = 1 + 2 (1 + 2·5)."""
    assert combs.left_matrix(ADDER, "b") == [[2, 5], [0, 1]]
    word = combs.comb_states(ADDER)
    assert (word.n, word.alpha, word.beta) == (3, (0, 0, 1), (1, 0, 0))
    for string, letters in (("b", "b"), ("[ab]", "ba"), ("[a[ab]]", "baa"), ("[b[ba]]", "abb")):
        assert word.weight(letters) == ADDER.weight(tuple(string))
    assert ADDER.weight(tuple("[a[ab]]")) == 23


def test_words_and_trees_are_listed_by_length():
    assert [*map("".join, combs.words("ab", 2))] == ["a", "b", "aa", "ab", "ba", "bb"]
    assert [*map("".join, combs.words("ab", 1, 0))] == ["", "a", "b"]
    assert [len(combs.trees_over("ab", k)) for k in (1, 2, 3, 4)] == [2, 4, 16, 80]
    assert len(combs.trees_within("ab", 3)) == 22 and len(set(combs.trees_over("ab", 4))) == 80
    tree = parse(STRING)
    assert [("".join(tokens(part))) for part in combs.subtrees(tree)] == [
        "[a[bc]]", "a", "[bc]", "b", "c"]  # fmt: skip


def test_no_string_of_a_prefix_free_set_begins_another():
    strings = {tuple("[ab]"), tuple("a"), tuple("[a[ab]]")}
    assert combs.prefix_free(strings) and not combs.prefix_free({*strings, tuple("[a")})
    assert combs.prefix_free({("a",)}) and not combs.prefix_free({("a",), ("a", "b")})


POSITIONS = {
    "levels": (tree_positions.levels, {1: 0, 2: 1, 3: 1, 4: 2, 5: 2}),
    "enclosing": (tree_positions.enclosing_brackets, {1: 0, 2: 1, 3: 1, 4: 2, 5: 2}),
    "left": (tree_positions.child(0), {1: 2, 3: 4}),
    "right": (tree_positions.child(1), {1: 3, 3: 5}),
    "second": (tree_positions.second_one_level_down, {1: 3, 3: 5}),
    "mean": (tree_positions.mean_before, {1: 0, 2: Fraction(1, 2), 3: Fraction(1, 3),
                                         4: Fraction(1, 2), 5: Fraction(2, 5)}),
    "times": (tree_positions.mean_times_position, {1: 0, 2: 1, 3: 1, 4: 2, 5: 2}),
}  # fmt: skip


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_of_a_string_are_those_counted_by_hand(name):
    function, wanted = POSITIONS[name]
    assert function(STRING) == wanted


def test_strings_have_letters_in_order_and_the_first_difference_is_named():
    listed = [*map("".join, tree_positions.strings(3))]
    assert listed[:2] == ["a", "[ab]"] and sorted(listed[2:]) == ["[[ab]c]", "[a[bc]]"]
    assert tree_positions.openings(STRING) == [1, 3]
    assert tree_positions.first_difference({1: 0, 3: 1}, {1: 0, 3: 2}) == 3
    assert tree_positions.first_difference({3: 1, 1: 0}, {1: 1, 3: 2}) == 1
    assert tree_positions.first_difference({1: 0}, {1: 0, 5: 9}) is None


def test_one_layer_counts_by_an_average():
    model = one_layer.one_layer(one_layer.masked_head())
    assert one_layer.first_mismatch(model, 3) is None
    assert one_layer.exact_states("0010", model) == counting().states("0010")
    wrong = one_layer.one_layer(one_layer.own_head())
    assert one_layer.first_mismatch(wrong, 3) == ()
    assert one_layer.tokens("01", 2)[1:] != one_layer.tokens("01", 3)[1:]


def test_a_rounded_count_is_off_by_what_shares_added_one_by_one_are():
    share, seven = np.float32(1 / 7), np.float32(7)
    counts = [sum([share] * zeros, np.float32(0)) * seven for zeros in range(7)]
    squares = [(Fraction(float(count)) - zeros) ** 2 for zeros, count in enumerate(counts)]
    mean = sum(comb(6, zeros) * square for zeros, square in enumerate(squares)) / 64
    assert one_layer.rounding_errors(6, 24) == [0, 0, 0, 0, 0, mean] and mean
    assert one_layer.rounding_errors(6, 53)[5] < mean


@pytest.mark.parametrize(
    ("output", "found"),
    [(one_layer.layer_output, (True, True)),
     (lambda t, mean: sympy.Matrix([[t * mean, 1]]), (True, False)),
     (lambda t, mean: sympy.Matrix([[(t + 1) * mean + 1, 1]]), (False, False))],
)  # fmt: skip
def test_an_induction_has_a_beginning_and_a_step(output, found):
    assert one_layer.induction(output) == found


def test_counting_is_seen_for_all_counts_at_once():
    assert one_layer.counts_always(counting(), 1)
    twice = WFA.of([0, 1], {"0": [[1, 0], [2, 1]], "1": [[1, 0], [0, 1]]}, [1, 0])
    elsewhere = WFA.of([1, 1], {"0": [[1, 0], [1, 1]], "1": [[1, 0], [0, 1]]}, [1, 0])
    assert not one_layer.counts_always(twice, 1) and not one_layer.counts_always(elsewhere, 1)
    assert one_layer.bound(3, 5) == 3 and one_layer.inequalities()


def head(query, key, mask=Mask.NONE):
    return Head(
        Matrix.dense(query), Matrix.dense(key), Matrix.identity(2), Attention.HARD, mask, "here"
    )


def test_the_largest_size_of_no_number_and_of_zeros_is_zero():
    sizes = [integers.largest_absolute(np.array(x, dtype=np.int64)) for x in ([], [0, 0], [3, -5])]
    assert sizes == [0, 0, 5]


def test_a_score_is_bounded_over_all_columns_and_all_trees():
    """One tree and two columns, of which the second is large."""
    x = np.array([[[1, 2**27]]])
    with pytest.raises(integers.Overflow, match=f"a score of head here may reach {1 + 2**54}$"):
        integers.attended_rows(head([[1, 0], [0, 1]], [[1, 0], [0, 1]]), x)


def test_a_mean_stands_in_its_own_columns_when_heads_have_different_widths():
    """The first head brings one column, the second the sum of two."""
    one, two = Matrix.dense([[1], [0]]), Matrix.identity(2)
    own = Head(two, two, one, Attention.HARD, Mask.SELF, "own")
    mean = Head(two, two, two, Attention.SATURATED, Mask.CAUSAL, "mean")
    wide = Matrix.identity(3)
    block = Bilinear(wide, wide, Tensor((3, 3, 2), {(0, 2, 0): 1, (0, 0, 1): 1}), two)
    layer = Layer((own, mean), wide, block)

    class Places:
        transformer = Transformer((layer,), two)

        def encode(self, symbols):
            return [[place, 4] for place, _ in enumerate(symbols, 1)]

    *_, found = integers.IntegerPass(Places(), Layout(place=1, four=1), [("a", "b")]).states()
    assert found.tolist() == [[[4 * place, place**2] for place in (1, 2, 3, 4)]]


def test_codes_route_hard_attention_without_a_mask_only():
    route = routing.CodeRouting(4)
    values, scores = np.array([["a"], ["b"]], dtype=object), np.array([1, 0], dtype=object)
    assert route.mix(scores, values, Attention.HARD, Mask.NONE).tolist() == [["b"], ["a"]]
    wrong = [(Attention.SOFT, Mask.NONE), (Attention.SATURATED, Mask.NONE)]
    for attention, mask in [*wrong, *((Attention.HARD, m) for m in Mask if m is not Mask.NONE)]:
        with pytest.raises(TypeError, match="without a mask only"):
            route.mix(scores, values, attention, mask)


def test_from_each_position_the_strings_that_begin_there_are_counted():
    strings = {STRING, ("b",), ("a", "["), ("c", "]"), ("c", "]", "]"), ("[", "x")}
    assert combs.end_counts(strings, STRING) == {1: 1, 2: 1, 3: 0, 4: 1, 5: 2}


NAMED = {
    "sum of m_{j+1} over j ≤ i": {1: 0, 2: 1, 3: 1, 4: 1, 5: 0},
    "sum of m_j over j < i": {1: 0, 2: 1, 3: 1, 4: 2, 5: 2},
    "m_{i+1}": {1: 0, 2: 1, 3: 0, 4: 0, 5: -1},
    "m_{i-1}": {1: 0, 2: 1, 3: 0, 4: 1, 5: 0},
    "height of the subtree": {1: 2, 2: 0, 3: 1, 4: 0, 5: 0},
    "i + 1": {1: 2, 3: 4},
    "left child": {1: 2, 3: 4},
    "right child": {1: 3, 3: 5},
    "closest j > i + 1 one level down": {1: 3, 3: 5},
}


@pytest.mark.parametrize("name", NAMED)
def test_numbers_of_positions_by_name_are_those_counted_by_hand(name):
    assert tree_positions.FUNCTIONS[name](STRING) == NAMED[name]


@pytest.mark.parametrize(
    ("string", "found"), [("[a", {1: 0}), ("[]a", {1: 0}), ("[[ab]c]", {1: 6, 2: 4})]
)
def test_where_nothing_is_one_level_down_there_is_no_position(string, found):
    assert tree_positions.closest_one_level_down(string) == found
