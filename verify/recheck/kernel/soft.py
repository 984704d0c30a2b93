"""Theorem 2's soft model with exact products, in fixed-point interval arithmetic: integers only.

The pass is the plain one: every token is averaged with the softmax weights of the ring of 2M
positions, then multiplied by the token 2^(l-1) further left; the exact tokens are rationals beside it.
The spectral norm of 1 × 1 and 2 × 2 matrices has a formula; that of larger ones is the largest root
of a polynomial with real roots.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from math import isqrt

from verify.recheck.kernel import interval
from verify.recheck.kernel.fixed import (
    Fixed,
    euclidean,
    fixed,
    least,
    means,
    minus,
    most,
    rational,
    shares,
    times,
    total,
)
from verify.recheck.kernel.interval import Interval, ceil, floor
from verify.recheck.kernel.unit_series import Series, Units

Token = Sequence[Fraction]  # the entries of a matrix, row by row
Norm = Interval
Tokens = list[list[Fixed]]
ZERO: Norm = (Fraction(0), Fraction(0))
ENOUGH = 320  # bits of a 3 × 3 matrix whose norm is taken


@dataclass(frozen=True)
class Layer:
    """Norms, largest over positions: error, error after attention, attention, exact tokens, MLP."""

    error: Norm
    incoming: Norm
    attention: Norm
    norm: Norm
    mlp: Norm = ZERO


@dataclass(frozen=True)
class Stage:
    """One layer of a run: exact tokens before and after, what heads read, outputs, exact products."""

    before: Tokens
    after: Tokens
    read: Tokens
    made: Tokens
    products: Tokens


def span(length: int) -> int:
    """M = 2^⌈log₂ T⌉."""
    return 1 << (length - 1).bit_length()


def working_bits(saturation: Fraction, size: int) -> int:
    """Working precision: three times the leading zero bits of a row's leak, and some.

    Rounded up to a multiple of 64, so that the cosines can be cached.
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
    return shares(powers, bits)


def _power(saturation: Fraction, angle: Fraction, bits: int) -> Fixed:
    """exp(C (cos πa - 1))."""
    low, high = _cosine(angle, bits + 32)
    largest, least = saturation * (1 - low), max(saturation * (1 - high), Fraction(0))
    if least > bits:
        return 0, 1  # e^(-bits) < 2^(-bits), the last bit
    return floor(interval.exp(-largest, bits)[0], bits), ceil(interval.exp(-least, bits)[1], bits)


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


@lru_cache(maxsize=64)
def exact_stages(letters: tuple[Token, ...]) -> list[list[Token]]:
    """Pads and letters as rational matrices, and the products that they hold after each layer."""
    one: Token = identity(isqrt(len(letters[0])))
    size = span(len(letters))
    found = [[one] * size + list(letters) + [one] * (size - len(letters))]
    while len(found) <= (size - 1).bit_length():
        back, last = 1 << (len(found) - 1), found[-1]
        found.append([product(last[t - back], last[t]) for t in range(2 * size)])
    return found


class Model:
    """The soft model at one C and length, for tokens of size n × n, n ≤ 3."""

    def __init__(self, n: int, length: int, saturation: Fraction, bits: int = 0) -> None:
        self.n, self.length, self.size = n, length, span(length)
        self.bits = bits or working_bits(saturation, self.size)
        self.row = softmax(saturation, self.size, self.bits)

    @property
    def leak(self) -> Norm:
        """Attention weight on the wrong positions."""
        return rational(minus((1 << self.bits,) * 2, self.row[0]), self.bits)

    def layers(self, letters: Sequence[Token]) -> Iterator[tuple[Layer, Tokens]]:
        """Norms and error intervals after each layer, with exact products."""
        top = self._top
        for stage in self._stages(letters, None):
            incoming = top(_differences(stage.read, stage.before))
            attention = top(_differences(self._mix(stage.before), stage.before))
            errors = _differences(stage.made, stage.after)
            yield Layer(top(errors), incoming, attention, top(stage.before)), errors

    def layers_with_units(
        self, letters: Sequence[Token], units: Units, known: Sequence[Layer]
    ) -> Iterator[Layer]:
        """Norms with hidden units in place of products; attention and tokens are those of exact ones."""
        for stage, layer in zip(self._stages(letters, units), known, strict=True):
            error = self._top(_differences(stage.made, stage.after))
            mlp = self._top(_differences(stage.made, stage.products))
            yield replace(layer, error=error, mlp=mlp)

    def _stages(self, letters: Sequence[Token], units: Units | None) -> Iterator[Stage]:
        exact = [
            [[fixed(entry, self.bits) for entry in token] for token in tokens]
            for tokens in exact_stages(tuple(letters))
        ]
        made = exact[0]
        for layer, after in enumerate(exact[1:]):
            read, shift = self._mix(made), 1 << layer
            turned = read[-shift:] + read[:-shift]
            made = products = self._products(turned, read)
            if units is not None:
                made = self._products(turned, read, units.for_entries(read, self.bits))
            yield Stage(exact[layer], after, read, made, products)

    def state_error(self, alpha: Sequence[Fraction], letters: Sequence[Token]) -> Norm:
        """The Frobenius norm of the error of the T + 1 states αᵀE_t."""
        layers = [errors for _, errors in self.layers(letters)]
        rows = layers[-1][self.size - 1 : self.size + len(letters)] if layers else []
        start = [fixed(weight, self.bits) for weight in alpha]
        entries = [
            total(times(a, row[i * self.n + j], self.bits) for i, a in enumerate(start))
            for row in rows
            for j in range(self.n)
        ]
        return rational(euclidean(entries), self.bits)

    def _mix(self, tokens: Tokens) -> Tokens:
        """Every token averaged: Σ_m p_m x_(t-m)."""
        count, columns = 2 * self.size, list(map(list, zip(*tokens, strict=True)))
        weights = [[self.row[t - s] for s in range(count)] for t in range(count)]
        return means(weights, columns, self.bits)

    def _products(self, left: Tokens, right: Tokens, series: Series | None = None) -> Tokens:
        n, bits = range(self.n), self.bits
        one = series.product if series else lambda x, y: times(x, y, bits)
        return [
            [total(one(a[i * self.n + k], b[k * self.n + j]) for k in n) for i in n for j in n]
            for a, b in zip(left, right, strict=True)
        ]

    def _top(self, tokens: Tokens) -> Norm:
        """The largest norm; a token with a smaller Frobenius norm than one that is known is left out."""
        sizes = [euclidean(token)[1] for token in tokens]
        top = 0, 0
        for size, token in sorted(zip(sizes, tokens, strict=True), key=lambda each: -each[0]):
            if size > top[0]:
                low, high = spectral(token)
                top = max(top[0], low), max(top[1], high)
        return rational(top, self.bits)


def _differences(tokens: Tokens, others: Tokens) -> Tokens:
    return [list(map(minus, *pair)) for pair in zip(tokens, others, strict=True)]


@lru_cache(maxsize=512)
def layers_of(tokens: tuple[Token, ...], saturation: Fraction) -> tuple[Layer, ...]:
    """Norms of the layers of the soft model on a word; the run is cached."""
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
            return least(only), most(only)
    (a, b), (c, d), (e, f), (g, h) = entries
    pairs = ((a - h, b - g), (c + e, d + f)), ((a + g, b + h), (c - f, d - e))
    low = sum(isqrt(least(x) ** 2 + least(y) ** 2) for x, y in pairs) // 2
    high = sum(isqrt(most(x) ** 2 + most(y) ** 2) + 1 for x, y in pairs) // 2 + 1
    return low, high


def _spectral_of_three(entries: Sequence[Fixed]) -> Fixed:
    """The norm of the middle of a 3 × 3 matrix of intervals, ± the Frobenius norm of its radii.

    The middle is cut to `ENOUGH` bits, which adds less than 3 to the radius, and one more unit.
    ‖A‖² is the largest root of x³ - tx² + sx - d, the characteristic polynomial of AᵀA, whose three
    roots are real. From above Newton's steps p/p' fall to it, and it is at most 3p/p' away.
    """
    middle = [low + high for low, high in entries]  # of twice the matrix
    shift = max(max(map(abs, middle)).bit_length() - ENOUGH, 0)
    radius = (isqrt(sum((high - low) ** 2 for low, high in entries)) + 1 >> shift) + 4
    middle = [entry >> shift for entry in middle]
    gram = [
        [sum(middle[3 * k + i] * middle[3 * k + j] for k in range(3)) for j in range(3)]
        for i in range(3)
    ]
    (a, b, c), (_, e, f), (_, _, i) = gram
    t, s = a + e + i, a * e + a * i + e * i - b * b - c * c - f * f
    d = a * (e * i - f * f) - b * (b * i - f * c) + c * (b * f - e * c)
    x = _above_largest_root(t, s, d)
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
    return max(0, (low - radius) // 2) << shift, -(-(high + radius) // 2) << shift


def _above_largest_root(t: int, s: int, d: int) -> int:
    """A number at or above the largest root: floats propose one, and signs of p, p' and p'' decide."""
    shift = max(t.bit_length() - 60, 0)
    a, b, c = float(t >> shift), float(s >> 2 * shift), float(d >> 3 * shift)
    x = a
    for _ in range(64):
        slope = (3 * x - 2 * a) * x + b
        x -= (((x - a) * x + b) * x - c) / slope if slope > 0 else 0
    for margin in (40, 20):
        found = int(x * (1 + 2.0**-margin)) << shift
        value, slope_there = ((found - t) * found + s) * found - d, (3 * found - 2 * t) * found + s
        if value > 0 and slope_there > 0 and 3 * found > t:
            return found
    return t
