"""Polynomials in a canonical form that shares equal parts: exact, and small where products repeat.

Constructs    p = c + Σ_v v · p_v, where v runs over the symbols that are the first of a monomial of p and
              p_v has no symbol before v. Every polynomial has exactly one such form, so that equal
              polynomials of one ring are one object, and a comparison is that of two addresses
Sizes         an entry of A_1 … A_t with n² symbols a matrix has n^(t-1) monomials; its form has at most
              n²t parts, which the entries of all prefixes share if later letters come first
Products      Σ f·g at once: the part at v is Σ f_v · g_≥v + g_v · f_>v, a sum of the same kind with fewer
              symbols; g_≥v is g without the monomials whose first symbol comes before v. What was computed
              once is remembered
Like          binary moment diagrams, which verify circuits of multipliers, with any number of symbols and
              any power at a node
Reference     `Polynomial` has the same polynomials as lists of monomials; tests compare the two

Coefficients are Python's integers. Positions are `Exact` numbers, as in the other arithmetics.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from constructions.arithmetic.objects import ObjectArithmetic, Objects, plus, times, zeros
from constructions.core.exact import Exact
from constructions.core.matrix import Entry, Matrix, Tensor

Pair = tuple[Any, Any]


class SharedPolynomial:
    """A polynomial that is no number; two of one ring are equal if they are the same object."""

    __slots__ = ("constant", "first", "last", "ring", "terms")

    def __init__(self, ring: PolynomialRing, constant: int, terms: dict[int, Any]) -> None:
        self.ring, self.constant, self.terms = ring, constant, terms
        self.first, self.last = min(terms), max(terms)

    def __add__(self, other: int | SharedPolynomial) -> Any:
        return self.ring.sum_of_products([(self, 1), (other, 1)])

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: int | SharedPolynomial) -> Any:
        return self.ring.sum_of_products([(self, 1), (other, -1)])

    def __rsub__(self, other: int) -> Any:
        return other + -self

    def __mul__(self, other: int | SharedPolynomial) -> Any:
        return self.ring.sum_of_products([(self, other)])

    __rmul__ = __mul__

    def monomials(self) -> dict[tuple[int, ...], int]:
        """Coefficients by the symbols of a monomial, in their order, each as often as its power."""
        found: dict[tuple[int, ...], int] = {(): self.constant} if self.constant else {}
        for symbol, part in self.terms.items():
            rest = {(): part} if isinstance(part, int) else part.monomials()
            found |= {(symbol, *others): value for others, value in rest.items()}
        return found

    def rest_from(self, symbol: int) -> Any:
        """The constant and the monomials whose first symbol is this one or a later one."""
        if self.first >= symbol:
            return self
        if self.last < symbol:
            return self.constant
        later = {v: part for v, part in self.terms.items() if v >= symbol}
        return self.ring.polynomial(self.constant, later)


class PolynomialRing:
    """All polynomials that were needed so far, each once, and all sums of products."""

    def __init__(self) -> None:
        self._polynomials: dict[Any, SharedPolynomial] = {}
        self._sums: dict[tuple[Pair, ...], Any] = {}

    def symbol(self, number: int) -> Any:
        """The symbol of a number; a lower number comes first."""
        return self.polynomial(0, {number: 1})

    def polynomial(self, constant: int, terms: dict[int, Any]) -> Any:
        """c + Σ v · p_v from parts that are not 0; without parts the number c."""
        if not terms:
            return constant
        key = constant, frozenset(terms.items())
        known = self._polynomials.get(key)
        if known is None:
            known = self._polynomials[key] = SharedPolynomial(self, constant, terms)
        return known

    def sum_of_products(self, pairs: Iterable[Pair]) -> Any:
        """Σ f·g of polynomials and integers."""
        factors = tuple([pair for pair in pairs if 0 not in pair])
        if len(factors) == 1 and 1 in factors[0]:
            one, other = factors[0]
            return other if one == 1 else one
        result = self._sums.get(factors)
        if result is None:
            result = self._sums[factors] = self._sum(factors)
        return result

    def _sum(self, pairs: Sequence[Pair]) -> Any:
        constant, parts = 0, defaultdict[int, list[Pair]](list)
        for f, g in pairs:
            if f.__class__ is int or (g.__class__ is not int and g.first < f.first):
                f, g = g, f
            constant += _constant(f) * _constant(g)
            if f.__class__ is not int:
                _add_parts(parts, f, g)
        sums = {}
        for symbol, products in parts.items():
            part = self.sum_of_products(products)
            if part != 0:
                sums[symbol] = part
        return self.polynomial(constant, sums)


def _constant(f: Any) -> int:
    return f if f.__class__ is int else f.constant


def _add_parts(parts: dict[int, list[Pair]], f: SharedPolynomial, g: Any) -> None:
    """The parts of f·g by their first symbols, where the first symbol of f comes first."""
    if g.__class__ is int or f.last <= g.first:
        for symbol, part in f.terms.items():
            parts[symbol].append((part, g))
    else:
        for symbol, part in f.terms.items():
            parts[symbol].append((part, g.rest_from(symbol)))
    if g.__class__ is not int and (f.constant or f.last > g.first):
        for symbol, part in g.terms.items():
            parts[symbol].append((part, f.rest_from(symbol + 1)))


class SharedPolynomials(ObjectArithmetic):
    """Polynomials with integer coefficients in the given generators, equal parts shared."""

    def __init__(self, names: Sequence[str]) -> None:
        self.ring = PolynomialRing()
        self.generators = {name: self.ring.symbol(k) for k, name in enumerate(names)}

    def element(self, value: Entry) -> Any:
        """Integers, positions and polynomials are elements as they are."""
        return value

    def apply(self, x: Objects, weight: Matrix) -> Objects:
        """X W; where W has symbols, each entry as one sum of products."""
        if not any(isinstance(value, SharedPolynomial) for value in weight.entries.values()):
            return super().apply(x, weight)
        columns = terms_by_column(weight.entries)
        result = zeros(len(x), weight.shape[1])
        for i, row in enumerate(x.tolist()):
            for j, terms in columns.items():
                result[i, j] = self.ring.sum_of_products([(row[k], value) for k, value in terms])
        return result

    def contract(self, tensor: Tensor, left: Objects, right: Objects) -> Objects:
        """T ×₁ X_left ×₂ X_right, row by row, each entry as one sum of products."""
        columns = terms_by_column(tensor.entries)
        result = zeros(len(left), tensor.shape[2])
        for i, (one, two) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            add = _sum_of_products if _has_positions(one + two) else self.ring.sum_of_products
            for j, terms in columns.items():
                pairs = [
                    (one[a] if value == 1 else one[a] * value, two[b]) for a, b, value in terms
                ]
                result[i, j] = add(pairs)
        return result


def _has_positions(row: Sequence[Any]) -> bool:
    return any(isinstance(value, Exact) for value in row)


def _sum_of_products(pairs: Iterable[Pair]) -> Any:
    """Σ f·g where some are positions, which a ring of polynomials does not have."""
    return reduce(plus, map(times, *zip(*pairs, strict=True)))


def terms_by_column(entries: Mapping[Any, Any]) -> dict[int, list[tuple[Any, ...]]]:
    """For each column, the last index of its entries, their other indices and their values.

    Examples:
        >>> terms_by_column({(0, 0): 1, (1, 0): 5, (0, 1): 1})
        {0: [(0, 1), (1, 5)], 1: [(0, 1)]}

    """
    columns: dict[int, list[tuple[Any, ...]]] = {}
    for place, value in entries.items():
        columns.setdefault(place[-1], []).append((*place[:-1], value))
    return columns
