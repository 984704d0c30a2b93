"""Distances of windows: listed, bounded beyond, never exceeded by windows of real words."""

import pytest

from constructions.automata.families import counting
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from verify.bounds.growth import growth
from verify.bounds.neighbours import window_distances

AUTOMATA = {"counting": counting(), "random": automaton_by_name("random:2:3"),
            "hmm": automaton_by_name("hmm:3:2"), "half": WFA.of([1], {"a": [["1/2"]]}, [1])}  # fmt: skip
LAYERS, LENGTH = 3, 6


def test_a_half_by_hand():
    """Windows 1, 1/2, 1/4 …: apart by 1 - 2^-w; neighbours by 1/2 at most."""
    found = window_distances(AUTOMATA["half"], 3, growth(AUTOMATA["half"], 4))
    assert [float(d) for d in found.spreads] == [0.5, 0.75, 0.9375]
    assert [float(d) for d in found.steps] == [0.5, 0.5, 0.5]


def test_neighbours_of_the_counter_are_as_near_as_letters_however_long_the_window():
    """A window [[1, c], [0, 1]] gains or loses one; through norms the distance would grow with c."""
    found = window_distances(counting(), 4, growth(counting(), 8))
    assert all(float(step) == pytest.approx(1) for step in found.steps)
    assert float(found.spreads[3]) == pytest.approx(8)
