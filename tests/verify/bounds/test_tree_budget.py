"""Input of the recursion for the tree constructions: gaps and sizes, by hand."""

from fractions import Fraction

import flint
import pytest
from balls_support import ball

from constructions.automata.trees import most_leaves
from constructions.automata.wta import WTA
from constructions.theorem3 import Places, build
from constructions.variants.theorem3_variants import build_maskless
from verify.bounds import tree_budget

# One state: a leaf is 2, a node 3 times the product of its children, so 2, 12, 72, … by leaves.
GROWING = WTA.of([1], [[[3]]], {"a": [-2]})


@pytest.mark.parametrize("tokens", [2, 3, 12])
def test_the_gap_is_one_on_the_line_and_that_of_neighbours_on_the_circle(tokens):
    with flint.ctx.workprec(128):
        assert tree_budget.gap(tokens, Places.LINE) == 1
        wanted = 1 - (flint.arb.pi() / tokens).cos()
        assert abs(tree_budget.gap(tokens, Places.CIRCLE) - wanted) < 1e-30


def test_states_grow_with_the_leaves():
    assert list(tree_budget.largest_states(GROWING, 3)) == [72]
    assert list(tree_budget.largest_states(GROWING, 1)) == [2]


@pytest.mark.parametrize("value", ["0.3", "-2", "5"])
def test_the_floor_of_a_ball_is_a_rational_below_it(value):
    found = tree_budget.floor(flint.arb(value))
    assert ball(found) <= flint.arb(value).lower()
    assert abs(float(found) - float(value)) < 1e-12


def sizes_of(known, layout):
    """The sizes of the later layers by the names of their blocks."""
    return {name: [known.sizes[k] for k in layout[name]] for name in layout}


@pytest.mark.parametrize("places", [Places.LINE, Places.CIRCLE])
def test_sizes_of_the_repaired_construction(places):
    model = build(GROWING, 7, places=places)
    known, layout, tokens = tree_budget.subject(model), model.plan.layout, model.plan.tokens
    leaves = most_leaves(7)
    found = sizes_of(known, layout)
    line = places is Places.LINE
    assert leaves == 3 and found["state"] == [72]
    assert found["place"] == ([tokens, tokens**2] if line else [1, 1])
    assert found["count"] == [3] and found["mark"] == [10] and found["one"] == [1]
    assert known.embedded[layout.at("count")] == tokens and known.embedded[layout.at("mark")] == 1
    assert (
        known.tokens == tokens and known.one == layout.at("one") and known.states == layout["state"]
    )
    assert known.gap == 1 if line else 0 < known.gap < 1
    with flint.ctx.workprec(300):
        exact = tree_budget.gap(tokens, places)
        lower = ball(known.gap)
        assert lower <= exact.upper() and exact - lower < flint.arb(2) ** -200


def test_sizes_of_the_construction_without_masks():
    model = build_maskless(GROWING, 7)
    known, layout = tree_budget.maskless_subject(model), tree_budget.maskless_layout(1)
    found = sizes_of(known, layout)
    assert known.tokens == 8 and known.gap == 1 and known.embedded == known.sizes
    assert found["place"] == [8, 64] and found["size"] == [8] and found["target"] == [9]
    assert found["state"] == [72] and found["one"] == [1]
    assert known.one == layout.at("one") and known.states == layout["state"]
    assert all(isinstance(size, Fraction) for size in known.sizes)
