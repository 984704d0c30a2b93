"""Confirms statistics on printed values: p-values by series, bends by orthogonal residuals."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from verify.recheck.errors import Answer, Refused, brief, listed, only, text, whole
from verify.recheck.kernel import statistics
from verify.recheck.kernel.decimal_cells import exact, pair, rows, shown
from verify.recheck.kernel.interval import Interval

Body = Mapping[str, Any]


def by_column(body: Body, name: str) -> dict[str, Any]:
    """A parameter that has a value for each of some columns."""
    found = body.get(name)
    if not isinstance(found, dict) or not 1 <= len(found) <= 10:
        raise Refused(f"{name} = {brief(found)}, expected values by column")
    return found


def table(body: Body) -> int:
    """Table 3 or 4."""
    return whole(body, "number", 3, 4)


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
    """Whether a p-value is below a level."""
    if bounds[0] < level <= bounds[1]:
        raise Refused("a p-value too near to its level")
    return bounds[1] < level


def welch(body: Body, certificate: Body) -> Answer:
    """p-values and factors of pairs of rows."""
    only(body, {"number", "rows", "runs", "level"})
    number, runs = table(body), whole(body, "runs", 2, 1000)
    level = Fraction(text(body, "level"))
    p, factor, differing = {}, {}, []
    for column, both in by_column(body, "rows").items():
        one, other = (pair(number, row, column) for row in both)
        groups = [(exact(m), exact(s) ** 2) for m, s in (one, other)]
        bounds = statistics.p_value(groups[0], groups[1], (runs, runs))
        p[column] = rounded(bounds, 6)
        factor[column] = shown(exact(one[0]) / exact(other[0]), 2)
        if side(bounds, level):
            differing.append(column)
    values = {"p": p, "factor": factor}
    return Answer(not differing, values, {**values, "columns": differing} if differing else None)


def bend(number: int, column: str, scale: str) -> int:
    """Where the column bends."""
    x, y = curve(number, column)
    if scale not in ("linear", "log"):
        raise Refused(f"scale {brief(scale)}")
    points = [(v, v) if scale == "linear" else statistics.logarithm(v) for v in y]
    found = statistics.elbow(x, points)
    if found is None:
        raise Refused("two bends that fit alike")
    return found


def elbow(body: Body, certificate: Body) -> Answer:
    """Bends against expected places."""
    only(body, {"number", "expected", "within", "scale"})
    number, within = table(body), whole(body, "within", 0, 100)
    expected = by_column(body, "expected")
    found = {column: bend(number, column, text(body, "scale")) for column in expected}
    far = [c for c in expected if abs(found[c] - whole(expected, c, 1, 1000)) > within]
    if not far:
        return Answer(True, {"bends": found})
    first = {"column": far[0], "bend": found[far[0]], "expected": expected[far[0]]}
    return Answer(False, {"bends": found}, {**first, "bends": list(found.values())})


def farther(body: Body, certificate: Body) -> Answer:
    """Mean relative distances of bends in two tables."""
    only(body, {"near", "far", "scale"})
    near, far = (_distance(body[side], text(body, "scale")) for side in ("near", "far"))
    values = {"near": shown(near, 3), "far": shown(far, 3)}
    return Answer(near < far, values, None if near < far else values)


def _distance(each: Body, scale: str) -> Fraction:
    only(each, {"number", "expected"})
    places = by_column(each, "expected")
    parts = [
        Fraction(abs(bend(table(each), column, scale) - whole(places, column, 1, 1000)), place)
        for column, place in places.items()
    ]
    return sum(parts, Fraction(0)) / len(parts)


def share_after(body: Body, certificate: Body) -> Answer:
    """What is left to fall after a row."""
    only(body, {"number", "after", "most"})
    number, most = table(body), Fraction(text(body, "most"))
    shares, factors, small = {}, {}, True
    for column, row in by_column(body, "after").items():
        heads, values = curve(number, column)
        later = [v for head, v in zip(heads, values, strict=True) if head >= row]
        share = (later[0] - min(values)) / (values[0] - min(values))
        shares[column], factors[column] = shown(share, 4), shown(later[0] / min(later), 2)
        small = small and share <= most
    found = {"shares": shares, "factors": factors}
    return Answer(small, found, None if small else found)


def falls(body: Body, certificate: Body) -> Answer:
    """Columns whose means do not fall along the rows."""
    only(body, {"number", "columns", "rows"})
    number, heads = table(body), listed(body, "rows", 2, 20)
    rising = []
    for column in listed(body, "columns", 1, 10):
        means = [exact(pair(number, head, column)[0]) for head in heads]
        if means != sorted(means, reverse=True) or len(set(means)) < len(means):
            rising.append(column)
    return Answer(not rising, {"rising": rising}, {"column": rising[0]} if rising else None)


def largest_drop(body: Body, certificate: Body) -> Answer:
    """Columns whose largest drop does not exceed what follows it."""
    only(body, {"number", "columns"})
    ends, without = {}, []
    for column in listed(body, "columns", 1, 10):
        heads, values = curve(table(body), column)
        drops = {head: a - b for head, (a, b) in zip(heads[1:], pairwise(values), strict=True)}
        ends[column] = max(drops, key=lambda head: (drops[head], -head))
        rest = values[heads.index(ends[column])] - values[-1]
        if drops[ends[column]] <= rest:
            without.append(column)
    return Answer(not without, {"ends": ends}, {"column": without[0]} if without else None)


def curves(body: Body, certificate: Body) -> Answer:
    """The printed curves, and where they bend."""
    only(body, {"number", "columns", "scale", "name"})
    number, drawn, bends = table(body), [], {}
    for column in listed(body, "columns", 1, 10):
        heads = list(rows(number))
        y = [pair(number, head, column)[0] for head in heads]
        drawn.append({"label": f"{text(body, 'name')} = {column}", "x": heads, "y": y})
        bends[column] = bend(number, column, text(body, "scale"))
    return Answer(True, {"curves": drawn, "bends": bends})


CONFIRM = {
    "statistics.curves": ("enclosure", curves),
    "statistics.welch": ("enclosure", welch),
    "statistics.elbow": ("enclosure", elbow),
    "statistics.farther": ("enclosure", farther),
    "statistics.share-after": ("exact", share_after),
    "statistics.falls": ("exact", falls),
    "statistics.largest-drop": ("exact", largest_drop),
}
