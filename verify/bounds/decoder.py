"""Error bounds of the decoder with softmax, a plain block and a norm: sizes, settings and derivation.

Claimed      by us: the state at every position of every word of at most T letters is within ε, with
             C = O(log 1/ε + log T · log N), which does not grow with T otherwise. `decoder_rounding` runs the
             recursion, in exact arithmetic or in a format; `decoder_settings` chooses constants
Derivation   after each layer a token holds window = X + E and scratch = r with X = A^w - I exact,
             ‖E‖ ≤ e, ‖r‖ ≤ ρ; N ≥ ‖A^w‖ and M ≥ ‖A^w - I‖ over words of at most 2^(l-1) letters;
             all norms are spectral. `tests/support/decoder_derivation.py` checks each step
  leak       scores fall short of the largest by C (j - j*)² or more, and m² ≥ 1 + 3(m-1), so a row
             gives at most λ = 2 Σ_{m≥1} e^{-C m²} ≤ 2 e^{-C} / (1 - e^{-3C}) to other tokens
  head       brings X + F, ‖F‖ ≤ f = e + λ (D + 2e): it is a convex combination, and D ≤ 2M bounds the
             distance of two windows. That of neighbours is d (`neighbours`), that of windows m apart m d, and
             2 Σ m e^{-C m²} ≤ λ/(1 - e^{-3C}): without RoPE D may be d/(1 - e^{-3C})
  block      reads x = X + F + r and y = Y + E - r, for F cancels in window - scratch
  product    E' = A E + F B + F E - (X + F + r) r + r (Y + E) + m with A = I + X, B = I + Y, hence
             e' ≤ N e + N f + e f + ρ (2M + e + f + ρ) + μ
  units      a gated block has μ = 0 and ρ = 0. A plain one has μ = n² times the remainder of four
             units, and ρ = n times that of their odd part, which is 0 for GELU, SiLU, softplus
  levels     m levels of steps cancel the powers 4 … 2m of Taylor's series, and with K ≥ |σ^(2m+2)|
             each product misses by at most |s| Σ_k |w_k| 4^-k 4K (2^k h(p+q))^(2m+2) / (2m+2)!
  norm       a norm multiplies each token by κ, 0 ≤ 1 - κ ≤ θ = (|x|² + dε)/(4K²) for LayerNorm and
             twice that for RMSNorm, |x| without ±K. Scores of size at most C S move by 2θCS, so that
             λ becomes λ e^{4θCS}, S = T²; values shrink, f gains θ (M + e); products shrink by κ²,
             e' gains 2θ ‖x‖ ‖y‖; the scratch keeps ω ‖x‖ = ρ', ω = θ or, behind a gate,
             1 - κ σ(κ)/σ(1); the readout adds θ (‖A^w‖ + e)
  readout    the error of a state is at most ‖α‖ e_L, and less by letters: `decoder_windows`
Closed form  with λ ≤ 1/(16(N+M)) and e ≤ 1/4: e' ≤ (2N+1) e + 2λNM, so e_L ≤ λG with
             G = Σ_l 2 N_l M_l Π_{j>l} (2N_j + 1); C = ln(2.2/λ) ≥ 1, λ = min(1/(16(N+M)), 1/(4G),
             ε/(‖α‖G)), keeps ε
Rotary       Llama has no position embedding; with RoPE the scores are C cos(π(t-s-j)/(T+1)), the leak
             is at most 2 Σ_{m=1}^T e^{-C(1 - cos(πm/(T+1)))}, S = 1, and C grows like T² again. A norm and
             rounding in float32 move scores by a share of C: twice the least C makes up for it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import factorial

import flint

from constructions.automata.reduction import Reduction
from constructions.automata.wfa import WFA
from constructions.blocks.refined import richardson_weights
from constructions.blocks.smoothing import FourUnits
from constructions.core.activations import activation_by_name, smooth_activation
from constructions.core.exact import ball, ceiling
from constructions.core.matrix import Matrix
from constructions.decoder import Design, Normalisation, erasing_weight
from constructions.theorem1 import check_length, depth
from verify.bounds.decoder_windows import LONGEST, WindowSizes, window_sizes
from verify.bounds.growth import growth
from verify.bounds.neighbours import WindowDistances, window_distances
from verify.bounds.norms import matrix, spectral_norm

BITS = 256
GRID = 16
HUGE = 1 << 40


@dataclass(frozen=True)
class WordBounds:
    """Bounds for all words: N_l and M_l, l = 1 … L, the weight of the readout, n and T.

    `reach` bounds ‖A^w‖ over all words of at most T letters, `outputs` is the number of columns of B;
    `windows` has sizes by the number of letters, `apart` the distances of windows, and `reduction` the
    automaton and B themselves, if known.
    """

    n: int
    length: int
    norms: tuple[flint.arb, ...]
    distances: tuple[flint.arb, ...]
    readout: flint.arb
    reach: flint.arb
    outputs: int
    windows: WindowSizes | None = None
    apart: WindowDistances | None = None
    reduction: Reduction | None = None

    def of_begin(self) -> WordBounds:
        """The same for BOS: its window is 0, and it attends to itself only."""
        one, zero = (flint.arb(1),) * len(self.norms), (flint.arb(0),) * len(self.norms)
        return replace(self, norms=one, distances=zero, apart=None)


def word_bounds(automaton: WFA, length: int, outputs: Matrix | None = None) -> WordBounds:
    """N_l, M_l and ‖α‖ ‖B‖ for all words of at most T letters."""
    layers = depth(check_length(length))
    with flint.ctx.workprec(BITS):
        longest = 1 << max(layers - 1, 0)
        grown = growth(automaton, longest)
        weight = spectral_norm(padded_square(matrix((automaton.alpha,))))
        known = longest <= LONGEST and weight > 0
        windows = window_sizes(automaton, longest, grown, weight) if known else None
        apart = window_distances(automaton, layers, grown)
        if outputs is not None:
            weight = weight * spectral_norm(
                padded_square(matrix(tuple(map(tuple, outputs.rows()))))
            )
    ends = [1 << layer for layer in range(layers)]
    norms = tuple(grown.norms[k] for k in ends)
    distances = tuple(grown.distances[k] for k in ends)
    count = automaton.n if outputs is None else outputs.shape[1]
    reach = longest_norm(norms, grown.norms[1])
    if windows is not None:
        reach = reach.min(windows.reach(length))
    reduction = Reduction(automaton, outputs or Matrix.identity(automaton.n))
    return WordBounds(
        automaton.n, length, norms, distances, weight, reach, count, windows, apart, reduction
    )


def longest_norm(norms: Sequence[flint.arb], letter: flint.arb) -> flint.arb:
    """A bound on ‖A^w‖ over all words: two windows of the last layer, or one letter without layers."""
    return norms[-1] * norms[-1] if norms else letter


def padded_square(a: flint.arb_mat) -> flint.arb_mat:
    """The matrix with zero rows or columns added, of the same norm."""
    size = max(a.nrows(), a.ncols())
    rows = [[a[i, j] if i < a.nrows() and j < a.ncols() else 0 for j in range(size)]
            for i in range(size)]  # fmt: skip
    return flint.arb_mat(rows)


def square_of_ball(value: flint.arb) -> flint.arb:
    """value², also where the ball contains 0 (`**` then has no value)."""
    return value * value


def leak(saturation: Fraction) -> flint.arb:
    """λ ≤ 2 e^{-C} / (1 - e^{-3C}), whatever T."""
    constant = ball(saturation)
    return 2 * (-constant).exp() / (1 - (-3 * constant).exp())


def rotary_leak(saturation: Fraction, length: int) -> flint.arb:
    """2 Σ_{m=1}^T e^{-C (1 - cos(πm/(T+1)))}, the same in every layer."""
    return _rotary_leak(saturation, length, flint.ctx.prec)


@cache
def _rotary_leak(saturation: Fraction, length: int, bits: int) -> flint.arb:
    """The sum, for one working precision."""
    total = flint.arb(0)
    for m in range(1, length + 1):
        sine = flint.arb.sin_pi_fmpq(flint.fmpq(m, 2 * (length + 1)))
        total += (-2 * ball(saturation) * sine * sine).exp()
    return 2 * total


@dataclass(frozen=True)
class Setting:
    """A design with its C; `rotary` where positions are angles."""

    design: Design
    saturation: Fraction
    rotary: bool = False

    def leak(self, length: int, theta: flint.arb) -> flint.arb:
        """λ, or λ e^{4θCS} behind a norm."""
        if self.rotary:
            plain, size = rotary_leak(self.saturation, length), 1
        else:
            plain, size = leak(self.saturation), length * length
        return plain * (4 * theta * ball(self.saturation) * size).exp()

    def spread(self, bounds: WordBounds, layer: int) -> flint.arb:
        """The factor of λ before layer l: D, or d / (1 - e^{-3C})."""
        if bounds.apart is None:
            return 2 * bounds.distances[layer - 1]
        most, step = bounds.apart.spreads[layer - 1], bounds.apart.steps[layer - 1]
        if self.rotary:
            return most
        return most.min(step / (1 - (-3 * ball(self.saturation)).exp()))

    def shrinkage(self, square_norm: flint.arb, n: int) -> flint.arb:
        """θ from a bound on |x|² of the coordinates that hold matrices."""
        if self.design.norm is Normalisation.NONE:
            return flint.arb(0)
        share = 4 if self.design.norm is Normalisation.LAYER else 2
        rest = square_norm + 3 + self.design.layout(n).size * ball(self.design.epsilon)
        return rest / (share * ball(Fraction(self.design.large**2)))

    def product_error(self, p: flint.arb, q: flint.arb) -> flint.arb:
        """The remainder of one product of numbers up to p and q."""
        if self.design.fineness is None:
            return flint.arb(0)
        if not (p < HUGE and q < HUGE):
            return flint.arb("inf")
        units = FourUnits.of(self.design.activation, self.design.fineness)
        if self.design.levels > 1:
            return levels_error(units, self.design.levels, p, q)
        return units.error(ceiling(p), ceiling(q))

    def odd_error(self, p: flint.arb, q: flint.arb) -> flint.arb:
        """The part of a scratch entry that four units do not erase."""
        if (
            self.design.fineness is None
            or activation_by_name(self.design.activation).odd_part_is_identity
        ):
            return flint.arb(0)
        if not (p < HUGE and q < HUGE):
            return flint.arb("inf")
        return odd_error(self.design.activation, self.design.fineness, p, q)

    def unerased_share(self, kappa: flint.arb) -> flint.arb:
        """ω: the share of the scratch that a norm with factors in κ keeps from being erased."""
        if self.design.norm is Normalisation.NONE or not self.design.gated:
            return abs(1 - kappa)
        sigma = activation_by_name(self.design.activation).enclosure
        return abs(1 - kappa * sigma(kappa) / sigma(flint.arb(1)))


def levels_error(units: FourUnits, levels: int, p: flint.arb, q: flint.arb) -> flint.arb:
    """The remainder of one product with Richardson's weights."""
    sigma, order = units.activation, 2 * levels + 2
    with flint.ctx.workprec(BITS):
        reach = ball(units.step) * (p + q)
        wide = reach * 2 ** (levels - 1)
        nearby = (ball(sigma.point) - wide).union(ball(sigma.point) + wide)
        total = flint.arb(0)
        for k, weight in enumerate(richardson_weights(levels)):
            total += abs(ball(weight / 4**k)) * power(reach * 2**k, order)
        rest = 4 * abs(sigma.derivative(nearby, order)) * total / factorial(order)
        total_error = abs(ball(units.scale)) * rest + slope_error(units) * p * q
        return total_error if total_error.is_finite() else flint.arb("inf")


@cache
def slope_error(units: FourUnits) -> flint.arb:
    """|4h² σ''(b) s - 1|, the same for all products; s has 8k + 256 digits for h = 2^-k."""
    sigma, h = units.activation, units.step
    with flint.ctx.workprec(8 * h.denominator.bit_length() + 2 * BITS):
        return abs(4 * ball(h * h) * sigma.derivative(ball(sigma.point), 2) * ball(units.scale) - 1)


def power(value: flint.arb, count: int) -> flint.arb:
    """value^count by multiplication."""
    result = flint.arb(1)
    for _ in range(count):
        result *= value
    return result


def odd_error(activation: str, fineness: int, p: flint.arb, q: flint.arb) -> flint.arb:
    """|s| K₃ 2u³/3 + |4h σ'(b) s - 1| p with u = h(p+q) and K₃ ≥ |σ'''| near b."""
    sigma, h = smooth_activation(activation), Fraction(1, 1 << fineness)
    with flint.ctx.workprec(8 * fineness + BITS):
        s, reach = ball(erasing_weight(activation, fineness)), ball(h) * (p + q)
        nearby = (ball(sigma.point) - reach).union(ball(sigma.point) + reach)
        cubic = abs(sigma.derivative(nearby, 3)) * 2 * reach * reach * reach / 3
        slope = abs(4 * ball(h) * sigma.derivative(ball(sigma.point), 1) * s - 1)
        return abs(s) * cubic + slope * p
