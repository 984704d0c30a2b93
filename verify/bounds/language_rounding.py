"""Total variation of a language model with one-hot states, with rounding, for all words of a length.

Assumed      as in `decoder_rounding`, but for the activation: σ(y) is within 16u(1 + |σ(y)|) for every y. So
             compute the libraries: a large positive y is rounded relatively, and where y is far below
             0, 1 + tanh or 1 + erf comes out as 0 or within a few units of it. The tests hold it against
             torch's functions, whose GELU with erf is off by up to 12 units in float32
Gated        products are exact, and a logit is an output of the decoder: `decoder_rounding` bounds it
Digital      all bounds are of entries; e and ρ as in `language`, and u, γ_k, θ', the mean m and the errors
             of a read as in `decoder_rounding`
  head       brings f, as there: its factor n, for norms, is more than entries need
  stream     adding the head rounds the window by v = u(2 + e + f) + τ, the scratch by s = u(1 + f + ρ) + τ
  AND        reads a + b within e + f + 2ρ + v + 2s, the share θ' of three entries, the errors of three reads,
             and γ_12 of all terms, which must be at most 1/4 together. For an entry at most one AND of
             n is 1. Its two units are at most Y = 3κ/4 + c and miss by 16u(1 + Y) each, the others by 32u;
             the sum of the 2n + 2 units that write the entry is rounded by γ_{2n+8} of its terms
  erasing    takes away what is read: θ' times the entry, the error of a read and γ_8 remain, and two units
             miss by 16u(2 + |entry|) each; adding the block rounds once more
  logits     as in `language`: S times e + θ'(2 + e) and the errors of reads, which all logits share; and
             for each of two logits γ_{n+10} of its terms, Σ_q |B_qσ| (2 + e + 4m), and what underflows
  range      sizes stay below the largest number, as in `decoder_rounding`
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import flint

from constructions.blocks.digital import HALF_WIDTH, residue
from constructions.core.exact import ball
from constructions.core.matrix import Matrix
from constructions.language_model import LanguageDesign
from verify.bounds.decoder import Setting, WordBounds
from verify.bounds.decoder_rounding import DecoderRounding
from verify.bounds.floating import Precision
from verify.bounds.language import (
    BITS,
    READABLE,
    UNKNOWN,
    DigitalErrors,
    LogitErrors,
    LogitSpreads,
    square_norm,
)
from verify.bounds.norm_reading import NormReading

ACTIVATION = 16  # units: σ(y) is within 16u(1 + |σ(y)|)


@dataclass(frozen=True)
class DigitalRounding:
    """A digital model with n states for all words of a length, run in a floating-point format."""

    n: int
    length: int
    setting: Setting
    form: Precision

    @cached_property
    def passes(self) -> DecoderRounding:
        """Reads, leaks and heads in the format."""
        size = flint.arb(self.n).sqrt()
        bounds = WordBounds(self.n, self.length, (), (), flint.arb(1), size, self.n)
        return DecoderRounding(bounds, self.setting, self.form)

    @property
    def slope(self) -> int:
        """κ of the units."""
        design = self.setting.design
        return (design.slope or 0) if isinstance(design, LanguageDesign) else 0

    def reading(self, window: flint.arb, scratch: flint.arb, matrices: int) -> NormReading:
        """Reading error of a token with one or two matrices A - I in the window, one less in the scratch."""
        return self.passes.reading(square_norm(self.n, DigitalErrors(window, scratch), matrices))

    def step(self, before: DigitalErrors) -> DigitalErrors | None:
        """The errors after one more layer; None where an AND may read what it cannot decide."""
        u, tiny = self.form.roundoff, self.form.normal
        e, rho = before.window, before.scratch
        f = self.passes.head(flint.arb(1), e, self.reading(e, rho, 1))
        window, scratch = 2 + e + f, 1 + f + rho
        v, s = u * window + tiny, u * scratch + tiny
        read = self.reading(e + f + v, f + rho + s, 2)
        size = window + 2 * scratch
        off = e + f + 2 * rho + v + 2 * s + read.theta * size + read.read_error(size, 3)
        off += self.form.gamma(12) * ((1 + read.theta) * size + 12 * read.mean + 2)
        if not off <= ball(READABLE):
            return None
        rest = self.unerased(window + v, read) + self.written()
        left = self.unerased(scratch + s, read) + self.form.gamma(8) * (2 * scratch + 4)
        return DigitalErrors(flint.arb(rest.upper()), flint.arb(left.upper()))

    def unerased(self, entry: flint.arb, read: NormReading) -> flint.arb:
        """Remainder of an entry that two units subtract, the sum with the stream included."""
        u, grown = self.form.roundoff, (1 + read.theta) * entry
        missed = read.theta * entry + read.read_error(entry)
        missed += self.form.gamma(8) * (grown + 2 + 4 * read.mean)
        missed += 2 * ACTIVATION * u * (3 + grown + 4 * read.mean)
        return missed + u * (2 * grown + 4) + 8 * self.form.normal

    def written(self) -> flint.arb:
        """Error of the ANDs of an entry, and of rounding the sum of all its units."""
        n, u = self.n, self.form.roundoff
        activation = self.setting.design.activation
        high = ball(Fraction(3 * self.slope, 4)) + HALF_WIDTH
        units = ACTIVATION * u * (2 * (1 + high) + 4 * (n - 1)) / (2 * HALF_WIDTH)
        terms = (2 * high + 2 * n) / (2 * HALF_WIDTH) + 8
        missed = n * ball(residue(activation, self.slope)) + units + 4 * n * self.form.normal
        return missed + self.form.gamma(2 * n + 8) * terms

    def logit_errors(self, layers: int, logits: Matrix) -> LogitErrors:
        """A bound on the errors of the computed logits, for all words; infinite if unknown."""
        now: DigitalErrors | None = DigitalErrors(flint.arb(0), flint.arb(0))
        for _ in range(layers):
            now = None if now is None else self.step(now)
        if now is None or not self.passes.fits(now.window):
            return UNKNOWN
        read = self.reading(now.window, now.scratch, 1)
        size = (1 + read.theta) * (2 + now.window) + 4 * read.mean
        each = now.window + read.theta * (2 + now.window) + 2 * read.read_error(2 + now.window)
        errors = LogitSpreads.of(logits).errors(each, self.form.gamma(self.n + 10) * size)
        tiny = 2 * (self.n + 2) * (size + 1) * self.form.normal
        return LogitErrors(errors.possible + tiny, errors.any + tiny)


def rounded_digital_error(
    n: int, length: int, layers: int, setting: Setting, logits: Matrix, form: Precision
) -> LogitErrors:
    """A bound on the errors of the logits of a digital model in a format; infinite if unknown."""
    if length**2 >= 1 << form.bits:
        return UNKNOWN
    with flint.ctx.workprec(BITS):
        return DigitalRounding(n, length, setting, form).logit_errors(layers, logits)
