"""Polynomials in any symbols, and sums of words, as small as they can be written.

A polynomial is a map from monomials (sorted tuples of names, a name once for each power) to
coefficients that are not 0; a sum of words is one whose tuples are not sorted, for letters that do
not commute. Equality is equality of maps.
"""

from __future__ import annotations

from typing import Any

Poly = dict[tuple[Any, ...], Any]


def number(value: int) -> Poly:
    """A constant."""
    return {(): value} if value else {}


def symbol(name: str) -> Poly:
    """A symbol."""
    return {(name,): 1}


def add(*terms: Poly) -> Poly:
    """A sum."""
    found: Poly = {}
    for term in terms:
        for monomial, c in term.items():
            found[monomial] = found.get(monomial, 0) + c
    return {monomial: c for monomial, c in found.items() if c}


def joined(one: Poly, other: Poly) -> Poly:
    """A product of sums of words: words are put one after the other."""
    return add(*({x + y: a * b} for x, a in one.items() for y, b in other.items()))


def times(one: Poly, other: Poly) -> Poly:
    """A product."""
    return add(*({tuple(sorted(word)): c} for word, c in joined(one, other).items()))


def minus(one: Poly, other: Poly) -> Poly:
    """A difference."""
    return add(one, joined(number(-1), other))


def power(base: Poly, exponent: int) -> Poly:
    """A power."""
    found = number(1)
    for _ in range(exponent):
        found = times(found, base)
    return found
