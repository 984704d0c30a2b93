"""Distances between windows of a word, and between neighbouring ones: the cost of an attention leak.

Claimed       over all words, for windows of at most w = 2^(l-1) letters (fewer beside pads or BOS):
              ‖A^u - A^v‖ ≤ D_l for any two, and ‖X_t - X_{t+1}‖ ≤ d_l for neighbours
Listed        while they are few: all pairs of windows; and A^x V - V A^y for all V of at most w - 1 letters,
              x and y letters or nothing: a window loses a letter at one end and gains one at the other
Beyond        D_l of `growth`; d_l ≤ 2 max ‖V‖ max_σ ‖A^σ - I‖, as A^x V - V A^y = (A^x - I) V - V (A^y - I).
              And two halves (xV)(zW) and (Vz)(Wy) differ by (xV - Vz)(zW) + (Vz)(zW - Wy), so that
              d_{l+1} ≤ 2 d_l max ‖A^u‖ over words of at most w letters
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import flint

from constructions.automata.wfa import WFA
from verify.bounds.growth import Growth, ProductList
from verify.bounds.norms import identity, largest_norm, matrix

MOST_PAIRS = 1024
MANY_STATES = 8


@dataclass(frozen=True)
class WindowDistances:
    """D_l and d_l, l = 1, 2, …"""

    spreads: tuple[flint.arb, ...]
    steps: tuple[flint.arb, ...]


def window_distances(automaton: WFA, layers: int, grown: Growth) -> WindowDistances:
    """The distances in each layer, for all words."""
    windows = _Windows(automaton)
    spreads, steps = list[flint.arb](), list[flint.arb]()
    for layer in range(layers):
        w = 1 << layer
        spreads.append(_less(grown.spread(w), windows.pairs(w)))
        known = 2 * grown.distances[1] * grown.norms[w - 1]
        if steps:
            known = known.min(2 * steps[-1] * grown.norms[w // 2])
        steps.append(_less(known, windows.shifts(w)).min(spreads[-1]))
    return WindowDistances(tuple(spreads), tuple(steps))


class _Windows:
    """The products of at most w letters, while these are few."""

    def __init__(self, automaton: WFA) -> None:
        one = identity(automaton.n)
        self.letters = [one, *(matrix(rows) for rows in automaton.transitions.values())]
        self.by_length: list[list[flint.arb_mat]] = [[one]]
        self.listing = ProductList(automaton, MOST_PAIRS)
        self.small = automaton.n <= MANY_STATES

    def up_to(self, w: int) -> list[flint.arb_mat] | None:
        """The products of 0 … w letters, or None where they are too many."""
        while self.small and len(self.by_length) <= w:
            more = self.listing.advance()
            if more is None:
                self.small = False
                return None
            self.by_length.append(more)
        return [a for own in self.by_length[: w + 1] for a in own] if self.small else None

    def pairs(self, w: int) -> flint.arb | None:
        """The largest distance of two windows."""
        listed = self.up_to(w)
        if listed is None or len(listed) ** 2 > 2 * MOST_PAIRS:
            return None
        return largest_norm([a - b for a, b in combinations(listed, 2)])

    def shifts(self, w: int) -> flint.arb | None:
        """The largest distance of two neighbours."""
        listed = self.up_to(w - 1)
        if listed is None or len(listed) * len(self.letters) ** 2 > MOST_PAIRS:
            return None
        return largest_norm(_shifted(listed, self.letters))


def _shifted(
    windows: Sequence[flint.arb_mat], letters: Sequence[flint.arb_mat]
) -> list[flint.arb_mat]:
    return [x * v - v * y for v in windows for x in letters for y in letters]


def _less(value: flint.arb, other: flint.arb | None) -> flint.arb:
    return value.upper() if other is None else value.min(other).upper()
