"""The error of Theorem 2's softmax by the number of letters that a token holds, for all words.

Claimed       the corrected recursion of `recursion` bounds all tokens of a layer alike. A prefix of t
              letters is the product of t factors, however long the word: products of few letters gain
              little, and where products shrink, so do their errors
Derivation    state t depends on tokens t - M + 1 … t, which the ring of 2M does not wrap: pads, then
              letters. Before layer l such a token holds k ≤ 2^(l-1) letters and misses by e(k), pads with
              k = 0 among them; every token misses by ε at most (`recursion`). The row
              gives all but λ to its target, so what attention brings misses by
              δ(k) = e(k) + λ (D + ε), D the largest distance of two windows. The layer multiplies a
              window of a letters by one of b, b = 2^(l-1) if the token has more than that, else a = 0:
              e'(a + b) ≤ N(a) δ(b) + δ(a) N(b) + δ(a) δ(b)
Readout       state t misses by ‖α‖ e(t), all together by ‖α‖ √(Σ_t e(t)²)
Notation      λ the leak of `leak`, N(k) ≥ ‖A^w‖ over words of exactly k letters
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions.automata.wfa import WFA
from constructions.theorem1 import span
from verify.bounds import leak
from verify.bounds.growth import products
from verify.bounds.recursion import readout_factor
from verify.bounds.saturation import UniformBounds, uniform_bounds


@dataclass(frozen=True)
class WindowBounds:
    """What holds for all words of length T: N(k) besides what holds for a layer; ‖α‖ and T."""

    length: int
    layers: UniformBounds
    norms: tuple[flint.arb, ...]
    readout: flint.arb

    def states(self, saturation: Fraction) -> flint.arb:
        """A bound on the Frobenius norm of the error of all T + 1 states, for all words."""
        errors = self.errors(saturation)
        squares = sum((e * e for e in errors[: self.length + 1]), flint.arb(0))
        return (self.readout * squares.sqrt()).min(self.layers.states(saturation))

    def errors(self, saturation: Fraction) -> list[flint.arb]:
        """e(0), e(1), … after the last layer."""
        lost = leak.leak(saturation, self.layers.span)
        before = [flint.arb(0), *self.layers.errors(saturation)]
        errors = [flint.arb(0), flint.arb(0)]
        for layer, diameter in enumerate(self.layers.diameters):
            share = lost * (diameter + before[layer])
            errors = self._after(1 << layer, [e + share for e in errors])
        return errors

    def _after(self, window: int, moved: Sequence[flint.arb]) -> list[flint.arb]:
        """The errors after a layer, from δ(0) … δ(b)."""
        most = min(2 * window, self.length)
        pairs = [(0, k) if k <= window else (k - window, window) for k in range(most + 1)]
        norm = self.norms
        return [
            (norm[a] * moved[b] + moved[a] * norm[b] + moved[a] * moved[b]).upper()
            for a, b in pairs
        ]


def window_bounds(automaton: WFA, length: int, layers: UniformBounds | None = None) -> WindowBounds:
    """N(k), k up to the windows of the last layer, for all words of length T."""
    layers = layers or uniform_bounds(automaton, length)
    norms = products(automaton, span(length)).bounds
    return WindowBounds(length, layers, norms, readout_factor(automaton, 0))
