"""Printed counts and shapes, decided for all sizes: identities, products of blocks, orders.

A count is printed text such as "2n⁴+3n²+1" or "C(2n²+2, 2)"; its names are whole numbers
≥ 1. A matrix is a table of blocks such as "(0_{n²×2} 0_{n²×2} I_2)ᵀ", with `;` between rows of
blocks; of a block only the shape matters here. Text is read and walked, never run.

    identity.polynomial   two counts are the same polynomial
    shape.product         blocks fit together, neighbours in a product fit, the result has a shape
    size.at-most          one count is at most another for every n ≥ 1
    order.at-most         a count is O(n^k), with a constant that serves for every n ≥ 1

A witness is the first point at which something differs, points with the smaller largest
coordinate first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product

import sympy

from verify.facts import printed_formulas as printed
from verify.facts.registry import fact
from verify.judge.outcome import Outcome

NAME = re.compile(r"[A-Za-z]+")
FARTHEST_WITNESS = 1000
Pair = tuple[sympy.Expr, sympy.Expr]


def symbols(*texts: str) -> dict[str, sympy.Symbol]:
    """The names that occur in printed counts; C before a bracket is a binomial."""
    names = {name for text in texts for name in NAME.findall(re.sub(r"C(?=\()", "", text))}
    return {name: sympy.Symbol(name) for name in sorted(names)}


def polynomial(text: str) -> sympy.Expr:
    """A printed count as a polynomial, multiplied out."""
    return sympy.expand(sympy.S(printed.count(text, **symbols(text))))


@fact("identity.polynomial", "symbolic")
def identity(left: str, right: str) -> Outcome:
    """Two printed counts are the same polynomial, so equal for all values of their names."""
    pairs, names = [(polynomial(left), polynomial(right))], _symbols_of(left, right)
    if not _nonzero_differences(pairs):
        return Outcome(True)
    at, (one, other) = _first_difference(pairs, names)
    return Outcome(False, _agreement(pairs, names), {**at, "left": str(one), "right": str(other)})


@fact("shape.product", "symbolic")
def shapes(factors: list[str], result: list[str]) -> Outcome:
    """The blocks of each factor fit, the factors can be multiplied, and the product has that shape."""
    tables = [printed.matrix(text) for text in factors]
    pairs: list[Pair] = [pair for table in tables for pair in table.equalities(polynomial)]
    outer = [table.shape(polynomial) for table in tables]
    pairs += [(one[1], other[0]) for one, other in pairwise(outer)]
    rows, columns = map(polynomial, result)
    pairs += [(outer[0][0], rows), (outer[-1][1], columns)]
    if not _nonzero_differences(pairs):
        return Outcome(True)
    names = _symbols_of(*(size for table in tables for size in table.sizes), *result)
    at, unequal = _first_difference(pairs, names)
    return Outcome(
        False, _agreement(pairs, names), {**at, "unequal": [str(value) for value in unequal]}
    )


def _nonzero_differences(pairs: Sequence[Pair]) -> list[sympy.Expr]:
    differences = [sympy.expand(left - right) for left, right in pairs]
    return [difference for difference in differences if difference != 0]


def _symbols_of(*texts: str) -> list[sympy.Symbol]:
    return list(symbols(*texts).values())


def _points(names: Sequence[sympy.Symbol]) -> Iterator[dict[sympy.Symbol, int]]:
    largest = 1
    while True:
        for values in product(range(1, largest + 1), repeat=len(names)):
            if not names or max(values) == largest:
                yield dict(zip(names, values, strict=True))
        largest += 1


def _first_difference(
    pairs: Sequence[Pair], names: Sequence[sympy.Symbol]
) -> tuple[dict[str, int], Pair]:
    """The first point at which a pair differs, and the two values; some pair is not the same."""
    values = ((at, left.subs(at), right.subs(at)) for at in _points(names) for left, right in pairs)
    at, one, other = next(triple for triple in values if triple[1] != triple[2])
    return {symbol.name: value for symbol, value in at.items()}, (one, other)


def _agreement(pairs: Sequence[Pair], names: Sequence[sympy.Symbol]) -> Mapping[str, list[int]]:
    """The whole numbers ≥ 1 at which all pairs agree, if there is one name."""
    if len(names) != 1:
        return {}
    common = sympy.gcd_list(_nonzero_differences(pairs))
    roots = sympy.Poly(common, names[0]).ground_roots() if common.has(names[0]) else {}
    return {"agree": sorted(int(r) for r in roots if r.is_integer and r >= 1)}


@fact("size.at-most", "symbolic")
def at_most(size: str, bound: str) -> Outcome:
    """A printed count in one name is at most another one, for every whole number ≥ 1."""
    small, large = polynomial(size), polynomial(bound)
    name = _one_name(size, bound)
    # With n = 1 + m and no negative coefficient, the difference is ≥ 0 for every m ≥ 0.
    shifted = sympy.Poly(sympy.expand((large - small).subs(name, name + 1)), name)
    if all(c >= 0 for c in shifted.coeffs()):
        return Outcome(True)
    for k in range(1, FARTHEST_WITNESS + 1):
        low, high = small.subs(name, k), large.subs(name, k)
        if low > high:
            return Outcome(False, {}, {name.name: k, "size": str(low), "bound": str(high)})
    return Outcome(None)


@fact("order.at-most", "symbolic")
def order_at_most(size: str, order: str) -> Outcome:
    """A printed count in one name is O of a power of it, with one constant for every n ≥ 1."""
    small, large = polynomial(size), polynomial(order)
    name = _one_name(size, order)
    if large.as_poly(name) is None or large != name ** sympy.degree(large, name):
        raise ValueError(f"order {order!r}, expected a power of {name}")
    poly, highest = sympy.Poly(small, name), int(sympy.degree(large, name))
    degree = int(max(poly.degree(), 0))
    if degree > highest:
        return Outcome(False, {"degree": degree}, {"degree": degree, "order": highest})
    # Each term c·n^j with j ≤ k is at most c·n^k where c > 0, and at most 0 otherwise.
    constant = sum((c for c in poly.coeffs() if c > 0), start=sympy.S.Zero)
    return Outcome(True, {"degree": degree, "constant": str(constant)})


def _one_name(*texts: str) -> sympy.Symbol:
    names = _symbols_of(*texts)
    if len(names) != 1:
        raise ValueError(f"names {[symbol.name for symbol in names]}, expected one")
    return names[0]
