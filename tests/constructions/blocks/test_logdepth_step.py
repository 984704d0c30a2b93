"""The step of the log-depth construction: its heads by name, and states on all small trees."""

from fractions import Fraction

import pytest

from constructions import logdepth
from constructions.arithmetic import Rational
from constructions.automata.random_trees import random_wta
from constructions.automata.trees import relabelled_tree, shapes, tokens
from constructions.automata.wta import WTA
from constructions.blocks.logdepth_step import (
    far_head,
    far_mismatch,
    near_head,
    pointer_head,
    step_layer,
    step_reads,
)
from constructions.blocks.logdepth_weights import LogDepthPlan, Scheme, Variant
from constructions.core.exact import cos_pi
from constructions.core.transformer import Mask

PAIRS = WTA.of([1], [[[3]]], {"a": [2], "b": ["-1/5"]})
MIXED = WTA.of([1, 0], [[[0, 1], ["1/2", 0]], [[-1, 0], [3, 1]]], {"a": [1, 2], "b": [-1, "1/3"]})
ONE, INDEX, DEPTH, END = "one[0]", "index[0]", "depth[0]", {"end[0]": 1}


def plan(variant=Variant.OPENING, scheme=Scheme.INTEGERS) -> LogDepthPlan:
    """Length 4, so that E = 5."""
    return LogDepthPlan(PAIRS.tensor, 4, scheme, variant)


def pairs(plan: LogDepthPlan, head) -> list[tuple[dict, dict]]:
    layout = plan.layout()
    sides = []
    for matrix in (head.query, head.key):
        found = [{} for _ in range(matrix.shape[1])]
        for (row, column), value in matrix.entries.items():
            found[column][layout.name_of(row)] = value
        sides.append(found)
    return list(zip(*sides, strict=True))


def gate(size: int) -> tuple[dict, dict]:
    return {ONE: size, "inactive[0]": -size}, END


@pytest.mark.parametrize(
    ("variant", "side"), [(Variant.OPENING, 1), (Variant.PARENT, 1), (Variant.CLOSING, -1)]
)
def test_the_near_head_follows_the_next_position(variant, side):
    """The gate outweighs 2E² = 50."""
    head = near_head(plan(variant))
    assert pairs(plan(variant), head) == [
        ({INDEX: 2, ONE: 2 * side}, {INDEX: 1}), ({ONE: -1}, {"square[0]": 1}), gate(50),
    ]  # fmt: skip
    assert head.mask is (Mask.CAUSAL if variant is Variant.CLOSING else Mask.NONE)


def test_the_far_head_looks_for_the_nearest_of_the_next_depth():
    """The penalty is E = 5, the gate 2E³ = 250."""
    level = [({ONE: -5}, {"depth_squared[0]": 1}), ({DEPTH: 10, ONE: 10}, {DEPTH: 1})]
    opening, closing = far_head(plan()), far_head(plan(Variant.CLOSING))
    assert pairs(plan(), opening) == [
        *level, ({ONE: -5}, {"first[0]": 1, "close[0]": 1}), ({ONE: -1}, {INDEX: 1}), gate(250),
    ]  # fmt: skip
    assert pairs(plan(Variant.CLOSING), closing) == [
        *level, ({ONE: -5}, {"open[0]": 1, ONE: 1, "first[0]": -1}), ({ONE: 1}, {INDEX: 1}), gate(250),
    ]  # fmt: skip
    assert (opening.mask, closing.mask) == (Mask.ANTICAUSAL, Mask.CAUSAL)


def test_with_parents_the_far_child_is_the_one_that_names_its_parent():
    """E² = 25 punishes what is no far child, 4E² = 100 is the gate."""
    parents = plan(Variant.PARENT)
    head = far_head(parents)
    assert pairs(parents, head) == [
        ({INDEX: 2}, {"parent[0]": 1}), ({ONE: -1}, {"parent_squared[0]": 1}),
        ({ONE: -25}, {"first[0]": 1, "close[0]": 1}), gate(100),
    ]  # fmt: skip
    assert head.mask is Mask.NONE
    assert far_mismatch(parents) == {("first", 0): 1, ("close", 0): 1}


def test_on_the_circle_the_gates_are_four_and_four_times_the_square():
    circle = plan(scheme=Scheme.CIRCLE)
    assert pairs(circle, near_head(circle))[-1] == gate(4)
    assert pairs(circle, far_head(circle))[-1] == gate(100)
    assert pairs(circle, near_head(circle))[0][0]["place[0]"] == cos_pi(Fraction(1, 10))


def test_the_pointer_is_followed():
    head = pointer_head(plan())
    assert pairs(plan(), head) == [({"pointer[0]": 2}, {INDEX: 1}), ({ONE: -1}, {"square[0]": 1})]
    assert head.mask is Mask.NONE
    assert pointer_head(plan(Variant.CLOSING)).mask is Mask.CAUSAL


@pytest.mark.parametrize("scheme", Scheme)
def test_what_the_heads_bring_fits_what_the_products_read(scheme):
    chosen = plan(scheme=scheme)
    layer = step_layer(chosen)
    widths = [head.value.shape[1] for head in layer.heads]
    assert widths[1:] == [2, 2 + chosen.width, 3 + chosen.width]
    assert sum(step_reads(chosen).values()) == sum(widths[1:])
    assert layer.combine.shape == (sum(widths), sum(widths))


@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("automaton", [PAIRS, MIXED], ids=["one state", "two states"])
def test_all_trees_with_up_to_four_leaves_have_their_states(variant, automaton):
    model = logdepth.build(automaton, 10, variant=variant)
    for leaves in (1, 2, 3, 4):
        for m, shape in enumerate(shapes(leaves)):
            tree = relabelled_tree(shape, ["ab"[(m + k) % 2] for k in range(leaves)])
            found = model.states(tokens(tree), Rational())
            exact = {i: tuple(Fraction(str(w)) for w in state) for i, state in found.items()}
            assert exact == automaton.states(tree)


@pytest.mark.parametrize("variant", Variant)
def test_three_states_are_right_too(variant):
    """With two states n², 2n and n^n are one number."""
    three = random_wta(3, 4)
    found = logdepth.build(three, 7, variant=variant).states("[a[ab]]", Rational())
    exact = {i: tuple(Fraction(str(w)) for w in state) for i, state in found.items()}
    assert exact == three.states("[a[ab]]")
