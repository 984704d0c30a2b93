"""One layer of a gated decoder with its roundings, entry by entry, for classes of words.

Claimed       by us, for gated decoders without a norm or with RMSNorm: from bounds on the entries of all
              tokens before a layer, bounds on the entries of its tokens behind it
Assumed       as in `decoder_rounding`; besides, additions round to nearest, softmax divides by its sum in
              at most two roundings, and SiLU is y/(1 + e^{-y}) or y times 1/(1 + e^{-y}). Of RMSNorm, what
              `norm_reading` assumes
Notation      inequalities and |·| are entrywise; M the pattern outside which all matrices are 0 (sums and
              products of zeros are exact); X = A^w - I the window that a token should hold and Ŵ the
              computed one, E ≥ |Ŵ - X|; V ≥ |X| and B ≥ |I + X| of a class, W = V + E; Em and Wm the
              largest of a layer; R = T + 1
  reads       with a norm a coordinate v is read as κ(1 + δ)v up to what is lost, κ one factor of the token:
              it is off by N(v) = (θ' + c)|v| + oM, with θ', c = `each`, o = `lost` of `norm_reading`; all are
              0 without a norm. So values are Ŵ up to E° = E + N(W), of size W° = W + N(W)
  weights     the target * has the score 0 after the largest is subtracted, as λ < 1/2. With ê = e^s within
              8u and τ, q_j = ê_j/Σê has Σ_{j≠*} q_j ≤ l = λ' + 2Rτ, λ' = λ + γ_17 λ, as an error of ê_*
              changes the ratios ê_j/ê_* only
  sums        adding a term rounds by no more than either term, so a sum is off by at most (1 + 2γ_R) times
              the terms other than the target, and by γ_R times all: Σê by s = min(γ_R, (1 + 2γ_R)l)
              relatively; a term p̂_j Ŵ_j then has a factor within Z = (1 + u)⁴/(1 - s) - 1 of q_j
  spread      Q_* ≥ Σ_{j≠*} q_j |X_j - X_*|: with P ≥ |X_j - X_*| for all tokens of the layer, l P; and
              λ'sM + 2Rτ P, as no entry of a matrix exceeds its norm, and λs bounds the sum of the norms
              (`Setting.spread`; where BOS is the target, terms fall even faster)
  head        G = X_*, computed Ĝ: Ĝ - G = E°_* + Σ_{j≠*} q_j (Ŵ_j - Ŵ_*) + roundings, hence Ĝ - G is at most
              F = E°_* + Q_* + l(E°m + E°_*) + Z(W°_* + l W°m) + b + min((1 + 2γ_R)L, γ_R(L + (1 + Z)W°_*)),
              L = (1 + Z) l W°m + b, b = 2Rτ(W°m + M)
  begin       a token of k ≤ w letters reads BOS, w the letters of a full window: there G = E_* = 0, as
              BOS sees itself only and products with 0 are 0. λ is that of `begin_leak`
  stream      S = Ŵ + Ĝ + z, z ≤ min(u(W + H), H, W) with H = |G| + F, and the scratch is Ĝ + r with
              r ≤ ρ + min(u(ρ + H), ρ, H), ρ what the layer before has left there
  block       reads x = Ĝ + r + a, a ≤ N(Ĝ + r), and y up to a rounding. Of S - (Ĝ + r) = Ŵ + z - r a norm
              makes κ times that and reads each part with its own error: y = Ŵ + z - r + d with
              d ≤ D + u(W + z + r + D), D = θ'(W + z + r) + c(|S| + H + r) + 2oM. So
              Ŵ' = Ŵ + Ĝ + ĜŴ + (I + Ĝ)z + Ĝd + ay - Ĝr + ry + roundings, so that
              E' = |I + G|E + F(B + E) + (|I + G| + F)z + Hd + a|y| + Δ + γ_{2n+g} |x||y| + 4τ(|x|M + MM)
  scratch     Δ bounds -Ĝr + ry by Hr + r|y|; and as ry - Ĝr = r(I + Ŵ) - (I + Ĝ)r + r(z - r + d), also by
              r(B + E + z + r + d) + (|I + G| + F)r, which is less where products are small
  units       x σ(y) - x σ(-y): one rounding for each product, 2n - 1 for the sum, and σ(y) and σ(-y) are
              off by g u|y| together. ReLU g = 0. SiLU: with s = 1/(1 + e^{-y}) the relative error of σ(y)
              is 8u(1 - s) + 3u, that of σ(-y) 8us + 3u: u|y|(16 s(1 - s) + 3) ≤ 7u|y| together; where
              e^{|y|} overflows, a value below u|y| is lost: g = 8. Other gates: 8u|y| each, g = 16
  last sum    rounds by u|Ŵ'|, and by no more than the product that is added
  erasing     leaves γ_{h+5} |x| + 4τ, for σ(1) is within h units, its inverse stored within 2, and there
              are three roundings. SiLU h = 8/(1 + e) + 3 ≤ 6, others 8/σ(1) ≤ 10; ReLU leaves nothing. With
              a norm x and the constant 1 are read as k x and k', |1 - k|, |1 - k'| ≤ θ' + c ≤ 1/16: it
              leaves (ω + γ_{h+5}(1 + ω))|x| + 4τ + 2o, ω ≥ |1 - k σ(k')/σ(1)|; h holds for σ(k') too
  common      behind a norm with a smooth gate, let κ = 1 + t be the factor of the block's reads. Of Ĝd + ay
              the part with t is t(Ĝ(Ŵ + z - r) + (Ĝ + r)y) = tP + t(2(ĜŴ - GX) + Ĝ(2z - 2r + d) + ry) with
              P = 2GX, and |ĜŴ - GX| ≤ FW + HE. With ς = σ'(ξ)/σ(1), ξ between 1 and k',
              k σ(k')/σ(1) - 1 = (k - 1) + ς(k' - 1) + ς(k - 1)(k' - 1), and k - 1, k' - 1 are t up to c: the
              scratch keeps tR, R = -(1 + ς)G, and θ'(1 + ς)(F + r) + (c(1 + ς) + ς(θ' + c)² +
              γ_{h+5}(1 + ω))|x| + 4τ + 2o. So a window errs by tP + E¹ and the scratch is tR + ρ¹
  cancelling  in the next layer, where -Ĝr + ry = r(I + Ŵ) - (I + Ĝ)r + r(z - r + d), these make
              (I + G)E + … = t((I + G)(P - R) + R(I + X)) + t(R(Ŵ - X) - (Ĝ - G)R) + (I + G)E¹ +
              r¹(I + Ŵ) - (I + Ĝ)r¹ + r(z - r + d): the first is enclosed as one matrix
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import flint

from constructions.core.activations import activation_by_name, smooth_activation
from constructions.core.activations.record import SmoothActivation
from verify.bounds.decoder import square_of_ball
from verify.bounds.decoder_scores import MovedSetting
from verify.bounds.floating import Precision
from verify.bounds.norm_reading import NormReading
from verify.bounds.norms import identity
from verify.bounds.window_classes import (
    CommonErrors,
    WindowClass,
    absolute,
    least,
    rounded_up,
)

UNITS = {"relu": (0, None), "silu": (8, 6)}  # g and h
OTHER = (16, 10)


@dataclass(frozen=True)
class LayerSizes:
    """Sizes of all tokens of a layer: an enclosure of X, 0 of BOS included; Wm, Em and s."""

    matrix: flint.arb_mat
    windows: flint.arb_mat
    errors: flint.arb_mat
    spread: flint.arb


@dataclass(frozen=True)
class HeadError:
    """F, bounds on |Ĝ| and on |I + G|, and an enclosure of G."""

    error: flint.arb_mat
    size: flint.arb_mat
    product: flint.arb_mat
    matrix: flint.arb_mat


@dataclass(frozen=True)
class BlockSizes:
    """Entrywise bounds on the input of a block: z, r, Ĝ + r, Ŵ + z - r, d, a, |x| and |y|."""

    added: flint.arb_mat
    rest: flint.arb_mat
    scratch: flint.arb_mat
    window: flint.arb_mat
    off: flint.arb_mat
    unread: flint.arb_mat
    x: flint.arb_mat
    y: flint.arb_mat


@dataclass(frozen=True)
class Erasing:
    """Remainder of the entries that a gated block erases from the scratch."""

    activation: str
    form: Precision
    reading: NormReading

    def __call__(self, size: flint.arb, entries: int) -> flint.arb:
        """A bound for that number of entries whose sizes have that sum."""
        return flint.arb(0) if self.exact else self.whole_share * size + entries * self.loss

    @property
    def exact(self) -> bool:
        """True if nothing is left."""
        return UNITS.get(self.activation, OTHER)[1] is None and self.reading.exact

    @property
    def whole_share(self) -> flint.arb:
        """ω + γ_{h+5}(1 + ω)."""
        return self.share + self.rounding

    @property
    def rounding(self) -> flint.arb:
        """γ_{h+5}(1 + ω)."""
        _, one = UNITS.get(self.activation, OTHER)
        return self.form.gamma((one or 0) + 5) * (1 + self.share)

    @property
    def loss(self) -> flint.arb:
        """4τ + 2o."""
        return 4 * self.form.normal + 2 * self.reading.lost

    @cached_property
    def reads_of_one(self) -> flint.arb:
        """An enclosure of the constant 1 as it is read."""
        off = self.reading.theta + self.reading.each
        return (1 - off).union(1 + off)

    @cached_property
    def share(self) -> flint.arb:
        """ω: what reads with a norm keep from being erased."""
        if self.reading.exact:
            return flint.arb(0)
        sigma, one = activation_by_name(self.activation).enclosure, self.reads_of_one
        return flint.arb(abs(1 - one * sigma(one) / sigma(flint.arb(1))).upper())


@dataclass(frozen=True)
class EntryLayer:
    """Error propagation of a layer of a gated decoder in a format; `pattern` is M."""

    sizes: LayerSizes
    length: int
    pattern: flint.arb_mat
    setting: MovedSetting
    form: Precision
    reading: NormReading

    @property
    def n(self) -> int:
        """The number of states."""
        return int(self.pattern.nrows())

    @cached_property
    def nothing(self) -> flint.arb_mat:
        """The matrix 0."""
        return flint.arb_mat(self.n, self.n)

    def head(self, left: WindowClass | None, lost: flint.arb) -> HeadError:
        """F for the attended class, or for BOS, if other tokens get at most that share of the attention."""
        form, tokens = self.form, self.length + 1
        many, tiny, once = form.gamma(tokens), tokens * form.normal, 1 + form.roundoff
        leaked = lost + form.gamma(17) * lost
        others = leaked + 2 * tiny
        share = once * once * once * once / (1 - many.min((1 + 2 * many) * others)) - 1
        windows, errors = self.value(self.sizes.windows, self.sizes.errors)
        below = 2 * tiny * (windows + self.pattern)
        terms = (1 + share) * others * windows + below
        own, error, matrix = self.nothing, self.nothing, self.nothing
        if left is not None:
            own, error = self.value(self.window(left), left.error)
            matrix = left.matrix - identity(self.n)
        missed = error + others * (errors + error) + below
        missed = (
            missed + self.spread(matrix, leaked) + 2 * tiny * absolute(self.sizes.matrix - matrix)
        )
        missed = missed + share * (own + others * windows)
        missed = missed + least((1 + 2 * many) * terms, many * (terms + (1 + share) * own))
        missed = rounded_up(missed)
        product = identity(self.n) if left is None else left.product
        return HeadError(missed, rounded_up(absolute(matrix) + missed), product, matrix)

    def spread(self, matrix: flint.arb_mat, leaked: flint.arb) -> flint.arb_mat:
        """Bound on Σ q_j |X_j - X_*| for weights that add up to λ'."""
        apart = absolute(self.sizes.matrix - matrix)
        return leaked * least(apart, self.sizes.spread * self.pattern)

    def value(
        self, size: flint.arb_mat, error: flint.arb_mat
    ) -> tuple[flint.arb_mat, flint.arb_mat]:
        """The size and the error of a window as it is read."""
        missed = self.read_error(size)
        return size + missed, error + missed

    def read_error(self, size: flint.arb_mat) -> flint.arb_mat:
        """Error of reading entries of that size, the factor κ included."""
        return (self.reading.theta + self.reading.each) * size + self.reading.lost * self.pattern

    def window(self, own: WindowClass) -> flint.arb_mat:
        """W."""
        return own.distance + own.error

    def block_sizes(self, head: HeadError, right: WindowClass) -> BlockSizes:
        """Sizes of the block's input for a pair (own class, attended class)."""
        u, size, read = self.form.roundoff, head.size, self.reading
        held = self.window(right)
        added = least(u * (held + size), size, held)
        rest = right.scratch + least(u * (right.scratch + size), right.scratch, size)
        scratch, window = size + rest, held + added + rest
        off = read.theta * window + self.own_error(head, right, added, scratch)
        off = off + u * (window + off)
        unread = self.read_error(scratch)
        return BlockSizes(added, rest, scratch, window, off, unread, scratch + unread, window + off)

    def own_error(
        self, head: HeadError, right: WindowClass, added: flint.arb_mat, scratch: flint.arb_mat
    ) -> flint.arb_mat:
        """Error of the two reads of y beyond the factor κ."""
        sizes = self.window(right) + head.size + added + scratch
        return self.reading.each * sizes + 2 * self.reading.lost * self.pattern

    def longer(self, head: HeadError, matrix: flint.arb_mat, right: WindowClass) -> WindowClass:
        """The class with these products after the layer, from the head's output and the stream."""
        u, tiny, read = self.form.roundoff, self.form.normal, self.block_sizes(head, right)
        gate, _ = UNITS.get(self.setting.design.activation, OTHER)
        product, lost = read.x * read.y, 4 * tiny * ((read.x + self.pattern) * self.pattern)
        rounded = self.form.gamma(2 * self.n + gate) * product + lost
        shared = head.error * self.whole(right) + rounded + self.before(head, right, read)
        shared = shared + (head.product + head.error) * read.added
        missed = shared + head.size * read.off + read.unread * read.y
        left = self.unerased(read.scratch)
        common = self.common_errors(head, right, read, shared)
        if common is not None:
            theta = self.reading.theta
            missed = least(missed, common.error + theta * absolute(common.window))
            left = least(left, common.rest + theta * absolute(common.scratch))
        made = WindowClass(matrix, missed, rounded_up(left))
        last = least(u * (made.distance + missed), product + rounded)
        if common is not None:
            common = replace(common, error=rounded_up(common.error + last))
        return replace(made, error=rounded_up(missed + last), common=common)

    def before(self, head: HeadError, right: WindowClass, read: BlockSizes) -> flint.arb_mat:
        """Propagated error of the token before the layer, in window and scratch."""
        rest, whole, brought = read.rest, self.whole(right), head.product + head.error
        crossed = rest * (read.added + rest + read.off)
        apart = least(head.size * rest + rest * read.y, rest * whole + crossed + brought * rest)
        apart = head.product * right.error + apart
        if right.common is None:
            return apart
        p, r, own = right.common.window, right.common.scratch, right.common.rest
        own = own + least(
            self.form.roundoff * (right.scratch + head.size), right.scratch, head.size
        )
        one, theta = identity(self.n), self.reading.theta
        joint = absolute((one + head.matrix) * (p - r) + r * right.matrix)
        joint = joint + absolute(r) * right.error + head.error * absolute(r)
        together = head.product * right.common.error + theta * joint
        return least(apart, together + own * whole + brought * own + crossed)

    def common_errors(
        self, head: HeadError, right: WindowClass, read: BlockSizes, shared: flint.arb_mat
    ) -> CommonErrors | None:
        """Errors with the block's factor, but for the last sum; none without a norm or with a kink."""
        name, theta = self.setting.design.activation, self.reading.theta
        if theta.is_zero() or not isinstance(activation_by_name(name), SmoothActivation):
            return None
        size, slope, each = head.size, self.slope, self.reading.each
        own = self.own_error(head, right, read.added, read.scratch)
        own = own + self.form.roundoff * (read.window + theta * read.window + own)
        unread = each * read.scratch + self.reading.lost * self.pattern
        crossed = 2 * (head.error * self.window(right) + size * right.error)
        crossed = crossed + size * (2 * (read.added + read.rest) + read.off) + read.rest * read.y
        error = shared + size * own + unread * read.y + theta * crossed
        near = right.matrix - identity(self.n)
        share = each * (1 + slope) + slope * square_of_ball(theta + each) + self.erasing.rounding
        rest = share * read.scratch + theta * (1 + slope) * (head.error + read.rest)
        rest = rest + self.erasing.loss * self.pattern
        return CommonErrors(
            2 * head.matrix * near,
            -(1 + slope) * head.matrix,
            rounded_up(error),
            rounded_up(rest),
        )

    def whole(self, own: WindowClass) -> flint.arb_mat:
        """A bound on |I + Ŵ|."""
        return own.product + own.error

    @cached_property
    def erasing(self) -> Erasing:
        """Remainders that the block leaves in the scratch."""
        return Erasing(self.setting.design.activation, self.form, self.reading)

    def unerased(self, scratch: flint.arb_mat) -> flint.arb_mat:
        """Remainder that the block leaves in a scratch of that size."""
        if self.erasing.exact:
            return self.nothing
        return self.erasing.whole_share * scratch + self.erasing.loss * self.pattern

    @cached_property
    def slope(self) -> flint.arb:
        """ς."""
        sigma = smooth_activation(self.setting.design.activation)
        return sigma.derivative(self.erasing.reads_of_one, 1) / sigma.enclosure(flint.arb(1))
