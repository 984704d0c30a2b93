"""Words of a free monoid: a letter represents a matrix of any size.

An identity between products of uninterpreted matrices is an identity between words. Running a
construction for n = 1 with words as entries therefore shows, for all n, which product of
transition matrices each token carries; that the tensor multiplies is Lemma 1's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from constructions.arithmetic.objects import ObjectArithmetic
from constructions.core.exact import Exact
from constructions.core.matrix import Entry


@dataclass(frozen=True)
class MonoidWord:
    """A word, one character a letter; the empty word is the identity, the int 0 absorbs."""

    letters: str = ""

    def __mul__(self, other: object) -> MonoidWord | int:
        if isinstance(other, MonoidWord):
            return MonoidWord(self.letters + other.letters)
        return self._scale(other)

    def __rmul__(self, other: object) -> MonoidWord | int:
        return self._scale(other)

    def _scale(self, factor: object) -> MonoidWord | int:
        if factor == 1:
            return self
        if factor == 0:
            return 0
        raise ArithmeticError(f"the product of a word and {factor!r} is not a word")

    def __add__(self, other: object) -> MonoidWord:
        if isinstance(other, int) and other == 0:
            return self
        raise ArithmeticError("the sum of two words is not a word")

    __radd__ = __add__


class FreeMonoid(ObjectArithmetic):
    """The free monoid with zero."""

    def element(self, value: Entry) -> Any:
        """1 is the empty word; words and positions stay as they are."""
        if isinstance(value, int) and value == 1:
            return MonoidWord()
        if isinstance(value, (MonoidWord, Exact)):
            return value
        raise ArithmeticError(f"{value!r} is not a word")
