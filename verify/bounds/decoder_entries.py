"""Rounding of a gated decoder entry by entry, by classes of words, for all words of a length.

Claimed       by us, for gated decoders without a norm: `decoder_rounding` bounds every rounding by norms,
              for all tokens of a layer alike. A rounding error is a share of an entry, so bounds on entries
              lose no factor n for zeros and signs, and do not change when coordinates are scaled
Assumed       as in `decoder_rounding`; besides, additions round to nearest, softmax divides by its sum in
              at most two roundings, and SiLU is y/(1 + e^{-y}) or y times 1/(1 + e^{-y})
Split         let p be the softmax of the scores as they are computed, and X̃ the windows of a run in exact
              arithmetic with these p, which leak λ, with C and η of `decoder_scores`. ‖X̃ - X‖ ≤ e, and what a
              state is off by in that run, are those of `decoder` with this λ. Here E = Ŵ - X̃, what the
              computed windows are off by, is bounded
Notation      inequalities and |·| are entrywise; M the pattern outside which all matrices are 0 (sums and
              products of zeros are exact); U ≥ |A^w| and V ≥ |A^w - I| of a class; R = T + 1. No entry is
              larger than the norm: |X̃| ≤ V + eM and |Ŵ| ≤ W = V + eM + E; Wm, Em the largest of a layer
  embedding   E = 2u|A - I| + τ, and 0 where the entry is a number of the format
  weights     the target * has the score 0 after the largest is subtracted, as λ < 1/2. With ê = e^s within
              8u and τ, q_j = ê_j/Σê has Σ_{j≠*} |q_j - p_j| ≤ 2κ and Σ_{j≠*} q_j ≤ l = λ + κ for
              κ = γ_17 λ + 2Rτ: an error of ê_* changes the ratios ê_j/ê_* only
  sums        adding a term rounds by no more than either term, so a sum is off by at most (1 + 2γ_R) times
              the terms other than the target, and by γ_R times all: Σê by s = min(γ_R, (1 + 2γ_R)l)
              relatively; a term p̂_j Ŵ_j then has a factor within Z = (1 + u)⁴/(1 - s) - 1 of q_j
  head        G̃ = Σ p_j X̃_j and Ĝ: Ĝ - G̃ = Σ p_j E_j + Σ_{j≠*} (q_j - p_j)(Ŵ_j - Ŵ_*) + roundings, so
              F = E_* + λEm + 2κ(Wm + W_*) + Z(W_* + l Wm) + b + min((1 + 2γ_R)c, γ_R(c + (1 + Z)W_*)),
              c = (1 + Z) l Wm + b, b = 2Rτ(Wm + M). |I + G̃| ≤ U + fM, |G̃| ≤ V + fM, f of `decoder`
  begin       a token of k ≤ w letters reads BOS, w the letters of a full window: there W_* = E_* = 0, as
              BOS sees itself only and products with 0 are 0. λ is Σ_{m≥1} e^{-C(m² + 2md)}, d = w - k, at
              most e^{-C(1 + 2d)}/(1 - e^{-C(3 + 2d)}), times e^{2η}; and |G̃| ≤ λ max|X̃|
  stream      S = Ŵ + Ĝ + z, z ≤ min(u(W + H), H, W) with H ≥ |Ĝ|, and the scratch is Ĝ + r with
              r ≤ ρ + min(u(ρ + H), ρ, H), ρ what the layer before has left there
  block       reads x = Ĝ + r and y = S - x up to a rounding: y = Ŵ + z + d, d ≤ r + u(W + z + r). So
              Ŵ' = Ŵ + Ĝ + ĜŴ + (I + Ĝ)z + Ĝd + ry + roundings, and with B ≥ |I + X̃|
              E' = |I + G̃|E + F(B + E) + (|I + G̃| + F)z + Hd + r|y| + γ_{2n+g} |x||y| + 4τ(|x|M + MM)
  units       x σ(y) - x σ(-y): one rounding for each product, 2n - 1 for the sum, and σ(y) and σ(-y) are
              off by g u|y| together. ReLU g = 0. SiLU: with s = 1/(1 + e^{-y}) the relative error of σ(y)
              is 8u(1 - s) + 3u, that of σ(-y) 8us + 3u: u|y|(16 s(1 - s) + 3) ≤ 7u|y| together; where
              e^{|y|} overflows, a value below u|y| is lost: g = 8. Other gates: 8u|y| each, g = 16
  last sum    rounds by u|Ŵ'|, and by no more than the product that is added
  erasing     leaves γ_{h+5} |x| + 4τ, for σ(1) is within h units, its inverse stored within 2, and there
              are three roundings. SiLU h = 8/(1 + e) + 3 ≤ 6, others 8/σ(1) ≤ 10; ReLU leaves nothing
  readout     αᵀEB, γ_{m+4} |α|ᵀ(W + I)|B| for m weights of an output other than 0, and what is lost
              below τ (`decoder_rounding`)
  range       as in `decoder_rounding`, with e + ‖E‖ for the error of a window
Work          a window of k letters is a pair of shorter ones; classes are merged so that a layer has no
              more than `PAIRS` pairs, fewer where n is large (`window_classes`)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import isqrt

import flint

from constructions.automata.reduction import Reduction
from constructions.core.exact import ball
from constructions.core.matrix import Entry
from constructions.decoder import Normalisation
from constructions.theorem1 import depth
from verify.bounds import decoder
from verify.bounds.decoder import WordBounds
from verify.bounds.decoder_scores import MovedSetting
from verify.bounds.floating import Precision
from verify.bounds.norms import frobenius_norm, identity, largest, map_entries, matrix, simple_bound
from verify.bounds.window_classes import (
    WindowClass,
    distinct,
    fewer,
    least,
    most,
    pattern,
    rounded_up,
)

BITS = 128
PAIRS, MOST_WORK = 256, 1 << 16
UNITS = {"relu": (0, None), "silu": (8, 6)}  # g and h
OTHER = (16, 10)
QUARTER = flint.arb("0.25")


@dataclass(frozen=True)
class LayerSizes:
    """What all tokens of a layer share: e before and after it, f, and the largest entries."""

    before: flint.arb
    brought: flint.arb
    after: flint.arb
    windows: flint.arb_mat
    errors: flint.arb_mat


@dataclass(frozen=True)
class HeadError:
    """F, and bounds on |Ĝ| and on |I + G̃|."""

    error: flint.arb_mat
    size: flint.arb_mat
    product: flint.arb_mat


@dataclass(frozen=True)
class EntryError:
    """Bounds on the error of a state, but for what is lost below τ, and on the norm of that of a window."""

    state: flint.arb
    window: flint.arb


@dataclass(frozen=True)
class EntryRounding:
    """A gated decoder without a norm, for all words of a length, in a format."""

    bounds: WordBounds
    reduction: Reduction
    setting: MovedSetting
    form: Precision

    @cached_property
    def pattern(self) -> flint.arb_mat:
        """M."""
        return pattern(self.reduction.automaton)

    @cached_property
    def nothing(self) -> flint.arb_mat:
        """The matrix 0."""
        return flint.arb_mat(self.bounds.n, self.bounds.n)

    @cached_property
    def pairs(self) -> int:
        """How many pairs of classes a layer has, over all lengths of its windows."""
        return max(1, min(PAIRS, (PAIRS << 4) // self.bounds.n**2))

    def letters(self) -> list[WindowClass]:
        """The embedded letters."""
        maps = self.reduction.automaton.transitions.values()
        return distinct(WindowClass(matrix(rows), self.stored(rows), self.nothing) for rows in maps)

    def stored(self, rows: Sequence[Sequence[Entry]]) -> flint.arb_mat:
        """What the stored entries of A - I are off by."""
        table = [[self.stored_entry(x - (i == j)) for j, x in enumerate(row)]
                 for i, row in enumerate(rows)]  # fmt: skip
        return flint.arb_mat(table)

    def stored_entry(self, value: Entry) -> flint.arb:
        """2u|x| + τ, or 0 where the format has the number."""
        if is_representable(value, self.form):
            return flint.arb(0)
        return (2 * self.form.roundoff * abs(ball(value)) + self.form.normal).upper()

    def head(self, layer: LayerSizes, left: WindowClass | None, lost: flint.arb) -> HeadError:
        """F for a class that is brought, or for BOS, where that much is given to other tokens."""
        form, tokens = self.form, self.bounds.length + 1
        many, tiny, once = form.gamma(tokens), tokens * form.normal, 1 + form.roundoff
        moved = form.gamma(17) * lost + 2 * tiny
        others = lost + moved
        share = once * once * once * once / (1 - many.min((1 + 2 * many) * others)) - 1
        below = 2 * tiny * (layer.windows + self.pattern)
        terms = (1 + share) * others * layer.windows + below
        own, error = self.nothing, self.nothing
        if left is not None:
            own, error = self.window(layer, left), left.error
        missed = error + lost * layer.errors + 2 * moved * (layer.windows + own) + below
        missed = missed + share * (own + others * layer.windows)
        missed = missed + least((1 + 2 * many) * terms, many * (terms + (1 + share) * own))
        size, product = self.brought(layer, left, lost)
        missed = rounded_up(missed)
        return HeadError(missed, rounded_up(size + missed), rounded_up(product))

    def brought(
        self, layer: LayerSizes, left: WindowClass | None, lost: flint.arb
    ) -> tuple[flint.arb_mat, flint.arb_mat]:
        """Bounds on |G̃| and |I + G̃|."""
        near = layer.brought * self.pattern
        if left is None:
            size = least(near, lost * layer.windows)
            return size, identity(self.bounds.n) + size
        return left.distance + near, left.product + near

    def window(self, layer: LayerSizes, own: WindowClass) -> flint.arb_mat:
        """W."""
        return own.distance + layer.before * self.pattern + own.error

    def longer(
        self, layer: LayerSizes, head: HeadError, matrix: flint.arb_mat, right: WindowClass
    ) -> WindowClass:
        """The class with these products after the layer, from what the head brings and the stream holds."""
        u, tiny, size = self.form.roundoff, self.form.normal, head.size
        gate, one = UNITS.get(self.setting.design.activation, OTHER)
        held = self.window(layer, right)
        added = least(u * (held + size), size, held)
        rest = right.scratch + least(u * (right.scratch + size), right.scratch, size)
        off = rest + u * (held + added + rest)
        x, y = size + rest, held + added + off
        product, lost = x * y, 4 * tiny * ((x + self.pattern) * self.pattern)
        rounded = self.form.gamma(2 * self.bounds.n + gate) * product + lost
        whole = right.product + layer.before * self.pattern + right.error
        missed = head.product * right.error + head.error * whole + rounded
        missed = missed + (head.product + head.error) * added + size * off + rest * y
        made = WindowClass(matrix, missed, self.nothing)
        after = made.distance + layer.after * self.pattern + missed
        missed = missed + least(u * after, product + rounded)
        left = (
            self.nothing if one is None else self.form.gamma(one + 5) * x + 4 * tiny * self.pattern
        )
        return replace(made, error=rounded_up(missed), scratch=rounded_up(left))

    def layer_sizes(
        self, table: Sequence[Sequence[WindowClass]], before: flint.arb, now: decoder.Errors
    ) -> LayerSizes:
        """The sizes of a layer whose tokens hold these classes; `now` is what `decoder` says of it."""
        classes = [each for own in table for each in own]
        errors = most(*(each.error for each in classes))
        windows = most(*(each.distance for each in classes)) + before * self.pattern + errors
        head = before if now.loss is None else before + now.loss.head
        return LayerSizes(before, head, now.window, windows, errors)

    def with_begin(
        self, layer: LayerSizes, classes: Sequence[WindowClass], missing: int
    ) -> list[WindowClass]:
        """Windows that reach the beginning of the word, after a layer."""
        head = self.head(layer, None, self.setting.begin_leak(missing))
        return [self.longer(layer, head, right.matrix, right) for right in classes]

    def fitting(
        self, left: Sequence[WindowClass], right: Sequence[WindowClass], count: int
    ) -> tuple[Sequence[WindowClass], Sequence[WindowClass]]:
        """The classes, merged so that they have at most so many pairs."""
        if len(left) * len(right) <= count:
            return left, right
        left = fewer(left, isqrt(count))
        return left, fewer(right, count // len(left))

    def doubled(
        self, layer: LayerSizes, left: Sequence[WindowClass], right: Sequence[WindowClass]
    ) -> list[WindowClass]:
        """Windows of two parts."""
        lost = self.setting.leak(self.bounds.length, flint.arb(0))
        found = []
        for one in left:
            head = self.head(layer, one, lost)
            found += [self.longer(layer, head, one.matrix * two.matrix, two) for two in right]
        return distinct(found)

    def table(self, exact: Sequence[decoder.Errors]) -> list[Sequence[WindowClass]]:
        """The classes of words of 1, 2, … T letters after the last layer.

        Pairs that early layers do not need, because few products are distinct, are left to later ones.
        """
        table: list[Sequence[WindowClass]] = [self.letters()]
        before, left = flint.arb(0), self.pairs * len(exact)
        for number, now in enumerate(exact):
            full = len(table)
            count = max(1, left // (full * (len(exact) - number)))
            sizes = self.layer_sizes(table, before, now)
            longer: list[Sequence[WindowClass]] = [
                self.with_begin(sizes, fewer(own, isqrt(count)) if k < full else own, full - k)
                for k, own in enumerate(table, start=1)
            ]
            for shorter in table[: self.bounds.length - full]:
                pair = self.fitting(shorter, table[-1], count)
                left -= len(pair[0]) * len(pair[1])
                longer.append(self.doubled(sizes, *pair))
            table, before = longer, now.window
        return table

    def error(self) -> EntryError:
        """The error of every state of every word, that of the exact run included."""
        exact = decoder.errors(self.bounds, self.setting)
        shift = exact[-1].window if exact else flint.arb(0)
        classes = [each for own in self.table(exact) for each in own]
        state = largest([self.read(None, shift), *(self.read(each, shift) for each in classes)])
        window = largest(simple_bound(each.error) for each in classes)
        state = state + decoder.state_error(self.bounds, self.setting)
        return EntryError(state.upper(), (window + shift).upper())

    def read(self, own: WindowClass | None, shift: flint.arb) -> flint.arb:
        """The error of states after words of a class, or of the first state."""
        error, size = self.nothing, identity(self.bounds.n)
        if own is not None:
            error = own.error
            size = size + own.distance + shift * self.pattern + error
        start, ends = self.readout
        return frobenius_norm(start * (error + self.form.gamma(self.terms + 4) * size) * ends)

    @cached_property
    def readout(self) -> tuple[flint.arb_mat, flint.arb_mat]:
        """|α|ᵀ and |B|."""
        outputs = matrix(tuple(map(tuple, self.reduction.outputs.rows())))
        start = matrix((self.reduction.automaton.alpha,))
        return map_entries(start, abs), map_entries(outputs, abs)

    @cached_property
    def terms(self) -> int:
        """m, the most weights other than 0 that an output adds up."""
        columns = zip(*self.reduction.outputs.rows(), strict=True)
        heights = (sum(1 for weight in column if weight) for column in columns)
        return sum(1 for weight in self.reduction.automaton.alpha if weight) * max(
            heights, default=0
        )


def is_representable(value: Entry, form: Precision) -> bool:
    """Whether a number is 0 or a normal number of the format.

    >>> from verify.bounds.floating import ONCE
    >>> [is_representable(Fraction(x), ONCE["float32"]) for x in ("0", "-3/4", "1/3", "16777217")]
    [True, True, False, False]
    """
    if not isinstance(value, int | Fraction):
        return False
    top, bottom = abs(value.numerator), value.denominator
    if bottom & (bottom - 1):
        return False
    odd = top >> ((top & -top).bit_length() - 1) if top else 0
    return not top or (
        odd.bit_length() <= form.bits and bool(ball(Fraction(top, bottom)) >= form.normal)
    )


def entry_error(bounds: WordBounds, setting: MovedSetting, form: Precision) -> EntryError | None:
    """The bounds by entries; none for other designs, for large models, a large leak, a coarse format."""
    design, layers = setting.design, len(bounds.norms)
    if bounds.reduction is None or layers != depth(bounds.length):
        return None
    if not design.gated or design.norm is not Normalisation.NONE:
        return None
    if 2 * bounds.length * bounds.n**2 > MOST_WORK:
        return None
    with flint.ctx.workprec(BITS):
        lost, many = setting.leak(bounds.length, flint.arb(0)), form.gamma(bounds.length + 1)
        if not (lost <= QUARTER and many <= QUARTER):
            return None
        found = EntryRounding(bounds, bounds.reduction, setting, form).error()
    return found if found.state.is_finite() and found.window.is_finite() else None
