"""The error of Theorem 2's softmax by the number of letters in a token's product, for all words.

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
              The same for αᵀE: this is the recursion of `decoder_windows`, where h = d = ν + λ ε, c = 0 and
              pads replace BOS
Readout       state t misses by ‖α‖ r(t), all together by ‖α‖ √(Σ_t r(t)²)
Notation      p_m the weights and λ the leak of `leak`, N(k) and r(k) of `decoder_windows`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions.automata.wfa import WFA
from verify.bounds import leak
from verify.bounds.decoder_windows import LayerLoss, WindowSizes, prefix_errors, window_sizes
from verify.bounds.growth import growth
from verify.bounds.neighbours import WindowDistances, window_distances
from verify.bounds.recursion import readout_factor
from verify.bounds.saturation import UniformBounds, uniform_bounds


@dataclass(frozen=True)
class WindowBounds:
    """Bounds for all words of length T: N(k), s(k), and D and d of each layer; ‖α‖ and T."""

    length: int
    layers: UniformBounds
    sizes: WindowSizes
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
        losses, pads = list[LayerLoss](), [flint.arb(0)]
        for layer in range(len(self.apart.steps)):
            share = self._share(layer, weights) + sum(weights, flint.arb(0)) * before[layer]
            losses.append(LayerLoss(share, share, flint.arb(0)))
            moved = pads[-1] + share
            pads.append((2 * moved + moved * moved).upper())
        *begin, last = pads
        rows = prefix_errors(self.sizes, self.length, flint.arb(0), losses, begin)
        return [last, *rows.values()]

    def _share(self, layer: int, weights: Sequence[flint.arb]) -> flint.arb:
        """Σ p_m min(D, m d), m the distance on the ring."""
        spread, step = self.apart.spreads[layer], self.apart.steps[layer]
        few = [spread.min(m * step) for m in range(1, self.layers.span + 1)]
        return sum(
            (p * d for p, d in zip(weights, [*few, *few[-2::-1]], strict=True)), flint.arb(0)
        )


def window_bounds(automaton: WFA, length: int, layers: UniformBounds | None = None) -> WindowBounds:
    """N(k), k up to the windows of the last layer, for all words of length T."""
    layers = layers or uniform_bounds(automaton, length)
    count, initial = len(layers.norms), readout_factor(automaton, 0)
    longest = 1 << max(count - 1, 0)
    grown = layers.grown or growth(automaton, longest)
    sizes = window_sizes(automaton, longest, grown, initial)
    apart = window_distances(automaton, count, grown)
    return WindowBounds(length, layers, sizes, apart, initial)
