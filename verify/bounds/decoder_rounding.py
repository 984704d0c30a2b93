"""Rounding of the gated decoder without a norm, on top of its leak, for all words of a length.

Assumed      every operation rounds once with unit u, sums run in any order, and exp, σ and the stored
             weights are within 8 units; this is how the libraries compute, not something they promise
Derivation   as in `decoder`, with γ_k = ku/(1 - ku) and, for R = T + 1 tokens,
  embedding  entries of A - I are rounded twice: e_0 = 2nu M; places t/p and (t/p)² are exact as long as
             T² < 1/u; copies and sums with zeros are exact
  scores     three terms of size at most 5CT² together, at most 14 roundings: they move by η = 5γ_14 CT²,
             so the leak grows by e^{2η}
  head       weights and their sum with the values: f gains nγ_{2R+12}(M + e), and what underflows
  stream     adding the head rounds window and scratch: e gains nu(2M + e + f), ρ gains nu(M + f + ρ)
  products   the gate reads y up to u|y|; x σ(y) - x σ(-y) and its sum over k miss by at most
             n² γ_{2n+12} p (q + 3/5), as |σ(y)| + |σ(-y)| ≤ |y| + 3/5
  erasing    leaves nγ_14 p in the scratch; adding the block rounds the window once more
  readout    γ_{n²+n+5} times the size of what is added up
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import flint

from verify.bounds.decoder import BITS, Errors, Known, leak
from verify.bounds.leak import ball


@dataclass(frozen=True)
class Format:
    """A floating-point format: the unit u = 2^-bits and the least normal exponent."""

    name: str
    bits: int
    least: int

    @property
    def unit(self) -> flint.arb:
        """u."""
        return flint.arb(2) ** -self.bits

    def gamma(self, count: int) -> flint.arb:
        """γ_k = ku/(1 - ku), unbounded where ku ≥ 1."""
        share = count * self.unit
        return share / (1 - share) if share < 1 else flint.arb("inf")


FORMATS = {"float64": Format("float64", 53, -1022), "float32": Format("float32", 24, -126)}


def step(known: Known, layer: int, before: Errors, constant: Fraction, form: Format) -> Errors:
    """e and ρ after layer l, rounded up."""
    n, tokens, u = known.n, known.length + 1, form.unit
    big, far = known.norms[layer - 1], known.distances[layer - 1]
    moved = 5 * form.gamma(14) * ball(constant) * known.length**2
    lost = leak(constant) * (2 * moved).exp()
    below = tokens * flint.arb(2) ** form.least
    e, rho = before.window, before.scratch
    f = e + (2 * lost + n * (form.gamma(2 * tokens + 12) + below)) * (far + e)
    e, rho = e + n * u * (2 * far + e + f), rho + n * u * (far + f + rho)
    p, q = far + f + rho, far + e + rho
    after = big * e + big * f + e * f + rho * (2 * far + e + f + rho)
    after += n * u * p * q + n * n * form.gamma(2 * n + 12) * p * (q + ball(Fraction(3, 5)))
    after += n * u * (2 * far + e + f + p * q + after)
    left = n * form.gamma(14) * p
    return Errors(flint.arb(after.upper()), flint.arb(left.upper()))


def state_error(known: Known, constant: Fraction, form: Format) -> flint.arb:
    """A bound on the Euclidean error of every computed state of every word; infinite if unknown."""
    n = known.n
    if known.length**2 >= 1 << form.bits:
        return flint.arb("inf")
    with flint.ctx.workprec(BITS):
        first = known.distances[0] if known.distances else known.reach + 1
        now = Errors(2 * n * form.unit * first, flint.arb(0))
        for layer in range(1, len(known.norms) + 1):
            now = step(known, layer, now, constant, form)
        size = flint.arb(n).sqrt() * (known.reach + 1 + now.window) + 1
        rounded = form.gamma(n * n + n + 5) * flint.arb(n).sqrt() * size
        return flint.arb((known.readout * (now.window + rounded)).upper())
