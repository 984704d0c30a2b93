"""Errors of the decoder, for all words of a length: in exact arithmetic, or in a format with its rounding.

Exact        arithmetic is a format with u = τ = 0: every term below that rounding adds vanishes

Assumed      every operation rounds once with unit u or less, what is below the least normal number
             τ is lost, sums run in any order; exp, cos and sin and the stored weights are within 8
             units, σ(b + z) is within 8u(|b| + |σ(b)| + |z|) (GELU computes 1 + erf, so its small
             values are no better). What a norm takes the root of is within γ_{4d+16} of the mean square
             (of LayerNorm: less the mean), the inverse root within 4 units and the gain stored within 2; a
             coordinate less the mean is multiplied by both: three roundings. This is how the libraries
             compute, not something they promise
Derivation   as in `decoder`, with γ_k = ku/(1 - ku) and R = T + 1 tokens; bounds on entries give bounds
             on norms by a factor n. For a norm θ' = θ + (g + γ_7(1 + g))(1 + θ), g = γ_k/(2(1 - γ_k)) with
             k = 4d + 16, bounds |1 - κ| on both sides, as √(1 + γ_k) ≤ 1 + γ_k/2 and 1/√(1 - γ_k) ≤ 1 + g;
             six units of the inverse root and the gain are within γ_7
  embedding  entries of A - I are rounded twice and may be lost: e_0 = 2nu M + nτ; places t/p and (t/p)²
             are exact as long as T² < 1/u; copies and sums with zeros are exact
  norm       a coordinate is read as κx up to γ_3(1 + θ')(|x| + 2m), m a bound on the computed mean
             (√d|x| + γ_{d+4} 2K)(1 + γ_{d+4})/d of LayerNorm, which cancels against the zero coordinate
             but for the roundings of both, and (2K + 4)τ, as what is lost before the gain K/√d is
             multiplied by it; m = 0 for RMSNorm, and without a norm reads are exact
  scores     three terms of size at most 5CT² together, at most 14 roundings: they move by η = 5γ_14 CT²,
             and by 32CT² times the error of a read; the leak grows by e^{2η}
  rotary     angles below π, from a power of the base and a product, are off by π(2 ln(T+1) + 8)u each,
             so that scores of size C move by η = Cu(2π(2 ln(T+1) + 8) + 64) and by 4C times what a read
             of the constant 1 loses below τ, and by C times the square of this share
  exact      scores are C = k/16 times whole numbers up to 3T² in size: where 3kT² < 1/u, each of their
             terms and sums has few enough bits, and η = 0; unless a norm precedes them, or
             positions are angles, or a library scales them by a number that is no power of two
  head       weights and their sum with the values: f gains nγ_{2R+12}(M + e), and what underflows.
             Adding a term rounds by no more than the term, and all but the target's add up to λ: so
             nγ_24 (M + e) and 4nλ(1 + γ_{2R+12})(M + e) are enough as well
  stream     adding the head rounds window and scratch: e gains nu(2M + e + f), ρ gains nu(M + f + ρ),
             each nτ besides
  gated      the gate reads y up to u|y|; x σ(y) - x σ(-y) and its sum over k miss by at most
             nγ_{2n+24} p q, as |σ(y)| + |σ(-y)| = |y|, and by 4n(n + p)τ: σ(y) may be lost before it is
             multiplied by x
  plain      all units read the same x and y, up to dx and dy, as in gated blocks. A unit adds b, three
             coordinates and one that takes the mean away, with weights h, a power of two: `sums` with k = 5
             (4 where b = 0), r = 0, V = |b| + h(1 + θ')(W + 2p + 4m) + h(2dx + dy), W the size of the window.
             The forms of four units are ±h(x + y) and ±h(x - y): Σ|z| = 4h max(|x|, |y|). With Λ ≥ |σ'| where
             they read, a unit is of size |σ(b)| + Λ|z|, and four of them weigh s = 1/(4h²|σ''(b)|): rounding
             is of order u/h where b = σ(b) = 0 (GELU, SiLU), else of order u/h²
  sums       k terms, each rounded r times, in any order: by `summation` they miss by (ru + γ_{k-1+r}²)V and
             by u(1 + 2γ_{k+2})(k - 1)P with V = Σ|t|, and P = (V + |Σt|)/2 no less than the positive or the
             negative terms. An entry of the window adds 4n terms a level, each rounded thrice (its weight,
             stored within 2 units, and a product), an entry of the scratch four
  erasing    leaves nγ_20 p in the scratch, and what the reads of x and of the constant miss; four
             plain units weigh 1/(4h|σ'(b)|) there; adding the block rounds the window once more
  readout    γ_{n²+n+5} times the size of what is added up, and the reads; each of the n² + 2 weights
             α_i B_jc of an output may be lost before it is multiplied, and each product after
  entries    of a gated block without a norm or with RMSNorm a second bound is known (`decoder_entries`): the
             lesser holds
  range      the squares of tokens, scores, units, the weights of the readout, what they are multiplied by
             and the sums of these products stay below the largest number
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import flint

from constructions.blocks.refined import richardson_weights
from constructions.blocks.smoothing import FourUnits
from constructions.core.activations import smooth_activation
from constructions.core.exact import ball
from constructions.decoder import Normalisation, erasing_weight
from verify.bounds.decoder import (
    BITS,
    GRID,
    Setting,
    WordBounds,
    square_of_ball,
)
from verify.bounds.decoder_entries import assumed_square, entry_error
from verify.bounds.decoder_scores import MovedSetting, moved_setting
from verify.bounds.decoder_windows import LayerLoss, prefix_errors
from verify.bounds.floating import EXACT, Precision
from verify.bounds.norm_reading import NormReading, exact_reading, rms_reading
from verify.bounds.norms import largest


@dataclass(frozen=True)
class Errors:
    """e and ρ, the errors of window and scratch, and the part of e that the layer itself has added."""

    window: flint.arb
    scratch: flint.arb
    loss: LayerLoss | None = None


@dataclass(frozen=True)
class DecoderRounding:
    """A setting for all words of a length, run in a floating-point format."""

    bounds: WordBounds
    setting: Setting
    form: Precision
    unscaled: bool = False

    def reading(self, square_norm: flint.arb, total: flint.arb | None = None) -> NormReading:
        """Reading error of tokens whose matrices have at most that square norm and coordinates that sum."""
        design, form, zero = self.setting.design, self.form, flint.arb(0)
        if design.norm is Normalisation.NONE:
            return exact_reading()
        width = design.layout(self.bounds.n).size
        theta = self.setting.shrinkage(square_norm, self.bounds.n)
        root = form.gamma(4 * width + 16)
        root = root / (2 * (1 - root)) if root < 1 else flint.arb("inf")
        theta = theta + (root + form.gamma(7) * (1 + root)) * (1 + theta)
        sizes = (width * (square_norm + 3)).sqrt()
        total = sizes if total is None else total.min(sizes) + form.gamma(width + 4) * sizes
        sums = total + form.gamma(width + 4) * 2 * design.large
        mean = sums * (1 + form.gamma(width + 4)) / width
        mean = mean if design.norm is Normalisation.LAYER else zero
        lost = (2 * design.large + 4) * form.normal
        return NormReading(theta, mean, form.gamma(3) * (1 + theta), lost)

    def leak(self, read: NormReading) -> flint.arb:
        """λ of `decoder` for the rounded scores."""
        moved = self.setting.leak(self.bounds.length, read.pair_shrinkage / 2)
        return moved * (2 * self.moved_scores(read)).exp()

    def moved_scores(self, read: NormReading) -> flint.arb:
        """η: how much a score moves, beside the factors of a norm."""
        length, constant = self.bounds.length, ball(self.setting.saturation)
        if self.has_exact_scores():
            return flint.arb(0)
        if self.setting.rotary:
            angle = 2 * flint.arb.pi() * (2 * flint.arb(length + 1).log() + 8)
            share = self.form.roundoff * (angle + 64) + 4 * read.lost
            return constant * (share + square_of_ball(share))
        moved = 5 * self.form.gamma(14) + 32 * read.read_error(flint.arb(1))
        return moved * constant * length**2

    def has_exact_scores(self) -> bool:
        """True if no score is rounded: C is k/16 with k whole, and 3kT² fits the significand."""
        grid = self.setting.saturation * GRID
        own = self.unscaled and self.setting.design.norm is Normalisation.NONE
        fits = grid.denominator == 1 and 3 * grid * self.bounds.length**2 < 1 << self.form.bits
        return own and fits and not self.setting.rotary

    def head(
        self, far: flint.arb, e: flint.arb, read: NormReading, spread: flint.arb | None = None
    ) -> flint.arb:
        """f: the distance of the head's output from the exact matrix."""
        n, tokens, lost = self.bounds.n, self.bounds.length + 1, self.leak(read)
        below = tokens * self.form.normal
        many = self.form.gamma(2 * tokens + 12)
        rounded = n * (many.min(self.form.gamma(24) + 4 * lost * (1 + many)) + below)
        leaked = lost * (2 * far if spread is None else spread) + 2 * lost * e
        share = read.theta * (1 + lost) + rounded
        return e + leaked + share * (far + e) + n * read.read_error(far + e) + 2 * n * below

    def step(self, layer: int, before: Errors) -> Errors:
        """e and ρ after layer l, rounded up."""
        n, u, tiny = self.bounds.n, self.form.roundoff, self.bounds.n * self.form.normal
        big, far = self.bounds.norms[layer - 1], self.bounds.distances[layer - 1]
        e, rho = before.window, before.scratch
        read = self.reading(n * (square_of_ball(far + e) + square_of_ball(rho)))
        f = self.head(far, e, read, self.setting.spread(self.bounds, layer))
        brought, added = f - e, n * u * (2 * far + e + f) + tiny
        e, rho = e + added, rho + n * u * (far + f + rho) + tiny
        p, q, window = far + f + rho, far + e + rho, 2 * far + e + f
        read = self.reading(n * (square_of_ball(window) + square_of_ball(p)))
        fineness = self.setting.design.fineness
        missed, left = (
            self.gated_errors(p, q, window, read)
            if fineness is None
            else self.plain_errors(fineness, p, q, window, read)
        )
        missed += rho * (2 * far + e + f + rho) + read.pair_shrinkage * p * q
        after = big * e + big * f + e * f + missed
        rounded = n * u * (window + p * q + after) + tiny
        loss = LayerLoss(brought, added, missed + rounded)
        return Errors(flint.arb((after + rounded).upper()), flint.arb(left.upper()), loss)

    def gated_errors(
        self, p: flint.arb, q: flint.arb, window: flint.arb, read: NormReading
    ) -> tuple[flint.arb, flint.arb]:
        """The error of a gated block's product, and what remains in the scratch."""
        n, form, grown = self.bounds.n, self.form, 1 + read.theta
        dx, dy = n * read.read_error(p), n * (read.read_error(window + p, 2) + form.roundoff * q)
        missed = grown * (dx * q + dy * p) + dx * dy
        missed += n * form.gamma(2 * n + 24) * (grown * p + dx) * (grown * q + dy)
        missed += 4 * n * (n + grown * p + dx) * form.normal
        left = (
            self.setting.unerased_share((1 - read.theta).union(grown)) * p
            + n * form.gamma(20) * grown * p
        )
        left += n * (
            2 * read.read_error(flint.arb(1)) * p + 2 * read.read_error(p) + 4 * form.normal
        )
        return missed, left

    def plain_errors(
        self, fineness: int, p: flint.arb, q: flint.arb, window: flint.arb, read: NormReading
    ) -> tuple[flint.arb, flint.arb]:
        """The same for a plain block with the step h = 2^-fineness."""
        n, design, grown = self.bounds.n, self.setting.design, 1 + read.theta
        dx, dy = n * read.read_error(p), n * read.read_error(window + p, 2)
        missed, p_, q_ = grown * (dx * q + dy * p) + dx * dy, grown * p + dx, grown * q + dy
        sizes = grown * (window + 2 * p + 4 * read.mean) + 2 * dx + dy
        terms = 5 if smooth_activation(design.activation).point else 4
        missing = self.sums_error(sizes + p_ + q_, terms)
        units = FourUnits.of(design.activation, fineness)
        product, terms = self.setting.product_error(p_, q_), 4 * n * design.levels
        for k, weight in enumerate(richardson_weights(design.levels)):
            scale = abs(ball(units.scale * weight / 4**k))
            product += self.four_units_error(scale, 2**k, (p_, q_), missing, terms)
        product += self.sums_error(p_ * q_ + product, terms)
        odd = abs(ball(erasing_weight(design.activation, fineness)))
        left = self.setting.odd_error(p_, q_)
        left += self.four_units_error(odd, 1, (p_, q_), missing, 4)
        left += self.sums_error(p_ + left, 4)
        left += 2 * self.form.roundoff * (p + dx + left)
        return missed + n * n * product, read.theta * p + dx + n * left

    def four_units_error(
        self,
        scale: flint.arb,
        times: int,
        sizes: tuple[flint.arb, flint.arb],
        missing: flint.arb,
        terms: int,
    ) -> flint.arb:
        """Rounding error of four weighted units of a step in a sum of `terms` terms, without their total."""
        design, form, tiny = self.setting.design, self.form, self.form.normal
        sigma, step = smooth_activation(design.activation), times * ball(design.step)
        point = ball(sigma.point)
        lost = self.sums_error(2 * abs(point), 5) + 3 * tiny
        reach = step * sum(sizes, missing) + lost
        nearby = (point - reach).union(point + reach)
        slope, steepest = abs(sigma.derivative(nearby, 1)), ball(sigma.lipschitz)
        slope = steepest.min(slope) if slope.is_finite() else steepest
        own, read = abs(sigma.enclosure(point)), step * (sizes[0].max(sizes[1]) + missing)
        missed = slope * (step * missing + lost)
        missed += 8 * form.roundoff * (abs(point) + own + read) + tiny
        added = 4 * scale * (own + slope * read + missed)
        second = square_of_ball(form.gamma(terms + 2))
        rounded = (3 * form.roundoff + second) * added + self.sums_error(added, terms)
        return 4 * scale * missed + rounded + 4 * tiny

    def sums_error(self, size: flint.arb, terms: int) -> flint.arb:
        """u(1 + 2γ_{k+2})(k - 1)/2 of what k terms add to V, or of their total."""
        return self.form.roundoff * (1 + 2 * self.form.gamma(terms + 2)) * (terms - 1) / 2 * size

    def fits(self, e: flint.arb) -> bool:
        """True if all sizes are far from the largest number of the format."""
        design, far = self.setting.design, self.bounds.reach + 1 + e
        scores = ball(self.setting.saturation) * 32 * self.bounds.length**2
        sizes = [4 * far * far, scores * design.layout(self.bounds.n).size]
        sizes.append(8 * ball(Fraction(design.large**2)))
        sizes.append(8 * self.bounds.n**2 * self.bounds.readout * far)
        if design.fineness is not None:
            scale = FourUnits.of(design.activation, design.fineness).scale
            sizes.append(8 * self.bounds.n * abs(ball(scale)) * (1 + 2 * far))
        return all(bool(size < self.form.largest) for size in sizes)

    def layers(self) -> list[Errors]:
        """e and ρ before the first layer and after each."""
        bounds, n, form = self.bounds, self.bounds.n, self.form
        first = bounds.distances[0] if bounds.distances else bounds.reach + 1
        now = Errors(2 * n * form.roundoff * first + n * form.normal, flint.arb(0))
        found = [now]
        for layer in range(1, len(bounds.norms) + 1):
            now = self.step(layer, now)
            found.append(now)
        return found

    def state_error(self) -> flint.arb:
        """A bound on the Euclidean error of every computed state of every word: the lesser of two."""
        return flint.arb(self.error_by_norms().min(self.error_by_entries()).upper())

    def error_by_entries(self) -> flint.arb:
        """The bound of `decoder_entries`; infinite where it does not apply."""
        read = self.reading_by_entries()
        setting = None if read is None else self.setting_by_entries(read)
        if read is None or setting is None:
            return flint.arb("inf")
        own = entry_error(self.bounds, setting, self.form, read)
        if own is None or not self.fits(own.window):
            return flint.arb("inf")
        return own.state + self.lost_readout(self.bounds.reach + 1 + own.window, read)

    def reading_by_entries(self) -> NormReading | None:
        """Reading error that `decoder_entries` assumes; None for LayerNorm."""
        if self.setting.design.norm is Normalisation.NONE:
            return exact_reading()
        return rms_reading(self.setting, self.bounds.n, assumed_square(self.bounds), self.form)

    def setting_by_entries(self, read: NormReading) -> MovedSetting | None:
        """The setting without a norm that has the computed scores: the factors κ move them too."""
        setting, length = self.setting, self.bounds.length
        if setting.design.norm is Normalisation.NONE and not setting.rotary:
            return moved_setting(setting, self.form, length, self.has_exact_scores())
        size = ball(setting.saturation) * (1 if setting.rotary else length**2)
        moved = self.moved_scores(read) + read.pair_shrinkage * size
        return MovedSetting(
            replace(setting.design, norm=Normalisation.NONE),
            setting.saturation, setting.rotary, moved.upper(),
        )  # fmt: skip

    def error_by_norms(self) -> flint.arb:
        """The bound by norms."""
        bounds, n, form = self.bounds, self.bounds.n, self.form
        layers = self.layers()
        now = layers[-1]
        whole, root = bounds.reach + 1 + now.window, flint.arb(n).sqrt()
        read = self.reading(n * (square_of_ball(whole) + square_of_ball(now.scratch)))
        size = root * whole + 1 + 4 * n * read.mean
        rounded = (form.gamma(n * n + n + 5) + read.each) * root * size
        window = self.windowed_error(layers)
        error = window + read.theta * (bounds.reach + now.window) + rounded
        total = bounds.readout * error + self.lost_readout(whole, read)
        fits = error.is_finite() and self.fits(now.window)
        return flint.arb(total.upper()) if fits else flint.arb("inf")

    def windowed_error(self, layers: Sequence[Errors]) -> flint.arb:
        """A bound on ‖αᵀE‖/‖α‖ of every prefix: by letters where their sizes are known."""
        bounds, last = self.bounds, layers[-1].window
        losses = [layer.loss for layer in layers if layer.loss is not None]
        if bounds.windows is None or not all(layer.window.is_finite() for layer in layers):
            return last
        begin = replace(self, bounds=bounds.of_begin()).layers()
        before = [errors.window for errors in begin[: len(losses)]]
        rows = prefix_errors(bounds.windows, bounds.length, layers[0].window, losses, before)
        return last.min(largest(rows.values()))

    def lost_readout(self, size: flint.arb, read: NormReading) -> flint.arb:
        """Loss below τ by the readout's weights and their products, over all outputs."""
        n, tiny = self.bounds.n, self.form.normal
        constant = ball(Fraction(max(1, self.setting.design.large)))
        coordinates = n * flint.arb(n).sqrt() * size + constant + 4 * n * n * read.mean
        losses = (1 + read.theta + read.each) * coordinates + n * n + 2
        unread = (n * n + 2) * read.lost * self.bounds.readout
        return flint.arb(self.bounds.outputs).sqrt() * losses * tiny + unread


def exact_error(bounds: WordBounds, setting: Setting) -> flint.arb:
    """A bound by norms on the Euclidean error of every state of every word, in exact arithmetic."""
    if bounds.readout.is_zero():
        return flint.arb(0)  # whatever the window holds
    with flint.ctx.workprec(BITS):
        return DecoderRounding(bounds, setting, EXACT).error_by_norms()


def state_error(
    bounds: WordBounds, setting: Setting, form: Precision, unscaled: bool = False
) -> flint.arb:
    """A bound on the error of every computed state of every word; infinite if unknown.

    `unscaled`: scores are the products of queries and keys as the construction has them, or scaled by
    a power of two; libraries multiply queries by √d and divide scores by it.
    """
    if bounds.length**2 >= 1 << form.bits:
        return flint.arb("inf")
    with flint.ctx.workprec(BITS):
        return DecoderRounding(bounds, setting, form, unscaled).state_error()
