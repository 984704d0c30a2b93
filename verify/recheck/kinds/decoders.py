"""The decoder again, in words: a position holds a sum of words of letters, added and multiplied.

A position's window stands for A^w - I. One layer adds to Y at position t the X of position
max(t - s, 0), and the product XY; so I + window is multiplied from the left by what s letters
earlier holds. Sums of words are followed here as tables from words to whole numbers, which
stands for matrices of every size.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import Any

from verify.recheck.declarations import confirms
from verify.recheck.errors import Answer, Refused, figure_curve, list_in
from verify.recheck.kernel.decimal_cells import exact as cell
from verify.recheck.kernel.polynomial import Poly, add
from verify.recheck.kernel.polynomial import joined as times

THOUSANDTH = Fraction(1, 1000)


def stream(length: int) -> list[Poly]:
    """What each position holds after the last layer; BOS holds nothing."""
    held: list[Poly] = [{}] + [{(t,): 1, (): -1} for t in range(1, length + 1)]
    step = 1
    while step < length:
        sources = [held[max(t - step, 0)] for t in range(length + 1)]
        held = [add(x, y, times(x, y)) for x, y in zip(sources, held, strict=True)]
        step *= 2
    return held


def exact(length: int) -> None:
    """Position t holds the word 1 … t minus the identity."""
    for t, window in enumerate(stream(length)):
        if window != add({tuple(range(1, t + 1)): 1}, {(): -1}):
            raise Refused(f"T = {length}: position {t} holds something else")


@confirms("decoder.words", "exact", most=(1, 40))
def words(most: int) -> Answer:
    """Every length by sums of words."""
    for length in range(1, most + 1):
        exact(length)
    return Answer(True)


@confirms("decoder.states", "exact", states=[(1, 8), 1, 8], lengths=[(1, 32), 1, 16])
def states(states: list[int], lengths: list[int]) -> Answer:
    """What holds for words holds for matrices of symbols of any size."""
    for length in lengths:
        exact(length)
    return Answer(True)


@confirms("decoder.layer", "exact", states=[(1, 8), 1, 8])
def layer(states: list[int]) -> Answer:
    """(I + X)(I + Y) = I + X + Y + XY, as sums of words, whatever the size."""
    one: Poly = {(): 1}
    x: Poly = {(1,): 1}
    y: Poly = {(2,): 1}
    if times(add(one, x), add(one, y)) != add(one, x, y, times(x, y)):
        raise Refused("the product differs")
    return Answer(True)


@confirms("decoder.trees", "exhaustive", "program", leaves=(1, 12), states=(1, 8), seed=(0, 10**6))
def trees(leaves: int, states: int, seed: int) -> Answer:
    """How many shapes there are; that the program's decoder is right on them is taken on trust."""
    return Answer(True, {"shapes": sum(comb(2 * k, k) // (k + 1) for k in range(leaves))})


@confirms(
    "decoder.needed",
    "enclosure",
    "program",
    automaton=object,
    eps=object,
    lengths=[(1, 10**6), 2, 20],
)
def needed(automaton: Any, eps: Any, lengths: list[int], certificate: Mapping[str, Any]) -> Answer:
    """Stated numbers C with three decimals, rounded up: the decoder's at most 64, the circle's
    growing like T² at least, as far as the decimals tell.
    """
    count = len(lengths)
    curves = list_in(certificate["values"], "curves", 2, 2)
    circle, decoder = (list_in(curve, "y", count, count) for curve in curves)
    if any(len(y.partition(".")[2]) != 3 for y in (*circle, *decoder)):
        raise Refused("expected three decimals")
    if not all(map(cell, (*circle, *decoder))):
        raise Refused("expected numbers C above 0")
    if any(cell(y) > 64 for y in decoder):
        raise Refused("the decoder needs more than 64")
    for (one, y), (two, z) in pairwise(zip(lengths, circle, strict=True)):
        if cell(z) * one**2 < (cell(y) - THOUSANDTH) * two**2:
            raise Refused(f"from {one} to {two} the circle grows less than like T²")
    found = [
        figure_curve("Theorem 2's circle", lengths, circle),
        figure_curve("decoder", lengths, decoder),
    ]
    return Answer(True, {"curves": found})
