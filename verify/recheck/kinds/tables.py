"""Confirms what the printed tables say by themselves, in whole numbers of 10^-8."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verify.recheck.errors import Answer, Refused, brief, compared, listed, only, text, whole
from verify.recheck.kernel.decimal_cells import (
    SCALE,
    cell,
    half,
    pair,
    rows,
    shown,
    tables,
    units,
)

Body = Mapping[str, Any]
DASH = "-"


def names(body: Body, field: str, least: int = 1) -> list[str]:
    """A list of different texts."""
    found = listed(body, field, least, 100)
    if not all(isinstance(item, str) for item in found) or len(set(found)) < len(found):
        raise Refused(f"{field}: expected different texts")
    return found


def changes(body: Body) -> dict[str, str]:
    """Cells that a repaired reading replaces."""
    found = body.get("read_as", {})
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        raise Refused(f"read_as = {brief(found)}, expected texts by cell")
    return found


def known(body: Body, required: set[str], optional: set[str]) -> None:
    """Refuse a missing or an unknown parameter, some being optional."""
    only({name: body[name] for name in body if name not in optional}, required)


def least(automaton: str, bound: int) -> str:
    """The first column of Table 2 whose error is below a bound for all that rounds to it."""
    if automaton not in rows(2):
        raise Refused(f"automaton {brief(automaton)} has no row in Table 2")
    below = [n for n, c in rows(2)[automaton].items() if units(c) + half(c) <= bound]
    return min(below, key=int, default=DASH)


def least_layers(body: Body, certificate: Body) -> Answer:
    """Entries of Table 1 against the rows of Table 2."""
    known(body, {"automata", "below"}, {"read_as"})
    bound, automata = units(text(body, "below")), names(body, "automata")
    entries = rows(1)["layers"] | changes(body)
    found = {a: least(a, bound) for a in automata}
    wrong = [a for a in automata if entries[a] != found[a]]
    if not wrong:
        return Answer(True, {"least": found})
    first = wrong[0]
    witness = {"automaton": first, "printed": entries[first], "least": found[first]}
    return Answer(False, {"least": found}, {**witness, "error": cell(2, first, entries[first])})


def rounds_to(body: Body, certificate: Body) -> Answer:
    """A share against a printed decimal."""
    only(body, {"count", "of", "printed"})
    of = whole(body, "of", 1, 10**6)
    share = Fraction(whole(body, "count", 0, of), of)
    printed = text(body, "printed")
    places = len(printed.partition(".")[2])
    if not 1 <= places <= 8:
        raise Refused(f"printed = {brief(printed)}, expected one to eight decimals")
    near = abs(share * SCALE - units(printed)) <= half(printed)
    exact = f"{body['count']}/{of}"
    return compared(near, exact=exact, rounded=shown(share, places), printed=printed)


def complete(body: Body, certificate: Body) -> Answer:
    """Automata of Table 1 without a row in Table 2."""
    only(body, {"without"})
    left = names(body, "without", 0)
    if not set(left) <= set(tables()["1"]["columns"]):
        raise Refused(f"without = {brief(left)}, expected automata of Table 1")
    missing = [a for a in tables()["1"]["columns"] if a not in rows(2) and a not in left]
    return Answer(not missing, {"missing": missing}, {"automaton": missing[0]} if missing else None)


def bold(body: Body, certificate: Body) -> Answer:
    """The bold cell of each row of Table 2 is strictly the smallest."""
    only(body, set())
    wrong = []
    for name, row in rows(2).items():
        ranked = sorted(row.values(), key=units)
        if ranked[0] != tables()["2"]["bold"][name] or units(ranked[1]) == units(ranked[0]):
            wrong.append(name)
    return compared(not wrong, rows=len(rows(2)), wrong=wrong)


def possible(body: Body, certificate: Body) -> Answer:
    """s² ≤ N m² for the sample deviation s of N values ≥ 0 with mean m."""
    known(body, {"number", "runs"}, {"read_as"})
    number, runs = whole(body, "number", 3, 4), whole(body, "runs", 2, 1000)
    replaced, count = changes(body), 0
    for row, cells in rows(number).items():
        for column in cells:
            mean, spread = pair(number, row, column)
            spread = replaced.get(f"{row}:{column}", spread)
            most, low = units(mean) + half(mean), max(units(spread) - half(spread), 0)
            count += 1
            if low * low > runs * most * most:
                found = {"row": row, "column": column, "mean": mean}
                return Answer(False, {}, {**found, "deviation": spread, "runs": runs})
    return Answer(True, {"cells": count})


def at_most(body: Body, certificate: Body) -> Answer:
    """Means that exceed a bound whatever they were rounded from."""
    only(body, {"number", "rows", "columns", "most"})
    number, bound = whole(body, "number", 3, 4), Fraction(text(body, "most"))
    above = []
    for row in names(body, "rows"):
        for column in names(body, "columns"):
            mean = pair(number, row, column)[0]
            if units(mean) - half(mean) > bound * SCALE:
                above.append(f"row {row}, column {column}: {mean}")
    return Answer(
        not above, {"above": above}, {"cells": above, "first": above[0]} if above else None
    )


def solved(body: Body, certificate: Body) -> Answer:
    """How many automata reach the error, by either table."""
    only(body, {"below", "more_than"})
    bound, share = units(text(body, "below")), Fraction(text(body, "more_than"))
    entries = rows(1)["layers"]
    one = {a for a, layers in entries.items() if layers != DASH}
    two = {a for a in rows(2) if least(a, bound) != DASH} | (one - set(rows(2)))
    enough = len(one) > share * len(entries) and len(two) > share * len(entries)
    return compared(enough, table1=len(one), table2=len(two), of=len(entries))


def other_than(body: Body, certificate: Body) -> Answer:
    """Entries of Table 1 that are not dashes."""
    only(body, {"layers"})
    layers = whole(body, "layers", 1, 100)
    entries = [e for e in rows(1)["layers"].values() if e != DASH]
    return compared(set(entries) - {str(layers)} != set(), entries=entries)


def inseparable(body: Body, certificate: Body) -> Answer:
    """Sorted by a descriptor, dashes and entries change more than once."""
    only(body, {"descriptors"})
    entries = rows(1)["layers"]
    apart = []
    for name in names(body, "descriptors"):
        if name not in ("states", "alphabet", "sparsity"):
            raise Refused(f"descriptor {brief(name)}")
        values = rows(1)[name]
        dashes = [units(values[a]) for a, e in entries.items() if e == DASH]
        others = [units(values[a]) for a, e in entries.items() if e != DASH]
        between = [v for v in others if min(dashes) <= v <= max(dashes)]
        if not between and not min(others) <= min(dashes) <= max(others):
            apart.append(name)
    return compared(not apart, separating=apart)


def below(body: Body, certificate: Body) -> Answer:
    """The largest number of a row of Table 1."""
    only(body, {"row", "below"})
    if text(body, "row") not in ("states", "alphabet", "sparsity"):
        raise Refused(f"row {brief(body['row'])}")
    largest = max(rows(1)[body["row"]].values(), key=units)
    return compared(units(largest) < units(text(body, "below")), largest=largest)


def heads(body: Body, certificate: Body) -> Answer:
    """The heads of a table."""
    only(body, {"number", "rows", "columns", "letter"})
    found = tables()[str(whole(body, "number", 1, 4))]
    seen = (list(found["rows"]), found["columns"], found["heading"])
    wanted = (names(body, "rows"), names(body, "columns"), text(body, "letter"))
    return compared(seen == wanted, rows=seen[0], columns=seen[1], letter=seen[2])


CONFIRM = {
    "table.least-layers": ("exact", least_layers),
    "table.rounds-to": ("exact", rounds_to),
    "table.complete": ("exact", complete),
    "table.bold": ("exact", bold),
    "table.possible": ("exact", possible),
    "table.at-most": ("exact", at_most),
    "table.solved": ("exact", solved),
    "table.other-than": ("exact", other_than),
    "table.inseparable": ("exact", inseparable),
    "table.below": ("exact", below),
    "table.heads": ("exact", heads),
}
