"""Attention by codes on the circle: the same hard attention, without a matrix of scores.

In Theorem 1 and its variants every query and every key is a code (cos πa, sin πa) with a rational
angle a, so the score of a query at u and a key at v is cos π(u - v), and the largest score belongs
to the nearest code on the circle. `CodeRouting` recognises the codes that the real W_Q and W_K produce,
as exact numbers, and compares angles; it refuses a row that is no code, and a tie.
The dense arithmetic stays the reference, and tests compare the two.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import cycle
from typing import Any

import flint
import numpy as np

from constructions.arithmetic import FreeMonoid, Polynomial, Rational
from constructions.arithmetic.objects import Objects
from constructions.core.exact import Exact, Key, cos_pi, sin_pi
from constructions.core.transformer import Attention, Mask, Tie

Code = frozenset[tuple[Key, int, int]]


def _code_key(number: Exact) -> Code:
    return frozenset((key, int(q.p), int(q.q)) for key, q in number.terms.items())


@cache
def _codes(denominator: int) -> dict[tuple[Code, Code], int]:
    """(cos πk/D, sin πk/D) ↦ k for k = 0 … 2D - 1."""
    return {
        (_code_key(cos_pi(angle)), _code_key(sin_pi(angle))): k
        for k in range(2 * denominator)
        for angle in [Fraction(k, denominator)]
    }


def angles(rows: Objects, denominator: int) -> list[int]:
    """The angles of codes, as multiples of π/denominator modulo 2π."""
    table = _codes(denominator)
    found = []
    for row in rows:
        code = tuple(_code_key(Exact.of(value)) for value in row)
        found.append(table[code] if code in table else _recognised_angle(row, denominator))
    return found


def _recognised_angle(row: Objects, denominator: int) -> int:
    """The angle of a code that is not in normal form: a guess from balls, decided exactly."""
    cosine, sine = (Exact.of(value) for value in row)
    turn = flint.arb.atan2(sine.ball(), cosine.ball()) * denominator / flint.arb.pi()
    guess = round(float(turn.mid())) % (2 * denominator)
    angle = Fraction(guess, denominator)
    if cosine != cos_pi(angle) or sine != sin_pi(angle):
        raise Tie(f"a query or key is {tuple(row)}, expected a code of π/{denominator}")
    return guess


def _nearest(angle: int, occupied: Sequence[int], turn: int) -> list[int]:
    """The occupied angles at the least distance on a circle of `turn` angles."""
    place = bisect_left(occupied, angle)
    by_distance: dict[int, list[int]] = {}
    for code in sorted({occupied[place % len(occupied)], occupied[place - 1]}):
        distance = min((code - angle) % turn, (angle - code) % turn)
        by_distance.setdefault(distance, []).append(code)
    return by_distance[min(by_distance)]


class CodeRouting:
    """Hard attention by codes, for arithmetics of objects; angles are multiples of π/`denominator`."""

    def __init__(self, denominator: int) -> None:
        self.denominator = denominator
        self._recognised: dict[tuple[int, ...], tuple[list[Any], list[int]]] = {}

    def _angles(self, rows: Objects) -> list[int]:
        """The angles of codes; the same objects in the same places are recognised once.

        The objects are stored with their angles, so that no new object reuses an identity.
        """
        identities = tuple(map(id, rows.flat))
        if identities not in self._recognised:
            self._recognised[identities] = list(rows.flat), angles(rows, self.denominator)
        return self._recognised[identities][1]

    def scores(self, queries: Objects, keys: Objects) -> Objects:
        """Return for each query the one key whose code is nearest."""
        places: dict[int, list[int]] = {}
        for s, angle in enumerate(self._angles(keys)):
            places.setdefault(angle, []).append(s)
        occupied = sorted(places)
        sources = []
        for t, angle in enumerate(self._angles(queries)):
            near = _nearest(angle, occupied, 2 * self.denominator)
            best = [s for code in near for s in places[code]]
            if len(best) != 1:
                raise Tie(f"row {t} is nearest to the keys {best}, expected exactly one")
            sources.append(best[0])
        return np.array(sources, dtype=object)

    def mix(self, scores: Objects, values: Objects, attention: Attention, mask: Mask) -> Objects:
        """The values at the nearest keys."""
        if attention is not Attention.HARD or mask is not Mask.NONE:
            raise TypeError("codes route hard attention without a mask only")
        return values[scores.astype(np.intp)]


class RoutedWords(CodeRouting, FreeMonoid):
    """Words, routed by codes."""


class RoutedRational(CodeRouting, Rational):
    """Rationals, routed by codes."""


class GivenRouting(Polynomial):
    """Polynomials with the routing given: row r of the left head reads `sources[head][r]`."""

    def __init__(self, names: Sequence[str], sources: Sequence[Sequence[int]]) -> None:
        super().__init__(names)
        self._sources = cycle(sources)

    def scores(self, queries: Objects, keys: Objects) -> Objects:
        """The given routing of the next head."""
        return np.array(next(self._sources), dtype=object)

    def mix(self, scores: Objects, values: Objects, attention: Attention, mask: Mask) -> Any:
        """The values at the given rows."""
        return values[scores.astype(np.intp)]
