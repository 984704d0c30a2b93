"""Statistics on the printed means and deviations of Tables 3 and 4.

statistics.welch        two rows of a column do not differ at a level, by Welch's test
statistics.elbow        each curve bends within some rows of an expected place
statistics.farther      the curves of one table bend nearer to what is expected than those of another
statistics.largest-drop in each column one drop exceeds all later ones together
statistics.falls        the means of each column fall from row to row
statistics.curves       the printed curves, and where two joined segments bend: for a figure
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import flint

from verify.experiments.printed import Spread, decimal_text, table
from verify.experiments.statistics import (
    Group,
    decimal,
    elbow,
    is_below,
    is_falling,
    welch,
)
from verify.facts.registry import fact
from verify.judge.outcome import Outcome, comparison, curve


def group(cell: Spread, runs: int) -> Group:
    """A printed mean ± sample deviation as a group of runs."""
    return Group(Fraction(cell.mean), Fraction(cell.deviation) ** 2, runs)


@fact("statistics.welch", "enclosure")
def no_difference(number: int, rows: dict[str, list[str]], runs: int, level: str) -> Outcome:
    """In each column two rows do not differ at this level, by Welch's test on the printed values."""
    tests = {column: test_rows(number, column, pair, runs) for column, pair in rows.items()}
    differing = [column for column, (p, _) in tests.items() if is_below(p, Fraction(level))]
    if any(is_below(p, Fraction(level)) is None for p, _ in tests.values()):
        return Outcome(None)
    values: dict[str, Any] = {
        "p": {column: decimal(p) for column, (p, _) in tests.items()},
        "factor": {column: factor for column, (_, factor) in tests.items()},
    }
    return Outcome(not differing, values, {**values, "columns": differing} if differing else None)


def test_rows(number: int, column: str, rows: list[str], runs: int) -> tuple[flint.arb, str]:
    """The p-value for two rows of a column, and the factor between their means."""
    one, other = (table(number).spread(row, column) for row in rows)
    factor = decimal_text(Fraction(one.mean) / Fraction(other.mean), 2)
    return welch(group(one, runs), group(other, runs)), factor


def means(number: int, column: str) -> tuple[list[int], list[Fraction]]:
    """The heads of the rows, and the means of a column."""
    cells = table(number).column(column)
    return [int(row) for row in cells], [Fraction(cell.mean) for cell in cells.values()]


@fact("statistics.elbow", "enclosure")
def bends_near_expectation(
    number: int, expected: dict[str, int], within: int, scale: str
) -> Outcome:
    """Each column bends, by two joined segments, within a number of units of the expected place."""
    bends = {column: elbow(*means(number, column), scale) for column in expected}
    if None in bends.values():
        return Outcome(None)
    found = {column: bend for column, bend in bends.items() if bend is not None}
    far = [column for column, bend in found.items() if abs(bend - expected[column]) > within]
    if not far:
        return Outcome(True, {"bends": bends})
    first = {"column": far[0], "bend": bends[far[0]], "expected": expected[far[0]]}
    return Outcome(False, {"bends": bends}, {**first, "bends": list(bends.values())})


@fact("statistics.farther", "enclosure")
def bends_farther_away(near: dict[str, Any], far: dict[str, Any], scale: str) -> Outcome:
    """The mean relative distance of the bends from what is expected is larger in the second table."""
    distances = [distance(each["number"], each["expected"], scale) for each in (near, far)]
    first, second = distances
    if first is None or second is None:
        return Outcome(None)
    return comparison(first < second, near=decimal_text(first, 3), far=decimal_text(second, 3))


def distance(number: int, expected: dict[str, int], scale: str) -> Fraction | None:
    """The mean over the columns of |bend - expected| / expected."""
    total = Fraction(0)
    for column, place in expected.items():
        bend = elbow(*means(number, column), scale)
        if bend is None:
            return None
        total += Fraction(abs(bend - place), place)
    return total / len(expected)


@fact("statistics.largest-drop", "exact")
def largest_drop(number: int, columns: list[str]) -> Outcome:
    """In each column the largest drop of the mean exceeds all later drops together."""
    ends, without = {}, []
    for column in columns:
        rows, values = means(number, column)
        drops = [above - under for above, under in pairwise(values)]
        at = drops.index(max(drops))
        ends[column] = rows[at + 1]
        if drops[at] <= sum(drops[at + 1 :], Fraction(0)):
            without.append(column)
    return Outcome(not without, {"ends": ends}, {"column": without[0]} if without else None)


@fact("statistics.falls", "exact")
def means_fall(number: int, columns: list[str], rows: list[str]) -> Outcome:
    """The printed means of each column fall along these rows."""
    source = table(number)
    rising = [
        column
        for column in columns
        if not is_falling([Fraction(source.spread(row, column).mean) for row in rows])
    ]
    return Outcome(not rising, {"rising": rising}, {"column": rising[0]} if rising else None)


@fact("statistics.curves", "enclosure")
def curves(number: int, columns: list[str], scale: str, name: str) -> Outcome:
    """The printed means of some columns, and where two joined segments bend."""
    lines = []
    for column in columns:
        cells = table(number).column(column)
        lines.append(curve(f"{name} = {column}", cells, (c.mean for c in cells.values())))
    bends = {column: elbow(*means(number, column), scale) for column in columns}
    return Outcome(None not in bends.values(), {"curves": lines, "bends": bends})
