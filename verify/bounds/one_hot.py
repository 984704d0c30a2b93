"""Logit errors of a language model with one-hot states, with rounding, for all words of a length.

Claimed      by us, for gated and digital blocks, without a norm or with one, positions given by places or
             by angles: any two logits of symbols that are possible in one state differ from the exact
             ones by no more than `LogitErrors.possible`, any two at all by `LogitErrors.any`
Assumed      as in `decoder_entry_layers`, and of norms other than RMSNorm as in `decoder_rounding`. In
             digital blocks σ(y) is within 8u|y|, and for y ≤ c - κ/4, where units of ANDs of 0 read, within
             16u(1 + |σ(y)|): there 1 + tanh or 1 + erf comes out as 0 or within a few units of it. The
             tests hold torch's functions against both
Norm         ‖·‖ is the largest sum of a row's sizes. A row of A^w is 0 or a unit vector, so that ‖A^w‖ ≤ 1
             and ‖A^w - I‖ ≤ 2, whatever n and T: errors add up over the T letters and do not multiply.
             |x|² is at most 2n for a matrix A - I, and 8n for a sum of two; the sum of its entries lies
             between -n and 0, so that the coordinates of a token, places and the constant among them, add
             up to at most max(3, n), and to max(3, 3n) with two matrices and one beside them
Integers     windows of exact runs hold whole numbers, which formats have. Rounding k + d to nearest moves
             it by at most |d|, as k is one choice; and by at most u|k + d|
Notation     u, τ, R, Z, γ_k, h, ω as in `decoder_entry_layers`; θ', c and o are `theta`, `each` and `lost` of
             `norm_reading`. Before a layer windows are X + E with ‖E‖ ≤ e, the scratch is r, ‖r‖ ≤ ρ
  reads      what has the size v is read with one factor κ of the token, |1 - κ| ≤ θ', and errors
             N(v) = c(v + 2nm) + no besides: values have ‖E°‖ ≤ e° = e + θ'(2 + e) + N(2 + e)
  weights    l, and q_j with Σ q_j = 1, are those of `decoder_entry_layers`; a computed weight and its product
             with a value have at most four roundings, and Σê is within s: Z = (1 + u)⁴/(1 - s) - 1
  head       brings X_* + F: Σ q_j V_j - X_* = E°_* + Σ_{j≠*} q_j (V_j - V_*), ‖X_j - X_*‖ ≤ 2, and so
             f = e° + l(2 + 2e°) + Z(2 + e°) + min((1 + 2γ_R)L, γ_R(L + (1 + Z)(2 + e°))) + b with
             L = (1 + Z) l (2 + e°) + b, b = 2nRτ(3 + e°). Where BOS is the target, X_* = E_* = 0: less
  stream     S = X + E + X_* + F + z, ‖z‖ ≤ min(u(4 + e + f), e + f), as X + X_* is whole; the scratch is
             X_* + F + r with ‖r‖ ≤ ρ + min(u(2 + f + ρ), ρ), as no sum rounds by more than either term
  block      reads x = X_* + F + r + a, ‖a‖ ≤ θ'v + N(v) for v = 2 + f + r; and y = X + E + z - r + d. With
             w = e + z + r reads miss by D = θ'(2 + w) + c(4 + e + f + z + v + 4nm) + 2no, and rounding
             adds min(u(2 + w + D), w + D): X is whole. So with Y = 2 + w + ‖d‖ ≥ ‖y‖ and G = X_*
             S + xy = (I + G + F)(I + X + E) - I + (I + G + F)z + (G + F)d + r(I + y) - (I + G + F)r + ay
             and as ‖I + G‖ ≤ 1, ‖I + X‖ ≤ 1, ‖G‖ ≤ 2, ‖I + y‖ ≤ 1 + w + ‖d‖, it is off by at most
             e + f + ef + (1 + f)(‖z‖ + ‖r‖) + (2 + f)‖d‖ + ‖r‖(1 + w + ‖d‖) + ‖a‖Y
  units      γ_{2n+g} ‖x‖ Y + 4nτ(‖x‖ + n), and the last sum min(u(2 + e'), e')
  erasing    leaves ωv + γ_{h+5}(1 + ω)v + n(4τ + 2o)
Digital      head and stream as above. For an AND of entries (i, k) and (k, j)
  reads      three entries of at most v = 4 + e + 3f + z + 2‖r‖ together, F from the scratch, E + z - r from
             the difference, θ'v, errors of three reads, γ_12 of all terms: at most 1/4 together, `off`
  units      in a row of the product at most one AND of n² is 1: σ reads at most Y = κ(1/2 + off) + c in its
             two units, and c - κ/4 at most in all others, where |σ| ≤ cτ: they miss by 8uY or by
             s = 16u(1 + cτ), over 2c. The two have the same reads but are added up apart, and an AND of 1
             shows over 2c by how much they differ, as σ(y) = y + σ(-y): κ, a power of two, times the error
             of a sum of X_*,ik, X_kj + X_*,kj, -X_*,kj, the mean's coordinate, and a level of at most
             3/2 + c/κ; all up to 2m together and to what reads are off. For A_ik = B_kj = 1 the first is 0
             or 1 and X_kj too: of one sign there are at most 3, so are three partial sums; the last is Y/κ
  sums       weights ±1/2c and ±1 are exact, as c = 2. An entry of the product that is 1 adds Y/2c,
             (Y - 2c)/2c and two terms of erasing, in three additions, the other entries these two; the units
             of other ANDs add (cτ + s)/2c each, and no sum rounds by more than what is added: so much once
             more, up to γ_{2n+4}. Each sum also has γ_{2n+4}² of a row's terms
  erasing    the window takes away I + S, ‖S‖ ≤ v = 4 + e + f + z, the scratch v = 2 + f + ‖r‖. θ'v + N(v)
             remain; two sums of three terms, γ_2 of these each and |σ'| ≤ 6/5 times: γ_6; and 8u of
             what either unit reads. All ANDs are within the residue of 0 or 1, n² of them a row
Readout      a state is row q of the unit matrix up to e. Its reads have one factor κ: they add θ'(1 + e) and
             N(3 + e), the constant included, which all logits share. So the difference of two logits
             errs by max_q |B_qσ - B_qσ'| times these; and by γ_{n+5} of the terms of each, as w = row a of
             A - I, a the start, is e_q - e_a: 2|B_aσ| + |B_qσ| + (e + 8m) Σ_q |B_qσ|, times 1 + θ' + c; and
             by ((n + 2)(3 + e) + K)(1 + θ' + c)τ for each, what weights and products lose
Range        as in `decoder_rounding`; the readout's weights are at most n Σ_q |B_qσ|
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import flint

from constructions.blocks.digital import HALF_WIDTH, residue
from constructions.core.exact import ball
from constructions.decoder import Normalisation
from constructions.language_model import LanguageDesign
from verify.bounds.decoder import Setting, WordBounds, square_of_ball
from verify.bounds.decoder_entries import QUARTER, SIXTEENTH
from verify.bounds.decoder_entry_layers import OTHER, UNITS, Erasing
from verify.bounds.decoder_rounding import DecoderRounding
from verify.bounds.floating import EXACT, Precision
from verify.bounds.language import BITS, UNKNOWN, LogitErrors, OneHotReadout
from verify.bounds.norm_reading import NormReading, exact_reading, rms_reading

ACTIVATION = 16  # units: σ(y) is within 16u(1 + |σ(y)|) for y ≤ c - κ/4
SHARE = 8  # units: σ(y) is within 8u|y|
HALF = Fraction(1, 2)
READABLE = Fraction(1, 4)  # how far from 0 or 1 the sum of two entries may be read


@dataclass(frozen=True)
class RowErrors:
    """e and ρ: bounds on the sums of rows of errors, of the window and of the scratch."""

    window: flint.arb
    scratch: flint.arb


def square_norm(n: int, errors: RowErrors, matrices: int) -> flint.arb:
    """|x|² of a window with one or two matrices A - I, and of a scratch with one less.

    A row of A - I has at most two entries, of size 1, so that ‖A - I‖_F² ≤ 2n.
    """
    size = flint.arb(2 * n).sqrt()
    window = matrices * size + n * errors.window
    scratch = (matrices - 1) * size + n * errors.scratch
    return window * window + scratch * scratch


@dataclass(frozen=True)
class OneHotRounding:
    """A one-hot model with n states, gated or digital, for all words of a length, run in a format."""

    readout: OneHotReadout
    length: int
    setting: Setting
    form: Precision
    unscaled: bool = False

    @property
    def n(self) -> int:
        """The number of states."""
        return self.readout.n

    @cached_property
    def passes(self) -> DecoderRounding:
        """Reads, leaks and ranges in the format."""
        weights = self.n * ball(self.readout.any_sum)
        bounds = WordBounds(self.n, self.length, (), (), weights, flint.arb(self.n).sqrt(), self.n)
        return DecoderRounding(bounds, self.setting, self.form, self.unscaled)

    def reading(self, window: flint.arb, scratch: flint.arb, matrices: int) -> NormReading:
        """Reading error of a token with one or two matrices A - I in the window, one less in the scratch."""
        square = square_norm(self.n, RowErrors(window, scratch), matrices)
        if self.setting.design.norm is Normalisation.NONE:
            return exact_reading()
        own = rms_reading(self.setting, self.n, square, self.form)
        off = self.n * (window + scratch)
        return own or self.passes.reading(square, off + max(3, (2 * matrices - 1) * self.n))

    def leak(self, read: NormReading) -> flint.arb | None:
        """λ of the computed scores; None where it is too large, or a read too far off."""
        if not (
            read.theta + read.each <= SIXTEENTH and self.form.gamma(self.length + 1) <= QUARTER
        ):
            return None
        moved = self.passes.setting_by_entries(read)
        lost = None if moved is None else moved.leak(self.length, flint.arb(0))
        return lost if lost is not None and lost <= QUARTER else None

    def head(self, e: flint.arb, read: NormReading, lost: flint.arb) -> flint.arb:
        """f: the error of a head's output."""
        tokens, tiny, u = self.length + 1, self.form.normal, self.form.roundoff
        many = self.form.gamma(tokens)
        others = lost + self.form.gamma(17) * lost + 2 * tokens * tiny
        share = square_of_ball(square_of_ball(1 + u)) / (1 - many.min((1 + 2 * many) * others)) - 1
        e = e + read.theta * (2 + e) + read.read_error(2 + e, self.n)
        below = 2 * self.n * tokens * tiny * (3 + e)
        terms, whole = (1 + share) * others * (2 + e) + below, (1 + share) * (2 + e)
        sums = ((1 + 2 * many) * terms).min(many * (terms + whole))
        return e + others * (2 + 2 * e) + share * (2 + e) + sums + below

    def step(self, before: RowErrors) -> RowErrors | None:
        """The errors of rows after one more layer; None where they are not known."""
        u, e, rho = self.form.roundoff, before.window, before.scratch
        read = self.reading(e, rho, 1)
        lost = self.leak(read)
        if lost is None:
            return None
        f = self.head(e, read, lost)
        z = (u * (4 + e + f)).min(e + f)
        r = rho + (u * (2 + f + rho)).min(rho)
        read = self.reading(e + f + z, f + r, 2)
        if not read.theta + read.each <= SIXTEENTH:
            return None
        now = self.gated(e, f, z, r, read) if self.slope is None else self.digital(e, f, z, r, read)
        if now is None:
            return None
        last = now.window + (u * (2 + now.window)).min(now.window)
        return RowErrors(flint.arb(last.upper()), flint.arb(now.scratch.upper()))

    @property
    def slope(self) -> int | None:
        """κ of digital blocks; None where they are gated."""
        design = self.setting.design
        return design.slope if isinstance(design, LanguageDesign) else None

    def gated(
        self, e: flint.arb, f: flint.arb, z: flint.arb, r: flint.arb, read: NormReading
    ) -> RowErrors:
        """The errors behind a gated block, but for the last sum."""
        held, near = 2 + f + r, e + z + r
        a = read.theta * held + read.read_error(held, self.n)
        d = read.theta * (2 + near) + read.read_error(4 + e + f + z + held, 2 * self.n)
        d = d + (self.form.roundoff * (2 + near + d)).min(near + d)
        y = 2 + near + d
        after = e + f + e * f + (1 + f) * (z + r) + (2 + f) * d + r * (1 + near + d) + a * y
        left = Erasing(self.setting.design.activation, self.form, read)(held, self.n)
        return RowErrors(after + self.units(held + a, y), left)

    def units(self, x: flint.arb, y: flint.arb) -> flint.arb:
        """The rounding of the units of a product, and of their sum."""
        gate, _ = UNITS.get(self.setting.design.activation, OTHER)
        rounded = self.form.gamma(2 * self.n + gate) * x * y
        return rounded + 4 * self.n * (x + self.n) * self.form.normal

    def digital(
        self, e: flint.arb, f: flint.arb, z: flint.arb, r: flint.arb, read: NormReading
    ) -> RowErrors | None:
        """The errors behind a digital block, but for the last sum; None where an AND may misread."""
        n, form, slope, activation = (
            self.n,
            self.form,
            self.slope or 0,
            self.setting.design.activation,
        )
        size = 4 + e + 3 * f + z + 2 * r
        off = e + f + z + 2 * r + read.theta * size + read.read_error(size, 3)
        off += form.gamma(12) * ((1 + read.theta) * size + 12 * read.mean + 2)
        if not off <= ball(READABLE):
            return None
        high = slope * (ball(HALF) + off) + HALF_WIDTH
        window = 4 + e + f + z
        tail = ball(residue(activation, slope))
        units = ACTIVATION * (1 + HALF_WIDTH * tail) * form.roundoff
        missed = n * n * tail + (SHARE * high * form.roundoff + n * n * units) / HALF_WIDTH
        missed += slope * self.apart(size, high / slope, read) / HALF_WIDTH
        missed += self.added(high / (2 * HALF_WIDTH), window, read)
        merged = n * n * (tail + units / HALF_WIDTH) * (1 + form.gamma(2 * n + 4))
        missed += merged + 4 * n * n * form.normal
        left = self.unerased(2 + f + r, 0, read) + form.gamma(4) * (1 + read.theta) * (2 + f + r)
        return RowErrors(missed + self.unerased(window, 1, read), left)

    def apart(self, size: flint.arb, whole: flint.arb, read: NormReading) -> flint.arb:
        """Rounding error of the four additions in the sum that a unit of a true AND reads, divided by κ."""
        form, grown = self.form, 1 + read.theta
        near = grown * (size + 2 * read.mean) - 4 + read.read_error(size, 3)
        moved = form.gamma(5) * (near + grown * 2 * read.mean + 6)
        return 3 * form.nearest(3 + near + moved) + form.nearest(whole + moved)

    def added(self, high: flint.arb, window: flint.arb, read: NormReading) -> flint.arb:
        """Rounding error of adding the terms of a row, without those of the small units of other ANDs."""
        n, form = self.n, self.form
        erased = (1 + read.theta) * window + 1 + read.read_error(window, n)
        terms = 2 * high + n * n + 2 * erased
        many = form.gamma(2 * n + 4)
        first = 3 * form.nearest(high + erased + many * terms) + form.roundoff * erased
        return first + square_of_ball(many) * terms

    def unerased(self, size: flint.arb, one: int, read: NormReading) -> flint.arb:
        """Remainder of a row of entries, each erased by two units, before their sum is rounded."""
        grown = (1 + read.theta) * size + one
        read_off = read.read_error(size, self.n)
        read_off += self.form.gamma(6) * (grown + 4 * self.n * read.mean)
        missed = read.theta * size + read_off + 2 * SHARE * self.form.roundoff * (grown + read_off)
        return missed + 8 * self.n * self.form.normal

    def logit_errors(self, layers: int) -> LogitErrors:
        """A bound on the errors of the computed logits, for all words; infinite if unknown."""
        now: RowErrors | None = RowErrors(flint.arb(0), flint.arb(0))
        for _ in range(layers):
            now = None if now is None else self.step(now)
        if now is None or not self.passes.fits(self.n * now.window):
            return UNKNOWN
        e = now.window
        read = self.reading(e, now.scratch, 1)
        shared = e + read.theta * (1 + e) + read.read_error(3 + e, self.n + 1)
        grown = 1 + read.theta + read.each
        tiny = (self.n + 2) * (3 + e) + self.setting.design.large
        tiny = 2 * tiny * grown * self.form.normal
        rounded = grown * self.form.gamma(self.n + 5)
        errors = self.readout.errors(shared, e + 8 * read.mean, rounded)
        return LogitErrors(errors.possible + tiny, errors.any + tiny)


def one_hot_errors(
    readout: OneHotReadout,
    length: int,
    layers: int,
    setting: Setting,
    form: Precision = EXACT,
    unscaled: bool = False,
) -> LogitErrors:
    """A bound on the errors of the logits of a one-hot model, in a format or exactly.

    `unscaled` as in `decoder_rounding.state_error`.
    """
    if length**2 >= 1 << form.bits:
        return UNKNOWN
    with flint.ctx.workprec(BITS):
        return OneHotRounding(readout, length, setting, form, unscaled).logit_errors(layers)
