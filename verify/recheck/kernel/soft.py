"""Theorem 2's soft model with exact products, in fixed-point interval arithmetic: integers only.

A number x is kept as (low, high) with low ≤ x · 2^bits ≤ high. The pass is the plain one: every
token is averaged with the softmax weights of the ring of 2M positions, then multiplied by the
token 2^(l-1) further left; the exact tokens are rationals beside it. The spectral norm of 1 × 1 and 2 × 2
matrices has a formula; that of larger ones is the largest root of a polynomial with real roots.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from math import isqrt

from verify.recheck.kernel import interval
from verify.recheck.kernel.interval import ceil, floor

Fixed = tuple[int, int]
Token = Sequence[Fraction]  # the entries of a matrix, row by row
Norm = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Layer:
    """Norms, largest over positions: error, error after attention, attention, exact tokens."""

    error: Norm
    incoming: Norm
    attention: Norm
    norm: Norm


def span(length: int) -> int:
    """M = 2^⌈log₂ T⌉."""
    return 1 << (length - 1).bit_length()


def working_bits(saturation: Fraction, size: int) -> int:
    """Three times as many bits as the leak of a row has before its first digit, and some.

    Rounded up to a multiple of 64, so that the cosines can be kept.
    """
    gap = 1 - _cosine(Fraction(1, size), 64)[0]
    return -(-(160 + 3 * int(saturation * gap + 1)) // 64) * 64


@cache
def _cosine(angle: Fraction, bits: int) -> Norm:
    return interval.cos_pi(angle, bits)


def softmax(saturation: Fraction, size: int, bits: int) -> list[Fixed]:
    """The weights p_m, m = 0 … 2M-1."""
    half = [_power(saturation, Fraction(m, size), bits) for m in range(size + 1)]
    powers = [half[min(m, 2 * size - m)] for m in range(2 * size)]
    low, high = sum(p[0] for p in powers), sum(p[1] for p in powers)
    return [((p[0] << bits) // high, -((-p[1] << bits) // low)) for p in powers]


def _power(saturation: Fraction, angle: Fraction, bits: int) -> Fixed:
    """exp(C (cos πa - 1))."""
    low, high = _cosine(angle, bits + 32)
    largest, least = saturation * (1 - low), max(saturation * (1 - high), Fraction(0))
    if least > bits:
        return 0, 1  # e^(-bits) < 2^(-bits), the last bit
    return floor(interval.exp(-largest, bits)[0], bits), ceil(interval.exp(-least, bits)[1], bits)


def fixed(value: Fraction, bits: int) -> Fixed:
    """A rational between two neighbouring multiples of 2^-bits."""
    return floor(value, bits), ceil(value, bits)


def _times(a: Fixed, b: Fixed, bits: int) -> Fixed:
    products = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(products) >> bits, -(-max(products) >> bits)


def _sum(parts: Iterator[Fixed]) -> Fixed:
    low = high = 0
    for part in parts:
        low, high = low + part[0], high + part[1]
    return low, high


def identity(n: int) -> tuple[Fraction, ...]:
    """The entries of I."""
    return tuple(Fraction(int(i == j)) for i in range(n) for j in range(n))


def product(a: Token, b: Token) -> tuple[Fraction, ...]:
    """The entries of A B."""
    n = isqrt(len(a))
    return tuple(
        sum((a[i * n + k] * b[k * n + j] for k in range(n)), Fraction(0))
        for i in range(n)
        for j in range(n)
    )


@lru_cache(4)
def exact_layers(n: int, size: int, letters: tuple[Token, ...]) -> list[list[Token]]:
    """Pads and letters as rational matrices, and the exact tokens after each layer."""
    one: Token = identity(n)
    layers = [[one] * size + list(letters) + [one] * (size - len(letters))]
    for number in range(size.bit_length() - 1):
        exact, shift = layers[-1], 1 << number
        left = exact[-shift:] + exact[:-shift]
        layers.append([product(a, b) for a, b in zip(left, exact, strict=True)])
    return layers


class Model:
    """The soft model at one C and length, for tokens of size n × n, n ≤ 3."""

    def __init__(self, n: int, length: int, saturation: Fraction) -> None:
        self.n, self.length, self.size = n, length, span(length)
        self.bits = working_bits(saturation, self.size)
        self.row = softmax(saturation, self.size, self.bits)

    @property
    def leak(self) -> Norm:
        """What a row gives to the wrong positions."""
        one = 1 << self.bits
        return Fraction(one - self.row[0][1], one), Fraction(one - self.row[0][0], one)

    def layers(self, letters: Sequence[Token]) -> Iterator[tuple[Layer, list[list[Fixed]]]]:
        """Norms and error intervals after each layer."""
        tokens = exact_layers(self.n, self.size, tuple(map(tuple, letters)))
        soft = own = self._all_fixed(tokens[0])
        for number, exact in enumerate(tokens[1:]):
            mixed, alone, shift = self._mix(soft), self._mix(own), 1 << number
            incoming, attention = (self._differences(x, own) for x in (mixed, alone))
            norm = self._top(own)
            soft = self._products(mixed[-shift:] + mixed[:-shift], mixed)
            own = self._all_fixed(exact)
            errors, top = self._differences(soft, own), self._top
            yield Layer(top(errors), top(incoming), top(attention), norm), errors

    def state_error(self, alpha: Sequence[Fraction], letters: Sequence[Token]) -> Norm:
        """The Frobenius norm of the error of the T + 1 states αᵀE_t."""
        layers = [errors for _, errors in self.layers(letters)]
        rows = layers[-1][self.size - 1 : self.size + len(letters)] if layers else []
        entries = [
            _sum(_times(fixed(alpha[i], self.bits), row[i * self.n + j], self.bits) for i in range(self.n))
            for row in rows
            for j in range(self.n)
        ]  # fmt: skip
        low = isqrt(sum(_least(x) ** 2 for x in entries))
        high = isqrt(sum(_most(x) ** 2 for x in entries)) + 1
        return Fraction(low, 1 << self.bits), Fraction(high, 1 << self.bits)

    def _all_fixed(self, tokens: Sequence[Token]) -> list[list[Fixed]]:
        return [[fixed(value, self.bits) for value in token] for token in tokens]

    def _mix(self, tokens: list[list[Fixed]]) -> list[list[Fixed]]:
        columns = list(zip(*tokens, strict=True))
        mixed = [[self._average(column, i) for i in range(2 * self.size)] for column in columns]
        return [list(token) for token in zip(*mixed, strict=True)]

    def _average(self, column: Sequence[Fixed], i: int) -> Fixed:
        """Σ_m p_m x_(i-m); the weights are not negative."""
        low = high = 0
        for m, (least, most) in enumerate(self.row):
            below, above = column[i - m]
            low += below * (least if below >= 0 else most)
            high += above * (most if above >= 0 else least)
        return low >> self.bits, -(-high >> self.bits)

    def _products(self, left: list[list[Fixed]], right: list[list[Fixed]]) -> list[list[Fixed]]:
        n = range(self.n)
        return [
            [_sum(_times(a[i * self.n + k], b[k * self.n + j], self.bits) for k in n)
             for i in n for j in n]
            for a, b in zip(left, right, strict=True)
        ]  # fmt: skip

    def _differences(self, soft: list[list[Fixed]], exact: list[list[Fixed]]) -> list[list[Fixed]]:
        return [
            [(x[0] - y[1], x[1] - y[0]) for x, y in zip(a, b, strict=True)]
            for a, b in zip(soft, exact, strict=True)
        ]

    def _top(self, tokens: list[list[Fixed]]) -> Norm:
        norms = [spectral(token) for token in tokens]
        one = 1 << self.bits
        return Fraction(max(n[0] for n in norms), one), Fraction(max(n[1] for n in norms), one)


def spectral(entries: Sequence[Fixed]) -> Fixed:
    """‖A‖ of a matrix of at most three rows, in the units of its entries.

    For (a b; c d) 2‖A‖ = √((a-d)² + (b+c)²) + √((a+d)² + (b-c)²), where nothing cancels.
    """
    if len(entries) == 9:
        return _spectral_of_three(entries)
    match entries:
        case [only]:
            return _least(only), _most(only)
    (a, b), (c, d), (e, f), (g, h) = entries
    pairs = ((a - h, b - g), (c + e, d + f)), ((a + g, b + h), (c - f, d - e))
    low = sum(isqrt(_least(x) ** 2 + _least(y) ** 2) for x, y in pairs) // 2
    high = sum(isqrt(_most(x) ** 2 + _most(y) ** 2) + 1 for x, y in pairs) // 2 + 1
    return low, high


def _spectral_of_three(entries: Sequence[Fixed]) -> Fixed:
    """The norm of the middle of a 3 × 3 matrix of intervals, ± the Frobenius norm of its radii.

    ‖A‖² is the largest root of x³ - tx² + sx - d, the characteristic polynomial of AᵀA, whose three
    roots are real. From above Newton's steps p/p' fall to it, and it is at most 3p/p' away.
    """
    middle = [low + high for low, high in entries]  # of twice the matrix
    radius = isqrt(sum((high - low) ** 2 for low, high in entries)) + 1
    gram = [
        [sum(middle[3 * k + i] * middle[3 * k + j] for k in range(3)) for j in range(3)]
        for i in range(3)
    ]
    (a, b, c), (_, e, f), (_, _, i) = gram
    t, s = a + e + i, a * e + a * i + e * i - b * b - c * c - f * f
    d = a * (e * i - f * f) - b * (b * i - f * c) + c * (b * f - e * c)
    x = t
    while True:
        value, slope = ((x - t) * x + s) * x - d, (3 * x - 2 * t) * x + s
        if value <= 0 or slope <= 0 or 3 * value <= slope:
            break
        step = value // slope
        if step << 80 <= x:
            break
        x -= step
    below = x - (3 * value // slope + 1 if slope > 0 and value > 0 else 1)
    low, high = isqrt(max(below, 0)), isqrt(x + 1) + 1
    return max(0, (low - radius) // 2), -(-(high + radius) // 2)


def _least(x: Fixed) -> int:
    """The least absolute value in an interval."""
    return max(x[0], -x[1], 0)


def _most(x: Fixed) -> int:
    """The largest absolute value in an interval."""
    return max(-x[0], x[1])
