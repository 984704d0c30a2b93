"""Confirms what hidden units can do: by pigeonholes, by finite differences, by Taylor's theorem.

units.reach         N bends leave one of N + 1 intervals straight, N steps two neighbours alike
units.differences   the powers of w·x multiplied out, monomial by monomial
units.multiply      closed forms of σ'' and σ'''' bound the remainder for the stated weights
scheme.product      Brent's equations for the stated terms
network.parity      an odd network misses the even part of a polynomial
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import comb, factorial
from typing import Any

from verify.recheck.declarations import Fields, confirms
from verify.recheck.errors import (
    Recomputed,
    Refused,
    abbreviate,
    agree,
    fraction,
    list_in,
)
from verify.recheck.kernel.activation import DERIVATIVES, product_error

Table = Mapping[str, Any]


@confirms(
    "units.reach", "exact", activation=("relu", "step"), degree=(2, 4), polynomial=[object, 1, 20]
)
def reach(activation: str, degree: int, polynomial: list[Any]) -> Recomputed:
    """The least distance of functions with that many pieces from a polynomial."""
    terms = _terms(polynomial, degree)
    count = comb(len(terms[0][0]) + degree, degree)
    pieces = range(count + 1)

    def at(k: int) -> Fraction:
        return _diagonal(terms, Fraction(k, 2 * count + 2))

    if activation == "relu":
        floor = min(abs(at(2 * k) - 2 * at(2 * k + 1) + at(2 * k + 2)) / 4 for k in pieces)
    else:
        floor = min(abs(at(2 * k + 2) - at(2 * k)) / 2 for k in pieces)
    if not floor:
        return Recomputed(None, {"units": count})
    return Recomputed(False, {"units": count}, {"units": count, "floor": str(floor)})


def _terms(polynomial: list[Any], degree: int) -> list[tuple[list[int], int]]:
    found = []
    for term in polynomial:
        exponents, c = term
        fits = all(type(e) is int and e >= 0 for e in exponents) and sum(exponents) <= degree
        if not fits or type(c) is not int or not 1 <= len(exponents) <= 3:
            raise Refused(
                f"{abbreviate(term)}: expected exponents of degree at most {degree}, and a factor"
            )
        found.append((exponents, c))
    if len({len(exponents) for exponents, _ in found}) != 1:
        raise Refused("polynomial: the terms have different numbers of variables")
    if len({tuple(exponents) for exponents, _ in found}) < len(found):
        raise Refused("polynomial: two terms have the same exponents")
    return found


def _diagonal(terms: list[tuple[list[int], int]], x: Fraction) -> Fraction:
    return sum((c * x ** sum(exponents) for exponents, c in terms), Fraction(0))


def _shapes(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for first in range(1, min(total, largest) + 1):
        yield from ((first, *rest) for rest in _shapes(total - first, first))


@confirms("units.differences", "exact", most=(1, 6))
def differences(most: int) -> Recomputed:
    """Coefficients of Σ_w (-1)^(k-|w|) Π C(e_i, w_i) (w·x)^p by the multinomial theorem."""
    seen = [e for k in range(1, most + 1) for e in _shapes(k, k)]
    for exponents in seen:
        for power in range(sum(exponents) + 1):
            if _difference(exponents, power) != _wanted(exponents, power):
                raise Refused(f"exponents {exponents}, power {power}: another difference")
    return Recomputed(True, {"monomials": len(seen)})


def _wanted(exponents: tuple[int, ...], power: int) -> dict[tuple[int, ...], int]:
    return {exponents: factorial(power)} if power == sum(exponents) else {}


def _difference(exponents: tuple[int, ...], power: int) -> dict[tuple[int, ...], int]:
    """Each power x^a of (w·x)^p has the factor p!/Π a_i! · Π w_i^(a_i), a product over variables."""
    found: Counter[tuple[int, ...]] = Counter()
    for at in product(range(power + 1), repeat=len(exponents)):
        if sum(at) == power:
            value = factorial(power)
            for e, a in zip(exponents, at, strict=True):
                value = value * sum((-1) ** (e - k) * comb(e, k) * k**a for k in range(e + 1))
                value //= factorial(a)
            found[at] = value
    return {at: value for at, value in found.items() if value}


UNIT = Fields({"point": fraction, "step": fraction, "scale": fraction})


def four_units(stated: Any, name: str, radius: Fraction) -> Fraction:
    """The error of one product of four units with the stated weights."""
    if name not in DERIVATIVES:
        raise Refused(f"activation {abbreviate(name)} is not known")
    point, step, scale = UNIT.read("weights", stated).values()
    if not 0 < step <= 1 or abs(point) > 4 or not 0 < radius <= 1000:
        raise Refused("point, step or radius is out of range")
    return product_error(name, point, step, scale, radius)


@confirms(
    "units.multiply", "enclosure",
    activations=[str, 1, 8], states=(1, 8), radius=fraction, eps=fraction,
)  # fmt: skip
def multiply(
    activations: list[str], states: int, radius: Fraction, eps: Fraction, certificate: Table
) -> Recomputed:
    """With the stated weights each entry, a sum of n products, is within ε."""
    stated = certificate["values"].get("weights")
    agree("activations", sorted(stated), sorted(set(activations)))
    for name in activations:
        if not states * four_units(stated[name], name, radius) <= eps:
            raise Refused(f"{name}: an entry may miss by more than {eps}")
    return Recomputed(True, {"weights": stated})


@confirms("scheme.product", "symbolic", scheme=str, size=(1, 4), products=(1, 64))
def scheme(scheme: str, size: int, products: int, certificate: Table) -> Recomputed:
    """The stated products add up to the matrix product."""
    terms = list_in(certificate["values"], "terms", 1, 64)
    total: Counter[tuple[int, int, int]] = Counter()
    for left, right, out in terms:
        for (a, x), (b, y), (c, z) in product(left, right, out):
            if not all(type(v) is int for v in (a, x, b, y, c, z)):
                raise Refused("terms: expected whole numbers")
            total[a, b, c] += x * y * z
    found = {at: value for at, value in total.items() if value}
    wanted = {
        (i * size + k, k * size + j, i * size + j): 1 for i, k, j in product(range(size), repeat=3)
    }
    agree("the product", found, wanted)
    agree("number of products", len(terms), products)
    return Recomputed(True, {"terms": terms})


@confirms(
    "network.parity", "exact", activation=("tanh",), polynomial=[object, 1, 20], point=fraction
)
def parity(activation: str, polynomial: list[Any], point: Fraction) -> Recomputed:
    """tanh is odd, so that the even part of f is missed."""
    terms = _terms(polynomial, 4)
    even = sum((c * point ** sum(e) for e, c in terms if sum(e) % 2 == 0), Fraction(0))
    if even == 0:
        return Recomputed(None)
    return Recomputed(False, {}, {"point": str(point), "floor": str(abs(even))})
