"""The leak of a softmax row: what soft attention gives to the wrong positions.

Claimed       (Appendix B.2) a large C approximates the shift to any precision
Shown         the row of position t has the weights p_m = exp(C cos(πm/M)) / Z, m = t - s - w
              modulo 2M, for both heads and all layers; with x_m = cos(πm/M)
              p_m / p_0 = exp(-C (1 - x_m)) ≤ exp(-C g), g = 1 - cos(π/M), so that
              leak = 1 - p_0 = Σ_{m≠0} p_m ≤ (2M-1) exp(-C g); and p_1 = p_0 exp(-C g), so
              that the rate g is the right one
Notation      C saturating constant, 2M tokens, g gap. Since 1 - cos x ≥ 2x²/π² on [0, π],
              g ≥ 2/M²: C has to grow like M² for a fixed leak
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import flint

from constructions.core.exact import ball
from constructions.core.exact import ceiling as upper

HIGHEST_BITS = 1 << 15


def deficit(m: int, span: int) -> flint.arb:
    """1 - cos(πm/M) = 2 sin²(πm/(2M)), without cancellation."""
    sine = flint.arb.sin_pi_fmpq(flint.fmpq(m, 2 * span))
    return 2 * sine * sine


def gap(span: int) -> flint.arb:
    """g = 1 - cos(π/M): by how much the right score beats the next."""
    return deficit(1, span)


def weights(saturation: Fraction, span: int) -> list[flint.arb]:
    """p_m for m = 0 … 2M-1: one row of softmax weights, from the right position on."""
    constant = ball(saturation)
    half = [(-constant * deficit(m, span)).exp() for m in range(span + 1)]
    powers = half + half[-2:0:-1]  # p_m = p_{2M-m}
    total = sum(powers, flint.arb(0))
    return [power / total for power in powers]


def leak(saturation: Fraction, span: int) -> flint.arb:
    """1 - p_0, summed from its parts."""
    return sum(weights(saturation, span)[1:], flint.arb(0))


def ceiling(saturation: Fraction, span: int) -> flint.arb:
    """(2M-1) exp(-C g), at least the leak."""
    return (2 * span - 1) * (-ball(saturation) * gap(span)).exp()


def bits_for(saturation: Fraction, span: int) -> int:
    """Bits at which even a plain forward pass sees an error as small as exp(-C g), up to a limit."""
    with flint.ctx.workprec(64):
        needed = ball(saturation) * gap(span) / flint.arb.const_log2()
        whole = ceil(upper(needed))
    return min(128 + whole + int(saturation).bit_length(), HIGHEST_BITS)
