"""The decoder again, in words: a position holds a sum of words of letters, added and multiplied.

A position's window represents A^w - I. One layer adds to Y at position t the X of position
max(t - s, 0), and the product XY; so I + window is multiplied from the left by what s letters
earlier holds. Sums of words are followed here as tables from words to whole numbers, which
represents matrices of every size.

The C that softmax needs is confirmed by the error recursions of decoder and circle, both in
rationals: it serves, and a slightly smaller one does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import comb, floor
from typing import Any

from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate, figure_curve, list_in, text
from verify.recheck.kernel.decimal_cells import exact as cell
from verify.recheck.kernel.interval import down, exp, sqrt, up
from verify.recheck.kernel.polynomial import Words
from verify.recheck.kernel.soft import Norm
from verify.recheck.kinds.saturation import Automaton, Known, automaton, growth, known, tolerance

THOUSANDTH = Fraction(1, 1000)
BITS = 160
# The automaton that counts a letter, by its name.
AUTOMATA: dict[str, Automaton] = {
    "counting": automaton(
        {
            "alpha": ["0", "1"],
            "transitions": {"0": [["1", "0"], ["1", "1"]], "1": [["1", "0"], ["0", "1"]]},
        }
    )
}


def stream(length: int) -> list[Words]:
    """Sum of words at each position after the last layer; BOS holds nothing."""
    held = [Words({}), *(Words.symbol(t) - 1 for t in range(1, length + 1))]
    step = 1
    while step < length:
        sources = [held[max(t - step, 0)] for t in range(length + 1)]
        held = [x + y + x * y for x, y in zip(sources, held, strict=True)]
        step *= 2
    return held


def exact(length: int) -> None:
    """Position t holds the word 1 … t minus the identity."""
    for t, window in enumerate(stream(length)):
        if window != Words({tuple(range(1, t + 1)): 1}) - 1:
            raise Refused(f"T = {length}: position {t} holds something else")


@confirms("decoder.words", "exact", most=(1, 40))
def words(most: int) -> Recomputed:
    """Every length by sums of words."""
    for length in range(1, most + 1):
        exact(length)
    return Recomputed(True)


@confirms("decoder.layer", "exact", states=[(1, 8), 1, 8])
def layer(states: list[int]) -> Recomputed:
    """(I + X)(I + Y) = I + X + Y + XY, as sums of words, whatever the size."""
    x, y = Words.symbol("X"), Words.symbol("Y")
    if (1 + x) * (1 + y) != 1 + x + y + x * y:
        raise Refused("the product differs")
    return Recomputed(True)


@confirms("decoder.trees", "exhaustive", "program", leaves=(1, 12), states=(1, 8), seed=(0, 10**6))
def trees(leaves: int, states: int, seed: int) -> Recomputed:
    """Count the shapes; that the program's decoder is right on them is taken on trust."""
    return Recomputed(True, {"shapes": sum(comb(2 * k, k) // (k + 1) for k in range(leaves))})


@confirms(
    "decoder.needed",
    "enclosure",
    automaton=tuple(AUTOMATA),
    eps=tolerance,
    lengths=[(2, 128), 2, 20],
)
def needed(
    automaton: str, eps: Fraction, lengths: list[int], certificate: Mapping[str, Any]
) -> Recomputed:
    """Both curves again: each C keeps ε by its recursion, and a slightly smaller one does not."""
    count = len(lengths)
    curves = list_in(certificate["values"], "curves", 2, 2)
    circle, decoder = (list_in(curve, "y", count, count) for curve in curves)
    for length, one, two in zip(lengths, circle, decoder, strict=True):
        _least_on_circle(known(AUTOMATA[automaton], length), _decimal(one), eps)
        _least_of_decoder(Windows.of(AUTOMATA[automaton], length), _decimal(two), eps)
    for (one, y), (two, z) in pairwise(zip(lengths, circle, strict=True)):
        if cell(z) * one**2 < (cell(y) - THOUSANDTH) * two**2:
            raise Refused(f"from {one} to {two} the circle grows less than like T²")
    found = [
        figure_curve("Theorem 2's circle", lengths, circle),
        figure_curve("decoder", lengths, decoder),
    ]
    return Recomputed(True, {"curves": found})


def _decimal(value: Any) -> Fraction:
    """A number C above 0 with three decimals."""
    if len(text({"C": value}, "C").partition(".")[2]) != 3 or not cell(value):
        raise Refused(f"C = {abbreviate(value)}, expected a number above 0 with three decimals")
    return cell(value)


def _least_on_circle(found: Known, saturation: Fraction, eps: Fraction) -> None:
    """A C that keeps ε, where one smaller by a thousandth may not."""
    if not found.states(saturation)[1] < eps:
        raise Refused(f"circle, T = {found.length}: C = {saturation} does not keep ε")
    if not found.states(saturation * (1 - THOUSANDTH))[0] >= eps:
        raise Refused(f"circle, T = {found.length}: a C below {saturation} keeps ε")


def _least_of_decoder(found: Windows, saturation: Fraction, eps: Fraction) -> None:
    """The least multiple of 1/16 that keeps ε, which is at most 64; stated with three decimals."""
    sixteenths = floor(16 * saturation)
    if saturation > 64 or saturation - Fraction(sixteenths, 16) >= THOUSANDTH:
        raise Refused(f"decoder: C = {saturation}, expected sixteenths up to 64, rounded up")
    if not found.states(Fraction(sixteenths, 16))[1] <= eps:
        raise Refused(f"decoder, T = {found.length}: C = {saturation} does not keep ε")
    if not found.states(Fraction(sixteenths - 1, 16))[0] > eps:
        raise Refused(f"decoder, T = {found.length}: a C below {saturation} keeps ε")


@dataclass(frozen=True)
class Windows:
    """Words at one length: N_l ≥ ‖A^w‖ and M_l ≥ ‖A^w - I‖ by layer, and ‖α‖ √(T+1)."""

    length: int
    layers: list[tuple[Norm, Norm]]
    readout: Norm

    @staticmethod
    def of(automaton: Automaton, length: int) -> Windows:
        """The windows of an automaton, whose words of at most half the length are listed."""
        layers = (length - 1).bit_length()
        norms, distances = growth(tuple(automaton[1].values()), 1 << max(layers - 1, 0))
        readout = sqrt(sum((a * a for a in automaton[0]), Fraction(0)) * (length + 1), BITS)
        places = [1 << layer for layer in range(layers)]
        return Windows(length, [(norms[k], distances[k]) for k in places], readout)

    def states(self, saturation: Fraction) -> Norm:
        """e' = N e + N f + e f with f = e + 2λ (M + e), times the readout's factor: both ends.

        Scores fall short of the largest by C m² at distance m, so λ = 2 e^-C / (1 - e^-3C).
        """
        if saturation <= 0:
            return Fraction(1), Fraction(1)
        ends = []
        for k in (0, 1):
            small, cubed = (exp(-c * saturation, BITS) for c in (1, 3))
            leak = 2 * small[k] / (1 - cubed[k])
            error = Fraction(0)
            for norm, distance in self.layers:
                head = error + 2 * leak * (distance[k] + error)
                error = (down, up)[k](norm[k] * (error + head) + error * head, BITS)
            ends.append(self.readout[k] * error)
        return ends[0], ends[1]
