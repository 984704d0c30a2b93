"""Polynomials in any symbols, and sums of words, as small as they can be written.

A sum of words is a map from tuples of letters to coefficients that are not 0; letters do not commute.
A polynomial is one whose tuples are sorted, a name once for each power. Equality is equality of maps.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Self

from verify.recheck.errors import Refused

MOST_PRODUCTS = 1 << 20


class Words:
    """A sum of words, with sums, differences, products and equality.

    Examples:
        >>> a, b = Words.symbol("a"), Words.symbol("b")
        >>> ((a + b) * (a - b)).terms == (a * a - a * b + b * a - b * b).terms
        True
        >>> x = Poly.symbol("x")
        >>> (x + 1) * (x - 1) == x * x - 1
        True

    """

    def __init__(self, terms: Mapping[tuple[Any, ...], Any]) -> None:
        self.terms = {word: c for word, c in terms.items() if c}

    @classmethod
    def symbol(cls, name: Any) -> Self:
        """One letter."""
        return cls({(name,): 1})

    @classmethod
    def of(cls, value: Self | Fraction | int) -> Self:
        """A sum of words as it is; a number as a multiple of the empty word."""
        return value if isinstance(value, cls) else cls({(): value})

    @staticmethod
    def joined(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
        """The product of two words: one after the other."""
        return one + other

    def __add__(self, other: Self | Fraction | int) -> Self:
        found = dict(self.terms)
        for word, c in self.of(other).terms.items():
            found[word] = found.get(word, 0) + c
        return type(self)(found)

    __radd__ = __add__

    def __mul__(self, other: Self | Fraction | int) -> Self:
        right = self.of(other).terms
        if len(self.terms) * len(right) > MOST_PRODUCTS:
            raise Refused(f"a product of more than {MOST_PRODUCTS} terms")
        found: dict[tuple[Any, ...], Any] = {}
        for x, a in self.terms.items():
            for y, b in right.items():
                word = self.joined(x, y)
                found[word] = found.get(word, 0) + a * b
        return type(self)(found)

    def __rmul__(self, other: Fraction | int) -> Self:
        return self * other

    def __neg__(self) -> Self:
        return self * -1

    def __sub__(self, other: Self | Fraction | int) -> Self:
        return self + self.of(other) * -1

    def __rsub__(self, other: Fraction | int) -> Self:
        return self.of(other) - self

    def __truediv__(self, number: int) -> Self:
        return self * Fraction(1, number)

    def __pow__(self, exponent: int) -> Self:
        found = self.of(1)
        for _ in range(exponent):
            found = found * self
        return found

    def __eq__(self, other: object) -> bool:
        """Equality of maps, with numbers too."""
        known = isinstance(other, type(self) | Fraction | int)
        return known and self.terms == self.of(other).terms  # type: ignore[arg-type]

    def __hash__(self) -> int:
        """The hash of the terms."""
        return hash(frozenset(self.terms.items()))

    def __bool__(self) -> bool:
        """True unless it is 0."""
        return bool(self.terms)


class Poly(Words):
    """A polynomial."""

    @staticmethod
    def joined(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
        """The product of two monomials."""
        return tuple(sorted(one + other))
