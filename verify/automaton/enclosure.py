"""Softmax and MLPs on one word, enclosed: the states of Theorem 2's model with MLPs, in balls.

Nothing here is a float: what is measured is enclosed, and only the word is a sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import flint

from constructions import theorem1
from constructions.arithmetic import Balls
from constructions.automata.wfa import WFA
from constructions.blocks.smoothing import FourUnits
from constructions.theorem1 import depth, product_block, span
from verify.bounds import leak

Word = tuple[str, ...]
MOST_UNITS = 1 << 14


def too_many_units(automaton: WFA, length: int) -> str:
    """Return the reason why a model with MLPs is not run in balls, or ""."""
    work = 4 * automaton.n**3 * 2 * span(length) * depth(length)
    if work > MOST_UNITS:
        return f"not measured: {work} activations to enclose, more than {MOST_UNITS}"
    return ""


def smooth_error(automaton: WFA, word: Word, saturation: int, units: FourUnits) -> flint.arb:
    """The Frobenius distance of softmax and MLPs from the states of one word, in balls.

    Precision follows the step of the units and the leak of the softmax, not C itself; every row of
    softmax weights is the same row of `leak.weights`, turned.
    """
    bits = 512 + 16 * units.step.denominator.bit_length() + _size_bits(automaton, len(word))
    constant = Fraction(saturation)
    with Balls(bits + leak.bits_for(constant, span(len(word)))) as balls:
        found = _smooth_states(automaton, word, constant, units, balls)
        total = flint.arb(0)
        for row, state in zip(found, automaton.states(word), strict=True):
            for value, wanted in zip(row, state, strict=True):
                off = value - balls.element(wanted)
                total += off * off
        return total.nonnegative_part().sqrt()


def _size_bits(automaton: WFA, length: int) -> int:
    """Bits that a state of a word may have before the point: errors are absolute, digits relative."""
    maps = [w for rows in automaton.transitions.values() for row in rows for w in row]
    largest, first = (ceil(max(map(abs, weights))) for weights in (maps, automaton.alpha))
    letter, readout = (int(automaton.n * size).bit_length() for size in (largest, first))
    return length * (letter + 1) + readout


def _smooth_states(
    automaton: WFA, word: Word, saturation: Fraction, units: FourUnits, balls: Balls
) -> list[list[flint.arb]]:
    """The states of Theorem 2's model with MLPs: circulant attention, then the units."""
    n, simulation = automaton.n, theorem1.build(automaton, len(word))
    exact = units.block(product_block(n), frozenset())
    mlp = exact.realised(balls)
    x = balls.array(simulation.encode(word))
    row = leak.weights(saturation, simulation.span)
    for layer in range(depth(len(word))):
        held = flint.arb_mat(x[:, : n * n].tolist())
        left, right = (_circulant(row, back) * held for back in (1 << layer, 0))
        x[:, : n * n], x[:, n * n : 2 * n * n] = left.tolist(), right.tolist()
        x = balls.renew(mlp(balls, x), x, theorem1.layout(n)["position"])
    states = balls.apply(x, balls.weight(simulation.transformer.readout))
    first, last = simulation.row(0), simulation.row(len(word))
    rows: list[list[flint.arb]] = states[first : last + 1].tolist()
    return rows


def _circulant(row: Sequence[flint.arb], back: int) -> flint.arb_mat:
    """The matrix of softmax weights whose row t gives p_m to t - back - m."""
    size = len(row)
    entries = [row[(t - s - back) % size] for t in range(size) for s in range(size)]
    return flint.arb_mat(size, size, entries)
