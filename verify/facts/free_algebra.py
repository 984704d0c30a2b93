"""Identities and norm estimates for matrices of every size, in symbols that do not commute.

An expression is a text such as "(A + E) X V - A X V": sums, differences, brackets, and products
written side by side. Text is read and walked, never run.

    free.identity   two expressions are the same polynomial in letters that do not commute, so
                    equal for all matrices of fitting shapes
    free.bound      the triangle inequality and ‖A B‖ ≤ ‖A‖ ‖B‖, applied to every term of the
                    expanded expression, give at most the stated bound

Values and witnesses list terms as texts: letters side by side, with their coefficient.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import sympy

from verify.facts import printed_formulas as printed
from verify.facts.registry import fact
from verify.judge.outcome import Outcome

FOREIGN = re.compile(r"[^\w\s+()-]|(?<!\w)\d")
BESIDE = re.compile(r"(?<=[\w)])\s*(?=\()|(?<=\))\s*(?=\w)|(?<=\w)\s+(?=\w)")
Terms = dict[str, int]


def read(text: str, commute: bool = False) -> sympy.Expr:
    """An expression, multiplied out."""
    if found := FOREIGN.search(text):
        raise ValueError(f"{text!r}: expected letters, +, - and brackets, not {found[0]!r}")
    letters = {name: sympy.Symbol(name, commutative=commute) for name in re.findall(r"\w+", text)}
    return sympy.expand(printed.count(BESIDE.sub("*", text), **letters))


def terms(expression: sympy.Expr) -> Terms:
    """The words of a sum, each with its coefficient."""
    coefficients: Terms = {}
    for term in sympy.Add.make_args(sympy.expand(expression)):
        if term == 0:
            continue
        scalar, letters = term.args_cnc()
        numbers = [part for part in scalar if part.is_number]
        names = [part for part in (*scalar, *letters) if not part.is_number]
        word = [base.name for base, power in map(_power, names) for _ in range(power)]
        commuting = not letters
        key = " ".join(sorted(word) if commuting else word)
        coefficients[key] = int(sympy.Mul(*numbers))
    return coefficients


def _power(factor: sympy.Expr) -> tuple[sympy.Symbol, int]:
    base, power = factor.as_base_exp()
    return base, int(power)


@fact("free.identity", "symbolic")
def identity(left: str, right: str) -> Outcome:
    """Two expressions in matrices are equal, whatever the matrices and their sizes."""
    rest = terms(read(left) - read(right))
    return Outcome(not rest, {}, {"left over": rest} if rest else None)


@fact("free.bound", "symbolic")
def bound(expression: str, sizes: Mapping[str, str], at_most: str) -> Outcome:
    """The norm of an expression is at most the bound, in every submultiplicative norm.

    `sizes` names for each letter a bound on its norm, or "1"; `at_most` is a sum of products of
    these names, none of them subtracted.
    """
    needed = majorant(read(expression), sizes)
    given = terms(read(at_most, commute=True))
    if negative := [word for word, c in given.items() if c < 0]:
        raise ValueError(f"{at_most!r}: a bound may not subtract {negative[0]!r}")
    beyond = {word: c for word, c in needed.items() if c > given.get(word, 0)}
    return Outcome(not beyond, {"majorant": needed}, {"beyond": beyond} if beyond else None)


def majorant(expression: sympy.Expr, sizes: Mapping[str, str]) -> Terms:
    """The sum over all terms of the products of their letters' bounds."""
    coefficients: Terms = {}
    for word, c in terms(expression).items():
        bounds = [sizes[letter] for letter in word.split()]
        size = " ".join(sorted(name for name in bounds if name != "1"))
        coefficients[size] = coefficients.get(size, 0) + abs(c)
    return coefficients
