"""Total variation of an n-gram model (`constructions.ngram_model`), for every word of at most T letters.

Assumed    as in `decoder_rounding`: every operation rounds once with unit u, in any order; exp, cos, sin
           and what is stored are within 8 units; the factor of a norm is within ν = γ_{4d+16}; ReLU is
           exact. With u = 0 this is exact arithmetic
read       a norm reads x as κ(x - m) up to 8u(1+ν)(|x| + 4m), with κ within ν and what |x|² is off by; the
           computed mean m of LayerNorm is at most ν max|x|, and all that reads it subtracts the
           coordinate `zero`, which is read as -κm, so that m matters in roundings alone
scores     fall short of the largest by G (at least `GAP`, enclosed by balls for RoPE), and move by
           η: of products of two reads, of sums, and of angles, off by Tθ(2 ln base + 8)u
head       weights of other tokens are at most λ = e^{-(G(1-ν)² - 2η)}(1+16u) + 2 smallest numbers, Λ = Tλ;
           a copied 1 is off by ε₁ = ν + e + 4Λ + γ_24, a copied 0 by ε₀ = 2e + 4Λ, e one read's rounding
units      Σ W x of at most k - 1 ones and N terms: off by 2(k-1)E₁ + 2N(E₀ + e) of half the gap, with
           E₁, E₀ the same after the second norm, and by γ_{N+4} of the terms: ρ, which must be below 1/4.
           So a unit that is off reads below 0 and is 0; the one that is on is half (1 ± ρ)
last norm  all logits have the factor Y = 1 ± ρ of that unit, and so have the fillers, by which the last norm
           divides: F = (1±ν)/√(R'/1 + S'/Y²), R' and S' the shares of |x|² that the unit writes and not
rest       8u|B| + γ_4|B| + 32 um of each logit by itself
variation  logits F B + e with softmax B = p: TV ≤ A/(1 - A), A = max over rows Σ p (e^{φ|log p| + e} - 1),
           φ = |F - 1|, plus the symbols that are impossible, with logits `LOW`
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import flint

from constructions.core.exact import ball
from constructions.ngram_model import EPSILON, GAP, LOW, NgramModel
from verify.bounds.floating import EXACT, Precision

BITS = 128
STORED = flint.arb(2) ** -45  # weights are made in float64


@dataclass(frozen=True)
class NgramRounding:
    """The model of an n-gram table, run in a floating-point format."""

    model: NgramModel
    form: Precision

    @property
    def unit(self) -> flint.arb:
        """u."""
        return self.form.roundoff

    @cached_property
    def nu(self) -> flint.arb:
        """ν, of the factor of a norm."""
        return self.form.gamma(4 * self.model.d_model + 16) + STORED

    @cached_property
    def lost(self) -> flint.arb:
        """Bound on the underflow in all sums."""
        model = self.model
        terms = 4 * model.d_model + model.length + 4 * len(model.contexts) + 64
        return terms * self.form.normal

    def mean(self, largest: flint.arb) -> flint.arb:
        """m, of LayerNorm alone."""
        return flint.arb(0) if self.model.rotary else self.nu * largest

    def noise(self, nu: flint.arb, mean: flint.arb, size: flint.arb | int = 1) -> flint.arb:
        """The rounding of one read of a number of at most that size."""
        return 8 * self.unit * (1 + nu) * (size + 4 * mean) + self.lost

    @cached_property
    def first_read(self) -> flint.arb:
        """e: the error of two reads and of their difference, with rounding."""
        read = self.noise(self.nu, self.mean(flint.arb(1)))
        return 2 * read + self.form.gamma(6) * (2 + 2 * self.nu + 2 * read)

    def leak(self) -> flint.arb:
        """Λ: the weights of all tokens but the target."""
        if not self.model.copies:
            return flint.arb(0)
        gap, moved = self._rotary_scores() if self.model.rotary else self._coded_scores()
        margin = gap * (1 - self.nu) ** 2 * (1 - 8 * self.unit) - 2 * moved
        each = (-margin).exp() * (1 + 16 * self.unit) + 2 * self.form.smallest
        return flint.arb((self.model.length * each).upper())

    def _coded_scores(self) -> tuple[flint.arb, flint.arb]:
        """The gap of codes, and η."""
        places, e = self.model.code.shape[1], self.first_read
        grown = 1 + self.nu + e
        moved = 2 * grown * e + e * e + self.form.gamma(places + 8) * grown * grown
        return flint.arb(GAP), flint.arb(GAP) / 4 * places * moved

    def _rotary_scores(self) -> tuple[flint.arb, flint.arb]:
        """The gap of RoPE's scores, enclosed, and η."""
        model, base = self.model, flint.arb(self.model.base)
        size = flint.arb(model.amplitude)
        turns = [base ** (-flint.arb(2 * f) / model.d_head) for f in range(model.d_head // 2)]
        gap = size * min((peak_width(turns, model.length, s) for s in range(1, model.copies + 1)),
                         key=lambda width: float(width.mid()))  # fmt: skip
        angle = model.length * (2 * base.log() + 8) * self.unit
        count, e = len(turns), self.first_read
        moved = 2 * angle * sum(turns, flint.arb(0))
        moved += count * (2 * self.form.gamma(64) + 4 * e + self.form.gamma(model.d_head + 8))
        return gap, size * moved * (1 + self.nu) ** 2

    def copied(self) -> tuple[flint.arb, flint.arb]:
        """ε₁ and ε₀: the errors of a copied 1 and of a copied 0."""
        leak, e = self.leak(), self.first_read
        return self.nu + e + 4 * leak + self.form.gamma(24), 2 * e + 4 * leak + self.lost

    def spread(self) -> tuple[flint.arb, flint.arb]:
        """The errors of |x|² and of the mean after the heads."""
        model, (one, zero) = self.model, self.copied()
        off = model.copies * (2 * one + one * one + model.width * zero * zero)
        mean = self.mean(flint.arb(1 + model.copies))
        if not model.rotary:
            mean += model.copies * (one + model.width * zero) / model.d_model
        return off + model.d_model * mean * mean, mean

    def unit_error(self) -> flint.arb:
        """ρ: the relative error of the active unit; infinite if another unit may be active."""
        model, (one, zero) = self.model, self.copied()
        off, mean = self.spread()
        nu = (1 + self.nu) * (1 + off / flint.arb(self.model.square_norms[1])) - 1
        read = self.noise(nu, mean, 1 + one)
        on, blank = nu + one * (1 + nu) + read, zero * (1 + nu) + read
        terms, letters = max(len(t) for t, _ in model.conditions), model.source.order
        moved = letters * on + terms * (blank + read)
        moved += letters * on if model.rotary else 0  # a gated block reads its threshold too
        sizes = letters * (1 + on) + terms * (blank + 2 * mean * (1 + nu)) + letters + 1
        error = 2 * moved + 2 * self.form.gamma(terms + 4) * sizes
        error += on + self.form.gamma(4) if model.rotary else 0  # the other factor of a gated block
        return error if error < flint.arb("0.25") else flint.arb("inf")

    def factor(self, error: flint.arb) -> tuple[flint.arb, flint.arb]:
        """φ = |F - 1|, and m at the last norm."""
        model, (off, before) = self.model, self.spread()
        _, after, added = map(flint.arb, model.square_norms)
        d = model.d_model
        largest = added.sqrt() * (1 + error)
        mean = self.mean(largest) + before + 4 * self.unit * largest
        mean = flint.arb(0) if model.rotary else mean
        fixed = d * flint.arb(EPSILON[model.kind])
        total = after + added + fixed
        around = flint.arb(0, 1)
        own = added * (1 + around * self.form.gamma(8)) / total
        rest = (after + fixed + around * (off + d * mean * mean)) / total
        factor = (1 + around * self.nu) / (own + rest / (1 + around * error) ** 2).sqrt()
        return flint.arb(abs(factor - 1).upper()), mean

    def variation(self) -> flint.arb:
        """The bound on the total variation; 1 where none is known."""
        with flint.ctx.workprec(BITS):
            error = self.unit_error()
            if not error.is_finite():
                return flint.arb(1)
            phi, mean = self.factor(error)
            if not phi < flint.arb("0.1"):
                return flint.arb(1)
            own = (self.form.gamma(4) + 8 * self.unit) * (1 + phi) ** 2 + flint.arb(2) ** -50
            alike = 32 * self.unit * mean * (1 + phi) + self.lost
            worst = flint.arb(0)
            for row in self.model.source.chances_after.values():
                worst = worst.max(self._row([ball(p) for p in row.values() if p], phi + own, alike))
            low = LOW * (1 - phi - own) + alike
            unwanted = self.model.vocabulary * low.exp()
            bound = (worst + unwanted) / (1 - worst) if worst < 1 else flint.arb(1)
            return flint.arb(bound.upper()).min(flint.arb(1))

    @staticmethod
    def _row(chances: list[flint.arb], share: flint.arb, alike: flint.arb) -> flint.arb:
        """A of a row."""
        parts = (p * ((share * -p.log() + alike).exp() - 1) for p in chances)
        return flint.arb(sum(parts, flint.arb(0)).upper())


def peak_width(turns: list[flint.arb], length: int, back: int) -> flint.arb:
    """A ball for `width_of_peak`: the margin of the score of the token s positions before."""

    def score(steps: int) -> flint.arb:
        return sum(((turn * steps).cos() for turn in turns), flint.arb(0))

    near = {steps: score(steps) for steps in range(back + 1)}
    others = [score(steps) for steps in range(1, length + 1)]
    widths = [len(turns) - other for other in others]
    for t in range(1, back):  # at t < s the target is BOS, t before
        widths += [near[back - t] - near[back - j] for j in range(t)]
    return flint.arb(min(width.lower() for width in widths))


def ngram_variation(model: NgramModel, form: Precision | None = None) -> flint.arb:
    """The total variation for every word of at most T letters, in a format or in exact arithmetic."""
    return NgramRounding(model, form or EXACT).variation()
