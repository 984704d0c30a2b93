"""The weights of the log-depth construction, form by form, for integers and for the circle."""

from fractions import Fraction

import pytest

from constructions.blocks.logdepth_weights import (
    LogDepthPlan,
    LogDepthUnit,
    Scheme,
    Variant,
    bilinear,
    copies,
    depth_layer,
    match_layer,
    parent_layer,
    preparation,
    square_layer,
)
from constructions.core.exact import cos_pi, sin_pi
from constructions.core.forms import ONE, at, block, columns, plus, times
from constructions.core.layout import Layout
from constructions.core.transformer import Attention, Mask

TENSOR = (((1, 2), (3, 4)), ((5, 6), (7, 8)))
WHOLE, CIRCLE = LogDepthPlan(TENSOR, 4), LogDepthPlan(TENSOR, 4, Scheme.CIRCLE)
CLOSING = LogDepthPlan(TENSOR, 4, variant=Variant.CLOSING)
INDEX, DEPTH = ("index", 0), ("depth", 0)


def forms(layout: Layout, matrix) -> list[dict]:
    found = [{} for _ in range(matrix.shape[1])]
    for (row, column), value in matrix.entries.items():
        found[column][layout.name_of(row)] = value
    return found


def test_forms_are_added_and_multiplied():
    assert at("x") == {("x", 0): 1}
    assert plus(at("x", 0, 2), at("x", 0, 3), at("y", 1)) == {("x", 0): 5, ("y", 1): 1}
    assert times(-2, at("y", 1, 3)) == {("y", 1): -6}
    assert block("x", 2) == [{("x", 0): 1}, {("x", 1): 1}]
    assert plus() == {}


def test_columns_leave_out_zeros_and_nothing_else():
    layout = Layout(x=1, y=2)
    found = columns(layout, [at("y", 1, -1), plus(at("x", 0, 0), at("y", 0, 5)), {}])
    assert found.shape == (3, 3)
    assert found.entries == {(2, 0): -1, (1, 1): 5}


def test_what_a_plan_is_unless_it_is_asked():
    assert (WHOLE.scheme, WHOLE.variant) == (Scheme.INTEGERS, Variant.OPENING)
    assert (WHOLE.attention, WHOLE.saturation) == (Attention.HARD, 1)
    assert (WHOLE.n, WHOLE.extent, WHOLE.side, WHOLE.width, WHOLE.penalty) == (2, 5, 1, 1, 5)
    assert (CIRCLE.extent, CIRCLE.width, CIRCLE.penalty, CIRCLE.has_integer_positions) == (
        5,
        2,
        2,
        False,
    )
    assert (CLOSING.side, WHOLE.has_integer_positions) == (-1, True)


def test_the_near_child_is_the_left_one_unless_states_stand_at_closing_brackets():
    assert WHOLE.weight(0, 1, 0) == 3 == TENSOR[0][1][0]
    assert CLOSING.weight(0, 1, 0) == 2 == TENSOR[0][0][1]


def test_the_blocks_of_a_token_follow_the_plan():
    changing = {"pebbled": 1, "inactive": 1, "pointer": 1, "matrix": 4, "state": 2}
    marks = dict.fromkeys(("end", "open", "close", "first", "depth", "depth_squared"), 1)
    assert WHOLE.changing_sizes() == changing
    assert WHOLE.sizes() == {"one": 1, "index": 1, "square": 1, **marks, **changing}
    assert CIRCLE.sizes() == {"one": 1, "index": 1, "place": 2, **marks, **changing, "pointer": 2}
    parent = LogDepthPlan(TENSOR, 4, variant=Variant.PARENT).sizes()
    assert (parent["parent"], parent["parent_squared"]) == (1, 1)
    assert WHOLE.layout().size == 18


def test_integers_are_followed_by_a_parabola():
    assert WHOLE.own_position() == [at("index")]
    assert WHOLE.neighbour_position(-1) == [{INDEX: 1, ("one", 0): -1}]
    assert WHOLE.pointer_scores(WHOLE.neighbour_position(1)) == [
        ({INDEX: 2, ("one", 0): 2}, at("index")), ({("one", 0): -1}, at("square")),
    ]  # fmt: skip
    assert WHOLE.nearness_scores() == [({("one", 0): -1}, at("index"))]
    assert CLOSING.nearness_scores() == [({("one", 0): 1}, at("index"))]


def test_points_on_the_circle_turn():
    """Positions are a tenth of π apart for E = 5: a quarter of the circle holds them all."""
    cosine, sine = cos_pi(Fraction(1, 10)), sin_pi(Fraction(1, 10))
    assert CIRCLE.neighbour_position(1) == [
        {("place", 0): cosine, ("place", 1): -sine}, {("place", 0): sine, ("place", 1): cosine},
    ]  # fmt: skip
    assert CIRCLE.pointer_scores(CIRCLE.neighbour_position(1)) == list(
        zip(CIRCLE.neighbour_position(1), block("place", 2), strict=True)
    )
    assert CIRCLE.nearness_scores() == [(at("place", k), at("place", k)) for k in (0, 1)]


@pytest.mark.parametrize(("plan", "penalty"), [(WHOLE, 5), (CIRCLE, 2)])
def test_a_wrong_depth_is_punished_by_the_square_of_the_difference(plan, penalty):
    for more in (-1, 0, 1):
        (minus, squared), (query, key) = plan.depth_scores(more)
        assert (minus, squared) == ({("one", 0): -penalty}, at("depth_squared"))
        assert query == {DEPTH: 2 * penalty, ("one", 0): 2 * more * penalty}
        assert key == at("depth")


def test_who_is_not_inactive_looks_at_the_end_token():
    assert WHOLE.gate_scores(7) == [({("one", 0): 7, ("inactive", 0): -7}, at("end"))]


def test_a_head_has_its_pairs_as_columns_and_the_saturation_on_its_queries():
    soft = LogDepthPlan(TENSOR, 4, attention=Attention.SOFT, saturation=3)
    head = soft.head("x", soft.gate_scores(7), [at("state", 1)], Mask.CAUSAL)
    layout = soft.layout()
    assert forms(layout, head.query) == [{"one[0]": 21, "inactive[0]": -21}]
    assert forms(layout, head.key) == [{"end[0]": 1}]
    assert forms(layout, head.value) == [{"state[1]": 1}]
    assert (head.attention, head.mask, head.name) == (Attention.SOFT, Mask.CAUSAL, "x")
    own = soft.own_head()
    assert (own.attention, own.mask, own.name) == (Attention.HARD, Mask.SELF, "self")
    assert own.query.shape == own.key.shape == (18, 0)
    assert own.value.entries == {(i, i): 1 for i in range(18)}


def test_a_unit_is_a_product_of_two_forms():
    inputs = Layout(**WHOLE.sizes(), read=1)
    found = bilinear(
        inputs,
        WHOLE,
        [LogDepthUnit(ONE, at("read"), at("depth")), LogDepthUnit(at("index"), ONE, ONE)],
    )
    assert forms(inputs, found.left) == [{"one[0]": 1}, {"index[0]": 1}]
    assert forms(inputs, found.right) == [{"read[0]": 1}, {"one[0]": 1}]
    assert found.tensor.shape == (2, 2, 2)
    assert found.tensor.entries == {(0, 0, 0): 1, (1, 1, 1): 1}
    assert forms(WHOLE.layout(), found.output.transpose) == [{"depth[0]": 1}, {"one[0]": 1}]


def test_copies_keep_every_block_but_those_named():
    units = list(copies(WHOLE, ("depth", "matrix")))
    assert len(units) == 18 - 1 - 4
    assert all(unit.left == ONE and unit.right == unit.output for unit in units)
    assert not any(("depth", 0) in unit.output for unit in units)


def output_forms(plan, layer, *reads: str) -> dict:
    """What a layer writes: for each output form the products that are sent there, by name."""
    inputs = Layout(**plan.sizes(), **dict.fromkeys(reads, 1))
    block_, found = layer.feedforward, {}
    for left, right, out in zip(
        forms(inputs, block_.left), forms(inputs, block_.right),
        forms(plan.layout(), block_.output.transpose), strict=True,
    ):  # fmt: skip
        for name, value in out.items():
            found.setdefault(name, []).append((left, right, value))
    return found


ONE_, KEPT = {"one[0]": 1}, "one[0]"


def test_the_first_layer_counts_brackets():
    for plan, seen in ((WHOLE, {"index[0]": 1}), (CLOSING, {"index[0]": 1, KEPT: 1})):
        layer = depth_layer(plan)
        _, mean, before = layer.heads
        assert forms(plan.layout(), mean.value) == [{"open[0]": 1, "close[0]": -1}]
        assert (mean.attention, mean.mask) == (Attention.SATURATED, Mask.CAUSAL)
        assert forms(plan.layout(), before.query) == [{"index[0]": 2, KEPT: -2}, {KEPT: -1}]
        assert forms(plan.layout(), before.value) == [{"open[0]": 1}]
        found = output_forms(plan, layer, "mean", "was_open")
        assert found["depth[0]"] == [(seen, {"mean[0]": 1}, 1), (ONE_, {"open[0]": -1}, 1)]
        assert found["first[0]"] == [(ONE_, {"was_open[0]": 1}, 1)]
        assert found["state[1]"] == [(ONE_, {"state[1]": 1}, 1)]
    soft = LogDepthPlan(TENSOR, 4, attention=Attention.SOFT)
    assert depth_layer(soft).heads[1].attention is Attention.SOFT


def test_the_second_layer_squares_the_depth():
    found = output_forms(WHOLE, square_layer(WHOLE))
    assert found["depth_squared[0]"] == [({"depth[0]": 1}, {"depth[0]": 1}, 1)]
    assert found["depth[0]"] == [(ONE_, {"depth[0]": 1}, 1)]


def test_parents_are_the_last_tokens_one_level_up():
    plan = LogDepthPlan(TENSOR, 4, variant=Variant.PARENT)
    layer = parent_layer(plan)
    _, head = layer.heads
    assert forms(plan.layout(), head.query) == [{KEPT: -5}, {"depth[0]": 10, KEPT: -10}, {KEPT: 1}]
    assert forms(plan.layout(), head.key) == [
        {"depth_squared[0]": 1},
        {"depth[0]": 1},
        {"index[0]": 1},
    ]
    found = output_forms(plan, layer, "above")
    above = {"above[0]": 1}
    assert found["parent[0]"] == [(ONE_, above, 1)]
    assert found["parent_squared[0]"] == [(above, above, 1)]


def test_closing_brackets_learn_from_their_opening_ones():
    layer = match_layer(CLOSING)
    _, head = layer.heads
    assert forms(CLOSING.layout(), head.query) == [
        {KEPT: -5}, {"depth[0]": 10}, {KEPT: -5}, {KEPT: 1},
    ]  # fmt: skip
    assert forms(CLOSING.layout(), head.key) == [
        {"depth_squared[0]": 1}, {"depth[0]": 1}, {"close[0]": 1}, {"index[0]": 1},
    ]  # fmt: skip
    assert output_forms(CLOSING, layer, "matched")["first[0]"] == [(ONE_, {"matched[0]": 1}, 1)]


@pytest.mark.parametrize(
    ("variant", "names"),
    [
        (Variant.OPENING, [["self", "mean", "previous"], ["self"]]),
        (Variant.PARENT, [["self", "mean", "previous"], ["self"], ["self", "parent"]]),
        (Variant.CLOSING, [["self", "mean", "previous"], ["self"], ["self", "match"]]),
    ],
)
def test_two_layers_prepare_and_three_where_masks_are_causal(variant, names):
    layers = preparation(LogDepthPlan(TENSOR, 4, variant=variant))
    assert [[head.name for head in layer.heads] for layer in layers] == names
