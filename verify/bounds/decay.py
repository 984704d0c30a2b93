"""The error of Theorem 2's model with exact products against exp(-C g), g = 1 - cos(π/M).

Notation      q = exp(-C g), w = Σ exp(-C (1 - cos(πm/M))) over the positions m that are not next or equal
              to the maximum; x the exact tokens, (Lx)_t = x_(t-1) + x_(t+1) - 2 x_t
First order   attention leaks q Lx; with q K the error of the layer before, the next layer has
              K'_t = x_(t-s) (Lx + K)_t + (Lx + K)_(t-s) x_t, a rational matrix that no C enters
Rest          with Z = 1 + 2q + w a neighbour gets q/Z, which q exceeds by at most q(2q + w). So after
              attention all but q(Lx + K) has norm at most
                  r' = 2μ (2q(2q + w) + w) + r + 2(2q + w)(qκ + r),
              and after the product at most 2μ r' + (qκ' + r')², where μ, κ and κ' are the largest norms
              of x, K and Lx + K, and r is the rest of the layer before
Two-sided     the error after the last layer is between qκ - r and qκ + r: with ρ = r/(qκ) < 1 its
              logarithm misses -C g + ln κ by at most -ln(1 - ρ)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint

from constructions import theorem1
from constructions.automata.wfa import WFA
from constructions.core.exact import ball
from verify.bounds.leak import gap
from verify.bounds.measured import exact_scan
from verify.bounds.norms import largest, matrix, spectral_norm

Tokens = Sequence[Any]  # square matrices of rationals


def first_order(automaton: WFA, word: Sequence[str], length: int) -> list[tuple[Tokens, ...]]:
    """For each layer x, K and Lx + K before it; for the end K after the last layer, twice."""
    stages = exact_scan(automaton, word, length)
    k: Tokens = [0 * token for token in stages[0]]
    found: list[tuple[Tokens, ...]] = []
    for layer, x in enumerate(stages[:-1]):
        count, back = len(x), 1 << layer
        leaked = [x[t - 1] + x[(t + 1) % count] - 2 * x[t] + k[t] for t in range(count)]
        found.append((x, k, leaked))
        k = [x[t - back] @ leaked[t] + leaked[t - back] @ x[t] for t in range(count)]
    return [*found, (stages[-1], k, k)]


def largest_norm(tokens: Tokens) -> flint.arb:
    """The largest spectral norm of some rational matrices."""
    return largest(spectral_norm(matrix(token.tolist())) for token in tokens)


def miss(
    automaton: WFA, word: Sequence[str], length: int, saturation: Fraction, bits: int
) -> flint.arb | None:
    """A bound on |ln error + C g - ln κ|; None where ρ is not below 1."""
    span = theorem1.span(length)
    with flint.ctx.workprec(bits):
        c = ball(saturation)
        q = (-c * gap(span)).exp()
        angles = (flint.fmpq(m, span) for m in range(2, 2 * span - 1))
        w = sum(((c * (flint.arb.cos_pi_fmpq(a) - 1)).exp() for a in angles), flint.arb(0))
        rest, *layers = flint.arb(0), *first_order(automaton, word, length)
        *layers, (_, last, _) = layers
        for x, k, leaked in layers:
            norm, before, behind = (largest_norm(tokens) for tokens in (x, k, leaked))
            read = 2 * norm * (2 * q * (2 * q + w) + w) + rest
            read += 2 * (2 * q + w) * (q * before + rest)
            delta = q * behind + read
            rest = 2 * norm * read + delta * delta
        share = rest / (q * largest_norm(last))
        return -(1 - share).log() if share < 1 else None
