"""Bounds on how far a model with a normalised stream is from the exact machine in one run.

Claimed      nothing beyond `verify.bounds.normalised`: here its argument is made for one run, and for the
             numbers themselves, their scale included
Value        a model holds c (x(1 + r) + A) where the machine has x = √q v: |r| ≤ ρ for every entry,
             |A| ≤ a in the Frobenius norm, |c - 1| ≤ κ. Entries are ≥ 0 and nothing cancels, so that
             rounding is in ρ, and zeros stay zeros; what other tokens leak, and what is lost below τ, is in a
Head         a value gains λ/c of what others hold, λ being their weight beside the target's. A mean of
             several positions has no common scale: κ goes into ρ
Product      ρ = ρ_X + ρ_W + ρ_X ρ_W and γ_(3n+24); a = a_X |W̃| + a_W |X̃|, and 4n²τ that is lost
Norm         ν y/√(|y|² + h²), h = √(εd)/G: with t = ρ + a/|y| < 1/2 the direction has the ρ and the
             a ν/|y| of y, and c is between 1/√((1 + t)² + (h/|y|)²) and 1/(1 - t), up to γ_(n²+16). Where t
             is larger, all that is known is |x| ≤ ν: a = 3ν. Where y is 0, a becomes ν a/h, 3ν at most
Logits       `logarithm_bound`, with no norm before the block; the two norms behind it shrink by at most
             s/K², s the square of all coordinates but K, and round by γ_(n+72). Without that block the
             outputs are F(c + b f/M), F = K/√(|x|² + dε): F is off by the share D/|x| with D² = Σ D_i², D_i
             the distance of each feature, and by γ_(d+16)
Limits       the assumptions on floating point are those of `verify.bounds.normalised`, which has them for
             SiLU alone: with another activation nothing is known, and the bound is infinite
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import flint

from constructions.blocks.logarithm import Logarithm
from constructions.circuits.arithmetic import Alpha, ExactArithmetic, Scaled, Shape, single
from constructions.circuits.circuit import Circuit
from constructions.circuits.machine import Run
from constructions.circuits.parts import Rows
from constructions.circuits.trace import Trace
from constructions.circuits.wiring import STATE
from constructions.core.errors import InputError
from constructions.core.exact import ball
from verify.bounds.floating import ONCE, Precision
from verify.bounds.norm_reading import NormReading
from verify.bounds.normalised import UNDERFLOW, rounded_gap
from verify.bounds.norms import largest
from verify.circuits.logarithm_bound import UNKNOWN, LogarithmBounds, top

ZERO = flint.arb(0)
ROUNDED = (
    flint.arb(2) ** -200
)  # of the scales in a mean: `constructions.circuits.arithmetic` has 256 bits
RELATIVELY_EXACT = "silu"


@dataclass(frozen=True)
class BoundedValue:
    """A value of the exact machine, with ρ, a and κ of the model's."""

    exact: Scaled
    ratio: flint.arb = ZERO
    rest: flint.arb = ZERO
    scale: flint.arb = ZERO

    @property
    def reach(self) -> flint.arb:
        """A bound on |x(1 + r) + A|."""
        return self.exact.size * (1 + self.ratio) + self.rest

    @property
    def is_zero(self) -> bool:
        """True if the model has exactly 0 too."""
        return not self.exact and bool(self.rest == 0)

    def bounds(self) -> Iterator[flint.arb]:
        """Yield a bound for each entry on the distance of the model from the machine."""
        share, rest = (1 + self.ratio) * (1 + self.scale) - 1, self.rest * (1 + self.scale)
        root = self.exact.scale
        for entry in self.exact.vector.entries():
            yield abs(root * flint.arb(entry)) * share + rest


@dataclass(frozen=True)
class NormalisedErrors:
    """The arithmetic of the exact machine with bounds beside its values."""

    circuit: Circuit

    @cached_property
    def exact(self) -> ExactArithmetic:
        """The arithmetic of the values themselves."""
        return ExactArithmetic(Fraction(str(self.circuit.constants["written_square"])))

    @cached_property
    def form(self) -> Precision:
        """The type that the library computes in."""
        return ONCE[str(self.circuit.constants["computes_in"])]

    @cached_property
    def rounding(self) -> flint.arb:
        """γ of a head or a block; known for SiLU only."""
        known = self.circuit.constants["activation"] == RELATIVELY_EXACT
        return self.form.gamma(3 * self.circuit.n + 24) if known else UNKNOWN

    @cached_property
    def leak(self) -> flint.arb:
        """λ: in the library's type other tokens weigh at most 2^-149 each; infinite if C is too small."""
        length = self.circuit.whole_number("built_length")
        saturation = ball(Fraction(str(self.circuit.constants["saturation"])))
        if not saturation * rounded_gap(length, self.form) > UNDERFLOW:
            return UNKNOWN
        return 2 * length * self.form.smallest

    @cached_property
    def width(self) -> int:
        """d."""
        return next(iter(self.circuit.subspaces.values())).read.shape[0]

    @cached_property
    def floor(self) -> flint.arb:
        """h."""
        epsilon = Fraction(str(self.circuit.constants["epsilon"]))
        return (self.width * ball(epsilon)).sqrt() / self.circuit.whole_number("gain")

    @property
    def size(self) -> flint.arb:
        """ν."""
        return ball(Fraction(str(self.circuit.constants["written_square"]))).sqrt()

    def embed(self, rows: Rows) -> BoundedValue:
        """A token's matrix, rounded to the type of the weights and to that of the computation."""
        lost = self.circuit.n * self.form.normal
        return BoundedValue(self.exact.embed(rows), self.form.gamma(2), lost)

    def zero(self, shape: Shape) -> BoundedValue:
        """Return 0, exactly."""
        return BoundedValue(self.exact.zero(shape))

    def total(
        self, added: Sequence[BoundedValue], removed: Sequence[BoundedValue], shape: Shape
    ) -> BoundedValue:
        """Return the only value of a sum, or 0."""
        only = single(added, removed)
        return self.zero(shape) if only is None else only

    def without(self, value: BoundedValue, entry: int | None) -> BoundedValue:
        """Return the value with an entry, or everything, set to 0."""
        left = self.exact.without(value.exact, entry)
        return BoundedValue(left) if entry is None else replace(value, exact=left)

    def gather(
        self,
        values: Sequence[BoundedValue],
        read: Sequence[int],
        share: Fraction,
        tokens: object = None,
    ) -> BoundedValue:
        """One token's value with the leak of the others, or a mean."""
        exact = self.exact.gather([value.exact for value in values], read, share)
        chosen = [values[j] for j in read]
        if len(read) == 1:
            (one,) = chosen
            others = largest(value.reach * (1 + value.scale) for value in values)
            lost = ZERO if one.is_zero else self.lost
            rest = one.rest + (self.leak * others + lost) / (1 - one.scale)
            before = BoundedValue(one.exact, self.with_rounding(one.ratio), rest, one.scale)
        else:
            before = self.mean(chosen, exact.vector)
        return self.normalise(before, exact)

    @property
    def lost(self) -> flint.arb:
        """Bound on what n² entries lose below τ."""
        return self.circuit.n * self.form.normal

    def with_rounding(self, ratio: flint.arb) -> flint.arb:
        """A relative error with that of a head or block."""
        return (1 + ratio) * (1 + self.rounding) - 1

    def mean(self, values: Sequence[BoundedValue], vector: flint.fmpq_mat) -> BoundedValue:
        """The mean of several values, whose scales differ."""
        ratio = largest((1 + each.ratio) * (1 + each.scale) - 1 for each in values)
        ratio = (1 + self.with_rounding(ratio)) * (1 + self.form.gamma(2 * len(values) + 8)) - 1
        rest = largest(each.rest * (1 + each.scale) for each in values) + self.lost
        return BoundedValue(Scaled(vector), ratio + ROUNDED, rest)

    def block(
        self,
        kind: str,
        read: BoundedValue,
        window: BoundedValue,
        alpha: Alpha,
        tokens: object = None,
    ) -> tuple[BoundedValue, ...]:
        """Return XW, normalised, with αᵀ before it in the last layer that composes."""
        (exact,) = self.exact.block(kind, read.exact, window.exact, alpha)
        size = flint.arb(1)
        if kind == STATE:
            size = ball(sum((x * x for x in alpha), Fraction(0))).sqrt()
        return (self.normalise(self.multiply(read, window, size, exact), exact),)

    def multiply(
        self, left: BoundedValue, right: BoundedValue, size: flint.arb, exact: Scaled
    ) -> BoundedValue:
        """Product of two bounded values before its norm; `size` bounds the stream before it."""
        ratio = self.with_rounding((1 + left.ratio) * (1 + right.ratio) - 1)
        scale = (1 + left.scale) * (1 + right.scale) - 1
        rest = left.rest * right.reach + right.rest * left.exact.size * (1 + left.ratio)
        kept = (1 - left.scale) * (1 - right.scale)
        nothing = left.is_zero or right.is_zero  # products with 0 are 0, and lose nothing
        lost = ZERO if nothing else 4 * self.circuit.n * self.lost * (1 + size) / kept
        square = left.exact.square * right.exact.square
        before = Scaled(exact.vector, square)
        return BoundedValue(before, ratio, size * rest * (1 + self.rounding) + lost, scale)

    def normalise(self, before: BoundedValue, exact: Scaled) -> BoundedValue:
        """The values after a norm; `exact` are those of the machine."""
        nu, size = self.size, before.exact.size
        if not exact:
            found = nu * before.rest * (1 + before.scale) / self.floor
            return BoundedValue(exact, ZERO, top(found.min(3 * nu) if found.is_finite() else found))
        share = before.ratio + before.rest / size
        if not (share < 0.5 and before.scale < 0.5):
            return BoundedValue(exact, ZERO, top(3 * nu if share.is_finite() else UNKNOWN))
        floor = self.floor / ((1 - before.scale) * size)
        low, high = 1 / ((1 + share) ** 2 + floor**2).sqrt(), 1 / (1 - share)
        gamma = self.form.gamma(self.circuit.n**2 + 16)
        scale = (1 + largest([1 - low, high - 1])) * (1 + gamma) - 1
        return BoundedValue(exact, top(before.ratio), top(before.rest * nu / size), top(scale))

    def constant(self, exact: Scaled) -> BoundedValue:
        """Return a value without error."""
        return BoundedValue(exact)

    def belief(self, window: BoundedValue) -> BoundedValue:
        """Refuse a belief that is no separate feature: no normalised stream has one."""
        raise InputError("features", "belief", "a feature that a block writes")

    def outputs(self, trace: Trace, run: Run[BoundedValue], t: int) -> tuple[flint.arb, ...]:
        """Return a bound for each logit at a position."""
        return LogitErrors(self, trace, run).at(t)


@dataclass(frozen=True)
class LogitErrors:
    """Bounds on the logits of a run, from the machine's exact values and those with bounds."""

    arithmetic: NormalisedErrors
    trace: Trace
    run: Run[BoundedValue]

    def at(self, t: int) -> tuple[flint.arb, ...]:
        """Return the bounds of the logits of one position."""
        columns = range(len(self.trace.outputs[t]))
        if not self.run.has_large:
            return tuple(self.without_large(t, c) for c in columns)
        units = [self.units(t, c) for c in columns]
        sizes = [log.sizes(self.trace.argument(t, c), self.trace.linear(t, c))
                 for c, log in zip(columns, units, strict=True)]  # fmt: skip
        last = self.last_norms(t, [moved + size for moved, size in sizes])
        return tuple(log.bound(moved, size, last)
                     for log, (moved, size) in zip(units, sizes, strict=True))  # fmt: skip

    def without_large(self, t: int, column: int) -> flint.arb:
        """The bound of an output where the last block is ablated, and the last norm sees no K."""
        error, log = self.units(t, column).error, self.logarithm
        factor, share = self.trace.last_factor(t), self.factor_share(t)
        value = self.trace.linear(t, column)
        size = abs(ball(log.offset)) + abs(ball(log.slope)) * (value + error)
        rounded = self.arithmetic.form.gamma(self.arithmetic.circuit.n + 72) * size
        moved = (abs(ball(log.slope)) * error + rounded) * (1 + share)
        return top(factor * (moved + size * share))

    def factor_share(self, t: int) -> flint.arb:
        """Return a bound on the relative error of the factor of the last norm."""
        far, square = ZERO, flint.arb(2)
        for value in self.held(t):
            far += sum((distance**2 for distance in value.bounds()), ZERO)
            square += value.exact.size**2
        share = far.sqrt() / square.sqrt()
        if not share < 0.5:
            return UNKNOWN
        return (1 + share / (1 - share)) * (
            1 + self.arithmetic.form.gamma(self.arithmetic.width + 16)
        ) - 1

    def held(self, t: int) -> list[BoundedValue]:
        """Return all features in the stream before the last norm, at a position."""
        last = self.arithmetic.circuit.layers - 1
        return [
            self.run.stream(name, "after", last, t)
            for name in self.arithmetic.circuit.computed_features
        ]

    @property
    def logarithm(self) -> Logarithm:
        """The units of the last block."""
        log = self.arithmetic.circuit.readout.logarithm
        if log is None:
            raise InputError("readout.logarithm", None, "the logarithm's units")
        return log

    def units(self, t: int, column: int) -> LogarithmBounds:
        """The units of one logit: the error of f/M as the readout or the units read it."""
        readout, form = self.arithmetic.circuit.readout, self.arithmetic.form
        highest = ball(readout.scale)
        weights = [row[column] for row in readout.outputs]
        errors = [
            self.weight_error(value, weights)
            for value in (self.run.arguments[t], self.run.final[t])
        ]
        wide = largest([self.trace.argument(t, column), self.trace.linear(t, column)])
        error = largest(errors) / highest
        none = NormReading(ZERO, ZERO, ZERO, ZERO)
        return LogarithmBounds(
            self.logarithm, self.arithmetic.circuit.n, form, none, error, wide + error
        )

    def weight_error(self, value: BoundedValue, weights: Sequence[Fraction]) -> flint.arb:
        """The error of a belief times one column of weights."""
        pairs = zip(value.bounds(), weights, strict=True)
        return sum((bound * ball(weight) for bound, weight in pairs), ZERO)

    def last_norms(self, t: int, logits: Sequence[flint.arb]) -> NormReading:
        """Return how the norm behind the last block and the last norm read a logit."""
        circuit = self.arithmetic.circuit
        beside = sum((size**2 for size in logits), flint.arb(2))
        for value in self.held(t):
            beside += (value.reach * (1 + value.scale)) ** 2
        epsilon = self.arithmetic.width * ball(Fraction(str(circuit.constants["epsilon"])))
        theta = top(2 * (beside + epsilon) / flint.arb(circuit.whole_number("large")) ** 2)
        form = self.arithmetic.form
        return NormReading(theta, ZERO, form.gamma(circuit.n + 72), 4 * form.normal)
