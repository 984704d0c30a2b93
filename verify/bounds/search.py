"""Counterexamples to Equation (1), smallest first, and searches that try to break the corrected one.

Notation      a reading names the right side that the error of a layer is held against: `printed`,
              `stepwise`, `redefined` (see `verify.bounds.sweep`); `pads` says whether M counts the
              identity pads, M = 2 max(1, max ‖A^σ‖)

`smallest` goes through one-state automata by length, then weight, then C, and stops at the first
one whose error certainly exceeds the bound. `violations` draws automata, words and C from a
seed and returns those that certainly violate the corrected recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random

import flint

from constructions.families import scalar
from constructions.wfa import WFA
from verify.bounds import recursion
from verify.bounds.sweep import Row, row

WEIGHTS = tuple(Fraction(w) for w in ("0", "1", "-1", "2", "-2", "1/2", "3", "-3"))
LENGTHS = (1, 2, 3, 4, 8)
CONSTANTS = tuple(Fraction(c) for c in (1, 2, 4, 8, 16, 32, 64))


@dataclass(frozen=True)
class Counterexample:
    """One state, one letter: at this layer the error certainly exceeds the bound."""

    reading: str
    weight: Fraction
    length: int
    saturation: Fraction
    layer: int
    error: flint.arb
    bound: flint.arb


def bounds_of(found: Row, reading: str, pads: bool, automaton: WFA) -> Sequence[flint.arb]:
    """The right sides of a reading, one a layer."""
    if not pads:
        return {
            "printed": found.printed,
            "stepwise": found.stepwise,
            "redefined": found.redefined,
        }[reading]
    factor = recursion.printed_factor(automaton).max(flint.arb(2))
    layers, errors = found.run.layers, found.errors
    first = layers[0].attention if layers else flint.arb(0)
    incoming = [layer.incoming for layer in layers]
    return {
        "printed": recursion.printed(factor, first, len(layers)),
        "stepwise": recursion.stepwise(factor, first, errors)[: len(layers)],
        "redefined": recursion.redefined(factor, incoming, errors) if layers else [],
    }[reading]


def smallest(
    reading: str,
    pads: bool = False,
    lengths: Sequence[int] = LENGTHS,
    weights: Sequence[Fraction] = WEIGHTS,
    constants: Sequence[Fraction] = CONSTANTS,
) -> Counterexample | None:
    """The first one-state counterexample, by length, weight, C; None if there is none."""
    for length, weight, saturation in product(lengths, weights, constants):
        automaton = scalar(weight)
        found = row(automaton, [("a",) * length], length, saturation)
        with flint.ctx.workprec(found.run.bits):
            bounds = bounds_of(found, reading, pads, automaton)
        layer = found.exceeds(bounds)
        if layer is not None:
            error, bound = found.errors[layer - 1], bounds[layer - 1]
            return Counterexample(reading, weight, length, saturation, layer, error, bound)
    return None


def drawn(random: Random) -> tuple[WFA, tuple[str, ...], int, Fraction]:
    """(automaton, word, T, C) with n ≤ 3, one or two letters, T ≤ 9, weights up to 4."""
    n, letters, length = random.randint(1, 3), "ab"[: random.randint(1, 2)], random.randint(2, 9)

    def square() -> list[list[Fraction]]:
        return [[Fraction(random.randint(-16, 16), 4) for _ in range(n)] for _ in range(n)]

    word = tuple(random.choice(letters) for _ in range(random.randint(0, length)))
    saturation = Fraction(random.randint(1, 16), 8) * 2 ** random.randint(0, 9)
    return WFA.of([1] * n, {a: square() for a in letters}, [1] * n), word, length, saturation


def violations(examples: int, seed: int = 1) -> list[str]:
    """The certain violations of the corrected recursion among drawn cases."""
    random = Random(seed)
    found = (violation(*drawn(random)) for _ in range(examples))
    return [text for text in found if text is not None]


def violation(
    automaton: WFA, word: tuple[str, ...], length: int, saturation: Fraction
) -> str | None:
    """What is wrong where an error certainly exceeds the corrected bound, else None."""
    seen = row(automaton, [word], length, saturation)
    layer = seen.exceeds(seen.corrected)
    if layer is None:
        return None
    return f"layer {layer}, T = {length}, C = {saturation}, word {''.join(word)}: {automaton}"
