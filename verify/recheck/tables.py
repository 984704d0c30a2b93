"""Re-checks what is said of the printed tables, from a copy of the print of its own.

`tables.statement`  a named statement and its value; the value is computed again from the text below
                    with integers alone: a printed decimal is an integer of units of its last place
`tables.labels`     the lines on which the LaTeX source defines its labels
`tables.deviation`  whether ten non-negative values can have a printed mean and deviation
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from verify.recheck.errors import Refused, agree, integer, only, text

Body = Mapping[str, Any]

TABLE1 = """
4 12 4 PFA 0.4375 8
12 12 13 PFA 0.3526 6
14 15 12 HMM 0.4944 2
20 11 18 HMM 0.3939 6
30 9 10 PFA 0.6555 -
31 12 5 PFA 0.3833 8
33 13 15 HMM 0.5949 -
38 14 10 HMM 0.7857 2
39 6 14 PFA 0.4167 -
45 14 19 HMM 0.8008 -
"""
TABLE2 = """
12 0.005486 0.001660 0.000770 *0.000356 0.000710
14 0.000264 0.000130 *0.000109 0.000158 0.006189
20 0.007433 0.002939 0.000911 *0.000628 0.000979
30 0.029165 0.017486 0.013498 *0.012403 0.068889
31 0.007002 0.003804 0.001114 *0.000890 0.000899
33 0.003654 *0.001160 0.008794 0.017104 0.016844
38 0.001056 0.000466 0.000316 0.000216 *0.000213
39 0.014218 0.002677 *0.001310 0.002736 0.002686
45 0.020730 *0.018859 0.021852 0.024375 0.023893
"""
TABLE3 = """
1 0.202724 0.162529 0.445007 0.337551 1.107175 0.660082
2 0.020226 0.01240 0.073415 0.0454464 0.834934 0.253568
3 0.008247 0.002069 0.030223 0.0099422 0.718981 0.506068
4 0.003796 0.002531 0.016276 0.0187777 0.198496 0.369018
5 0.003137 0.001482 0.014042 0.0087545 0.077845 0.1208077
6 0.002000 0.001380 0.009957 0.008190 0.055315 0.060973
7 0.001449 0.002166 0.006567 0.004517 0.049691 0.09459
8 0.001223 0.000897 0.004663 0.006610 0.044012 0.059172
9 0.000945 0.000558 0.003357 0.002276 0.046805 0.146278
10 0.001156 0.000687 0.003093 0.004135 0.029291 0.059460
"""
TABLE4 = """
2 1.316259 0.0361747 1.537641 0.0553744 1.619518 0.0454326 1.669770 0.046430
4 0.643738 0.0401225 1.016194 0.704216 1.021940 0.091605 1.208901 0.092536
8 0.023678 0.011056 0.038078 0.011791 0.186437 0.769370 0.459510 0.164538
16 0.010134 0.0027882 0.01299 0.002661 0.01768 0.003942 0.026244 0.003718
32 0.006623 0.002187 0.008674 0.002234 0.010712 0.001917 0.011528 0.001126
64 0.003882 0.001105 0.006435 0.003151 0.007041 0.001648 0.009701 0.002908
"""
DEPTHS = ("2", "4", "6", "8", "10")
SCALE = 10**8
PAPER_LINES = 1039


def rows(table: str) -> list[list[str]]:
    """The cells of a table."""
    return [line.split() for line in table.strip().splitlines()]


def units(cell: str) -> int:
    """A printed decimal in units of 10^-8."""
    whole, _, rest = cell.lstrip("*").partition(".")
    return int(whole + rest.ljust(8, "0"))


def half(cell: str) -> int:
    """Half a unit of the last printed place, in units of 10^-8."""
    places = len(cell.partition(".")[2])
    return SCALE // int(2 * 10**places)


def needed() -> dict[str, str]:
    """Table 2: the least number of layers whose error is below 0.001, or a dash."""
    found = {}
    for problem, *cells in rows(TABLE2):
        below = [d for d, cell in zip(DEPTHS, cells, strict=True) if units(cell) < SCALE // 1000]
        found[problem] = below[0] if below else "-"
    return found


def layers_mismatch() -> list[str]:
    """Automata whose entry in Table 1 is not what Table 2 gives."""
    table2 = needed()
    return [row[0] for row in rows(TABLE1) if row[0] in table2 and row[5] != table2[row[0]]]


def absent() -> list[str]:
    """Automata of Table 1 without a row in Table 2."""
    return [row[0] for row in rows(TABLE1) if row[0] not in needed()]


def bold_wrong() -> list[str]:
    """Rows of Table 2 whose bold cells are not exactly the smallest."""
    wrong = []
    for problem, *cells in rows(TABLE2):
        best = min(units(cell) for cell in cells)
        if any((units(cell) == best) != cell.startswith("*") for cell in cells):
            wrong.append(problem)
    return wrong


def rises(table: str, down: bool = True) -> list[str]:
    """Where a mean is not below the one above it (or, along a row, not above the one before)."""
    body = rows(table)
    found = []
    for i, row in enumerate(body):
        means = row[1::2]
        for j, mean in enumerate(means):
            if down and i and units(mean) >= units(body[i - 1][1 + 2 * j]):
                found.append(f"{row[0]}:{j}")
            if not down and j and units(mean) <= units(means[j - 1]):
                found.append(f"{row[0]}:{j}")
    return found


def decimals(table: str) -> list[int]:
    """The numbers of decimals that occur."""
    return sorted({len(cell.partition(".")[2]) for row in rows(table) for cell in row[1:]})


def above_quarter() -> list[str]:
    """Cells of Table 3 whose mean is above one quarter."""
    return [
        f"{row[0]}:{j}"
        for row in rows(TABLE3)
        for j, mean in enumerate(row[1::2])
        if units(mean) - half(mean) > SCALE // 4
    ]


def separating() -> list[str]:
    """Descriptors of which one threshold separates entries from dashes in Table 1."""
    found = []
    for name, place in (("states", 1), ("alphabet", 2), ("sparsity", 4)):
        reached = [units(row[place] + ".") for row in _plain1() if row[5] != "-"]
        failed = [units(row[place] + ".") for row in _plain1() if row[5] == "-"]
        if max(reached) < min(failed) or max(failed) < min(reached):
            found.append(name)
    return found


def _plain1() -> list[list[str]]:
    """Table 1 with sparsities as whole numbers of 10^-4."""
    return [[*row[:4], row[4].replace("0.", "", 1), row[5]] for row in rows(TABLE1)]


def impossible(table: str, divisor: int) -> list[str]:
    """Cells whose deviation no ten non-negative values with that mean have."""
    return [
        f"{row[0]}:{j}"
        for row in rows(table)
        for j, (mean, spread) in enumerate(zip(row[1::2], row[2::2], strict=True))
        if not possible(mean, spread, divisor)
    ]


def possible(mean: str, spread: str, divisor: int) -> bool:
    """N values ≥ 0 of mean m have Σ(x - m)² ≤ N(N-1)m²; so s² ≤ 90 m² / divisor for N = 10."""
    largest, least = units(mean) + half(mean), units(spread) - half(spread)
    return divisor * least * least <= 90 * largest * largest


STATEMENTS: dict[str, Callable[[], Any]] = {
    "needed": needed,
    "layers-mismatch": layers_mismatch,
    "absent-from-table-2": absent,
    "bold-wrong": bold_wrong,
    "rises-table-3": lambda: rises(TABLE3),
    "rises-table-4": lambda: rises(TABLE4),
    "falls-with-k": lambda: rises(TABLE4, down=False),
    "decimals-table-3": lambda: decimals(TABLE3),
    "decimals-table-4": lambda: decimals(TABLE4),
    "above-quarter": above_quarter,
    "separating": separating,
    "impossible-table-3-sample": lambda: impossible(TABLE3, 9),
    "impossible-table-4-sample": lambda: impossible(TABLE4, 9),
    "depths": lambda: list(DEPTHS),
    "entries": lambda: [row[5] for row in rows(TABLE1)],
    "most-states": lambda: max(int(row[1]) for row in rows(TABLE1)),
    "least-states": lambda: min(int(row[1]) for row in rows(TABLE1)),
    "rows-table-3": lambda: [row[0] for row in rows(TABLE3)],
    "rows-table-4": lambda: [row[0] for row in rows(TABLE4)],
    "columns-table-3": lambda: [(len(row) - 1) // 2 for row in rows(TABLE3)],
    "columns-table-4": lambda: [(len(row) - 1) // 2 for row in rows(TABLE4)],
}


def statement(body: Body) -> str:
    """A named statement has the stated value."""
    only(body, {"kind", "statement", "value"})
    name = text(body, "statement")
    if name not in STATEMENTS:
        raise Refused(f"statement {name!r} is not known")
    agree(name, body["value"], STATEMENTS[name]())
    return f"{name}: {body['value']}"


def deviation(body: Body) -> str:
    """A cell of Table 3 or 4 is, or is not, possible."""
    only(body, {"kind", "table", "row", "column", "mean", "deviation", "divisor", "possible"})
    table = {3: TABLE3, 4: TABLE4}.get(integer(body, "table"))
    if table is None:
        raise Refused(f"table {body['table']} has no deviations")
    cells = {row[0]: row[1:] for row in rows(table)}.get(text(body, "row"), [])
    at = 2 * integer(body, "column", 0)
    agree("cell", [text(body, "mean"), text(body, "deviation")], cells[at : at + 2])
    divisor = integer(body, "divisor")
    if divisor not in (9, 10):
        raise Refused(f"divisor {divisor}: expected 9 or 10")
    agree("possible", body["possible"], possible(cells[at], cells[at + 1], divisor))
    word = "possible" if body["possible"] else "impossible"
    return f"{body['mean']} ± {body['deviation']} is {word} for ten values (divisor {divisor})"


def labels(body: Body) -> str:
    """Labels with the lines that define them: ascending line numbers, no line free of meaning."""
    only(body, {"kind", "labels"})
    found = body["labels"]
    if not isinstance(found, dict) or not found:
        raise Refused("field 'labels': expected labels with their lines")
    for label, lines in found.items():
        whole = all(type(line) is int and 1 <= line <= PAPER_LINES for line in lines)
        if not lines or not whole or lines != sorted(set(lines)):
            raise Refused(f"label {label!r}: lines {lines!r}")
    twice = sorted(label for label, lines in found.items() if len(lines) > 1)
    return f"labels defined more than once: {', '.join(twice) or 'none'}"


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "tables.statement": statement,
    "tables.deviation": deviation,
    "tables.labels": labels,
}
