"""Theorem 2's soft model with exact products, in fixed-point interval arithmetic: integers only.

A number x is kept as (low, high) with low ≤ x · 2^bits ≤ high. The pass is the plain one: every
token is averaged with the softmax weights of the ring of 2M positions, then multiplied by the
token 2^(l-1) further left; the exact tokens are rationals beside it. The spectral norm of 1 × 1 and 2 × 2
matrices has a formula; that of larger ones is the largest root of a polynomial with real roots.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from math import isqrt

from verify.recheck.kernel import interval
from verify.recheck.kernel.interval import ceil, floor
from verify.recheck.kernel.unit_series import Series, Units, times

Fixed = tuple[int, int]
Token = Sequence[Fraction]  # the entries of a matrix, row by row
Norm = tuple[Fraction, Fraction]
Tokens = list[list[Fixed]]
Stage = tuple[list[Token], list[Token], Tokens, Tokens, Tokens]


@dataclass(frozen=True)
class Layer:
    """Norms, largest over positions: error, error after attention, attention, exact tokens, MLP."""

    error: Norm
    incoming: Norm
    attention: Norm
    norm: Norm
    mlp: Norm = (Fraction(0), Fraction(0))


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


def _sum(parts: Iterator[Fixed]) -> Fixed:
    low = high = 0
    for part in parts:
        low, high = low + part[0], high + part[1]
    return low, high


def _minus(a: Fixed, b: Fixed) -> Fixed:
    return a[0] - b[1], a[1] - b[0]


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


class Model:
    """The soft model at one C and length, for tokens of size n × n, n ≤ 3."""

    def __init__(self, n: int, length: int, saturation: Fraction, bits: int = 0) -> None:
        self.n, self.length, self.size = n, length, span(length)
        self.bits = bits or working_bits(saturation, self.size)
        self.row = softmax(saturation, self.size, self.bits)

    @property
    def leak(self) -> Norm:
        """Attention weight on the wrong positions."""
        one = 1 << self.bits
        return Fraction(one - self.row[0][1], one), Fraction(one - self.row[0][0], one)

    def tokens(self, letters: Sequence[Token]) -> list[Token]:
        """Pads and letters as rational matrices."""
        one: Token = identity(self.n)
        return [one] * self.size + list(letters) + [one] * (self.size - len(letters))

    def layers(self, letters: Sequence[Token]) -> Iterator[tuple[Layer, list[list[Fixed]]]]:
        """Norms and error intervals after each layer, with exact products."""
        top = self._top
        for exact, after, mixed, soft, _ in self._stages(letters, None):
            tokens = self._all_fixed(exact)
            incoming = self._differences(mixed, exact)
            attention = self._differences(self._mix(tokens), exact)
            errors = self._differences(soft, after)
            yield Layer(top(errors), top(incoming), top(attention), top(tokens)), errors

    def layers_with_units(
        self, letters: Sequence[Token], units: Units, known: Sequence[Layer]
    ) -> Iterator[Layer]:
        """Norms with hidden units in place of products; attention and tokens are those of exact ones."""
        stages = self._stages(letters, units)
        for (_, after, _, soft, made), layer in zip(stages, known, strict=True):
            missed = [list(map(_minus, *pair)) for pair in zip(soft, made, strict=True)]
            error = self._top(self._differences(soft, after))
            yield replace(layer, error=error, mlp=self._top(missed))

    def _stages(self, letters: Sequence[Token], units: Units | None) -> Iterator[Stage]:
        """For each layer: exact tokens before and after, what attention reads, output, exact products."""
        exact = self.tokens(letters)
        soft = self._all_fixed(exact)
        shift = 1
        while shift < self.size:
            mixed = self._mix(soft)
            turned = mixed[-shift:] + mixed[:-shift]
            soft = made = self._products(turned, mixed)
            if units is not None:
                soft = self._products(turned, mixed, self._series(units, mixed))
            before, left = exact, exact[-shift:] + exact[:-shift]
            exact = [product(a, b) for a, b in zip(left, exact, strict=True)]
            yield before, exact, mixed, soft, made
            shift *= 2

    def state_error(self, alpha: Sequence[Fraction], letters: Sequence[Token]) -> Norm:
        """The Frobenius norm of the error of the T + 1 states αᵀE_t."""
        layers = [errors for _, errors in self.layers(letters)]
        rows = layers[-1][self.size - 1 : self.size + len(letters)] if layers else []
        entries = [
            _sum(times(fixed(alpha[i], self.bits), row[i * self.n + j], self.bits) for i in range(self.n))
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

    def _series(self, units: Units, tokens: list[list[Fixed]]) -> Series:
        largest = max(_most(entry) for token in tokens for entry in token)
        return units.series(Fraction(largest, 1 << self.bits), self.bits)

    def _products(
        self, left: list[list[Fixed]], right: list[list[Fixed]], series: Series | None = None
    ) -> list[list[Fixed]]:
        n, bits = range(self.n), self.bits
        one = series.product if series else lambda x, y: times(x, y, bits)
        return [
            [_sum(one(a[i * self.n + k], b[k * self.n + j]) for k in n) for i in n for j in n]
            for a, b in zip(left, right, strict=True)
        ]

    def _differences(self, soft: list[list[Fixed]], exact: Sequence[Token]) -> list[list[Fixed]]:
        return [
            [(x[0] - ceil(y, self.bits), x[1] - floor(y, self.bits))
             for x, y in zip(a, b, strict=True)]
            for a, b in zip(soft, exact, strict=True)
        ]  # fmt: skip

    def _top(self, tokens: list[list[Fixed]]) -> Norm:
        """The largest norm; a token with a smaller Frobenius norm than one that is known is left out."""
        sizes = [isqrt(sum(_most(entry) ** 2 for entry in token)) + 1 for token in tokens]
        low = high = 0
        for size, token in sorted(zip(sizes, tokens, strict=True), key=lambda each: -each[0]):
            if size > low:
                least, most = spectral(token)
                low, high = max(low, least), max(high, most)
        return Fraction(low, 1 << self.bits), Fraction(high, 1 << self.bits)


@lru_cache(maxsize=512)
def layers_of(tokens: tuple[Token, ...], saturation: Fraction) -> tuple[Layer, ...]:
    """Norms of the layers of the soft model on a word, whose run is kept."""
    model = Model(isqrt(len(tokens[0])), len(tokens), saturation)
    return tuple(layer for layer, _ in model.layers(tokens))


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
        if step << 256 <= x:
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
