"""Printed counts such as "2n⁴+3n²+1" or "C(2n²+2, 2)": read, evaluated, and decided by differences.

    formula   sums and products of numbers, names, powers ² … ⁹ and binomials C(a, k)
    facts     two polynomials of degree at most d in each name are the same if they agree on
              {1 … d+1}; a polynomial whose forward differences at N are all ≥ 0 never decreases
              from N on

A text is only ever read and walked. What is not understood, or too large, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from verify.recheck.errors import Refused, abbreviate

Tree = tuple[Any, ...]
TOKEN = re.compile(r"\s*(\d+|C\(|[A-Za-z]+|[²³⁴⁵⁶⁷⁸⁹]|[-−+·*(),])", re.ASCII)
LETTER = re.compile(r"\s*([^\W\d]\w*|[-+()])")
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
LONGEST, HIGHEST_DEGREE, FARTHEST, MOST_POINTS = 200, 40, 10_000, 20_000


def read(text: object) -> Tree:
    """The tree of a printed count."""
    if not isinstance(text, str) or not 1 <= len(text) <= LONGEST:
        raise Refused(f"{abbreviate(text)}: expected a count such as '2n²+2'")
    tree = _whole(text, TOKEN)
    if any(degree(tree, name) > HIGHEST_DEGREE for name in names(tree)):
        raise Refused(f"{abbreviate(text)}: the degree is above {HIGHEST_DEGREE}")
    return tree


def read_letters(text: str) -> Tree:
    """The tree of a sum of products of letters, written side by side."""
    if not 1 <= len(text) <= 2 * LONGEST:
        raise Refused(f"{abbreviate(text)}: expected letters, +, - and brackets")
    return _whole(text, LETTER)


def _whole(text: str, token: re.Pattern[str]) -> Tree:
    tokens = _tokens(text.rstrip(), token)
    tree = _sum(tokens)
    if tokens:
        raise Refused(f"{abbreviate(text)}: {abbreviate(tokens[0])} is not understood")
    return tree


def _tokens(text: str, token: re.Pattern[str]) -> list[str]:
    found, place = [], 0
    while place < len(text):
        match = token.match(text, place)
        if match is None:
            raise Refused(f"{abbreviate(text)}: not understood from character {place + 1} on")
        found.append(match[1])
        place = match.end()
    return found


def _sum(tokens: list[str]) -> Tree:
    tree = _product(tokens)
    while tokens and tokens[0] in "+-−":
        sign = tokens.pop(0)
        tree = ("+" if sign == "+" else "-", tree, _product(tokens))
    return tree


def _product(tokens: list[str]) -> Tree:
    tree = _power(tokens)
    while tokens and tokens[0] not in "+-−),":
        if tokens[0] in "·*":
            tokens.pop(0)
        tree = ("·", tree, _power(tokens))
    return tree


def _power(tokens: list[str]) -> Tree:
    tree = _atom(tokens)
    if tokens and tokens[0] in SUPERSCRIPTS:
        tree = ("^", tree, SUPERSCRIPTS.index(tokens.pop(0)))
    return tree


def _atom(tokens: list[str]) -> Tree:
    if not tokens:
        raise Refused("a count ends too early")
    part = tokens.pop(0)
    if part.isdecimal():
        return ("number", int(part))
    if part == "C(":
        return _binomial(tokens)
    if part[0].isalpha() or part[0] == "_":
        return ("name", part)
    if part == "(":
        tree = _sum(tokens)
        _expect(tokens, ")")
        return tree
    raise Refused(f"a count has {abbreviate(part)} where a number or a name is expected")


def _binomial(tokens: list[str]) -> Tree:
    top = _sum(tokens)
    _expect(tokens, ",")
    lower = _atom(tokens)
    _expect(tokens, ")")
    if lower[0] != "number" or lower[1] > HIGHEST_DEGREE:
        raise Refused("the lower number of a binomial is not a small whole number")
    return ("C", top, lower[1])


def _expect(tokens: list[str], part: str) -> None:
    if tokens[:1] != [part]:
        raise Refused(f"a count lacks {part!r}")
    tokens.pop(0)


def names(tree: Tree) -> list[str]:
    """The names in a count, sorted."""
    if tree[0] == "name":
        return [tree[1]]
    found = [names(part) for part in tree[1:] if isinstance(part, tuple)]
    return sorted({name for part in found for name in part})


def degree(tree: Tree, name: str) -> int:
    """An upper bound of the degree in one name."""
    match tree:
        case ("number", _):
            return 0
        case ("name", other):
            return int(other == name)
        case ("+" | "-", left, right):
            return max(degree(left, name), degree(right, name))
        case ("·", left, right):
            return degree(left, name) + degree(right, name)
    _, base, exponent = tree  # a power or a binomial
    return degree(base, name) * int(exponent)


def value(tree: Tree, at: Mapping[str, Any]) -> Any:
    """The value of a count for numbers, or for anything that can be added and multiplied."""
    match tree:
        case ("number", number):
            return Fraction(number)
        case ("name", name) if name in at:
            return at[name]
        case ("name", name):
            raise Refused(f"the name {abbreviate(name)} has no value here")
        case ("+", left, right):
            return value(left, at) + value(right, at)
        case ("-", left, right):
            return value(left, at) - value(right, at)
        case ("·", left, right):
            return value(left, at) * value(right, at)
        case ("^", base, exponent):
            return value(base, at) ** int(exponent)
    _, top, lower = tree  # a binomial
    return _choose(value(top, at), int(lower))


def _choose(top: Any, lower: int) -> Any:
    found: Any = Fraction(1)
    for k in range(lower):
        found = found * (top - k) / (k + 1)
    return found


def points(symbols: Sequence[str], most: int) -> Iterator[dict[str, int]]:
    """The points of {1 … most}^k, those with the smaller largest coordinate first."""
    if most ** max(1, len(symbols)) > MOST_POINTS:
        raise Refused(f"more than {MOST_POINTS} points")
    if not symbols:
        yield {}
        return
    for largest in range(1, most + 1):
        for values in product(range(1, largest + 1), repeat=len(symbols)):
            if max(values) == largest:
                yield dict(zip(symbols, values, strict=True))


def first_difference(pairs: Sequence[tuple[Tree, Tree]]) -> tuple[dict[str, int], int] | None:
    """The first point at which some pair of counts differs, and that pair's number; or None."""
    symbols = sorted({name for pair in pairs for tree in pair for name in names(tree)})
    enough = 1 + max((degree(t, s) for pair in pairs for t in pair for s in symbols), default=0)
    for at in points(symbols, enough):
        for number, (left, right) in enumerate(pairs):
            if value(left, at) != value(right, at):
                return at, number
    return None


def differences(left: Tree, right: Tree, name: str, start: int) -> list[Fraction]:
    """The forward differences at `start` of left - right, a polynomial in one name."""
    top = max(degree(left, name), degree(right, name))
    row = [value(left, {name: k}) - value(right, {name: k}) for k in range(start, start + top + 1)]
    found = []
    while row:
        found.append(row[0])
        row = [b - a for a, b in pairwise(row)]
    return found


def agreements(pairs: Sequence[tuple[Tree, Tree]], name: str) -> list[int]:
    """The numbers ≥ 1 at which all pairs agree; the pairs are not all the same polynomials."""
    found: list[int] = []
    for k in range(1, FARTHEST):
        if any(_settled(left, right, name, k) for left, right in pairs):
            return found
        if all(value(left, {name: k}) == value(right, {name: k}) for left, right in pairs):
            found.append(k)
    raise Refused(f"no pair of counts is seen to differ from some {name} on")


def _settled(left: Tree, right: Tree, name: str, start: int) -> bool:
    """Return True if forward differences show that two counts differ from `start` on."""
    row = differences(left, right, name, start)
    return row[0] != 0 and (all(d >= 0 for d in row) or all(d <= 0 for d in row))
