"""Confirms identities and norm estimates for matrices by counting words.

free.identity   both sides expand to the same multiset of words
free.bound      each word of the expansion is charged to the product of its letters' bounds
"""

from __future__ import annotations

import re
from collections import Counter

from verify.recheck.declarations import ByName, confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate
from verify.recheck.kernel.polynomial import Poly, add, joined, minus, symbol

PIECE = re.compile(r"[^\W\d]\w*|[-+()]|\s+")
LONGEST, MOST_WORDS = 400, 4096


def expanded(expression: str) -> Poly:
    """The words of an expression with their coefficients; brackets are multiplied out."""
    pieces = PIECE.findall(expression)
    if "".join(pieces) != expression or len(expression) > LONGEST:
        raise Refused(f"{abbreviate(expression)}: expected letters, +, - and brackets")
    tokens = [piece for piece in pieces if not piece.isspace()]
    found, rest = _sum(tokens, expression)
    if rest:
        raise Refused(f"{abbreviate(expression)}: {rest[0]!r} was not expected")
    return found


def _sum(tokens: list[str], whole: str) -> tuple[Poly, list[str]]:
    total, rest = _product(tokens, whole)
    while rest and rest[0] in "+-":
        join = add if rest[0] == "+" else minus
        found, rest = _product(rest[1:], whole)
        total = join(total, found)
    return total, rest


def _product(tokens: list[str], whole: str) -> tuple[Poly, list[str]]:
    found, rest = _factor(tokens, whole)
    while rest and rest[0] not in "+-)":
        other, rest = _factor(rest, whole)
        if len(found) * len(other) > MOST_WORDS:
            raise Refused(f"{abbreviate(whole)}: more than {MOST_WORDS} words")
        found = joined(found, other)
    return found, rest


def _factor(tokens: list[str], whole: str) -> tuple[Poly, list[str]]:
    if not tokens or tokens[0] in "+-)":
        raise Refused(f"{abbreviate(whole)}: a letter is missing")
    if tokens[0] != "(":
        return symbol(tokens[0]), tokens[1:]
    found, rest = _sum(tokens[1:], whole)
    if not rest or rest[0] != ")":
        raise Refused(f"{abbreviate(whole)}: a bracket is not closed")
    return found, rest[1:]


def shown(words: Poly) -> dict[str, int]:
    """Words as texts."""
    return {" ".join(word): c for word, c in words.items()}


@confirms("free.identity", "symbolic", left=str, right=str)
def identity(left: str, right: str) -> Recomputed:
    """Both sides have the same words."""
    over = minus(expanded(left), expanded(right))
    return Recomputed(not over, {}, {"left over": shown(over)} if over else None)


@confirms("free.bound", "symbolic", expression=str, sizes=ByName(str, 0, 100), at_most=str)
def bound(expression: str, sizes: dict[str, str], at_most: str) -> Recomputed:
    """The words' bounds add up to at most the stated bound, coefficient by coefficient."""
    needed: Counter[tuple[str, ...]] = Counter()
    for word, c in expanded(expression).items():
        if unknown := [letter for letter in word if letter not in sizes]:
            raise Refused(f"sizes: no bound for {abbreviate(unknown[0])}")
        bounds = [sizes[letter] for letter in word if sizes[letter] != "1"]
        needed[tuple(sorted(bounds))] += abs(c)
    given: Counter[tuple[str, ...]] = Counter()
    for word, c in expanded(at_most).items():
        given[tuple(sorted(word))] += c
    if negative := [word for word, c in given.items() if c < 0]:
        raise Refused(f"at_most: a bound may not subtract {abbreviate(' '.join(negative[0]))}")
    beyond = {word: c for word, c in needed.items() if c > given[word]}
    return Recomputed(
        not beyond, {"majorant": shown(needed)}, {"beyond": shown(beyond)} if beyond else None
    )
