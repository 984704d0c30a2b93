"""Confirms statistics on printed values: p-values by series, bends by orthogonal residuals."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from verify.recheck.declarations import ByName, Fields, confirms, rational
from verify.recheck.errors import Recomputed, Refused, figure_curve
from verify.recheck.kernel import statistics
from verify.recheck.kernel.decimal_cells import exact, pair, rows, shown
from verify.recheck.kernel.interval import Interval, log

Places = dict[str, int]
PLACES = ByName((1, 1000))
COLUMNS = [str, 1, 10]
SCALES = ("linear", "log")


def curve(number: int, column: str) -> tuple[list[int], list[Fraction]]:
    """Heads of the rows and means of a column."""
    heads = list(rows(number))
    return [int(head) for head in heads], [exact(pair(number, head, column)[0]) for head in heads]


def rounded(bounds: Interval, places: int) -> str:
    """The decimal to which an enclosed number rounds."""
    low, high = (shown(bound, places) for bound in bounds)
    if low != high:
        raise Refused(f"a p-value between {low} and {high}")
    return low


def side(bounds: Interval, level: Fraction) -> bool:
    """Return True if a p-value is below a level; refuse one that is too near."""
    if bounds[0] < level <= bounds[1]:
        raise Refused("a p-value too near to its level")
    return bounds[1] < level


@confirms(
    "statistics.welch",
    "enclosure",
    number=(3, 4),
    rows=ByName([str, 2, 2]),
    runs=(2, 1000),
    level=rational,
)
def welch(number: int, rows: dict[str, list[str]], runs: int, level: Fraction) -> Recomputed:
    """p-values and factors of pairs of rows."""
    p, factor, differing = {}, {}, []
    for column, both in rows.items():
        one, other = (pair(number, row, column) for row in both)
        groups = [(exact(m), exact(s) ** 2) for m, s in (one, other)]
        bounds = statistics.p_value(groups[0], groups[1], (runs, runs))
        p[column] = rounded(bounds, 6)
        factor[column] = shown(exact(one[0]) / exact(other[0]), 2)
        if side(bounds, level):
            differing.append(column)
    values = {"p": p, "factor": factor}
    return Recomputed(
        not differing, values, {**values, "columns": differing} if differing else None
    )


def bend(number: int, column: str, scale: str) -> int:
    """Row at which a column bends."""
    x, y = curve(number, column)
    points = [(v, v) if scale == "linear" else log(v, statistics.BITS) for v in y]
    found = statistics.elbow(x, points)
    if found is None:
        raise Refused("two bends that fit alike")
    return found


@confirms(
    "statistics.elbow", "enclosure", number=(3, 4), expected=PLACES, within=(0, 100), scale=SCALES
)
def elbow(number: int, expected: Places, within: int, scale: str) -> Recomputed:
    """Bends against expected places."""
    found = {column: bend(number, column, scale) for column in expected}
    far = [c for c in expected if abs(found[c] - expected[c]) > within]
    if not far:
        return Recomputed(True, {"bends": found})
    first = {"column": far[0], "bend": found[far[0]], "expected": expected[far[0]]}
    return Recomputed(False, {"bends": found}, {**first, "bends": list(found.values())})


BENDS = Fields({"number": (3, 4), "expected": PLACES})  # of a table's columns


@confirms("statistics.farther", "enclosure", near=BENDS, far=BENDS, scale=SCALES)
def farther(near: dict[str, Any], far: dict[str, Any], scale: str) -> Recomputed:
    """Mean relative distances of bends in two tables."""
    less, more = _distance(**near, scale=scale), _distance(**far, scale=scale)
    values = {"near": shown(less, 3), "far": shown(more, 3)}
    return Recomputed(less < more, values, None if less < more else values)


def _distance(number: int, expected: Places, scale: str) -> Fraction:
    parts = [Fraction(abs(bend(number, c, scale) - x), x) for c, x in expected.items()]
    return sum(parts, Fraction(0)) / len(parts)


@confirms("statistics.falls", "exact", number=(3, 4), columns=COLUMNS, rows=[str, 2, 20])
def falls(number: int, columns: list[str], rows: list[str]) -> Recomputed:
    """Columns whose means do not fall along the rows."""
    rising = []
    for column in columns:
        means = [exact(pair(number, head, column)[0]) for head in rows]
        if means != sorted(means, reverse=True) or len(set(means)) < len(means):
            rising.append(column)
    return Recomputed(not rising, {"rising": rising}, {"column": rising[0]} if rising else None)


@confirms("statistics.largest-drop", "exact", number=(3, 4), columns=COLUMNS)
def largest_drop(number: int, columns: list[str]) -> Recomputed:
    """Columns whose largest drop does not exceed what follows it."""
    ends, without = {}, []
    for column in columns:
        heads, values = curve(number, column)
        drops = {head: a - b for head, (a, b) in zip(heads[1:], pairwise(values), strict=True)}
        ends[column] = max(drops, key=lambda head: (drops[head], -head))
        rest = values[heads.index(ends[column])] - values[-1]
        if drops[ends[column]] <= rest:
            without.append(column)
    return Recomputed(not without, {"ends": ends}, {"column": without[0]} if without else None)


@confirms("statistics.curves", "enclosure", number=(3, 4), columns=COLUMNS, scale=SCALES, name=str)
def curves(number: int, columns: list[str], scale: str, name: str) -> Recomputed:
    """The printed curves, and where they bend."""
    found, bends = [], {}
    for column in columns:
        heads = list(rows(number))
        y = [pair(number, head, column)[0] for head in heads]
        found.append(figure_curve(f"{name} = {column}", heads, y))
        bends[column] = bend(number, column, scale)
    return Recomputed(True, {"curves": found, "bends": bends})
