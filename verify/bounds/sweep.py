"""The rows of a sweep: the error of Theorem 2's model at each C, beside every bound.

Notation      error     largest spectral norm of the error of a product, over positions and words
              printed   Equation (1) iterated from the measured ε_attn
              stepwise  Equation (1) with the measured error of the layer before
              redefined Equation (1) with the proof's redefined error, measured
              corrected the corrected recursion with the measured a_l and μ_l
              uniform   the corrected recursion with bounds for all words

A row is decided when its error is known to be positive or exactly 0; every number in it is a
ball, so each comparison is decided or left open, never guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from random import Random

import flint

from constructions.automata.wfa import WFA
from constructions.blocks.multiplication import Multiplier
from constructions.core.exact import ball
from verify.bounds import recursion
from verify.bounds.circulant import Progress, SoftRun, certified_runs

Word = tuple[str, ...]
LISTED = 256
PATTERNED = 3


@dataclass(frozen=True)
class SweepRow:
    """The bounds of every layer, last layer last."""

    run: SoftRun
    printed: tuple[flint.arb, ...]
    stepwise: tuple[flint.arb, ...]
    redefined: tuple[flint.arb, ...]
    corrected: tuple[flint.arb, ...]

    @property
    def errors(self) -> tuple[flint.arb, ...]:
        """The error of every layer."""
        return tuple(layer.error for layer in self.run.layers)

    def within(self, bounds: Sequence[flint.arb]) -> bool:
        """True if every error is certainly at most its bound, or both are 0."""
        pairs = zip(self.errors, bounds, strict=True)
        return all(bool(error <= bound) for error, bound in pairs)

    def exceeds(self, bounds: Sequence[flint.arb]) -> bool:
        """Return whether some error is certainly above its bound."""
        return any(bool(e > bound) for e, bound in zip(self.errors, bounds, strict=True))


def rows(
    automaton: WFA,
    words: Sequence[Word],
    length: int,
    constants: Sequence[Fraction],
    feedforward: Multiplier | None = None,
    progress: Progress | None = None,
    bits: int | None = None,
) -> tuple[SweepRow, ...]:
    """Errors and bounds at each C; `progress` is called with the number of the next word and their count."""
    runs = certified_runs(
        automaton, words, length, constants, bits, feedforward=feedforward, progress=progress
    )
    return tuple(_bounds(automaton, run, feedforward) for run in runs)


def row(
    automaton: WFA,
    words: Sequence[Word],
    length: int,
    saturation: Fraction,
    feedforward: Multiplier | None = None,
) -> SweepRow:
    """Errors and bounds at one C."""
    [only] = rows(automaton, words, length, [saturation], feedforward)
    return only


def _bounds(automaton: WFA, run: SoftRun, feedforward: Multiplier | None) -> SweepRow:
    layers = run.layers
    errors = [layer.error for layer in layers]
    incoming = [layer.incoming for layer in layers]
    norms, shares = [layer.norm for layer in layers], [layer.attention for layer in layers]
    first = next(iter(shares), None)  # without a layer there is nothing to bound
    with flint.ctx.workprec(run.bits):
        factor = recursion.printed_factor(automaton)
        mlp = ball(0 if feedforward is None else feedforward.norm_bound)
        return SweepRow(
            run,
            tuple(recursion.printed_errors(factor, first, len(layers), mlp)),
            tuple(recursion.stepwise_errors(factor, first, errors, mlp)),
            tuple(recursion.redefined_errors(factor, incoming, errors, mlp)),
            tuple(recursion.corrected_errors(norms, shares, mlp)),
        )


def chosen_words(automaton: WFA, length: int, limit: int = LISTED) -> tuple[tuple[Word, ...], bool]:
    """All words of length T if they are at most `limit` (True), else a fixed choice (False)."""
    letters = automaton.alphabet
    if len(letters) ** length <= limit:
        return tuple(product(letters, repeat=length)), True
    some = letters[:PATTERNED]
    constant = [(a,) * length for a in some]
    halves = [(a,) * (length // 2) + (b,) * (length - length // 2) for a in some for b in some]
    turns = [tuple((a, b)[i % 2] for i in range(length)) for a in some for b in some]
    random = Random(length)
    drawn = [tuple(random.choice(letters) for _ in range(length)) for _ in range(4)]
    return tuple(dict.fromkeys([*constant, *halves, *turns, *drawn])), False


def grid(first: Fraction, last: Fraction, points: int) -> list[Fraction]:
    """`points` values of C from first to last, evenly."""
    if points == 1:
        return [first]
    step = (last - first) / (points - 1)
    return [first + k * step for k in range(points)]


def decay_rate(rows: Sequence[SweepRow]) -> list[flint.arb]:
    """-Δ ln(error) / ΔC between neighbouring rows, to be compared with 1 - cos(π/M)."""
    rates = []
    for one, two in pairwise(rows):
        with flint.ctx.workprec(128):
            fall = one.errors[-1].log() - two.errors[-1].log()
            rates.append(fall / ball(two.run.saturation - one.run.saturation))
    return rates


def ratio(error: flint.arb, bound: flint.arb) -> flint.arb | None:
    """error / bound, or None where the bound may be 0."""
    return error / bound if bound > 0 else None
