"""Theorem 3 as printed (Appendix C), step by step, each doubtful point as a reading.

Claimed       d_i = Σ_{j≤i} m_{j+1}; equal weights compute the sum; the left head has scores
              p_iᵀRᵀp_j, the right one -β (1 - (d_j - d_i))² + p_iᵀRᵀp_j + 2 [j ≥ i+2], the step a
              Fourier sum with k terms; the MLP maps to m² T(left, right) + (1 - m²) v
Constructs    each of these formulas as a function of str(t), nothing repaired
Notation      T = |str(t)| tokens, positions from 1; m markers, d depths; β → ∞ is taken as a
              limit: the depth term decides first, the other terms among its maximisers
Readings      depth: the printed sum, or brackets open before i; rotation: either direction;
              step: the printed sum to the letter, the same with its bracket scaled by π/T, the
              repaired sum, or an exact step
Unlike print  nothing, except where a reading says so; m_{T+1}, which does not exist, is 0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import accumulate

import flint

from constructions.automata.trees import OPEN
from constructions.automata.wfa import Number, Vector
from constructions.automata.wta import WTA
from constructions.core.exact import Exact, Undecided, cos_pi, precisions
from constructions.theorem3 import MARKERS

HIGHEST = 1 << 12


class DepthReading(StrEnum):
    """Interpretation of d_i: as printed, or the number of brackets open before i."""

    PRINTED = "printed"
    BEFORE = "before"


class StepReading(StrEnum):
    """Interpretation of [j ≥ i+2]."""

    LITERAL = "literal"
    SCALED = "scaled"
    REPAIRED = "repaired"
    EXACT = "exact"


def markers(symbols: Sequence[str]) -> list[int]:
    """m_i: 0 for letters, 1 for an opening, -1 for a closing bracket."""
    return [MARKERS.get(symbol, 0) for symbol in symbols]


def next_markers(symbols: Sequence[str]) -> list[int]:
    """m_{i+1} at position i; 0 at the last one."""
    return [*markers(symbols)[1:], 0]


def summed_depths(symbols: Sequence[str]) -> list[int]:
    """Σ_{j≤i} m_{j+1}, the printed formula."""
    return list(accumulate(next_markers(symbols)))


def open_before(symbols: Sequence[str]) -> list[int]:
    """Σ_{j<i} m_j: brackets open before i; a closing bracket counts as inside."""
    return list(accumulate(markers(symbols), initial=0))[:-1]


def left_score(i: int, j: int, length: int, turn: int = 1) -> Exact:
    """p_iᵀ Rᵀ p_j with p_i at angle πi/T and R a rotation by ±π/T."""
    return cos_pi(Fraction(i + turn - j, length))


def left_targets(i: int, length: int, turn: int = 1) -> list[int]:
    """The positions with the largest left score, decided exactly."""
    top, best = left_score(i, 1, length, turn), [1]
    for j in range(2, length + 1):
        score = left_score(i, j, length, turn)
        sign = (score - top).sign()
        if sign > 0:
            top, best = score, [j]
        elif sign == 0:
            best.append(j)
    return best


def step_value(i: int, j: int, length: int, terms: int, step: StepReading) -> flint.arb:
    """[j ≥ i+2] as the reading has it, with l = 0 … k; a ball at the working precision."""
    if step is StepReading.EXACT:
        return flint.arb(int(j >= i + 2))
    total = flint.arb(0)
    for odd in range(1, 2 * terms + 2, 2):
        total += _sine(i, j, length, odd, step) / odd
    scale = 4 / flint.arb.pi() if step is StepReading.REPAIRED else flint.arb(1)
    return (1 + scale * total) / 2


def _sine(i: int, j: int, length: int, odd: int, step: StepReading) -> flint.arb:
    if step is StepReading.LITERAL:
        shift = flint.fmpq(5 * odd, 4 * length)
        return (flint.arb(odd * (i - j)) - flint.arb.pi() * flint.arb(shift)).sin()
    if step is StepReading.SCALED:
        return flint.arb.sin_pi_fmpq(flint.fmpq(odd * (4 * (i - j) - 5), 4 * length))
    return flint.arb.sin_pi_fmpq(flint.fmpq(odd * (2 * (j - i) - 3), 2 * (length + 1)))


@dataclass(frozen=True)
class PrintedHead:
    """The right head under one choice of readings; T is the tree's own length if not given."""

    depth: DepthReading = DepthReading.PRINTED
    step: StepReading = StepReading.LITERAL
    terms: int = 0
    length: int | None = None

    def depths(self, symbols: Sequence[str]) -> list[int]:
        """d_i in this reading."""
        return (
            summed_depths(symbols) if self.depth is DepthReading.PRINTED else open_before(symbols)
        )

    def nearness(self, i: int, j: int, length: int) -> flint.arb:
        """p_iᵀ Rᵀ p_j + 2 [j ≥ i+2], with R a rotation by 2π/T."""
        angle = flint.fmpq(i + 2 - j, length)
        return flint.arb.cos_pi_fmpq(angle) + 2 * step_value(i, j, length, self.terms, self.step)

    def candidates(self, i: int, symbols: Sequence[str]) -> list[int]:
        """The positions with the largest depth term: for β → ∞ only these can be attended."""
        d = self.depths(symbols)
        penalty = [(1 - (d[j] - d[i - 1])) ** 2 for j in range(len(symbols))]
        return [j + 1 for j, value in enumerate(penalty) if value == min(penalty)]

    def target(self, i: int, symbols: Sequence[str]) -> int:
        """The position that the right head attends to from i; `Undecided` if balls cannot tell."""
        running, length = self.candidates(i, symbols), self.length or len(symbols)
        for bits in precisions(HIGHEST):
            with flint.ctx.workprec(bits):
                scores = {j: self.nearness(i, j, length) for j in running}
                best = max(running, key=lambda j: float(scores[j].mid()))
                if all(scores[best] > scores[j] for j in running if j != best):
                    return best
        raise Undecided(
            f"largest score of query {i} among keys {running} not determined at {HIGHEST} bits"
        )

    def right(self, symbols: Sequence[str]) -> dict[int, int]:
        """For each opening bracket, where its right head looks."""
        return {i: self.target(i, symbols) for i, s in enumerate(symbols, 1) if s == OPEN}


def gate(
    automaton: WTA, marker: int, left: Vector, right: Vector, own: Vector, modes: tuple[int, int]
) -> Vector:
    """m² T(left, right) + (1 - m²) v, with the two modes of the tensor that are contracted."""
    product = contract(automaton, left, right, modes)
    on, off = marker * marker, 1 - marker * marker
    return tuple(on * a + off * b for a, b in zip(product, own, strict=True))


def contract(automaton: WTA, left: Vector, right: Vector, modes: tuple[int, int]) -> Vector:
    """T ×_p left ×_q right for modes p, q of 1, 2, 3; the free mode indexes the result."""
    (free,) = {1, 2, 3} - set(modes)
    result: list[Number] = [0] * automaton.n
    for a, rows in enumerate(automaton.tensor):
        for b, row in enumerate(rows):
            for c, weight in enumerate(row):
                index = {1: a, 2: b, 3: c}
                term = weight * left[index[modes[0]]] * right[index[modes[1]]]
                result[index[free]] = result[index[free]] + term
    return tuple(result)


def parse_layers(
    automaton: WTA,
    symbols: Sequence[str],
    right: Mapping[int, int],
    layers: int,
    modes: tuple[int, int] = (2, 3),
) -> list[Vector]:
    """The states at all positions after `layers` parse layers with the printed gate.

    The left head looks one position on (the last position at itself). Right heads that are not
    given, those of letters and closing brackets, look at their own position.
    """
    zero: Vector = (0,) * automaton.n
    states = [automaton.leaf(s) if MARKERS.get(s, 0) == 0 else zero for s in symbols]
    for _ in range(layers):
        states = [
            gate(
                automaton,
                marker,
                states[min(i, len(symbols) - 1)],
                states[right.get(i, i) - 1],
                states[i - 1],
                modes,
            )
            for i, marker in enumerate(markers(symbols), 1)
        ]
    return states
