"""What the four tables say by themselves: questions whose answers need no training.

Every function takes the tables, so that it can be asked about altered ones, and answers with plain
data: names of automata, `row:column` for cells of Tables 3 and 4 (columns counted from 0).

Possible deviations   N values ≥ 0 of mean m have Σ (x - m)² ≤ N (N - 1) m², with equality when all
                      but one are 0. So the population deviation is at most m √(N-1), the sample
                      deviation at most m √N. A printed pair is possible if some numbers that round
                      to it satisfy this.
A concentrated run    from Σ x² ≤ max · Σ x the largest value is at least Σ x² / Σ x; what remains
                      bounds the mean of the other N - 1
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from verify.claims.printed import Spread
from verify.experiments.printed import (
    DEPTHS,
    EPSILON,
    RUNS,
    Tables,
    column,
    decimals,
    interval,
)

SpreadTable = Mapping[str, tuple[Spread, ...]]


def below(text: str) -> bool | None:
    """Whether a printed error is below ε; None if rounding leaves it open."""
    low, high = interval(text)
    if high <= EPSILON:
        return True
    return False if low >= EPSILON else None


def needed(tables: Tables) -> dict[str, str]:
    """From Table 2: the least number of layers with error below ε, or a dash."""
    found = {}
    for problem, row in tables.two.items():
        reached = [depth for depth, cell in zip(DEPTHS, row.cells, strict=True) if below(cell)]
        found[problem] = str(reached[0]) if reached else "-"
    return found


def layers_mismatch(tables: Tables) -> list[str]:
    """Automata whose entry in Table 1 is not what Table 2 gives."""
    table2 = needed(tables)
    return [p for p, row in tables.one.items() if p in table2 and row.layers != table2[p]]


def absent(tables: Tables) -> list[str]:
    """Automata of Table 1 without a row in Table 2."""
    return [problem for problem in tables.one if problem not in tables.two]


def bold_wrong(tables: Tables) -> list[str]:
    """Rows of Table 2 whose bold cell is not the one smallest."""
    wrong = []
    for problem, row in tables.two.items():
        least = min(row.cells, key=Fraction)
        alone = sum(Fraction(cell) == Fraction(least) for cell in row.cells) == 1
        if row.bold != least or not alone:
            wrong.append(problem)
    return wrong


def solved(tables: Tables) -> list[str]:
    """Automata with a number of layers, not a dash, in Table 1."""
    return [problem for problem, row in tables.one.items() if row.layers != "-"]


def separating(tables: Tables) -> list[str]:
    """Descriptors of which one threshold separates solved automata from the others."""
    found = []
    for name in ("states", "alphabet", "sparsity"):
        values = {p: Fraction(getattr(row, name)) for p, row in tables.one.items()}
        yes = [values[p] for p in solved(tables)]
        no = [value for p, value in values.items() if p not in solved(tables)]
        if yes and no and (max(yes) < min(no) or max(no) < min(yes)):
            found.append(name)
    return found


def growing_dashes(tables: Tables) -> list[str]:
    """Automata with a dash whose error with the most layers is above their best."""
    dashes = [p for p in tables.one if p not in solved(tables) and p in tables.two]
    return [p for p in dashes if Fraction(tables.two[p].cells[-1]) > least(tables, p)]


def least(tables: Tables, problem: str) -> Fraction:
    """The smallest error of an automaton in Table 2."""
    return min(Fraction(cell) for cell in tables.two[problem].cells)


def rises(table: SpreadTable) -> list[str]:
    """Cells whose mean is not below the one above them."""
    keys = list(table)
    return [
        f"{key}:{j}"
        for above, key in pairwise(keys)
        for j, cell in enumerate(table[key])
        if Fraction(cell.mean) >= Fraction(table[above][j].mean)
    ]


def falls_along_rows(table: SpreadTable) -> list[str]:
    """Cells whose mean is not above the one to their left."""
    return [
        f"{key}:{j}"
        for key, cells in table.items()
        for j in range(1, len(cells))
        if Fraction(cells[j].mean) <= Fraction(cells[j - 1].mean)
    ]


def places(table: SpreadTable) -> list[int]:
    """The numbers of decimals that occur in a table."""
    texts = [t for cells in table.values() for cell in cells for t in (cell.mean, cell.deviation)]
    return sorted({decimals(text) for text in texts})


def above_quarter(table: SpreadTable) -> list[str]:
    """Cells whose mean is above 1/4, so that some output is off by more than 1/2."""
    return [
        f"{key}:{j}"
        for key, cells in table.items()
        for j, cell in enumerate(cells)
        if interval(cell.mean)[0] > Fraction(1, 4)
    ]


def possible(cell: Spread, divisor: int, runs: int = RUNS) -> bool:
    """Whether non-negative values can have this mean and deviation (divisor N or N - 1)."""
    mean, spread = interval(cell.mean)[1], max(interval(cell.deviation)[0], Fraction(0))
    return divisor * spread**2 <= runs * (runs - 1) * mean**2


def impossible(table: SpreadTable, divisor: int) -> list[str]:
    """Cells that no ten non-negative values have."""
    return [
        f"{key}:{j}"
        for key, cells in table.items()
        for j, cell in enumerate(cells)
        if not possible(cell, divisor)
    ]


def others_at_most(cell: Spread, runs: int = RUNS) -> Fraction:
    """A bound on the mean of all runs but the largest, from mean and sample deviation."""
    mean, spread = interval(cell.mean)[1], max(interval(cell.deviation)[0], Fraction(0))
    squares = (runs - 1) * spread**2 + runs * mean**2
    rest = runs * mean - squares / (runs * mean)
    return max(rest, Fraction(0)) / (runs - 1)


def drops(table: SpreadTable, index: int) -> list[Fraction]:
    """How far the mean falls from each row to the next."""
    means = [Fraction(cell.mean) for _, cell in column(table, index)]
    return [above - under for above, under in pairwise(means)]


def elbow(table: SpreadTable, index: int) -> str | None:
    """The row in which the curve bends: its largest drop exceeds all later drops together."""
    steps = drops(table, index)
    largest = max(range(len(steps)), key=lambda i: steps[i])
    bends = steps[largest] > sum(steps[largest + 1 :], Fraction(0))
    return list(table)[largest + 1] if bends else None


def after(table: SpreadTable, index: int, row: int) -> tuple[Fraction, Fraction]:
    """What the mean still falls after a row: as a factor, and as a share of the whole fall."""
    cells = column(table, index)
    start = next(Fraction(cell.mean) for key, cell in cells if key >= row)
    best = min(Fraction(cell.mean) for key, cell in cells if key >= row)
    first = Fraction(cells[0][1].mean)
    return start / best, (start - best) / (first - min(Fraction(c.mean) for _, c in cells))
