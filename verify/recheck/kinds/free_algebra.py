"""Confirms identities and norm estimates for matrices by counting words.

free.identity   both sides expand to the same multiset of words
free.bound      each word of the expansion is charged to the product of its letters' bounds
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from verify.recheck.declarations import ByName, confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate
from verify.recheck.kernel import formula
from verify.recheck.kernel.polynomial import Words


def expanded(expression: str) -> Words:
    """The words of an expression with their coefficients; brackets are multiplied out."""
    tree = formula.read_letters(expression)
    letters = {name: Words.symbol(name) for name in formula.names(tree)}
    return Words.of(formula.value(tree, letters))


def shown(words: Mapping[tuple[str, ...], int]) -> dict[str, int]:
    """Words as texts."""
    return {" ".join(word): c for word, c in words.items()}


@confirms("free.identity", "symbolic", left=str, right=str)
def identity(left: str, right: str) -> Recomputed:
    """Both sides have the same words."""
    over = (expanded(left) - expanded(right)).terms
    return Recomputed(not over, {}, {"left over": shown(over)} if over else None)


@confirms("free.bound", "symbolic", expression=str, sizes=ByName(str, 0, 100), at_most=str)
def bound(expression: str, sizes: dict[str, str], at_most: str) -> Recomputed:
    """The words' bounds add up to at most the stated bound, coefficient by coefficient."""
    needed: Counter[tuple[str, ...]] = Counter()
    for word, c in expanded(expression).terms.items():
        if unknown := [letter for letter in word if letter not in sizes]:
            raise Refused(f"sizes: no bound for {abbreviate(unknown[0])}")
        bounds = [sizes[letter] for letter in word if sizes[letter] != "1"]
        needed[tuple(sorted(bounds))] += abs(c)
    given: Counter[tuple[str, ...]] = Counter()
    for word, c in expanded(at_most).terms.items():
        given[tuple(sorted(word))] += c
    if negative := [word for word, c in given.items() if c < 0]:
        raise Refused(f"at_most: a bound may not subtract {abbreviate(' '.join(negative[0]))}")
    beyond = {word: c for word, c in needed.items() if c > given[word]}
    return Recomputed(
        not beyond, {"majorant": shown(needed)}, {"beyond": shown(beyond)} if beyond else None
    )
