"""Cells of a table, recomputed from what is printed; a printed decimal is text and has a rounding.

    cell.follows     a cell is what an operation gives on other printed numbers, up to their rounding
    cell.possible    some whole number of cases, as a mean or a percentage, rounds to the cell

Notation      "0.10" means any number from 0.095 to 0.105; "43", without a point, 43 itself
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from math import floor

from verify.facts.registry import fact
from verify.judge.outcome import Outcome

Interval = tuple[Fraction, Fraction]
DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")
HUNDRED = Fraction(100)


def interval(printed: str) -> Interval:
    """All numbers that a printed decimal can mean."""
    if not DECIMAL.fullmatch(printed):
        raise ValueError(f"{printed!r} is no printed decimal")
    places = len(printed.partition(".")[2])
    half = Fraction(1, 2 * 10**places) if places else Fraction(0)
    return Fraction(printed) - half, Fraction(printed) + half


def _sum(parts: list[Interval]) -> Interval:
    return sum((a for a, _ in parts), Fraction(0)), sum((b for _, b in parts), Fraction(0))


def _mean(parts: list[Interval]) -> Interval:
    low, high = _sum(parts)
    return low / len(parts), high / len(parts)


def _difference(parts: list[Interval]) -> Interval:
    (a, b), (c, d) = parts
    return a - d, b - c


def _product(parts: list[Interval]) -> Interval:
    corners = [Fraction(1)]
    for part in parts:
        corners = [corner * end for corner in corners for end in part]
    return min(corners), max(corners)


def _quotient(parts: list[Interval]) -> Interval:
    (a, b), (c, d) = parts
    if c <= 0 <= d:
        raise ValueError("a quotient by a number that may be 0")
    corners = [x / y for x in (a, b) for y in (c, d)]
    return min(corners), max(corners)


def _percentage(parts: list[Interval]) -> Interval:
    low, high = _quotient(parts)
    return HUNDRED * low, HUNDRED * high


OPERATIONS: dict[str, Callable[[list[Interval]], Interval]] = {
    "sum": _sum,
    "mean": _mean,
    "difference": _difference,
    "product": _product,
    "quotient": _quotient,
    "percentage": _percentage,
}


@fact("cell.follows", "exact")
def follows(printed: str, operation: str, parts: list[str]) -> Outcome:
    """The operation on the printed parts can give a number that rounds to the printed cell."""
    low, high = OPERATIONS[operation]([interval(part) for part in parts])
    least, most = interval(printed)
    values = {"printed": printed, "least": _shown(low, printed), "most": _shown(high, printed)}
    holds = low <= most and least <= high
    return Outcome(holds, values, None if holds else values)


@fact("cell.possible", "exact")
def possible(printed: str, cases: int, percentage: bool) -> Outcome:
    """Some whole number, divided by the number of cases, rounds to the printed cell."""
    scale = HUNDRED if percentage else Fraction(1)
    least, most = interval(printed)
    below = floor(Fraction(printed) * cases / scale)
    near = [(count, scale * count / cases) for count in (below, below + 1)]
    values = {
        "printed": printed,
        "cases": cases,
        "below": _share(*near[0], printed),
        "above": _share(*near[1], printed),
    }
    holds = any(least <= share <= most for _, share in near)
    return Outcome(holds, values, None if holds else values)


def _share(count: int, share: Fraction, printed: str) -> str:
    """A number of cases with its share."""
    return f"{count} ({_shown(share, printed)})"


def _shown(share: Fraction, printed: str) -> str:
    """A number rounded to one more place than is printed."""
    places = len(printed.partition(".")[2]) + 1
    scaled = floor(share * 10**places + Fraction(1, 2))
    whole, rest = divmod(abs(scaled), 10**places)
    return f"{'-' if scaled < 0 else ''}{whole}.{rest:0{places}}"
