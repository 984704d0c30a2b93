"""Attention by codes on the circle: the same hard attention, without a matrix of scores.

In Theorem 1 every query and every key is a code (cos πa, sin πa) with a rational angle a, so the
score of a query at u and a key at v is cos π(u - v): it is 1, its maximum, exactly where u and v
agree modulo 2. `Routed` recognises the codes that the real W_Q and W_K produce, as exact numbers,
and looks the angles up; it refuses a row that is no code, or that no key or several keys match.
The dense arithmetic stays the reference, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import flint
import numpy as np

from constructions.arithmetic import Modular, Polynomial, Rational, Words
from constructions.arithmetic.objects import Objects
from constructions.exact import Exact, Key, cos_pi, sin_pi
from constructions.transformer import Attention, Mask, Tie

Code = frozenset[tuple[Key, flint.fmpq]]


def _frozen(number: Exact) -> Code:
    return frozenset(number.terms.items())


@lru_cache(maxsize=8)
def _codes(denominator: int) -> dict[tuple[Code, Code], int]:
    """(cos πk/D, sin πk/D) ↦ k for k = 0 … 2D - 1."""
    return {
        (_frozen(cos_pi(angle)), _frozen(sin_pi(angle))): k
        for k in range(2 * denominator)
        for angle in [Fraction(k, denominator)]
    }


def angles(rows: Objects, denominator: int) -> list[int]:
    """The angles of codes, as multiples of π/denominator modulo 2π."""
    table = _codes(denominator)
    found = []
    for row in rows:
        code = tuple(_frozen(Exact.of(value)) for value in row)
        if code not in table:
            raise Tie(f"a query or key is {tuple(row)}, expected a code of π/{denominator}")
        found.append(table[code])
    return found


class Routed:
    """Hard attention by codes, for arithmetics of objects; `denominator` is M of Theorem 1."""

    denominator: int

    def scores(self, queries: Objects, keys: Objects) -> Objects:
        """For each query the one key whose code agrees with it."""
        places: dict[int, list[int]] = {}
        for s, angle in enumerate(angles(keys, self.denominator)):
            places.setdefault(angle, []).append(s)
        sources = [places.get(angle, []) for angle in angles(queries, self.denominator)]
        for t, best in enumerate(sources):
            if len(best) != 1:
                raise Tie(f"row {t} matches the keys {best}, expected exactly one")
        return np.array([best[0] for best in sources], dtype=object)

    def mix(self, scores: Objects, values: Objects, attention: Attention, mask: Mask) -> Objects:
        """The values at the matching keys."""
        if attention is not Attention.HARD or mask is not Mask.NONE:
            raise TypeError("codes route hard attention without a mask only")
        return values[scores.astype(np.intp)]


class RoutedWords(Routed, Words):
    """Words, routed by codes."""

    def __init__(self, denominator: int) -> None:
        self.denominator = denominator


class RoutedRational(Routed, Rational):
    """Rationals, routed by codes."""

    def __init__(self, denominator: int) -> None:
        self.denominator = denominator


class RoutedPolynomial(Routed, Polynomial):
    """Polynomials, routed by codes."""

    def __init__(self, denominator: int, names: Sequence[str]) -> None:
        super().__init__(names)
        self.denominator = denominator


class RoutedModular(Routed, Modular):
    """Integers modulo a prime, routed by codes."""

    def __init__(self, denominator: int, prime: int) -> None:
        super().__init__(prime)
        self.denominator = denominator


class Given(Polynomial):
    """Polynomials with the routing given: row r of the left head reads `sources[head][r]`."""

    def __init__(self, names: Sequence[str], sources: Sequence[Sequence[int]]) -> None:
        super().__init__(names)
        self._sources = [list(rows) for rows in sources]
        self._next = 0

    def scores(self, queries: Objects, keys: Objects) -> Objects:
        """The given routing of the next head."""
        rows = self._sources[self._next % len(self._sources)]
        self._next += 1
        return np.array(rows, dtype=object)

    def mix(self, scores: Objects, values: Objects, attention: Attention, mask: Mask) -> Any:
        """The values at the given rows."""
        return values[scores.astype(np.intp)]
