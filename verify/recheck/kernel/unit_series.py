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
from functools import cache

from verify.recheck.errors import Refused
from verify.recheck.kernel import interval
from verify.recheck.kernel.fixed import ZERO, Fixed, most, square, times, total
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

    def series(self, reach: Fraction, bits: int) -> Series:
        """The series for |x|, |y| ≤ reach."""
        if self.step * reach > Fraction(1, 8):
            raise Refused("a hidden unit leaves the domain of its series")
        factor = abs(self.scale) if self.scale else 4 / self.step**2
        shift = (2 * floor(reach, 0) + 2).bit_length()  # x / 2^shift is at most 1/4
        base, rest, count = (2 * self.step * reach) ** 2, 16 * factor, 0
        while rest * (1 << bits) > 1 or count < 2:
            rest, count = rest * base, count + 1
        found = self._tanh(count, bits) if self.scale else self._softplus(count)
        terms = [
            (floor(low * 4 ** (shift * k), bits), ceil(high * 4 ** (shift * k), bits))
            for k, (low, high) in enumerate(found, 1)
        ]
        return Series(tuple(terms), shift, not self.scale, bits)

    def for_entries(self, rows: Iterable[Iterable[Fixed]], bits: int) -> Series:
        """The series for all pairs of some numbers, and of 1."""
        largest = max(most(x) for row in rows for x in row)
        return self.series(max(Fraction(largest, 1 << bits), Fraction(1)), bits)

    def _tanh(self, count: int, bits: int) -> Iterator[tuple[Fraction, Fraction]]:
        work = bits + 2 * (1 / self.step).numerator.bit_length() + 32
        for k, (low, high) in enumerate(tanh_series(2 * count, work)[2:-1:2], 1):
            weight = 2 * self.scale * self.step ** (2 * k)
            yield min(weight * low, weight * high), max(weight * low, weight * high)

    def _softplus(self, count: int) -> Iterator[tuple[Fraction, Fraction]]:
        for k in range(1, count):
            odd = rational_tanh(2 * count)[2 * k - 1]
            value = 4 * self.step ** (2 * k - 2) * odd / (2 ** (2 * k + 1) * k)
            yield value, value


@dataclass(frozen=True)
class Series:
    """Σ a_k D_k(x / 2^shift, y / 2^shift) and a rest below one unit of the last bit."""

    terms: tuple[Fixed, ...]
    shift: int
    shared: bool  # D_k = (x+y)^2k - x^2k - y^2k in place of (x+y)^2k - (x-y)^2k
    bits: int

    def product(self, x: Fixed, y: Fixed) -> Fixed:
        """The units' approximation of x y; exactly 0 if a factor is 0, since the terms cancel."""
        if ZERO in (x, y):
            return ZERO
        bits, shift = self.bits, self.shift
        x, y = ((low >> shift, -(-high >> shift)) for low, high in (x, y))
        sides = [(x[0] + y[0], x[1] + y[1])]
        sides += [x, y] if self.shared else [(x[0] - y[1], x[1] - y[0])]
        squares = [square(side, bits) for side in sides]
        powers = [(low, high, low, high) for low, high in squares]
        plain = times(x, y, bits)
        first = 2 if self.shared else 4  # D_1 = 2xy or 4xy
        low, high = times(self.terms[0], (first * plain[0], first * plain[1]), bits)
        for term in self.terms[1:]:
            powers = [(a, b, p * a >> bits, -(-q * b >> bits)) for a, b, p, q in powers]
            (_, _, *whole), *others = powers
            rest = total((p, q) for _, _, p, q in others)
            part = times(term, (whole[0] - rest[1], whole[1] - rest[0]), bits)
            low, high = low + part[0], high + part[1]
        return low - 1, high + 1


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
