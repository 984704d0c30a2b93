"""The facts once more, by other computations and with the standard library alone.

sums.closed-form     both sides at more places than their degree
quotient.defined     integers within Cauchy's bound on the zeros
squares.*            the least number of squares for each number, by dynamic programming
squares.doubled      both sides at three values of each letter, which determine a quadratic form

A confirmation declares its fact, its method and the range of every parameter, so that nothing is
computed before each is in its range.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import isqrt

from assay.papers import Recomputed, Refused, confirms

MOST = 2000
LIST = [str, 1, 8]


def numbers(texts: list[str]) -> list[Fraction]:
    """Coefficients, the constant one first."""
    if any(len(text) > 20 or "e" in text.lower() for text in texts):
        raise Refused("a coefficient is longer than 20 characters")
    return [Fraction(text) for text in texts]


def value(coefficients: list[Fraction], at: int) -> Fraction:
    """The value of a polynomial."""
    return sum((c * at**k for k, c in enumerate(coefficients)), Fraction(0))


@confirms("sums.closed-form", "symbolic", term=LIST, closed=LIST)
def closed_form(term: list[str], closed: list[str]) -> Recomputed:
    """Polynomials of degree below d that agree at d places are the same; a sum has one degree more."""
    added, total = numbers(term), numbers(closed)
    sums = Fraction(0)
    for number in range(max(len(added) + 1, len(total))):
        sums += value(added, number) if number else 0
        if sums != value(total, number):
            witness = {"n": number, "sum": str(sums), "closed": str(value(total, number))}
            return Recomputed(False, {}, witness)
    return Recomputed(True)


@confirms("quotient.defined", "symbolic", denominator=LIST, least=(-100, 100))
def defined(denominator: list[str], least: int) -> Recomputed:
    """No zero of a polynomial is larger than 1 and the greatest ratio of its coefficients."""
    coefficients = numbers(denominator)
    if not coefficients[-1]:
        raise Refused("the leading coefficient is 0")
    bound = int(1 + max(abs(c / coefficients[-1]) for c in coefficients))
    if bound > MOST:
        raise Refused(f"a zero may be larger than {MOST}")
    bad = [k for k in range(least, bound + 1) if value(coefficients, k) == 0]
    return Recomputed(not bad, {}, {"n": bad[0]} if bad else None)


def least_counts(most: int) -> list[int]:
    """For each number up to `most`, how many squares it needs."""
    needed = [0]
    for number in range(1, most + 1):
        needed.append(1 + min(needed[number - k * k] for k in range(1, isqrt(number) + 1)))
    return needed


@confirms("squares.suffice", "exhaustive", count=(1, 8), most=(1, MOST))
def suffice(count: int, most: int) -> Recomputed:
    """The first number that needs more squares."""
    needed = least_counts(most)
    missed = [number for number in range(most + 1) if needed[number] > count]
    witness = {"number": missed[0], "count": count} if missed else None
    return Recomputed(not missed, {}, witness)


@confirms("squares.counted", "exhaustive", count=(1, 8), most=(1, MOST), printed=(0, MOST))
def counted(count: int, most: int, printed: int) -> Recomputed:
    """Number of positive numbers that need no more squares."""
    number = sum(needed <= count for needed in least_counts(most)[1:])
    values = {"number": number}
    return Recomputed(number == printed, values, None if number == printed else values)


@confirms("squares.doubled", "symbolic", count=(1, 6))
def doubled(count: int) -> Recomputed:
    """Both sides at all places with coordinates 0, 1 and 2."""
    places = product(range(3), repeat=count)
    apart = [4 * sum(k * k for k in place) - sum((k + k) ** 2 for k in place) for place in places]
    return Recomputed(not any(apart))


@confirms("squares.exceptions", "exhaustive", most=(1, MOST))
def exceptions(most: int) -> Recomputed:
    """The numbers 4^a (8b + 7), each from a fourth of it, beside those that need four squares."""
    shaped, needed = [False], least_counts(most)
    for number in range(1, most + 1):
        shaped.append(number % 8 == 7 or (not number % 4 and shaped[number // 4]))
        if (needed[number] > 3) != shaped[number]:
            return Recomputed(False, {}, {"number": number})
    return Recomputed(True, {"exceptions": sum(each > 3 for each in needed)})


@confirms("squares.shares", "exhaustive", limits=[(1, MOST), 1, 20])
def shares(limits: list[int]) -> Recomputed:
    """The curves from the least numbers of squares."""
    needed = least_counts(max(limits))
    curves = []
    for count in (2, 3, 4):
        reached = [sum(each <= count for each in needed[1 : most + 1]) for most in limits]
        y = [str(Decimal(100 * k) / most) for k, most in zip(reached, limits, strict=True)]
        curves.append({"label": f"{count} squares", "x": list(map(str, limits)), "y": y})
    return Recomputed(True, {"shares": curves})
