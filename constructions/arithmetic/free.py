"""The free algebra: rational combinations of words, for matrices of every size at once.

An identity between sums of products of uninterpreted matrices is an identity between sums of
words. `FreeMonoid` has products only; here a token may carry A^w - I.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from constructions.arithmetic.objects import ObjectArithmetic
from constructions.core.matrix import Entry

Number = int | Fraction


class Combination:
    """A sum of words with rational coefficients; the empty word is the identity."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[str, Fraction]) -> None:
        self.terms = {word: value for word, value in terms.items() if value}

    @classmethod
    def of(cls, value: Number | Combination) -> Combination:
        """A number times the identity, or the combination itself."""
        return value if isinstance(value, Combination) else cls({"": Fraction(value)})

    @classmethod
    def letter(cls, name: str) -> Combination:
        """One letter, one character."""
        return cls({name: Fraction(1)})

    def __add__(self, other: Any) -> Combination:
        if not isinstance(other, (int, Fraction, Combination)):
            return NotImplemented
        total = dict(self.terms)
        for word, value in Combination.of(other).terms.items():
            total[word] = total.get(word, Fraction(0)) + value
        return Combination(total)

    __radd__ = __add__

    def __neg__(self) -> Combination:
        return Combination({word: -value for word, value in self.terms.items()})

    def __sub__(self, other: Any) -> Combination:
        if not isinstance(other, (int, Fraction, Combination)):
            return NotImplemented
        return self + -Combination.of(other)

    def __rsub__(self, other: Any) -> Combination:
        return Combination.of(other) + -self

    def __mul__(self, other: Any) -> Combination:
        if not isinstance(other, (int, Fraction, Combination)):
            return NotImplemented
        return _product(self, Combination.of(other))

    def __rmul__(self, other: Any) -> Combination:
        return _product(Combination.of(other), self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (int, Fraction, Combination)):
            return NotImplemented
        return self.terms == Combination.of(other).terms

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return " + ".join(f"{value} {word or 'I'}" for word, value in sorted(self.terms.items()))

    def __iter__(self) -> Iterator[tuple[str, Fraction]]:
        return iter(sorted(self.terms.items()))


def _product(left: Combination, right: Combination) -> Combination:
    total: dict[str, Fraction] = {}
    for one, a in left.terms.items():
        for two, b in right.terms.items():
            total[one + two] = total.get(one + two, Fraction(0)) + a * b
    return Combination(total)


class FreeAlgebra(ObjectArithmetic):
    """The free algebra over the rationals."""

    def element(self, value: Entry) -> Any:
        """A number times the identity; combinations stay as they are."""
        return Combination.of(value) if isinstance(value, (int, Fraction, Combination)) else value
