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

from verify.facts.registry import fact
from verify.judge.outcome import Outcome

TOKEN = re.compile(r"\s*([^\W\d]\w*|[-+()])")
Terms = dict[str, int]


class _Reader:
    """Reads a sum of products by descent."""

    def __init__(self, text: str, commute: bool) -> None:
        self.text, self.commute = text, commute
        self.tokens = TOKEN.findall(text)
        if TOKEN.sub("", text).strip():
            raise ValueError(f"{text!r}: expected letters, +, - and brackets")

    def whole(self) -> sympy.Expr:
        value = self.sum()
        if self.tokens:
            raise ValueError(f"{self.text!r}: {self.tokens[0]!r} was not expected")
        return sympy.expand(value)

    def sum(self) -> sympy.Expr:
        total = self.product()
        while self.tokens and self.tokens[0] in "+-":
            sign = 1 if self.tokens.pop(0) == "+" else -1
            total = total + sign * self.product()
        return total

    def product(self) -> sympy.Expr:
        value = self.factor()
        while self.tokens and self.tokens[0] not in ("+", "-", ")"):
            value = value * self.factor()
        return value

    def factor(self) -> sympy.Expr:
        symbol = self.tokens.pop(0) if self.tokens else "the end"
        if symbol == "(":
            inner = self.sum()
            if not self.tokens or self.tokens.pop(0) != ")":
                raise ValueError(f"{self.text!r}: a bracket is not closed")
            return inner
        if symbol in ("the end", "+", "-", ")"):
            raise ValueError(f"{self.text!r}: {symbol} where a letter was expected")
        return sympy.Symbol(symbol, commutative=self.commute)


def read(text: str, commute: bool = False) -> sympy.Expr:
    """An expression, multiplied out."""
    return _Reader(text, commute).whole()


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
