"""Theorem 2's soft model in fixed-point interval arithmetic: integers only.

A number x is kept as (low, high) with low ≤ x · 2^bits ≤ high. The pass is the plain one: every
token is averaged with the softmax weights of the ring of 2M positions, then multiplied by the
token 2^(l-1) further left; the exact tokens are rationals beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from verify.recheck import bounds

Fixed = tuple[int, int]
Square = tuple[tuple[Fraction, ...], ...]
Norm = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Layer:
    """Frobenius norms, largest over positions: error, error after attention, attention, tokens."""

    error: Norm
    incoming: Norm
    attention: Norm
    norm: Norm
    errors: tuple[Norm, ...]


def span(length: int) -> int:
    """M = 2^⌈log₂ T⌉."""
    return 1 << (length - 1).bit_length()


def working_bits(saturation: Fraction, size: int) -> int:
    """Twice as many bits as the leak of a row has before its first digit, and some."""
    gap = 1 - bounds.cos_pi(Fraction(1, size), 64)[0]
    return 160 + 3 * int(saturation * gap + 1)


def softmax(saturation: Fraction, size: int, bits: int) -> list[Fixed]:
    """The weights p_m, m = 0 … 2M-1."""
    half = [_power(saturation, Fraction(m, size), bits) for m in range(size + 1)]
    powers = [half[min(m, 2 * size - m)] for m in range(2 * size)]
    low, high = sum(p[0] for p in powers), sum(p[1] for p in powers)
    return [((p[0] << bits) // high, -((-p[1] << bits) // low)) for p in powers]


def _power(saturation: Fraction, angle: Fraction, bits: int) -> Fixed:
    """exp(C (cos πa - 1))."""
    low, high = bounds.cos_pi(angle, bits + 32)
    below = bounds.exp(saturation * (low - 1), bits)[0]
    above = bounds.exp(min(saturation * (high - 1), Fraction(0)), bits)[1]
    return max(_floor(below, bits), 0), _ceil(above, bits)


def _floor(value: Fraction, bits: int) -> int:
    return (value.numerator << bits) // value.denominator


def _ceil(value: Fraction, bits: int) -> int:
    return -_floor(-value, bits)


def _times(a: Fixed, b: Fixed, bits: int) -> Fixed:
    products = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(products) >> bits, -(-max(products) >> bits)


def _sum(parts: Iterator[Fixed]) -> Fixed:
    low = high = 0
    for part in parts:
        low, high = low + part[0], high + part[1]
    return low, high


class Model:
    """The soft model at one C and length, for tokens of size n × n."""

    def __init__(self, n: int, length: int, saturation: Fraction) -> None:
        self.n, self.length, self.size = n, length, span(length)
        self.bits = working_bits(saturation, self.size)
        self.row = softmax(saturation, self.size, self.bits)

    def tokens(self, letters: Sequence[Square]) -> list[list[Fraction]]:
        """Pads and letters as flat rational matrices."""
        one = [Fraction(int(i == j)) for i in range(self.n) for j in range(self.n)]
        inside = [[value for row in square for value in row] for square in letters]
        return [one] * self.size + inside + [one] * (self.size - len(letters))

    def layers(self, letters: Sequence[Square]) -> Iterator[tuple[Layer, list[list[Fixed]]]]:
        """Norms and error intervals after each layer."""
        exact = self.tokens(letters)
        soft = [[self._fixed(value) for value in token] for token in exact]
        shift = 1
        while shift < self.size:
            mixed, alone = self._mix(soft), self._mix([list(map(self._fixed, t)) for t in exact])
            incoming = self._differences(mixed, exact)
            attention = self._differences(alone, exact)
            norm = self._norms([list(map(self._fixed, token)) for token in exact])
            soft = self._products(mixed[-shift:] + mixed[:-shift], mixed)
            exact = self._exact_products(exact[-shift:] + exact[:-shift], exact)
            errors = self._differences(soft, exact)
            each = self._norms(errors)
            seen = (_top(each), _top(self._norms(incoming)), _top(self._norms(attention)))
            yield Layer(*seen, _top(norm), tuple(each)), errors
            shift *= 2

    def state_error(self, alpha: Sequence[Fraction], letters: Sequence[Square]) -> Norm:
        """The Frobenius norm of the error of the T + 1 states αᵀE_t."""
        layers = [errors for _, errors in self.layers(letters)]
        rows = layers[-1][self.size - 1 : self.size + len(letters)] if layers else []
        entries = [
            _sum(self._scaled(alpha[i], row[i * self.n + j]) for i in range(self.n))
            for row in rows
            for j in range(self.n)
        ]
        return self._norm(entries)

    def _fixed(self, value: Fraction) -> Fixed:
        return _floor(value, self.bits), _ceil(value, self.bits)

    def _scaled(self, factor: Fraction, value: Fixed) -> Fixed:
        return _times(self._fixed(factor), value, self.bits)

    def _mix(self, tokens: list[list[Fixed]]) -> list[list[Fixed]]:
        count = 2 * self.size
        return [
            [
                _sum(
                    _times(self.row[m], tokens[(i - m) % count][c], self.bits) for m in range(count)
                )
                for c in range(self.n * self.n)
            ]
            for i in range(count)
        ]

    def _products(self, left: list[list[Fixed]], right: list[list[Fixed]]) -> list[list[Fixed]]:
        n = self.n
        return [
            [
                _sum(_times(a[i * n + k], b[k * n + j], self.bits) for k in range(n))
                for i in range(n)
                for j in range(n)
            ]
            for a, b in zip(left, right, strict=True)
        ]

    def _exact_products(
        self, left: list[list[Fraction]], right: list[list[Fraction]]
    ) -> list[list[Fraction]]:
        n = self.n
        return [
            [
                sum((a[i * n + k] * b[k * n + j] for k in range(n)), Fraction(0))
                for i in range(n)
                for j in range(n)
            ]
            for a, b in zip(left, right, strict=True)
        ]

    def _differences(
        self, soft: list[list[Fixed]], exact: list[list[Fraction]]
    ) -> list[list[Fixed]]:
        return [
            [
                (x[0] - _ceil(y, self.bits), x[1] - _floor(y, self.bits))
                for x, y in zip(a, b, strict=True)
            ]
            for a, b in zip(soft, exact, strict=True)
        ]

    def _norms(self, tokens: list[list[Fixed]]) -> list[Norm]:
        return [self._norm(token) for token in tokens]

    def _norm(self, entries: list[Fixed]) -> Norm:
        """The Euclidean norm of entries, as rationals."""
        low = isqrt(sum(max(a, -b, 0) ** 2 for a, b in entries))
        high = isqrt(sum(max(-a, b) ** 2 for a, b in entries)) + 1
        return Fraction(low, 1 << self.bits), Fraction(high, 1 << self.bits)


def _top(norms: Sequence[Norm]) -> Norm:
    return max(low for low, _ in norms), max(high for _, high in norms)
