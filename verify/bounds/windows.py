"""The error of Theorem 2's softmax by the number of letters that a token holds, for all words.

Claimed       the corrected recursion of `recursion` bounds all tokens of a layer alike. A prefix of t
              letters is the product of t factors, however long the word: products of few letters gain
              little, and where products shrink, so do their errors
Derivation    state t depends on tokens t - M + 1 … t, which the ring of 2M does not wrap: pads, then
              letters. Before layer l such a token holds k ≤ 2^(l-1) letters and misses by e(k), pads with
              k = 0 among them; every token misses by ε at most (`recursion`). The row
              gives all but λ to its target, so what attention brings misses by δ(k) = e(k) + ν + λ ε,
              ν = Σ_m p_m min(D, m d) ≥ Σ_m p_m ‖X_{t-m} - X_t‖: D is the largest distance of two windows,
              d that of neighbours (`neighbours`). The layer
              multiplies a window of a letters by one of b, b = 2^(l-1) if the token has more than that,
              else a = 0: e'(a + b) ≤ N(a) δ(b) + δ(a) N(b) + δ(a) δ(b)
Readout       of a prefix only αᵀE is read. Let ‖α‖ r(k) bound that, and ρ(k) = r(k) + ν + λ ε. A prefix is
              a shorter one times a window, or a pad times itself: with s(k) ‖α‖ ≥ ‖αᵀA^w‖,
              r'(a + b) ≤ s(a) δ(b) + ρ(a) (N(b) + δ(b)) for a > 0, r'(b) ≤ ρ(b) + ρ(0) (N(b) + δ(b)).
              State t misses by ‖α‖ r(t), all together by ‖α‖ √(Σ_t r(t)²)
Notation      p_m the weights and λ the leak of `leak`, N(k) ≥ ‖A^w‖ over words of exactly k letters
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions.automata.wfa import WFA
from constructions.theorem1 import span
from verify.bounds import leak
from verify.bounds.growth import growth, products
from verify.bounds.neighbours import WindowDistances, window_distances
from verify.bounds.recursion import readout_factor
from verify.bounds.saturation import UniformBounds, uniform_bounds
from verify.bounds.state_sizes import word_sizes


@dataclass(frozen=True)
class WindowBounds:
    """Bounds for all words of length T: N(k), s(k), and D and d of each layer; ‖α‖ and T."""

    length: int
    layers: UniformBounds
    norms: tuple[flint.arb, ...]
    rows: tuple[flint.arb, ...]
    apart: WindowDistances
    readout: flint.arb

    def states(self, saturation: Fraction) -> flint.arb:
        """A bound on the Frobenius norm of the error of all T + 1 states, for all words."""
        squares = sum((e * e for e in self.errors(saturation)), flint.arb(0))
        return (self.readout * squares.sqrt()).min(self.layers.states(saturation))

    def errors(self, saturation: Fraction) -> list[flint.arb]:
        """r(0), r(1), … after the last layer."""
        _, *weights = leak.weights(saturation, self.layers.span)
        before = [flint.arb(0), *self.layers.errors(saturation)]
        errors = rows = [flint.arb(0)] * 2
        for layer in range(len(self.apart.steps)):
            share = self._share(layer, weights) + sum(weights, flint.arb(0)) * before[layer]
            moved, moved_rows = ([e + share for e in own] for own in (errors, rows))
            errors = self._after(1 << layer, moved)
            rows = self._rows_after(1 << layer, moved, moved_rows)
        return rows

    def _share(self, layer: int, weights: Sequence[flint.arb]) -> flint.arb:
        """Σ p_m min(D, m d), m the distance on the ring."""
        spread, step = self.apart.spreads[layer], self.apart.steps[layer]
        few = [spread.min(m * step) for m in range(1, self.layers.span + 1)]
        return sum(
            (p * d for p, d in zip(weights, [*few, *few[-2::-1]], strict=True)), flint.arb(0)
        )

    def _after(self, window: int, moved: Sequence[flint.arb]) -> list[flint.arb]:
        """The errors after a layer, from δ(0) … δ(b)."""
        most = min(2 * window, self.length)
        pairs = [(0, k) if k <= window else (k - window, window) for k in range(most + 1)]
        norm = self.norms
        return [
            (norm[a] * moved[b] + moved[a] * norm[b] + moved[a] * moved[b]).upper()
            for a, b in pairs
        ]

    def _rows_after(
        self, window: int, moved: Sequence[flint.arb], rows: Sequence[flint.arb]
    ) -> list[flint.arb]:
        """The errors of αᵀ times a prefix."""
        norm, size = self.norms, self.rows
        short = range(min(window, self.length) + 1)
        after = [rows[k] + rows[0] * (norm[k] + moved[k]) for k in short]
        for a in range(1, min(2 * window, self.length) - window + 1):
            after.append(size[a] * moved[window] + rows[a] * (norm[window] + moved[window]))
        return [error.upper() for error in after]


def window_bounds(automaton: WFA, length: int, layers: UniformBounds | None = None) -> WindowBounds:
    """N(k), k up to the windows of the last layer, for all words of length T."""
    layers = layers or uniform_bounds(automaton, length)
    count, initial = len(layers.norms), readout_factor(automaton, 0)
    grown = layers.grown or growth(automaton, 1 << max(count - 1, 0))
    entrywise, lengths = products(automaton, span(length)).bounds, grown.lengths
    norms = [a.min(b).upper() for a, b in zip(entrywise, lengths, strict=False)]
    sizes = word_sizes(automaton, len(norms) - 1).greatest
    rows = [norm if not initial > 0 else (size / initial).min(norm).upper()
            for size, norm in zip(sizes, norms, strict=True)]  # fmt: skip
    apart = window_distances(automaton, count, grown)
    return WindowBounds(length, layers, tuple(norms), tuple(rows), apart, initial)
