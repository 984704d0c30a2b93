"""Products by smooth hidden units, from their Taylor series: integers only.

Four tanh units   s (G(x+y) - G(x-y)) with G(u) = tanh(b+hu) + tanh(b-hu) = 2 Σ c_2k (hu)^2k
softplus units    (4/h²) (E(x+y) - E(x) - E(y) + E(0)) with E(u) = ln(2 cosh(hu/2)) = Σ e_k (hu)^2k;
                  softplus(v) = v/2 + ln(2 cosh(v/2)), and the halves cancel

Coefficients      tanh' = 1 - tanh², so that (m+1) c_(m+1) = [m = 0] - Σ c_i c_(m-i), c_0 = tanh b
Rest              |tanh z| ≤ tan 1 < 2 where |Im z| ≤ 1, so that |c_m| ≤ 2 for every real b, and |e_k| ≤ 1;
                  with |hx|, |hy| ≤ 1/8 the terms from k on add up to less than 4/3 of the largest
                  that the k-th can be
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

from verify.recheck.errors import Refused
from verify.recheck.kernel import interval
from verify.recheck.kernel.fixed import ZERO, Fixed, most, times
from verify.recheck.kernel.interval import ceil, floor

POINT = Fraction(1, 2)  # b of the tanh units


@dataclass(frozen=True)
class Units:
    """Hidden units for a product: tanh with scale s, or softplus (s = 0), with the step h."""

    step: Fraction
    scale: Fraction = Fraction(0)

    @property
    def bits(self) -> int:
        """Bits in which the error of a product is seen, which is near h²; a multiple of 64."""
        return -(-(2 * self.step.denominator.bit_length() + 96) // 64) * 64

    def series(self, reach: int, bits: int) -> Series:
        """The series for |x|, |y| ≤ reach."""
        return _series(self, reach, bits)

    def for_entries(self, rows: Iterable[Iterable[Fixed]], bits: int) -> Series:
        """The series for all pairs of some numbers, and of 1."""
        largest = max(most(x) for row in rows for x in row)
        return self.series(max(ceil(Fraction(largest, 1 << bits), 0), 1), bits)

    def tanh(self, count: int, bits: int) -> Iterator[tuple[Fraction, Fraction]]:
        """The coefficients of four tanh units."""
        work = bits + 2 * (1 / self.step).numerator.bit_length() + 32
        for k, (low, high) in enumerate(tanh_series(2 * count, work)[2:-1:2], 1):
            weight = 2 * self.scale * self.step ** (2 * k)
            yield min(weight * low, weight * high), max(weight * low, weight * high)

    def softplus(self, count: int) -> Iterator[tuple[Fraction, Fraction]]:
        """The coefficients of softplus units."""
        for k in range(1, count):
            odd = rational_tanh(2 * count)[2 * k - 1]
            value = 4 * self.step ** (2 * k - 2) * odd / (2 ** (2 * k + 1) * k)
            yield value, value


@dataclass(frozen=True)
class Series:
    """F(x+y) - F(x-y), or F(x+y) - F(x) - F(y), of x and y over 2^shift, with F(u) = Σ a_k u^2k.

    The rest is below one unit of the last bit. F is taken at the middles of x and y, by Horner's rule.
    """

    terms: tuple[Fixed, ...]
    shift: int
    shared: bool
    bits: int

    @cached_property
    def middles(self) -> list[int]:
        """The middles of the coefficients, the last one first."""
        return [(low + high) >> 1 for low, high in reversed(self.terms)]

    @cached_property
    def slope(self) -> int:
        """A bound on |F'(u)| for |u| ≤ 1/2, which is Σ |a_k| 2k 2^(1-2k), and a little beyond."""
        sizes = (most(term) * 4 * k / Fraction(4) ** k for k, term in enumerate(self.terms, 1))
        return ceil(sum(sizes, Fraction(0)) / (1 << self.bits), 0) + 1

    @cached_property
    def rounding(self) -> int:
        """Error of the coefficients' midpoints and of the steps of Horner's rule, in units.

        A square is off by less than a unit, and with it F by less than its slope, for |dF/d(u²)| is no more;
        a step is off by a unit and by a quarter of the one before, hence by less than 2. There are at most
        three F, and the rest is 1.
        """
        wide = sum(high - low + 2 for low, high in self.terms)
        return 3 * (wide + self.slope + 2) + 1

    def _power_sum(self, u: int) -> int:
        """F(u) for |u| ≤ 1/2."""
        bits, value = self.bits, 0
        base = u * u >> bits
        for middle in self.middles:
            value = (value + middle) * base >> bits
        return value

    def product(self, x: Fixed, y: Fixed) -> Fixed:
        """The units' approximation of x y; exactly 0 if a factor is 0, since the terms cancel."""
        if ZERO in (x, y):
            return ZERO
        half = self.shift + 1
        a, b = x[0] + x[1] >> half, y[0] + y[1] >> half
        if self.shared:
            value = self._power_sum(a + b) - self._power_sum(a) - self._power_sum(b)
        else:
            value = self._power_sum(a + b) - self._power_sum(a - b)
        width = (x[1] - x[0] + y[1] - y[0] >> half) + 4
        off = 2 * self.slope * width + self.rounding
        return value - off, value + off


@cache
def _series(units: Units, reach: int, bits: int) -> Series:
    if units.step * reach > Fraction(1, 8):
        raise Refused("a hidden unit leaves the domain of its series")
    factor = abs(units.scale) if units.scale else 4 / units.step**2
    shift = (4 * reach).bit_length()  # x / 2^shift is less than 1/4
    base, rest, count = (2 * units.step * reach) ** 2, 16 * factor, 0
    while rest * (1 << bits) > 1 or count < 2:
        rest, count = rest * base, count + 1
    found = units.tanh(count, bits) if units.scale else units.softplus(count)
    terms = [
        (floor(low * 4 ** (shift * k), bits), ceil(high * 4 ** (shift * k), bits))
        for k, (low, high) in enumerate(found, 1)
    ]
    return Series(tuple(terms), shift, not units.scale, bits)


@cache
def tanh_series(order: int, bits: int) -> tuple[tuple[Fraction, Fraction], ...]:
    """Taylor coefficients of tanh at b, enclosed."""
    low, high = (1 - 2 / (end + 1) for end in interval.exp(2 * POINT, bits + 8))
    found = [(floor(low, bits), ceil(high, bits))]
    for m in range(order):
        parts = [times(found[i], found[m - i], bits) for i in range(m + 1)]
        one = (1 << bits) if m == 0 else 0
        least, most = one - sum(p[1] for p in parts), one - sum(p[0] for p in parts)
        found.append((least // (m + 1), -(-most // (m + 1))))
    return tuple((Fraction(a, 1 << bits), Fraction(b, 1 << bits)) for a, b in found)


@cache
def rational_tanh(order: int) -> tuple[Fraction, ...]:
    """Taylor coefficients of tanh at 0."""
    found = [Fraction(0)]
    for m in range(order):
        total = Fraction(int(m == 0)) - sum(found[i] * found[m - i] for i in range(m + 1))
        found.append(total / (m + 1))
    return tuple(found)
