"""Bounds on how far computed logits are from g(f/M), g the units of a layer of logarithms in a circuit file.

Units        c + b x - Σ w σ(s - (s/k) x), x = f/M: the argument of a unit is off by (s/k) dx, dx the error of
             f/M with that of its sum, and by θ of itself behind a norm; σ is within 8u(min(|z|, 40) + |σ|),
             as its tails are below that; sums by γ
Last norm    it sees the logits: their squares are part of its |x|², so that logits far out of range, which
             interventions can make, have a bound as large as they are
"""

from __future__ import annotations

from dataclasses import dataclass

import flint

from constructions.blocks.logarithm import Logarithm
from constructions.core.activations import smooth_activation
from constructions.core.exact import ball
from verify.bounds.floating import Precision
from verify.bounds.norm_reading import NormReading

SATURATED = 40  # beyond |z| = 40 the tail of every activation is below the rounding of its value
UNKNOWN = flint.arb("inf")


def top(value: flint.arb) -> flint.arb:
    """The upper end of a ball; infinite where that is not known."""
    return flint.arb(value.upper()) if value.is_finite() else UNKNOWN


@dataclass(frozen=True)
class LogarithmBounds:
    """Bounds on how far computed logits are from g(f/M)."""

    log: Logarithm
    n: int
    form: Precision
    read: NormReading
    error: flint.arb  # of f/M
    wide: flint.arb  # what sums of f/M have to add up

    @property
    def off(self) -> flint.arb:
        """The error of f/M as a unit reads it."""
        n, form = self.n, self.form
        return self.error + (form.gamma(n * n + 16) + self.read.each + self.read.theta) * self.wide

    def sizes(self, value: flint.arb, linear: flint.arb) -> tuple[flint.arb, flint.arb]:
        """Return a bound on the error of all units together, and the size of what the readout adds up."""
        form, theta, off = self.form, self.read.theta, self.off
        sigma, s = smooth_activation(self.log.activation), ball(self.log.sharpness)
        moved = abs(ball(self.log.slope)) * off
        summed = abs(ball(self.log.offset)) + abs(ball(self.log.slope) * linear)
        for knot, weight in zip(self.log.knots, self.log.weights, strict=True):
            rate, size = s / ball(knot), abs(ball(weight))
            z = s - rate * value
            reach = abs(z) + rate * off
            steepest, largest_value = self.slope(z, rate * off), abs(sigma.series(z))
            shifted = steepest * (rate * off + (theta + form.gamma(8)) * reach)
            own = 8 * form.roundoff * (reach.min(flint.arb(SATURATED)) + largest_value)
            moved += size * (shifted + own + theta * largest_value)
            summed += size * largest_value
        return moved, summed

    def slope(self, z: flint.arb, radius: flint.arb) -> flint.arb:
        """A bound on |σ'| near z: in a ball if that is narrow, else everywhere."""
        sigma = smooth_activation(self.log.activation)
        everywhere = ball(sigma.lipschitz)
        if not radius < 1:
            return everywhere
        nearby = abs(sigma.derivative(z + radius * flint.arb(0, 1), 1))
        return nearby.min(everywhere) if nearby.is_finite() else everywhere

    def bound(self, moved: flint.arb, size: flint.arb, last: NormReading) -> flint.arb:
        """The error of a logit behind the last norm."""
        form = self.form
        share = form.gamma(len(self.log.knots) + 16) + 2 * last.theta + last.each
        total = moved * (1 + share) + share * size
        return top(total)
