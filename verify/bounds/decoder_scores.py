"""Rounding error of the scores of a decoder without a norm, relative to the target's score.

Claimed       with roundings the weight of the token m places from the target, relative to the target's, is
              at most e^{-C'm² + 2η} in place of e^{-Cm²}, for C' = C(1 - 6γ_10 T - u) and η = 6uCT²
Assumed       as in `decoder_rounding`: stored weights are within 8 units, and T² < 1/u: places are exact
Queries       of token t are 2pC(t - s) and -p²C, from products with stored weights and a sum: each product
              is within γ_10. What they are off by is the same for all keys j/p, (j/p)²: with j* the
              target, m = |j - j*| and s < T the scores of j and j* move apart by no more than
              γ_10 C (2(t + s)m + |j² - j*²|) ≤ 6γ_10 CTm ≤ 6γ_10 CTm². This is a smaller C
Scores        are a + b with a = 2Cj(t - s) and b = -Cj², up to γ_10. Two products, their sum and a
              library's division by √d round: off by u(|a| + |b|) + 2u|a + b| and terms in u². Where t > s,
              |a| + |b| ≤ 3CT² and |a + b| ≤ CT², as j(2(t - s) - j) is at most (t - s)² and at least -s²;
              where t ≤ s, j ≤ t and |a| + |b| = |a + b| ≤ C(s²/2 + T²). So a score is off by at most
              5uCT² to the first order, and by 6uCT² with γ_10 and what is of higher order
Difference    subtracting the largest score rounds the difference by u of itself: again a smaller C
Exact         where no score is rounded (`DecoderRounding.has_exact_scores`), C' = C and η = 0
BOS           is the target where t ≤ s; the gap is C(m² + 2md), d = s - t, and all this holds with j* = 0
Rotary        as angles the gap is C(cos ωd - cos ω(d + m)) = 2C sin(ωm/2) sin(ω(d + m/2)), ω = π/(T + 1);
              as d + m ≤ s < T it is no less than the C(1 - cos ωm) of a target in the word, whose neighbours
              are on both sides. What rounding and a norm move there is in `setting_by_entries`
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions.core.exact import ball, ceiling
from verify.bounds.decoder import Setting
from verify.bounds.floating import Precision

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class MovedSetting(Setting):
    """A setting whose scores have errors of at most `moved` each, η."""

    moved: flint.arb = flint.arb(0)  # noqa: RUF009

    def leak(self, length: int, theta: flint.arb) -> flint.arb:
        """λ e^{2η}."""
        return super().leak(length, theta) * (2 * self.moved).exp()

    def begin_leak(self, length: int, missing: int) -> flint.arb:
        """The bound for a token that reads BOS and lacks d letters.

        Σ_{m≥1} e^{-C(m² + 2md)} ≤ e^{-C(1 + 2d)} / (1 - e^{-C(3 + 2d)}).
        """
        if self.rotary:
            return self.leak(length, flint.arb(0)) / 2
        constant, grown = ball(self.saturation), (2 * self.moved).exp()
        first, ratio = (-constant * (1 + 2 * missing)).exp(), (-constant * (3 + 2 * missing)).exp()
        return first / (1 - ratio) * grown


def moved_setting(
    setting: Setting, form: Precision, length: int, exact: bool
) -> MovedSetting | None:
    """The setting that the computed scores have at worst; none where they are too far off."""
    if exact:
        return MovedSetting(setting.design, setting.saturation)
    share = ceiling(6 * form.gamma(10) * length + form.roundoff)
    if share > HALF:
        return None
    moved = 6 * form.roundoff * ball(setting.saturation) * length**2
    return MovedSetting(setting.design, setting.saturation * (1 - share), moved=moved.upper())
