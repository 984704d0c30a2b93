"""Exact real numbers for weights: the rational span of √r · cos(πa).

Every number that the paper's constructions use is a finite sum of terms q · √r · cos(πa) with
rational q, r and a. The span is a ring, because products of cosines are sums of cosines and
√r · √s = √(rs). A number is stored as data and realised by an arithmetic; nothing is rounded.

Notation
    cos_pi(a) = cos(πa), sin_pi(a) = sin(πa) = cos(π(a - 1/2)), root(r) = √r

Whether a number is zero is decided in the cyclotomic field that contains its cosines; its sign
by balls whose precision grows. Roots of different radicands are compared by balls alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import gcd, inf, isqrt, lcm
from typing import TYPE_CHECKING, TypeAlias

import flint

if TYPE_CHECKING:
    import sympy

Key = tuple[int, int, int]  # (r, p, q): √r · cos(πp/q); whole numbers, which are hashed at once
Terms = dict[Key, flint.fmpq]
Number: TypeAlias = "Exact | Fraction | int | flint.fmpq"
HIGHEST_PRECISION = 1 << 16
PLAIN: Key = (1, 0, 1)
ZERO, ONE = flint.fmpq(0), flint.fmpq(1)


class Undecided(ArithmeticError):
    """A comparison of real numbers that the precision limit did not settle."""


def rational(value: Fraction | int | flint.fmpq) -> flint.fmpq:
    """A rational number as flint has it."""
    if isinstance(value, flint.fmpq):
        return value
    return flint.fmpq(value.numerator, value.denominator)


def fraction(value: flint.fmpq) -> Fraction:
    """A rational number as Python has it."""
    return Fraction(int(value.p), int(value.q))


def rational_matrix(rows: Iterable[Iterable[Fraction | int]]) -> flint.fmpq_mat:
    """A matrix of rational numbers as flint has it."""
    return flint.fmpq_mat([[rational(value) for value in row] for row in rows])


def precisions(most: float = inf) -> Iterator[int]:
    """Numbers of bits to try one after the other, each twice the last: 64, 128, 256, … up to `most`."""
    bits = 64
    while bits <= most:
        yield bits
        bits *= 2


def _angle(p: int, q: int) -> tuple[int, int, int]:
    """cos(πp/q) = sign · cos(πa/b) with a/b in [0, 1/2] and in lowest terms: (sign, a, b)."""
    p %= 2 * q
    p = min(p, 2 * q - p)
    sign, p = (-1, q - p) if 2 * p > q else (1, p)
    common = gcd(p, q)
    return sign, p // common, q // common


def _term(radicand: int, p: int, q: int, scale: flint.fmpq) -> tuple[Key, flint.fmpq]:
    """The normal form of scale · √radicand · cos(πp/q)."""
    if radicand != 1:  # most have no root
        whole = isqrt(radicand)
        if whole * whole == radicand:
            radicand, scale = 1, scale * whole
    sign, p, q = _angle(p, q)
    if sign < 0:
        scale = -scale
    if q == 2:
        scale = ZERO
    return ((radicand, 0, 1), scale / 2) if q == 3 else ((radicand, p, q), scale)


def _gather(terms: Iterable[tuple[Key, flint.fmpq]]) -> Terms:
    total: Terms = {}
    for key, scale in terms:
        so_far = total.get(key)
        total[key] = scale if so_far is None else so_far + scale
    return {key: scale for key, scale in total.items() if scale}


class EnclosedNumber:
    """A real number given by an enclosing ball at every precision.

    A base class and no protocol: every weight of a model is tested by `isinstance`, and testing
    against a protocol takes ten times as long as rounding the weight.
    """

    __slots__ = ()

    def ball(self) -> flint.arb:
        """A ball that contains the number, at the working precision."""
        raise NotImplementedError


class Exact(EnclosedNumber):
    """A sum of terms q · √r · cos(πa), in normal form as far as angles and squares go."""

    __slots__ = ("terms",)

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    @classmethod
    def of(cls, value: Number) -> Exact:
        """An exact number from a rational one."""
        if isinstance(value, Exact):
            return value
        scale = rational(value)
        return cls({PLAIN: scale} if scale else {})

    def __add__(self, other: Number) -> Exact:
        if not isinstance(other, NUMBERS):
            return NotImplemented
        right = Exact.of(other)
        if not (self.terms and right.terms):
            return self if self.terms else right
        return Exact(_gather([*self.terms.items(), *right.terms.items()]))

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return Exact({key: -scale for key, scale in self.terms.items()})

    def __sub__(self, other: Number) -> Exact:
        return self + -Exact.of(other)

    def __rsub__(self, other: Number) -> Exact:
        return Exact.of(other) - self

    def __mul__(self, other: Number) -> Exact:
        if not isinstance(other, NUMBERS):
            return NotImplemented
        return Exact(_gather(_products(self.terms, Exact.of(other).terms)))

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NUMBERS):
            return NotImplemented
        return (self - Exact.of(other)).sign() == 0

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: Number) -> bool:
        return (self - other).sign() < 0

    def __bool__(self) -> bool:
        return bool(self.terms) and self.sign() != 0

    def __repr__(self) -> str:
        return f"Exact({self.symbolic()})"

    def rational(self) -> Fraction | None:
        """The rational number this is in normal form, or None."""
        return fraction(self.terms.get(PLAIN, ZERO)) if self.terms.keys() <= {PLAIN} else None

    def ball(self) -> flint.arb:
        """A ball that contains the number, at the working precision."""
        total = flint.arb(0)
        for (radicand, p, q), scale in self.terms.items():
            value = flint.arb.cos_pi_fmpq(flint.fmpq(p, q)) * flint.arb(scale)
            total += value if radicand == 1 else value * flint.arb(radicand).sqrt()
        return total

    def symbolic(self) -> sympy.Expr:
        """The number as a reader should see it."""
        import sympy

        return sympy.Add(
            *(
                sympy.Rational(int(scale.p), int(scale.q))
                * sympy.sqrt(radicand)
                * sympy.cos(sympy.pi * sympy.Rational(p, q))
                for (radicand, p, q), scale in self.terms.items()
            )
        )

    def sign(self) -> int:
        """-1, 0 or 1, decided rigorously; raises `Undecided` past the precision limit."""
        if not self.terms:
            return 0
        if len(self.terms) == 1:
            (scale,) = self.terms.values()
            return 1 if scale > 0 else -1
        for precision in precisions(HIGHEST_PRECISION):
            with flint.ctx.workprec(precision):
                ball = self.ball()
            if ball > 0 or ball < 0:
                return 1 if ball > 0 else -1
            if _is_zero(self.terms):
                return 0
        raise Undecided(f"sign of {self!r} not determined at {HIGHEST_PRECISION} bits")


NUMBERS = (Exact, Fraction, int, flint.fmpq)


def _products(left: Terms, right: Terms) -> Iterable[tuple[Key, flint.fmpq]]:
    """√r cos πa · √s cos πb = √(rs) (cos π(a+b) + cos π(a-b)) / 2, term by term."""
    for (r, a, b), x in left.items():
        for (s, c, d), y in right.items():
            if a == 0 or c == 0:
                yield _term(r * s, a * d + c * b, b * d, x * y)
            else:
                half, one, two, order = x * y / 2, a * d, c * b, b * d
                yield _term(r * s, one + two, order, half)
                yield _term(r * s, one - two, order, half)


def _is_zero(terms: Terms) -> bool:
    """True if a sum of cosines vanishes, in Q(z) with z = exp(iπ/N); radicands must agree."""
    if len({radicand for radicand, _, _ in terms}) > 1:
        return False
    order = lcm(*(q for _, _, q in terms))
    clear = lcm(*(int(scale.q) for scale in terms.values()))
    coefficients = [0] * (2 * order)
    for (_, p, q), scale in terms.items():
        power = p * (order // q)
        for exponent in (power, -power):
            coefficients[exponent % (2 * order)] += int((scale * clear).p)
    remainder = flint.fmpz_poly(coefficients) % flint.fmpz_poly.cyclotomic(2 * order)
    return bool(remainder == 0)


def ball(value: Number) -> flint.arb:
    """A ball around an exact number, at the working precision."""
    if isinstance(value, Exact):
        return value.ball()
    return flint.arb(rational(value))


def ceiling(value: flint.arb) -> Fraction:
    """A rational at or above every number of a ball."""
    mantissa, exponent = value.upper().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def cos_pi(angle: Fraction | int) -> Exact:
    """cos(π · angle)."""
    return Exact(_gather([_term(1, angle.numerator, angle.denominator, ONE)]))


def sin_pi(angle: Fraction | int) -> Exact:
    """sin(π · angle)."""
    return cos_pi(angle - Fraction(1, 2))


def root(radicand: Fraction | int) -> Exact:
    """√radicand for a rational radicand ≥ 0."""
    value = Fraction(radicand)
    if value < 0:
        raise ValueError(f"root of {value}: expected a rational number ≥ 0")
    inner = value.numerator * value.denominator
    if inner == 0:
        return Exact({})
    return Exact(_gather([_term(inner, 0, 1, flint.fmpq(1, value.denominator))]))
