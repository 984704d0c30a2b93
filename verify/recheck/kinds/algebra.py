"""Confirms identities, shapes and sizes by values at points and by forward differences.

identity.polynomial   both sides agree on a grid that decides polynomials of their degree
shape.product         the same for every pair of sizes that must be equal
size.at-most          the forward differences of bound - size at 1 are all ≥ 0
order.at-most         the coefficients, by multiplying out in one symbol
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate
from verify.recheck.kernel import formula
from verify.recheck.kernel.formula import Tree
from verify.recheck.kernel.polynomial import Poly

Table = Mapping[str, Any]
Pairs = list[tuple[Tree, Tree]]
MATRIX = re.compile(r"(?:[^\s()]+ )?\(([^()]+)\)(ᵀ?)")
BLOCK = re.compile(r"ρ|[0A-Za-zα-ω]_(?:\{([^{}×]+)(?:×([^{}×]+))?\}|(\w[²³⁴⁵⁶⁷⁸⁹]?))")
FARTHEST_WITNESS = 1000


@confirms("identity.polynomial", "symbolic", left=formula.read, right=formula.read)
def identity(left: Tree, right: Tree) -> Recomputed:
    """Two counts are the same polynomial."""
    found = formula.first_difference([(left, right)])
    if found is None:
        return Recomputed(True)
    at, _ = found
    shown = {"left": str(formula.value(left, at)), "right": str(formula.value(right, at))}
    return Recomputed(False, _agreeing([(left, right)]), {**at, **shown})


def _factor(text: object) -> tuple[Pairs, tuple[Tree, Tree]]:
    """Shapes that the blocks of a factor need, and its own shape."""
    found = MATRIX.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise Refused(
            f"{abbreviate(text)}: expected a matrix of blocks such as '(0_{{n²×2}} I_n²)ᵀ'"
        )
    rows = [[_block(part) for part in row.split()] for row in found[1].split(";")]
    if not all(rows):
        raise Refused(f"{abbreviate(text)}: a row without blocks")
    pairs: Pairs = [(row[0][0], block[0]) for row in rows for block in row[1:]]
    widths = [_total([block[1] for block in row]) for row in rows]
    pairs += [(widths[0], width) for width in widths[1:]]
    shape = (_total([row[0][0] for row in rows]), widths[0])
    return pairs, shape[::-1] if found[2] else shape


def _total(sizes: list[Tree]) -> Tree:
    total = sizes[0]
    for size in sizes[1:]:
        total = ("+", total, size)
    return total


def _block(text: str) -> tuple[Tree, Tree]:
    found = BLOCK.fullmatch(text)
    if found is None:
        raise Refused(f"{abbreviate(text)}: expected a block such as 'A_{{n×2}}'")
    rows = formula.read(found[1] or found[3] or "2")
    return rows, formula.read(found[2]) if found[2] else rows


@confirms("shape.product", "symbolic", factors=[_factor, 1, 12], result=[formula.read, 2, 2])
def shapes(factors: list[Any], result: list[Tree]) -> Recomputed:
    """A product of matrices of blocks exists and has the stated shape."""
    pairs: Pairs = [pair for needed, _ in factors for pair in needed]
    shapes = [shape for _, shape in factors]
    pairs += [(one[1], next_[0]) for one, next_ in pairwise(shapes)]
    pairs += [(shapes[0][0], result[0]), (shapes[-1][1], result[1])]
    found = formula.first_difference(pairs)
    if found is None:
        return Recomputed(True)
    at, number = found
    unequal = [str(formula.value(tree, at)) for tree in pairs[number]]
    return Recomputed(False, _agreeing(pairs), {**at, "unequal": unequal})


def _agreeing(pairs: Pairs) -> dict[str, Any]:
    """At which numbers all pairs agree, where there is one name."""
    names = {name for pair in pairs for tree in pair for name in formula.names(tree)}
    return {"agree": formula.agreements(pairs, names.pop())} if len(names) == 1 else {}


@confirms("size.at-most", "symbolic", size=formula.read, bound=formula.read)
def at_most(size: Tree, bound: Tree) -> Recomputed:
    """A count in one symbol is at most another one, for all numbers ≥ 1."""
    name = _one_name([size, bound])
    if all(d >= 0 for d in formula.differences(bound, size, name, 1)):
        return Recomputed(True)
    for k in range(1, FARTHEST_WITNESS + 1):
        low, high = formula.value(size, {name: k}), formula.value(bound, {name: k})
        if low > high:
            return Recomputed(False, {}, {name: k, "size": str(low), "bound": str(high)})
    raise Refused("neither the differences nor the first thousand values decide it")


@confirms("order.at-most", "symbolic", size=formula.read, order=formula.read)
def order(size: Tree, order: Tree) -> Recomputed:
    """A count in one symbol is of the stated order, and with which constant."""
    name = _one_name([size, order])
    coefficients, power = expanded(size), expanded(order)
    if len(power) != 1 or set(power.values()) != {1} or formula.names(order) != [name]:
        raise Refused(f"order: expected a power of {name}")
    degree, highest = max(coefficients, default=0), max(power)
    if degree > highest:
        return Recomputed(False, {"degree": degree}, {"degree": degree, "order": highest})
    constant = sum((c for c in coefficients.values() if c > 0), start=Fraction(0))
    return Recomputed(True, {"degree": degree, "constant": str(constant)})


def _one_name(trees: list[Tree]) -> str:
    names = {name for tree in trees for name in formula.names(tree)}
    if len(names) != 1:
        raise Refused(f"names {sorted(names)}: expected one")
    return names.pop()


def expanded(tree: Tree) -> dict[int, Fraction]:
    """The coefficients by degree of a count in one symbol."""
    found = formula.value(tree, {name: Poly.symbol(name) for name in formula.names(tree)})
    return {len(monomial): Fraction(c) for monomial, c in Poly.of(found).terms.items()}
