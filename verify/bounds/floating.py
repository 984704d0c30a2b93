"""Floating-point formats: unit roundoff u, the smallest, the least normal and the largest number.

γ_k = k u / (1 - k u) bounds the relative error of k roundings. Where weights go through float64
before they are rounded to the format, u is taken a thousandth larger.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import flint


@dataclass(frozen=True)
class Precision:
    """A format: `bits` of significand, exponents from `least` to `most`; weights rounded `twice`."""

    name: str
    bits: int
    least: int
    most: int
    twice: bool = True

    @property
    def roundoff(self) -> flint.arb:
        """u, a thousandth larger where weights are rounded twice."""
        unit = flint.arb(2) ** (-self.bits)
        return unit * 1001 / 1000 if self.twice else unit

    @property
    def smallest(self) -> flint.arb:
        """η, the smallest positive number."""
        return flint.arb(2) ** self.least

    @property
    def normal(self) -> flint.arb:
        """τ, the smallest number that has all bits of significand."""
        return flint.arb(2) ** (self.least + self.bits - 1)

    @property
    def largest(self) -> flint.arb:
        """A number below the largest finite one."""
        return flint.arb(2) ** self.most

    def nearest(self, size: flint.arb) -> flint.arb:
        """Error of rounding to nearest for numbers up to a size: u times the power of two below the size.

        Examples:
            >>> float(ONCE["float32"].nearest(flint.arb(3))) == 2.0**-23
            True

        """
        digits, exponent = size.upper().man_exp()
        return self.roundoff * flint.arb(2) ** (int(exponent) + int(digits).bit_length() - 1)

    def gamma(self, count: int) -> flint.arb:
        """γ_k = k u / (1 - k u), unbounded where k u ≥ 1."""
        share = count * self.roundoff
        return share / (1 - share) if share < 1 else flint.arb("inf")


class ExactArithmetic(Precision):
    """Arithmetic without rounding, for bounds that take a format."""

    @property
    def roundoff(self) -> flint.arb:
        """u = 0."""
        return flint.arb(0)

    @property
    def smallest(self) -> flint.arb:
        """η = 0: nothing is lost."""
        return flint.arb(0)

    @property
    def normal(self) -> flint.arb:
        """τ = 0."""
        return flint.arb(0)

    @property
    def largest(self) -> flint.arb:
        """No number overflows."""
        return flint.arb("inf")


EXACT = ExactArithmetic("exact arithmetic", 1 << 12, 0, 0)


def wide_precision(bits: int) -> Precision:
    """A format with `bits` bits of significand and exponents that cannot overflow or underflow here."""
    return Precision("", bits, -(1 << 20), 1 << 20)


FORMATS = (
    Precision("float64", 53, -1074, 1023),
    Precision("float32", 24, -149, 127),
    Precision("float16", 11, -24, 15),
    Precision("bfloat16", 8, -133, 127),
)
ONCE = {form.name: replace(form, twice=False) for form in FORMATS}
