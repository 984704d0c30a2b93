"""Distances of windows: listed, bounded beyond, never exceeded by windows of real words."""

from itertools import pairwise, product

import flint
import numpy as np
import pytest

from constructions.automata.families import counting
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from verify.bounds import neighbours
from verify.bounds.growth import growth
from verify.bounds.neighbours import window_distances

AUTOMATA = {"counting": counting(), "random": automaton_by_name("random:2:3"),
            "hmm": automaton_by_name("hmm:3:2"), "half": WFA.of([1], {"a": [["1/2"]]}, [1])}  # fmt: skip
LAYERS, LENGTH = 3, 6


def windows(automaton, word, w):
    """The products of w tokens in a row, pads before and behind the word."""
    n = automaton.n
    maps = {s: np.array([[float(x) for x in row] for row in rows])
            for s, rows in automaton.transitions.items()}  # fmt: skip
    padded = [np.eye(n)] * w + [maps[s] for s in word] + [np.eye(n)] * w
    for end in range(w, len(padded) + 1):
        total = np.eye(n)
        for matrix in padded[end - w : end]:
            total = total @ matrix
        yield total


@pytest.mark.parametrize("most", [0, 1024])
@pytest.mark.parametrize("name", AUTOMATA)
def test_no_two_windows_of_a_word_are_further_apart(monkeypatch, name, most):
    monkeypatch.setattr(neighbours, "MOST_PAIRS", most)
    automaton = AUTOMATA[name]
    found = window_distances(automaton, LAYERS, growth(automaton, 1 << (LAYERS - 1)))
    for layer, w in enumerate((1, 2, 4)):
        far, near = 0.0, 0.0
        for word in product(automaton.alphabet, repeat=LENGTH):
            own = list(windows(automaton, word, w))
            near = max(near, *(np.linalg.norm(b - a, 2) for a, b in pairwise(own)))
            far = max(far, *(np.linalg.norm(a - b, 2) for a, b in product(own, repeat=2)))
        assert found.spreads[layer] >= flint.arb(far * (1 - 1e-12))
        assert found.steps[layer] >= flint.arb(near * (1 - 1e-12))
        if most and w < 4:  # listed: for neighbours met exactly
            assert float(found.steps[layer]) <= near * (1 + 1e-9)


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
