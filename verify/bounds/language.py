"""Total variation of a language model: how far softmax of the logits is from the true distribution.

Logits off by d_σ           TV ≤ tanh((max d - min d)/4): two distributions whose ratios lie within a
                            range of D = max d - min d on a logarithmic scale are furthest apart on two
                            points, at tanh(D/4). For a Euclidean error ε, D ≤ √2 ε
One-hot                     `one_hot`, in exact arithmetic and with rounding
Special tokens              a logit of `LOW` beside logits with Σ e^logit = 1 has mass at most e^LOW
General                     f̃ within ε of f in each entry, s = Σ f ≥ s₀, the logarithm within η on [δ, 1] of
                            f/M, and at most G below δ. Symbols with f̃ < δM are dropped, which costs
                            (Σ|f - f̃| + Σ_dropped f)/s; the rest is off by η in logarithms; the dropped
                            and special ones come back with mass at most |Σ| MG + 3M e^LOW:
                            TV ≤ |Σ|(δM + 2ε)/s₀ + tanh(η/2) + (|Σ| G + 3 e^LOW) M e^η/(s₀ - |Σ|(δM + 2ε))
Norms                       a unit behind a norm with factor 1 - θ is (1 - θ) σ((1 - θ) z), which is off by
                            θ(|σ(z)| + |z| |σ'(y)|) ≤ θ(4s + 2) for z ≤ 2s, y between z and (1 - θ)z, θ ≤ 1/2:
                            |y σ'(y)| ≤ 1 for y < 0, |σ'| ≤ 6/5. The last norm takes θ of a logit. So
                            logits move by d ≤ θ((4s + 2) Σ|w| + 2(|c| + |b|) + |LOW|) all in all,
                            and η + 2d replaces η: the ends of a range and what is below both move
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

import flint

from constructions.blocks.logarithm import Logarithm
from constructions.core.exact import ball
from constructions.core.matrix import Matrix
from constructions.language_model import LOW, SPECIALS
from verify.bounds.decoder import Setting, WordBounds, square_of_ball
from verify.bounds.decoder_rounding import DecoderRounding
from verify.bounds.floating import EXACT
from verify.bounds.norms import largest

Column = tuple[Fraction, ...]
BITS = 192
HALF = Fraction(1, 2)
PIECES = 64  # of the range below δ, each enclosed by itself


@dataclass(frozen=True)
class LogitErrors:
    """Bounds on the error of the difference of two logits: possible in one state, and any two."""

    possible: flint.arb
    any: flint.arb

    def variation(self, symbols: int) -> flint.arb:
        """TV, where possible symbols have Σ e^logit = 1, up to 2^-70 for logarithms within 2^-79."""
        with flint.ctx.workprec(BITS):
            if not self.any.is_finite():
                return flint.arb(1)
            off = self.possible + flint.arb(2) ** -70
            unwanted = (symbols + SPECIALS) * (LOW + self.any + flint.arb(2) ** -70).exp()
            return flint.arb(((off / 4).tanh() + unwanted).upper())


UNKNOWN = LogitErrors(flint.arb("inf"), flint.arb("inf"))


@dataclass(frozen=True)
class OneHotReadout:
    """Size of the readout B on almost one-hot states, in a process that starts in state a.

    Of symbols that are possible in one state, and of all: the largest |B_qσ - B_qσ'|, the largest
    2|B_aσ| + |B_qσ|, and the largest Σ_q |B_qσ|.
    """

    n: int
    possible: Fraction
    any: Fraction
    possible_terms: Fraction
    any_terms: Fraction
    possible_sum: Fraction
    any_sum: Fraction

    @classmethod
    def of(cls, logits: Matrix, start: int) -> OneHotReadout:
        """From the readout B and the number of the first state."""
        pairs = _pairs(logits)
        near = [pair for pair in pairs if _are_possible(pair)]
        columns = [tuple(map(Fraction, column)) for column in zip(*logits.rows(), strict=True)]
        terms = [(2 * abs(column[start]) + abs(x), x > LOW) for column in columns for x in column]
        sums = [(sum(map(abs, column), Fraction(0)), max(column) > LOW) for column in columns]
        return cls(
            logits.shape[0], _gap(near), _gap(pairs),
            *_largest_two(terms), *_largest_two(sums),
        )  # fmt: skip

    def errors(self, shared: flint.arb, entry: flint.arb, rounded: flint.arb) -> LogitErrors:
        """For errors of reads that all logits share, of entries, and of the terms of one logit."""
        possible = ball(self.possible_terms) + entry * ball(self.possible_sum)
        whole = ball(self.any_terms) + entry * ball(self.any_sum)
        possible = ball(self.possible) * shared + 2 * rounded * possible
        whole = ball(self.any) * shared + 2 * rounded * whole
        return LogitErrors(flint.arb(possible.upper()), flint.arb(whole.upper()))


def _largest_two(sizes: Sequence[tuple[Fraction, bool]]) -> tuple[Fraction, Fraction]:
    """The largest size of what is possible, and of all."""
    possible = max((size for size, is_possible in sizes if is_possible), default=Fraction(0))
    return possible, max(size for size, _ in sizes)


def _pairs(logits: Matrix) -> list[tuple[Column, Column]]:
    """All pairs of columns of B."""
    columns = zip(*(map(Fraction, row) for row in logits.rows()), strict=True)
    return list(combinations(columns, 2))


def _are_possible(pair: tuple[Column, Column]) -> bool:
    """True if two symbols are possible in one and the same state."""
    return any(min(both) > LOW for both in zip(*pair, strict=True))


def _gap(pairs: Sequence[tuple[Column, Column]]) -> Fraction:
    """The largest difference of two entries in one row."""
    gaps = (abs(x - y) for pair in pairs for x, y in zip(*pair, strict=True))
    return max(map(Fraction, gaps), default=Fraction(0))


@dataclass(frozen=True)
class LogarithmRange:
    """Parameters of the general bound: s₀, M, and the logarithm's units."""

    least_weight: Fraction
    largest: Fraction
    log: Logarithm

    def below(self, error: flint.arb) -> flint.arb:
        """G: a bound on e^g for f̃/M from -ε/M to δ."""
        low, high = -error / ball(self.largest), ball(self.log.least)
        ends = [low + (high - low) * i / PIECES for i in range(PIECES + 1)]
        values = [self.log(a.union(b)).exp() for a, b in pairwise(ends)]
        return largest(value.upper() for value in values)


def norms_of_logits(
    bounds: WordBounds, setting: Setting, log: Logarithm, symbols: int
) -> flint.arb:
    """d: how far the norms before and behind the units of logarithms move a logit; 0 without norms."""
    with flint.ctx.workprec(BITS):
        last = DecoderRounding(bounds, setting, EXACT).layers()[-1]
        size, s = bounds.reach + 1 + last.window, ball(log.sharpness)
        weights = sum((abs(ball(w)) for w in log.weights), flint.arb(0))
        units, fixed = (4 * s + 2) * weights, abs(ball(log.offset)) + abs(ball(log.slope))
        logit = units + 2 * fixed - LOW
        coordinates = symbols + SPECIALS
        square = bounds.n * (square_of_ball(size) + square_of_ball(last.scratch))
        square += coordinates * (square_of_ball(logit) + ball(setting.design.epsilon))
        theta = setting.shrinkage(square, bounds.n)
        return flint.arb((theta * logit).upper()) if theta <= ball(HALF) else flint.arb("inf")


def general_variation(
    symbols: int, error: flint.arb, of: LogarithmRange, moved: flint.arb | None = None
) -> flint.arb:
    """TV at every prefix with s(w) ≥ s₀, for f with a Euclidean error, and logits moved by norms."""
    with flint.ctx.workprec(BITS):
        least, most = ball(of.least_weight), ball(of.largest)
        dropped = symbols * (ball(of.log.least) * most + 2 * error)
        rest = least - dropped
        if not rest > 0:
            return flint.arb(1)
        eta = ball(of.log.error) + 2 * (flint.arb(0) if moved is None else moved)
        if not eta.is_finite():
            return flint.arb(1)
        extra = (symbols * of.below(error) + SPECIALS * flint.arb(LOW).exp()) * most
        bound = dropped / least + (eta / 2).tanh() + extra * eta.exp() / rest
        return flint.arb(bound.upper()).min(flint.arb(1))
