"""Errors of a gated decoder entry by entry, by classes of words, for all words of a length.

Claimed       by us, for gated decoders without a norm or with RMSNorm, positions given by places or by
              angles: `decoder_rounding` bounds every error by norms, for all tokens of a layer alike. A
              rounding error is a share of an entry, and a leak is a share of a difference of windows, so
              bounds on entries lose no factor n for zeros and signs, and do not change when coordinates are
              scaled
Assumed       as in `decoder_entry_layers`, which has the notation and the derivation of a layer
Leak          of the scores as they are computed: λ with C and η of `decoder_scores`, or with η of
              `decoder_rounding` where there is a norm or angles. A norm's factors κ and what they are off by
              are in E
  embedding   E = 2u|A - I| + τ, and 0 where the entry is a number of the format
  readout     αᵀEB, γ_{m+4}(1 + θ' + c) |α|ᵀ(W + I)|B| for m weights of an output other than 0, and what is
              lost below τ (`decoder_rounding`). A norm's factor κ multiplies the state: θ'|α|ᵀ|I + Ŵ||B|, and
              c|α|ᵀ(W + I)|B| for the reads by themselves
  range       as in `decoder_rounding`, with ‖E‖ for the error of a window
  tokens      θ' holds for tokens with |x|² ≤ Q, Q = n max(5m², m'²) with m = max M_l + (max M_l + 1)/16 and
              the same m' of the largest ‖A^w‖ + 1. Between head and block Frobenius norms are at most
              (1 + u)(2√n M_l + ‖Em‖ + ‖Fm‖) and (1 + u)(√n M_l + ‖Fm‖ + ‖ρm‖), before the layer less, and at
              the end √n(‖A^w‖ + 1) + ‖Em‖ and ‖ρm‖. That these keep Q is checked, layer by
              layer: what holds before a layer shows how it reads
Work          a window of k letters is a pair of shorter ones; classes are merged so that a layer has no
              more than `PAIRS` pairs, fewer where n is large (`window_classes`)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import isqrt

import flint

from constructions.automata.reduction import Reduction
from constructions.core.exact import ball
from constructions.core.matrix import Entry
from constructions.decoder import Normalisation
from constructions.theorem1 import depth
from verify.bounds.decoder import WordBounds, square_of_ball
from verify.bounds.decoder_entry_layers import EntryLayer, LayerSizes
from verify.bounds.decoder_scores import MovedSetting
from verify.bounds.floating import Precision
from verify.bounds.norm_reading import NormReading, exact_reading
from verify.bounds.norms import frobenius_norm, identity, largest, map_entries, matrix, simple_bound
from verify.bounds.window_classes import (
    WindowClass,
    distinct,
    fewer,
    hull,
    merged,
    most,
    pattern,
)

BITS = 128
PAIRS, MOST_WORK = 256, 1 << 16
Table = Sequence[Sequence[WindowClass]]
QUARTER, SIXTEENTH = flint.arb("0.25"), flint.arb("0.0625")


@dataclass(frozen=True)
class EntryError:
    """Bounds on the error of a state (without underflow below τ), and on the norm of a window's error."""

    state: flint.arb
    window: flint.arb


@dataclass(frozen=True)
class EntryRounding:
    """A gated decoder, for all words of a length, in a format."""

    bounds: WordBounds
    reduction: Reduction
    setting: MovedSetting
    form: Precision
    reading: NormReading = field(default_factory=exact_reading)

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
        """Number of pairs of classes of a layer, over all lengths of its windows."""
        return max(1, min(PAIRS, (PAIRS << 4) // self.bounds.n**2))

    def letters(self) -> list[WindowClass]:
        """The embedded letters."""
        maps = self.reduction.automaton.transitions.values()
        return distinct(WindowClass(matrix(rows), self.stored(rows), self.nothing) for rows in maps)

    def stored(self, rows: Sequence[Sequence[Entry]]) -> flint.arb_mat:
        """Rounding errors of the stored entries of A - I."""
        table = [[self.stored_entry(x - (i == j)) for j, x in enumerate(row)]
                 for i, row in enumerate(rows)]  # fmt: skip
        return flint.arb_mat(table)

    def stored_entry(self, value: Entry) -> flint.arb:
        """2u|x| + τ, or 0 where the format has the number."""
        if is_representable(value, self.form):
            return flint.arb(0)
        return (2 * self.form.roundoff * abs(ball(value)) + self.form.normal).upper()

    def layer(self, table: Table, number: int) -> EntryLayer:
        """Layer l = 1, 2, … on tokens that hold these classes."""
        classes = [each for own in table for each in own]
        one = identity(self.bounds.n)
        errors = most(*(each.error for each in classes))
        windows = most(*(each.distance for each in classes)) + errors
        matrices = hull([one, *(each.matrix for each in classes)]) - one
        sizes = LayerSizes(matrices, windows, errors, self.setting.spread(self.bounds, number))
        return EntryLayer(
            sizes, self.bounds.length, self.pattern, self.setting, self.form, self.reading
        )

    def with_begin(
        self, layer: EntryLayer, classes: Sequence[WindowClass], missing: int
    ) -> list[WindowClass]:
        """Windows that reach the beginning of the word, after a layer."""
        head = layer.head(None, self.setting.begin_leak(self.bounds.length, missing))
        return [layer.longer(head, right.matrix, right) for right in classes]

    def fitting(
        self, left: Sequence[WindowClass], right: Sequence[WindowClass], count: int
    ) -> tuple[Sequence[WindowClass], Sequence[WindowClass]]:
        """The classes, merged so that they have at most `count` pairs."""
        if len(left) * len(right) <= count:
            return left, right
        left = fewer(left, isqrt(count))
        return left, fewer(right, count // len(left))

    def doubled(
        self, layer: EntryLayer, left: Sequence[WindowClass], right: Sequence[WindowClass]
    ) -> list[WindowClass]:
        """Windows of two parts."""
        found = []
        for one in left:
            head = layer.head(one, self.lost)
            found += [layer.longer(head, one.matrix * two.matrix, two) for two in right]
        return distinct(found)

    @cached_property
    def lost(self) -> flint.arb:
        """λ."""
        return self.setting.leak(self.bounds.length, flint.arb(0))

    def tables(self) -> Iterator[Table]:
        """The classes of words of 1, 2, … T letters before the first layer and after each.

        Pairs that early layers do not need, because few products are distinct, are left to later ones.
        """
        layers = len(self.bounds.norms)
        left = self.pairs * layers
        table: Table = [self.letters()]
        yield table
        for number in range(1, layers + 1):
            full = len(table)
            count = max(1, left // (full * (layers + 1 - number)))
            layer = self.layer(table, number)
            longer: list[Sequence[WindowClass]] = [
                self.with_begin(layer, fewer(own, isqrt(count)) if k < full else own, full - k)
                for k, own in enumerate(table, start=1)
            ]
            for shorter in table[: self.bounds.length - full]:
                one, two = self.fitting(shorter, table[-1], count)
                left -= len(one) * len(two)
                longer.append(self.doubled(layer, one, two))
            table = longer
            yield table

    def error(self) -> EntryError | None:
        """The error of every state of every word; none if unknown."""
        tables = list(self.tables())
        if not self.has_small_tokens(tables):
            return None
        classes = [each for own in tables[-1] for each in own]
        state = largest([self.read(None), *map(self.read, classes)])
        window = largest(simple_bound(each.error) for each in classes)
        return EntryError(state.upper(), window.upper())

    def has_small_tokens(self, tables: Sequence[Table]) -> bool:
        """True if no token that a norm reads has a larger square norm than the reads assume."""
        if self.reading.exact:
            return True
        limit = assumed_square(self.bounds)
        return all(bool(square <= limit) for square in self.squares(tables))

    def squares(self, tables: Sequence[Table]) -> Iterator[flint.arb]:
        """Bounds on the square norms of tokens between head and block of each layer, and at the end."""
        root, grown = flint.arb(self.bounds.n).sqrt(), 1 + self.form.roundoff
        *before, end = tables
        for number, (table, far) in enumerate(zip(before, self.bounds.distances, strict=True), 1):
            own = merged([each for classes in table for each in classes])
            head = self.layer(table, number).head(own, self.lost)
            brought = root * far + frobenius_norm(head.error)
            window = brought + root * far + frobenius_norm(own.error)
            scratch = brought + frobenius_norm(own.scratch)
            yield square_of_ball(grown * window) + square_of_ball(grown * scratch)
        last = merged([each for classes in end for each in classes])
        window = root * (self.bounds.reach + 1) + frobenius_norm(last.error)
        yield square_of_ball(window) + square_of_ball(frobenius_norm(last.scratch))

    def read(self, own: WindowClass | None) -> flint.arb:
        """The error of states after words of a class, or of the first state."""
        error, size, whole = self.nothing, identity(self.bounds.n), identity(self.bounds.n)
        if own is not None:
            error, size, whole = own.error, size + own.distance + own.error, own.product + own.error
        rounded = self.form.gamma(self.terms + 4)
        share = rounded * (1 + self.reading.theta + self.reading.each) + self.reading.each
        start, ends = self.readout
        return frobenius_norm(start * (error + share * size + self.reading.theta * whole) * ends)

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
    """True if a number is 0 or a normal number of the format.

    >>> from verify.bounds.floating import ONCE
    >>> [is_representable(Fraction(x), ONCE["float32"]) for x in ("0", "-3/4", "1/3", "16777217")]
    [True, True, False, False]
    """
    if not isinstance(value, int | Fraction):
        return False
    top, bottom = abs(value.numerator), value.denominator
    if not top:
        return True
    if bottom & (bottom - 1):
        return False
    odd = top // (top & -top)
    return odd.bit_length() <= form.bits and bool(abs(ball(value)) >= form.normal)


def assumed_square(bounds: WordBounds) -> flint.arb:
    """Q, the assumed upper bound on the square norm of a token."""
    far, last = (
        size + (size + 1) / 16
        for size in (largest([flint.arb(0), *bounds.distances]), bounds.reach + 1)
    )
    return bounds.n * (5 * square_of_ball(far)).max(square_of_ball(last))


def entry_error(
    bounds: WordBounds, setting: MovedSetting, form: Precision, reading: NormReading | None = None
) -> EntryError | None:
    """The bounds by entries; none for other designs, for large models, a large leak, a coarse format.

    `reading`: how a norm has tokens read whose square norm is at most `assumed_square`; the setting is
    that of a run without the norm.
    """
    design, layers = setting.design, len(bounds.norms)
    read = reading or exact_reading()
    if bounds.reduction is None or layers != depth(bounds.length):
        return None
    if not design.gated or design.norm is not Normalisation.NONE:
        return None
    if 2 * bounds.length * bounds.n**2 > MOST_WORK or not read.theta + read.each <= SIXTEENTH:
        return None
    with flint.ctx.workprec(BITS):
        lost, many = setting.leak(bounds.length, flint.arb(0)), form.gamma(bounds.length + 1)
        if not (lost <= QUARTER and many <= QUARTER):
            return None
        error = EntryRounding(bounds, bounds.reduction, setting, form, read).error()
    return error if error and error.state.is_finite() and error.window.is_finite() else None
