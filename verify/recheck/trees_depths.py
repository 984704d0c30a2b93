"""Certificates on depths that softmax finds without a mask, in rational intervals.

Kinds         trees.soft-depths: for each growth M the largest error on all small shapes, rounded up
              to 12 digits

A score is -M^(2(j-i)+1). For k = i - j ≥ 1 the weight beside the others is exp(-M^(1-2k)), for j ≥ i
it is at most e^(-M), here at most e^(-64). The second layer copies: all but 2N e^(-64) of its weight
stays, of depths that differ by less than N.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from math import ceil
from typing import Any

from verify.recheck.bounds import Interval, exp
from verify.recheck.errors import Refused, agree, fraction, only, sequence
from verify.recheck.treework import Tree, before_depths, few, markers, shapes_within, written

Body = Mapping[str, Any]
UNIT = 10**12
BITS = 120
LEAST = 64


@cache
def beside(growth: int, back: int) -> Interval:
    """exp(-M^(1-2k)), the weight of the position k before."""
    return exp(-Fraction(1, growth ** (2 * back - 1)), BITS)


@cache
def faint() -> Fraction:
    """An upper bound on e^(-64)."""
    return exp(Fraction(-LEAST), BITS)[1]


def depth(growth: int, m: list[int], i: int) -> Interval:
    """(i - 1) times the mean of the markers, as the head weighs them."""
    low = high = whole_low = whole_high = Fraction(0)
    for j in range(1, i):
        a, b = beside(growth, i - j)
        low, high = low + min(a * m[j - 1], b * m[j - 1]), high + max(a * m[j - 1], b * m[j - 1])
        whole_low, whole_high = whole_low + a, whole_high + b
    rest = (len(m) - i + 1) * faint()
    low, high, whole_high = low - rest, high + rest, whole_high + rest
    ends = [(i - 1) * x / y for x in (low, high) for y in (whole_low, whole_high)]
    return min(ends), max(ends)


def error(growth: int, tree: Tree) -> Interval:
    """The largest error of a depth in one tree."""
    tokens = written(tree)
    m, d, least, most = markers(tokens), before_depths(tokens), Fraction(0), Fraction(0)
    blur = 2 * len(tokens) ** 2 * faint()
    for i in range(2, len(tokens) + 1):
        low, high = depth(growth, m, i)
        most = max(most, abs(low - d[i - 1]) + blur, abs(high - d[i - 1]) + blur)
        inside = low <= d[i - 1] <= high
        near = Fraction(0) if inside else min(abs(low - d[i - 1]), abs(high - d[i - 1]))
        least = max(least, near - blur)
    return least, most


def soft_depths(body: Body) -> str:
    """The stated errors are the largest ones, rounded up."""
    only(body, {"kind", "leaves", "errors"})
    trees = list(shapes_within(few(body, 6)))
    rows = sequence(body, "errors", 3)
    for growth, stated in rows:
        if type(growth) is not int or growth < LEAST:
            raise Refused(f"growth {growth!r}: expected a whole number from {LEAST} on")
        found = [error(growth, tree) for tree in trees]
        ends = {ceil(max(pair[side] for pair in found) * UNIT) for side in (0, 1)}
        agree(f"largest error with M = {growth}", {fraction(stated) * UNIT}, ends)
    return f"{len(trees)} shapes, no mask: largest errors {[row[1] for row in rows]}"


VALIDATORS: dict[str, Callable[[Body], str]] = {"trees.soft-depths": soft_depths}
