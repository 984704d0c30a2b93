"""Error of reading a token that a norm has multiplied by one factor and rounded.

Claimed       a coordinate x is read as κx up to each·(|x| + 2m) + lost, with one κ for the whole token and
              |1 - κ| ≤ θ'; m is the mean that LayerNorm takes from all coordinates, and that the zero
              coordinate, read with it, gives back. Without a norm all four
              numbers are 0. `DecoderRounding.reading` has them for every norm; here are those of RMSNorm
              with closer numbers, for the bound by entries
Assumed       of RMSNorm: additions round to nearest, the sum of squares is divided by d in at most two
              roundings, ε is added in one, the inverse root is within 4 units, the gain K/√d is stored
              within 2, and a coordinate is multiplied by the inverse root, by the gain, and converted: two
              roundings, and one of at most u/16, as only a longer format is converted, in which the gain is
              multiplied then. K is a power of two, and K² ≥ d
Sum           q = K² + Q with Q ≥ 0 the squares of all other coordinates. On the way of K² through a sum in
              any order, partial sums of other squares are added to it. Each addition rounds by no more
              than what is added, and never below K²: so K² ≤ q̂ ≤ K² + 2(1 + γ_{d+4})Q + dτ, as the computed
              partial sums are at most (1 + γ_{d+4})Q together, and d squares may be lost
Factor        κ = K/√(q̂ + dε) up to roundings: 1 ≥ K/√(q̂ + dε) ≥ 1 - ψ with ψ = 2(1 + γ_{d+4})θ + dτ/K² and
              θ = (Q + dε)/(2K²) of `decoder`. Three roundings under the root are no more than 3/2 beside it,
              with 4 of the root and 2 of the gain: θ' = ψ + g(1 + ψ), g = γ_15/2 = 15u/(2(1 - 15u)), for
              √(1 + γ_3) ≤ 1 + γ_3/2, 1/√(1 - γ_3) ≤ 1 + γ_3/(2(1 - γ_3)), and products of such factors
Coordinates   each = (17/16)γ_2(1 + θ'). What is converted loses τ, x times the inverse root loses τ, which
              the gain multiplies, and the last product loses τ: lost = (2K + 4)τ
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions.core.exact import ball
from constructions.decoder import Normalisation
from verify.bounds.decoder import Setting, square_of_ball
from verify.bounds.floating import Precision


@dataclass(frozen=True)
class NormReading:
    """Errors of reading a normalised, rounded token: θ', the mean m, the relative error, the loss."""

    theta: flint.arb
    mean: flint.arb
    each: flint.arb
    lost: flint.arb

    @property
    def exact(self) -> bool:
        """True if the reading has no error."""
        return all(part.is_zero() for part in (self.theta, self.mean, self.each, self.lost))

    @property
    def pair_shrinkage(self) -> flint.arb:
        """A bound on |1 - κκ'|."""
        return 2 * self.theta + square_of_ball(self.theta)

    def read_error(self, size: flint.arb, coordinates: int = 1) -> flint.arb:
        """Error of sums of that size over `coordinates` coordinates, beyond the factor κ."""
        return self.each * (size + 2 * coordinates * self.mean) + coordinates * self.lost


def exact_reading() -> NormReading:
    """Reads without a norm."""
    return NormReading(flint.arb(0), flint.arb(0), flint.arb(0), flint.arb(0))


def rms_reading(
    setting: Setting, n: int, square_norm: flint.arb, form: Precision
) -> NormReading | None:
    """Reading error of RMSNorm for matrices of at most that square norm; None for other norms and K."""
    design = setting.design
    width, large = design.layout(n).size, design.large
    if design.norm is not Normalisation.RMS or large & (large - 1) or large**2 < width:
        return None
    squared = ball(Fraction(large**2))
    rest = 2 * (1 + form.gamma(width + 4)) * setting.shrinkage(square_norm, n)
    rest += width * form.normal / squared
    theta = rest + form.gamma(15) / 2 * (1 + rest)
    each = 17 * form.gamma(2) / 16 * (1 + theta)
    return NormReading(theta, flint.arb(0), each, (2 * large + 4) * form.normal)
