"""The saturation C that a given error requires: sound for all words of length T, in closed form.

Claimed       (Appendix B.2) some large enough C exists
Constructs    the least C on a fine grid for which the corrected recursion, with bounds that hold
              for all words, keeps the states within ε in the norm of Definition 3.2
Notation      D_l ≥ ‖A^u - A^v‖ and μ_l over words of at most 2^(l-1) letters; F = ‖α‖ √(T+1);
              g = 1 - cos(π/M)
Closed form   G = Σ_l D_l Π_{j≥l} 3 μ_j and C = ln((2M-1) G max(1, F/ε)) / g.
              Proof: leak ≤ (2M-1) exp(-C g), so leak · G ≤ min(1, ε/F). As long as δ_l ≤ μ_l,
              2 μ_l δ_l + δ_l² ≤ 3 μ_l δ_l, so ε_l ≤ leak Σ_{i≤l} D_i Π_{i≤j≤l} 3 μ_j ≤ leak · G ≤ 1,
              where the last factor is at least 3 times δ_l; so δ_l ≤ 1/3 < μ_l, by induction. Then
              F ε_L ≤ ε. As g ≥ 2/M², C ≤ (M²/2) ln((2M-1) G max(1, F/ε)): C grows like T² times
              log T + log 1/ε + log of the amplification G. The number of parameters does not
              depend on C; W_Q and W_K grow like √C, that is like T.
With an MLP   every entry of a factor is at most max_l μ_l + δ_l in size. As long as δ_l ≤ 1, four units
              a product with step h, right up to ρ on numbers of size max_l μ_l + 1, multiply two
              matrices up to n ρ in each entry and n² ρ in norm, which is ε_mlp of the recursion
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil

import flint

from constructions.automata.wfa import WFA
from constructions.blocks.smoothing import FourUnits
from constructions.core.errors import InputError
from constructions.core.exact import ball, ceiling
from constructions.theorem1 import check_length, depth, span
from verify.bounds import leak
from verify.bounds.budget import FINEST, TooSoft, bisection, least_number
from verify.bounds.growth import Growth, growth
from verify.bounds.norms import largest
from verify.bounds.recursion import corrected_errors, readout_factor

GRID = 64
HALF = flint.arb("0.5")
BITS = 192


@dataclass(frozen=True)
class Saturation:
    """A sufficient C, its certified error, the C of the closed form, and the quantities in both."""

    constant: Fraction
    error: flint.arb
    closed_form: Fraction
    norms: tuple[flint.arb, ...]
    listed: int


@dataclass(frozen=True)
class UniformBounds:
    """Bounds for all words of length T: μ_l and D_l, l = 1 … L, and F, computed from `grown`."""

    span: int
    norms: tuple[flint.arb, ...]
    diameters: tuple[flint.arb, ...]
    readout: flint.arb
    listed: int
    grown: Growth | None = field(default=None, compare=False)

    def errors(self, saturation: Fraction, mlp: Fraction | int = 0) -> list[flint.arb]:
        """Bounds on ε_1 … ε_L for all words."""
        given_away = leak.leak(saturation, self.span)
        shares = [given_away * diameter for diameter in self.diameters]
        return corrected_errors(self.norms, shares, ball(mlp))

    def states(self, saturation: Fraction, mlp: Fraction | int = 0) -> flint.arb:
        """A bound on the Frobenius norm of the error of all T + 1 states, for all words."""
        errors = self.errors(saturation, mlp)
        return self.readout * errors[-1] if errors else flint.arb(0)

    def closed_form(self, eps: Fraction) -> flint.arb:
        """ln((2M-1) G max(1, F/ε)) / g."""
        gain = amplification(self.norms, self.diameters)
        inside = (2 * self.span - 1) * gain * (self.readout / ball(eps)).max(flint.arb(1))
        return flint.arb(inside.upper()).max(flint.arb(1)).log() / leak.gap(self.span)


def amplification(norms: Sequence[flint.arb], diameters: Sequence[flint.arb]) -> flint.arb:
    """G = Σ_l D_l Π_{j≥l} 3 μ_j."""
    total = flint.arb(0)
    for norm, diameter in zip(norms, diameters, strict=True):
        total = (total + diameter) * 3 * norm
    return total


def uniform_bounds(automaton: WFA, length: int) -> UniformBounds:
    """μ_l, D_l and F for all words of length T."""
    layers = depth(length)
    grown: Growth = growth(automaton, 1 << max(layers - 1, 0))
    lengths = [1 << layer for layer in range(layers)]
    return UniformBounds(
        span(length),
        tuple(grown.norms[k] for k in lengths),
        tuple(grown.diameter(k) for k in lengths),
        readout_factor(automaton, length),
        grown.listed,
        grown,
    )


def required_saturation(
    automaton: WFA,
    length: int,
    eps: Fraction,
    bounds: UniformBounds | None = None,
) -> Saturation:
    """A C for which the states of every word of length T are certainly within ε.

    What holds for all words (`uniform_bounds`) can be given where it is known already.

    Examples:
        >>> from constructions.automata.families import counting
        >>> needed = required_saturation(counting(), 4, Fraction(1, 1000))
        >>> 42 < needed.constant < 43, bool(needed.error < 0.001)
        (True, True)

    """
    if eps <= 0:
        raise InputError("eps", str(eps), "a number > 0")
    with flint.ctx.workprec(BITS):
        bounds = bounds or uniform_bounds(automaton, check_length(length))
        constant = _least(bounds, eps)
        error, closed = bounds.states(constant), _closed_form(bounds, eps)
        return Saturation(constant, error, closed, bounds.norms, bounds.listed)


@dataclass(frozen=True)
class Fineness:
    """A C, a step h = 2^-bits of the MLPs, and the error that both certainly keep."""

    constant: Fraction
    bits: int
    error: flint.arb


def required_fineness(
    automaton: WFA, length: int, eps: Fraction, activation: str, bounds: UniformBounds | None = None
) -> Fineness:
    """C and h for which softmax and MLPs of 4n³ units keep the states of every word within ε.

    Examples:
        >>> from constructions.automata.families import counting
        >>> found = required_fineness(counting(), 4, Fraction(1, 1000), "tanh")
        >>> 44 < found.constant < 45, found.bits
        (True, 13)

    """
    with flint.ctx.workprec(BITS):
        bounds = bounds or uniform_bounds(automaton, check_length(length))
        if bounds.readout == 0:  # then every state is 0, whatever the layers multiply
            return Fineness(Fraction(0), 1, flint.arb(0))
        constant = _least(bounds, eps / 2, inside=True)

        def error(bits: int) -> flint.arb:
            return _mlp_state_error(bounds, automaton.n, constant, FourUnits.of(activation, bits))

        try:
            bits = least_number(lambda k: bool(error(k) < ball(eps)), FINEST, "step")
        except TooSoft:
            expected = f"an error that MLPs with a step of 2^-{FINEST} or more keep"
            raise InputError("eps", str(eps), expected) from None
        return Fineness(constant, bits, error(bits))


def _closed_form(bounds: UniformBounds, eps: Fraction) -> Fraction:
    """A whole C above the closed form, with which states are within ε and every δ_l is below 1/3."""
    return Fraction(ceil(ceiling(bounds.closed_form(eps))) + 1)


def _least(bounds: UniformBounds, eps: Fraction, inside: bool = False) -> Fraction:
    """The least C on a grid up to the closed form that keeps states within ε; 0 where any does.

    With `inside` it keeps every input of a layer within 1/2 of the exact one as well, which MLPs need and
    a loose ε does not imply.
    """
    target, start = ball(eps), _closed_form(bounds, eps)

    def enough(constant: Fraction) -> bool:
        if inside and not all(delta < HALF for delta in _inputs(bounds, constant, 0)):
            return False
        return bool(bounds.states(constant) < target)

    if enough(Fraction(0)):
        return Fraction(0)
    unit = start / (GRID * GRID)
    return bisection(lambda k: enough(k * unit), 0, GRID * GRID) * unit


def _inputs(bounds: UniformBounds, constant: Fraction, mlp: Fraction | int) -> list[flint.arb]:
    """δ_l: the error of the factors that layer l multiplies."""
    lost = leak.leak(constant, bounds.span)
    before = [flint.arb(0), *bounds.errors(constant, mlp)]
    return [e + lost * d for e, d in zip(before, bounds.diameters, strict=False)]


def _mlp_state_error(
    bounds: UniformBounds, n: int, constant: Fraction, units: FourUnits
) -> flint.arb:
    """A bound on the error of the states, or infinity where inputs may leave the box."""
    radius = ceiling(largest(bounds.norms)) + 1
    rest = n * n * units.error(radius, radius)
    if not rest < 1:
        return flint.arb("inf")
    mlp = ceiling(rest)
    inside = all(delta < 1 for delta in _inputs(bounds, constant, mlp))
    return bounds.states(constant, mlp) if inside else flint.arb("inf")
