"""Confirms what the printed tables say by themselves, in whole numbers of 10^-8."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from verify.recheck.declarations import ByName, Different, confirms, rational
from verify.recheck.errors import Recomputed, Refused, abbreviate, comparison
from verify.recheck.kernel.decimal_cells import (
    SCALE,
    cell,
    half,
    pair,
    rows,
    tables,
    units,
)

Row = Mapping[str, str]
NOTHING: Row = {}
DASH = "-"


NAMES = Different(str, 1, 100)
CELLS = ByName(str, 0, 100)  # cells that a repaired reading replaces
DESCRIPTORS = ("states", "alphabet", "sparsity")


def least(automaton: str, bound: int) -> str:
    """The first column of Table 2 whose error is below a bound for all that rounds to it."""
    if automaton not in rows(2):
        raise Refused(f"automaton {abbreviate(automaton)} has no row in Table 2")
    below = [n for n, c in rows(2)[automaton].items() if units(c) + half(c) <= bound]
    return min(below, key=int, default=DASH)


@confirms("table.least-layers", "exact", automata=NAMES, below=units, read_as=CELLS)
def least_layers(automata: list[str], below: int, read_as: Row = NOTHING) -> Recomputed:
    """Entries of Table 1 against the rows of Table 2."""
    entries = {**rows(1)["layers"], **read_as}
    found = {a: least(a, below) for a in automata}
    wrong = [a for a in automata if entries[a] != found[a]]
    if not wrong:
        return Recomputed(True, {"least": found})
    first = wrong[0]
    witness = {"automaton": first, "printed": entries[first], "least": found[first]}
    return Recomputed(False, {"least": found}, {**witness, "error": cell(2, first, entries[first])})


@confirms("table.complete", "exact", without=Different(str, 0, 100))
def complete(without: list[str]) -> Recomputed:
    """Automata of Table 1 without a row in Table 2."""
    if not set(without) <= set(tables()["1"]["columns"]):
        raise Refused(f"without = {abbreviate(without)}, expected automata of Table 1")
    missing = [a for a in tables()["1"]["columns"] if a not in rows(2) and a not in without]
    return Recomputed(
        not missing, {"missing": missing}, {"automaton": missing[0]} if missing else None
    )


@confirms("table.bold", "exact")
def bold() -> Recomputed:
    """The bold cell of each row of Table 2 is strictly the smallest."""
    wrong = []
    for name, row in rows(2).items():
        ranked = sorted(row.values(), key=units)
        if ranked[0] != tables()["2"]["bold"][name] or units(ranked[1]) == units(ranked[0]):
            wrong.append(name)
    return comparison(not wrong, rows=len(rows(2)), wrong=wrong)


@confirms("table.possible", "exact", number=(3, 4), runs=(2, 1000), read_as=CELLS)
def possible(number: int, runs: int, read_as: Row = NOTHING) -> Recomputed:
    """s² ≤ N m² for the sample deviation s of N values ≥ 0 with mean m."""
    count = 0
    for row, cells in rows(number).items():
        for column in cells:
            mean, spread = pair(number, row, column)
            spread = read_as.get(f"{row}:{column}", spread)
            most, low = units(mean) + half(mean), max(units(spread) - half(spread), 0)
            count += 1
            if low * low > runs * most * most:
                found = {"row": row, "column": column, "mean": mean}
                return Recomputed(False, {}, {**found, "deviation": spread, "runs": runs})
    return Recomputed(True, {"cells": count})


@confirms("table.at-most", "exact", number=(3, 4), rows=NAMES, columns=NAMES, most=rational)
def at_most(number: int, rows: list[str], columns: list[str], most: Fraction) -> Recomputed:
    """Means that exceed a bound whatever they were rounded from."""
    above = []
    for row in rows:
        for column in columns:
            mean = pair(number, row, column)[0]
            if units(mean) - half(mean) > most * SCALE:
                above.append(f"row {row}, column {column}: {mean}")
    return Recomputed(
        not above, {"above": above}, {"cells": above, "first": above[0]} if above else None
    )


@confirms("table.solved", "exact", below=units, more_than=rational)
def solved(below: int, more_than: Fraction) -> Recomputed:
    """Number of automata that reach the error, by either table."""
    entries = rows(1)["layers"]
    one = {a for a, layers in entries.items() if layers != DASH}
    two = {a for a in rows(2) if least(a, below) != DASH} | (one - set(rows(2)))
    enough = min(len(one), len(two)) > more_than * len(entries)
    return comparison(enough, table1=len(one), table2=len(two), of=len(entries))


@confirms("table.other-than", "exact", layers=(1, 100))
def other_than(layers: int) -> Recomputed:
    """Entries of Table 1 that are not dashes."""
    entries = [e for e in rows(1)["layers"].values() if e != DASH]
    return comparison(set(entries) - {str(layers)} != set(), entries=entries)


@confirms("table.inseparable", "exact", descriptors=Different(DESCRIPTORS))
def inseparable(descriptors: list[str]) -> Recomputed:
    """Sorted by a descriptor, dashes and entries change more than once."""
    entries = rows(1)["layers"]
    apart = []
    for name in descriptors:
        values = rows(1)[name]
        dashes = [units(values[a]) for a, e in entries.items() if e == DASH]
        others = [units(values[a]) for a, e in entries.items() if e != DASH]
        between = [v for v in others if min(dashes) <= v <= max(dashes)]
        if not between and not min(others) <= min(dashes) <= max(others):
            apart.append(name)
    return comparison(not apart, separating=apart)


@confirms("table.below", "exact", row=DESCRIPTORS, below=units)
def below(row: str, below: int) -> Recomputed:
    """The largest number of a row of Table 1."""
    largest = max(rows(1)[row].values(), key=units)
    return comparison(units(largest) < below, largest=largest)


@confirms("table.heads", "exact", number=(1, 4), rows=NAMES, columns=NAMES, letter=str)
def heads(number: int, rows: list[str], columns: list[str], letter: str) -> Recomputed:
    """The heads of a table."""
    found = tables()[str(number)]
    seen = (list(found["rows"]), found["columns"], found["heading"])
    return comparison(
        seen == (rows, columns, letter), rows=seen[0], columns=seen[1], letter=seen[2]
    )
