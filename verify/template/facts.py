"""The facts of the paper: what computations find about its sums.

sums.closed-form     a polynomial is the sum of another one, for every n
quotient.defined     a denominator has no zero among the integers from some least one on
squares.suffice      every number up to `most` is a sum of `count` squares
squares.counted      the number of sums of `count` squares up to `most`
squares.doubled      four times a sum of squares is the sum of the doubled numbers' squares
squares.exceptions   the numbers that are no sums of three squares have the form 4^a (8b + 7)
squares.shares       the share of sums of two, three and four squares, for a figure

A fact knows no statement. It returns an `Outcome`: whether it holds, the values that it computed
(whole numbers and exact text) and, where it fails, the smallest witness.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations_with_replacement
from math import isqrt

import sympy

from assay.papers import Outcome, fact

n = sympy.Symbol("n")


def polynomial(coefficients: list[str]) -> sympy.Poly:
    """A polynomial in n from its coefficients, the constant one first."""
    return sympy.Poly([sympy.Rational(c) for c in reversed(coefficients)], n)


@fact("sums.closed-form", "symbolic")
def closed_form(term: list[str], closed: list[str]) -> Outcome:
    """For every n ≥ 0 the sum of the term over 1 … n is the closed form."""
    added, total = polynomial(term), polynomial(closed)
    step = total - total.compose(sympy.Poly(n - 1, n)) - added
    if total.eval(0) == 0 and step.is_zero:
        return Outcome(True)
    sums, number = sympy.Integer(0), 0
    while sums == total.eval(number):
        number += 1
        sums += added.eval(number)
    return Outcome(False, {}, {"n": number, "sum": str(sums), "closed": str(total.eval(number))})


@fact("quotient.defined", "symbolic")
def defined(denominator: list[str], least: int) -> Outcome:
    """No integer n ≥ least is a zero of the denominator."""
    zeros = sorted(int(zero) for zero in polynomial(denominator).ground_roots() if zero.is_integer)
    bad = [zero for zero in zeros if zero >= least]
    return Outcome(not bad, {}, {"n": bad[0]} if bad else None)


def sums_of_squares(count: int, most: int) -> set[int]:
    """The numbers up to `most` that are sums of `count` squares."""
    squares = [k * k for k in range(isqrt(most) + 1)]
    sums = (sum(chosen) for chosen in combinations_with_replacement(squares, count))
    return {total for total in sums if total <= most}


@fact("squares.suffice", "exhaustive")
def suffice(count: int, most: int) -> Outcome:
    """Every natural number up to `most` is a sum of `count` squares."""
    reached = sums_of_squares(count, most)
    missed = next((number for number in range(most + 1) if number not in reached), None)
    witness = None if missed is None else {"number": missed, "count": count}
    return Outcome(missed is None, {}, witness)


@fact("squares.counted", "exhaustive")
def counted(count: int, most: int, printed: int) -> Outcome:
    """`printed` of the numbers 1 … most are sums of `count` squares."""
    number = len(sums_of_squares(count, most) - {0})
    values = {"number": number}
    return Outcome(number == printed, values, None if number == printed else values)


@fact("squares.doubled", "symbolic")
def doubled(count: int) -> Outcome:
    """Four times the sum of `count` squares is the sum of the squares of the doubled numbers."""
    letters = sympy.symbols(f"a:{count}")
    left = 4 * sum(letter**2 for letter in letters)
    right = sum((2 * letter) ** 2 for letter in letters)
    return Outcome(sympy.Poly(left - right, *letters).is_zero)


@fact("squares.exceptions", "exhaustive")
def exceptions(most: int) -> Outcome:
    """Up to `most`, the numbers that are no sums of three squares are those 4^a (8b + 7)."""
    reached = sums_of_squares(3, most)
    for number in range(1, most + 1):
        rest = number
        while not rest % 4:
            rest //= 4
        if (number in reached) == (rest % 8 == 7):
            return Outcome(False, {}, {"number": number})
    return Outcome(True, {"exceptions": most + 1 - len(reached)})


@fact("squares.shares", "exhaustive")
def shares(limits: list[int]) -> Outcome:
    """The percentage of the numbers 1 … limit that are sums of two, three and four squares."""
    curves = []
    for count in (2, 3, 4):
        numbers = [len(sums_of_squares(count, limit) - {0}) for limit in limits]
        percent = [str(Decimal(100 * k) / most) for k, most in zip(numbers, limits, strict=True)]
        x = [str(limit) for limit in limits]
        curves.append({"label": f"{count} squares", "x": x, "y": percent})
    return Outcome(True, {"shares": curves})
