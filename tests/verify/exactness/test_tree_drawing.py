"""Arcs of a drawing: those that are not wanted are marked as missed."""

from verify.exactness.tree_drawing import arcs


def test_an_arc_that_is_not_wanted_is_missed():
    found = arcs("head", {1: 3, 2: 5}, {1: 3, 2: 4}, [0, 1])
    assert (found.arcs, found.missed, found.depths) == (((1, 3), (2, 5)), (2,), (0, 1))
    assert arcs("head", {}, {}).missed == ()
