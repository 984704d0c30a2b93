"""Total variation of the normalised stream: for all words, or for a word drawn from the automaton.

Setting      Σ A^σ 1 = 1, nothing negative (`constructions.normalised`). M = A^u for a window u. What the
             stream holds for it is c(M + E) with c > 0; in exact arithmetic E ≥ 0, as attention adds
             windows of other tokens and subtracts none, and products of the block are exact. Sizes c do
             not matter: only directions are read, and softmax forgets the last one
Leak         the weights of other tokens are at most λ = 2 Σ_m e^(-C(1 - cos πm/(T+1))) times the
             target's; windows have norms between m and 1. So X ∝ M + E + Λ, |Λ|_F ≤ (λ/m) |M + E|_F
Positive     all A^σ > 0. Two entries of a column of A^σ have ratio r at least, two of a row r', ϱ = r r':
             every entry of every A^u is at least ϱ times every other, so that Λ is at most Φλ/m times
             M, entry by entry, Φ = n/ϱ. (Where the target is BOS, whose matrix is I, the same holds of
             ΛA^v beside A^v; BOS itself sees no other token.) Nothing cancels in products of positive
             matrices: relative errors of entries add up, and after L layers each entry of the belief
             is off by at most the factor Γ = (1 + Φλ/m)^(2^L - 1), *for every word*
Drawn        some A^σ has a zero; a window may then be unlikely to begin where the one before ends. Let
             X(u) bound M + E + Λ in every context of u: Σ_u X(u) 1 ≤ Γ 1 with Φ = n², by induction.
             A prefix fits if |A^u A^v|_F ≥ κ |X(u)|_F |X(v)|_F for its pairs of windows, and if
             p(w) ≥ κ |X(u)|_F |X(v)|_F for the last pair. As Σ_u |X(u)|_F ≤ Σ_u 1ᵀX(u)1 ≤ nΓ, a word drawn
             from the automaton has a prefix that does not fit with probability at most
             (T+1)((L-1)√n + 1) n² κ Γ. And Σ_w αᵀE(w)1 ≤ Γ - 1 over the words w of a length that fit, which
             is the mean of αᵀE1/p(w): by Markov's inequality it exceeds ε_r at some position with
             probability at most (T+1)(Γ - 1)/ε_r. No p(w) enters, and λ is as small as C makes it
Norms        behind a norm ν = √d/2^k, up to h = √(ε d)/G: a product of sizes x and m has norm at least
             κxm/Γ, with κ = r/√n if positive (rows of A^v are within r of each other), and the belief
             at least κ'xm/(Γ√n), κ' = r²/n or κ: that bounds m, and the least belief b. 8 is used for Γ
Logits       f_σ = belief · A^σ1, f_σ/M in [φb/M, 1] where φ = min A^σ1 > 0: each is off by η and by what K
             leaves of the last norms, so that TV ≤ tanh((log Γ + 2η + 2d)/4) + 3M e^(η + LOW)/b if
             positive; otherwise ε_r + the bound of `language` for what the logarithm drops
Windows      a model of log₂ W layers reads the last W letters, from the start distribution on. If positive,
             two beliefs are equal after W letters up to a factor and up to Δ tanh(Δ/4)^(W-1) in the
             logarithm of each entry, Δ = max log A_ik A_jl/(A_il A_jk) (Birkhoff), added to log Γ
Rounding     in a format with unit u and least normal number τ, if every operation rounds once, exp, cos
             and sin are within 8 units and SiLU within 8 of its size, a loss below τ aside
  attention  a score is off by 36u of its size and angles by a = π(2 log(T+1) + 8)u, so that others are
             below the target's by C(cos 2a - cos(ω - 2a) - 72u); at 104 float32's exp is 0 or below
             2^-149: λ = 2^-148 T, and a window is copied
  windows    silu(y) > 0 > silu(-y): both terms of xy have one sign, so that entries stay accurate
             relatively. Each layer squares 1 + ρ and multiplies by 1 + γ_(3n+22), letters begin with
             1 + γ_2; what is lost below τ is at most (n/x + 4n²/z)τ, and goes with λ/m. As a loss makes
             windows smaller, drawn words pay (T+1)L 2n²(Γ - 1) more, for |M + E| ≥ |M|/2
  logits     Σ|w| (γ_(n+4) (4s + 1) + γ_(m+20) s) + γ_(n+72) (s Σ|w| + |c| + |b|): |σ'(z)| (2s + |z|) is at
             most 4s + 1 for z ≤ s, and adding a term to K² rounds by no more than the term
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil

import flint

from constructions.automata.wfa import WFA, Square
from constructions.blocks.logarithm import Logarithm
from constructions.core.exact import ball, ceiling
from constructions.language_model import LOW, SPECIALS
from constructions.normalised import (
    EPSILON,
    GAIN,
    LARGE,
    NormalisedDesign,
    largest_weight,
    written_power,
)
from constructions.theorem1 import depth
from verify.bounds.budget import TooSoft
from verify.bounds.decoder import rotary_leak
from verify.bounds.floating import Precision
from verify.bounds.language import LogarithmRange, general_variation
from verify.bounds.norms import largest

BITS = 256
FIT = Fraction(1, 1 << 40)  # κ where some matrix has a zero
MOST_BITS = 1 << 14  # of a leak 2^-k
STEP = 32
SHORT = 32  # bits of the least number that a logarithm is made for
UNDERFLOW = 104  # e^-104 is below the least number of float32
SAME = 1 - Fraction(1, 1 << 64)  # what the norms of queries and keys leave of C


@dataclass(frozen=True)
class Shares:
    """r and r' of positive matrices, or 0; φ, the least chance of a symbol in any state; e^Δ, or 0."""

    rows: Fraction
    columns: Fraction
    floor: Fraction
    cross: Fraction

    @property
    def positive(self) -> bool:
        """True if every matrix is."""
        return self.rows > 0


def shares(automaton: WFA) -> Shares:
    """Return the quantities common to all matrices of a stochastic form."""
    matrices = list(automaton.transitions.values())
    chances = [sum(row, Fraction(0)) for matrix in matrices for row in matrix]
    floor = min(chances)
    if any(not entry for matrix in matrices for row in matrix for entry in row):
        return Shares(Fraction(0), Fraction(0), floor, Fraction(0))
    across = min(_least_ratio(zip(*matrix, strict=True)) for matrix in matrices)
    along = min(_least_ratio(matrix) for matrix in matrices)
    return Shares(across, along, floor, max(map(_cross_ratio, matrices)))


def _cross_ratio(matrix: Square) -> Fraction:
    """The largest A_ik A_jl / (A_il A_jk)."""
    quotients = (
        [Fraction(a) / b for a, b in zip(first, second, strict=True)]
        for first, second in product(matrix, repeat=2)
    )
    return Fraction(max(max(row) / min(row) for row in quotients))


def _least_ratio(lines: Iterable[Sequence[Fraction]]) -> Fraction:
    """The least ratio of two entries of one line."""
    return min(Fraction(min(line)) / max(line) for line in lines)


def forgotten(facts: Shares, window: int) -> flint.arb:
    """Δ tanh(Δ/4)^(W-1), of positive matrices: by how much what was before W letters can move a belief."""
    with flint.ctx.workprec(BITS):
        diameter = ball(facts.cross).log()
        return flint.arb((diameter * (diameter / 4).tanh() ** (window - 1)).upper())


@dataclass(frozen=True)
class StreamBounds:
    """Bounds of a stream: log Γ, b, and the chance that a drawn word is not covered.

    `relative` bounds the mean of αᵀE1/p(w); it is 0 where Γ holds for every word.
    """

    log_growth: flint.arb
    belief: flint.arb
    relative: flint.arb
    misfit: flint.arb


@dataclass(frozen=True)
class NormalisedStream:
    """A stream for an automaton in its stochastic form, with C, in exact or in rounded arithmetic."""

    n: int
    length: int
    symbols: int
    shares: Shares
    saturation: Fraction
    form: Precision | None = None
    window: int | None = None

    @property
    def layers(self) -> int:
        """L, or log₂ W."""
        return depth(min(self.length, self.window or self.length))

    def forgotten(self) -> flint.arb:
        """Effect of the letters before the window; 0 if the window has the whole word."""
        if self.window is None or self.window >= self.length:
            return flint.arb(0)
        return forgotten(self.shares, self.window)

    @property
    def width(self) -> int:
        """d."""
        return NormalisedDesign(layers=self.layers, logits=self.symbols).layout(self.n).size

    def leak(self) -> flint.arb:
        """λ; infinite where rounding may hide the target."""
        if self.form is None:
            return rotary_leak(self.saturation * SAME, self.length)
        if not ball(self.saturation) * rounded_gap(self.length, self.form) > UNDERFLOW:
            return flint.arb("inf")
        return self.length * self.form.smallest * 2

    def rounding(self) -> flint.arb:
        """γ of a layer."""
        return flint.arb(0) if self.form is None else self.form.gamma(3 * self.n + 24)

    def lost(self) -> flint.arb:
        """τ."""
        return flint.arb(0) if self.form is None else self.form.normal

    def written(self, size: flint.arb) -> flint.arb:
        """The norm of what is written, from a lower bound of the norm before."""
        d = self.width
        nu = flint.arb(d).sqrt() / written_power(d) * (1 - self.rounding())
        square = d * ball(EPSILON) / ball(Fraction(GAIN**2))
        return flint.arb((nu * size / (size * size + square).sqrt()).lower())

    def bounds(self) -> StreamBounds:
        """Γ and b; infinite and 0 where nothing is known."""
        with flint.ctx.workprec(BITS):
            theta, belief = self._errors()
            facts, count = self.shares, (1 << self.layers) - 1
            spread = ball(facts.rows * facts.columns) if facts.positive else 1 / flint.arb(self.n)
            factor = self.n / spread
            relative = count * (factor * theta).log1p()
            rounded = (count + 1) * self.rounding()  # of which γ_2 are the embedding's
            total = relative + rounded
            if not total < flint.arb(2).log():
                nothing = flint.arb("inf")
                return StreamBounds(nothing, flint.arb(0), nothing, nothing)
            if facts.positive:
                zero = flint.arb(0)
                return StreamBounds(flint.arb(total.upper()), belief, zero, zero)
            mean = flint.arb((relative.expm1() * (2 * rounded).exp()).upper())
            return StreamBounds(flint.arb(rounded.upper()), belief, mean, self._misfit(mean))

    def _errors(self) -> tuple[flint.arb, flint.arb]:
        """The largest λ/m with what is lost below τ, over all layers; and b."""
        n, leak, lost = self.n, self.leak(), self.lost()
        root, m, shares = flint.arb(n).sqrt(), flint.arb(1) / 2, list[flint.arb]()
        fit, last = ball(FIT), ball(FIT)
        if self.shares.positive:
            fit, last = ball(self.shares.rows) / root, ball(self.shares.rows**2) / n
        for layer in range(1, self.layers + 1):
            x = self.written(m / (1 + leak))
            z = (fit if layer < self.layers else last / root) * x * m / 8
            shares.append(leak / m + lost * (n / x + 4 * n * n / z))
            m = self.written(z)
        return largest(shares), m

    def _misfit(self, mean: flint.arb) -> flint.arb:
        """The chance that windows of a drawn word do not fit, or lose half of their size, for Γ ≤ 2."""
        pairs = (self.layers - 1) * flint.arb(self.n).sqrt() + 1
        halved = flint.arb(0) if self.form is None else 2 * self.layers * mean
        chance = (self.length + 1) * self.n**2 * (2 * pairs * ball(FIT) + halved)
        return flint.arb(chance.upper())


def rounded_gap(length: int, form: Precision) -> flint.arb:
    """The share of C by which the target's score certainly exceeds the others in a format."""
    omega, u = flint.arb.pi() / (length + 1), form.roundoff
    angle = 2 * flint.arb.pi() * (2 * flint.arb(length + 1).log() + 8) * u
    return (angle.cos() - (omega - angle).cos() - 72 * u) * (1 - 8 * u)


@dataclass(frozen=True)
class NormalisedVariation:
    """TV at every position of a word, and the chance that a drawn word is not covered by it.

    `ratio` bounds |log p̃(σ|w) - log p(σ|w)| for every word, where there is such a bound.
    """

    variation: flint.arb
    chance: flint.arb
    ratio: flint.arb | None


def normalised_variation(
    stream: NormalisedStream, log: Logarithm, allowed: Fraction
) -> NormalisedVariation:
    """The bound of a stream whose logarithm reads f_σ/M; `allowed` is ε_r."""
    with flint.ctx.workprec(BITS):
        found, largest = stream.bounds(), ball(largest_weight(stream.n))
        eta = ball(log.error) + logit_error(stream, log)
        special = SPECIALS * largest * (eta + LOW).exp() / found.belief
        spread = found.log_growth * (1 if stream.form is None else 2) + 2 * eta
        spread += stream.forgotten()
        covered = ball(log.least) <= ball(stream.shares.floor) * found.belief / (2 * largest)
        if stream.shares.positive and covered:
            variation = (spread / 4).tanh() + special
            return NormalisedVariation(
                _capped(variation), flint.arb(0), flint.arb((spread + 2 * special).upper())
            )
        rest = special if covered else _dropped(stream, log, found)
        spread = spread if covered else spread - 2 * ball(log.error)
        variation = ball(allowed) + (spread / 4).tanh() + rest
        chance = found.misfit + (stream.length + 1) * found.relative / ball(allowed)
        return NormalisedVariation(_capped(variation), _capped(chance), None)


def _dropped(stream: NormalisedStream, log: Logarithm, found: StreamBounds) -> flint.arb:
    """Error by symbols below the logarithm's range, by the bound for weights s ≥ b."""
    of = LogarithmRange(_lower(found.belief), largest_weight(stream.n), log)
    return general_variation(stream.symbols, flint.arb(0), of)


def _lower(value: flint.arb) -> Fraction:
    """The lower end of a ball, exactly."""
    mantissa, exponent = value.lower().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _capped(value: flint.arb) -> flint.arb:
    upper = flint.arb(value.upper())
    return upper.min(flint.arb(1)) if upper.is_finite() else flint.arb(1)


def logit_error(stream: NormalisedStream, log: Logarithm) -> flint.arb:
    """Error of every logit beyond η: what K leaves of the last norms, and rounding."""
    n, s = stream.n, ball(log.sharpness)
    weights = sum((abs(ball(w)) for w in log.weights), flint.arb(0))
    units, fixed = s * weights, abs(ball(log.offset)) + abs(ball(log.slope))
    square = stream.symbols * units * units
    rest = 2 * stream.layers + 4 + 2 * square + 2 * stream.width * ball(EPSILON)
    shrinkage = 2 * rest / ball(Fraction(LARGE**2))
    error = shrinkage * (units + fixed - LOW)
    if stream.form is None:
        return error
    gamma = stream.form.gamma
    rounded = weights * (gamma(n + 4) * (4 * s + 1) + gamma(len(log.knots) + 20) * s)
    return error + rounded + gamma(n + 72) * (units + fixed)


def required_stream(
    automaton: WFA,
    length: int,
    symbols: int,
    allowed: Fraction,
    form: Precision,
    window: int | None = None,
) -> NormalisedStream:
    """The least C, of some tried, that keeps Γ - 1 (or ε_r, for drawn words) below what is allowed.

    It also makes the attention of the floating-point format a copy, where any C does.
    """
    facts, gap = shares(automaton), ball(1) - flint.arb.cos_pi_fmpq(flint.fmpq(1, length + 1))
    with flint.ctx.workprec(BITS):
        rounded = rounded_gap(length, form)
        least = [ceil(ceiling(UNDERFLOW / rounded)) + 1] if rounded > 0 else []
    for bits in range(STEP, MOST_BITS, STEP):
        enough = ceil(ceiling(bits * flint.arb.const_log2() / gap))
        saturation = Fraction(max([enough, *least]))
        stream = NormalisedStream(automaton.n, length, symbols, facts, saturation, window=window)
        if _keeps(stream, allowed):
            return stream
    raise TooSoft(f"no leak down to 2^-{MOST_BITS} keeps the windows apart")


def least_ratio(stream: NormalisedStream, error: Fraction) -> Fraction:
    """δ: below every f_σ/M if that is above 0, else what may be dropped; the larger where both are."""
    with flint.ctx.workprec(BITS):
        scale = stream.bounds().belief / ball(largest_weight(stream.n))
        covered = scale * ball(stream.shares.floor) / 2
        dropped = scale * ball(error) / (32 * stream.symbols)
        least = covered if stream.shares.positive else covered.max(dropped)
        exact = _lower(least * flint.arb("0.99"))
        bits = exact.denominator.bit_length() - exact.numerator.bit_length() + SHORT
        return Fraction(int(exact * (1 << bits)), 1 << bits)


def _keeps(stream: NormalisedStream, allowed: Fraction) -> bool:
    found = stream.bounds()
    if stream.shares.positive:
        return bool(found.log_growth <= ball(allowed))
    return bool((stream.length + 1) * found.relative <= ball(allowed) * found.misfit)
