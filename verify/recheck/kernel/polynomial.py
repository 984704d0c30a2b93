"""Polynomials with integer coefficients in any symbols, as small as they can be written.

A polynomial is a map from monomials (sorted tuples of names, a name once for each power) to
coefficients that are not 0. Equality is equality of maps.
"""

from __future__ import annotations

from collections.abc import Mapping

Monomial = tuple[str, ...]
Poly = dict[Monomial, int]


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


def times(one: Poly, other: Poly) -> Poly:
    """A product."""
    found: Poly = {}
    for x, a in one.items():
        for y, b in other.items():
            monomial = tuple(sorted((*x, *y)))
            found[monomial] = found.get(monomial, 0) + a * b
    return {monomial: c for monomial, c in found.items() if c}


def minus(one: Poly, other: Poly) -> Poly:
    """A difference."""
    return add(one, times(number(-1), other))


def power(base: Poly, exponent: int) -> Poly:
    """A power."""
    found = number(1)
    for _ in range(exponent):
        found = times(found, base)
    return found


def put(value: Poly, symbols: Mapping[str, Poly]) -> Poly:
    """A polynomial with others in place of some symbols."""
    parts = []
    for monomial, c in value.items():
        part = number(c)
        for name in monomial:
            part = times(part, symbols.get(name, symbol(name)))
        parts.append(part)
    return add(*parts)


def at_least_one(value: Poly, whole: frozenset[str]) -> bool:
    """Whether no coefficient is negative, the constant is positive, and only whole numbers occur.

    Such a polynomial is at least 1 for all whole numbers ≥ 0.
    """
    names = {name for monomial in value for name in monomial}
    return names <= whole and () in value and all(c > 0 for c in value.values())
