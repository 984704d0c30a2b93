"""Facts about the four printed tables by themselves, without any training.

Every printed decimal means the interval of numbers that round to it.

    table.printed        our copies of tables are what the paper's source has
    table.least-layers   the layers of Table 1 are the least of Table 2 with an error below a bound
    table.complete       every automaton of Table 1 has a row in Table 2
    table.bold           the bold cell of each row of Table 2 is its one smallest
    table.possible       each mean ± deviation can belong to a number of values ≥ 0
    table.at-most        every mean of some rows and columns is at most a bound
    table.solved         the automata with an entry are more than a share of all
    table.other-than     some entry of Table 1 is a number other than the given one
    table.inseparable    no threshold of these descriptors separates entries from dashes
    table.below          all numbers of a row of Table 1 are below a bound
    table.heads          rows and columns of a table are headed by these values, columns by a letter

Possible deviations   N values ≥ 0 of mean m have Σ (x - m)² ≤ N (N - 1) m², with equality when all
                      but one are 0: the sample deviation is at most m √N
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from verify.experiments.printed import Spread, Table, interval, table
from verify.facts.registry import Inputs, fact
from verify.judge.outcome import Outcome, comparison

DASH = "-"


@fact("table.printed", "source", ("paper",))
def copies_match_source(inputs: Inputs, numbers: list[int]) -> Outcome:
    """Every cell of our copies of the tables equals the paper's source on its line."""
    lines = Path(str(inputs.paper)).read_text("utf-8").splitlines()
    differing = [
        f"Table {number}, {name}"
        for number in numbers
        for name, ours, theirs in _side_by_side(number, table(number), lines)
        if ours != theirs
    ]
    return comparison(not differing, differing=differing)


def _side_by_side(
    number: int, copy: Table, lines: Sequence[str]
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each row of our copy beside the same row of the source."""
    first, last = copy.lines
    kept = [cells(lines[at - 1]) for at in range(first, last + 1)]
    kept = [line for line in kept if len(line) == len(copy.columns) + 1]
    if number == 1:
        yield "columns", list(copy.columns), kept.pop(0)[1:]
    for (name, ours), theirs in zip(copy.rows.items(), kept, strict=True):
        yield name, list(ours), theirs[1:]


def cells(line: str) -> list[str]:
    """The cells of a table row of LaTeX, without layout."""
    bare = line.replace("\\\\", "").replace("\\textbf{", "").replace("}", "")
    return [" ± ".join(part.strip() for part in c.split("$\\pm$")) for c in bare.split("&")]


def layers_of_automata() -> dict[str, str]:
    """Return the number of layers of each automaton in Table 1, or a dash."""
    return {automaton: table(1).cell("layers", automaton) for automaton in table(1).columns}


def least_number_of_layers(automaton: str, bound: Fraction) -> str:
    """Return the least number of layers in Table 2 whose printed error is below a bound, or a dash."""
    copy = table(2)
    for layers in copy.columns:
        if interval(copy.cell(automaton, layers))[1] <= bound:
            return layers
    return DASH


@fact("table.least-layers", "exact")
def least_layers(
    automata: list[str], below: str, read_as: Mapping[str, str] | None = None
) -> Outcome:
    """Table 1 has the least number of layers whose error in Table 2 is below a bound."""
    entries = {**layers_of_automata(), **(read_as or {})}
    layers_by_automaton = {
        automaton: least_number_of_layers(automaton, Fraction(below)) for automaton in automata
    }
    for automaton, layers in layers_by_automaton.items():
        if layers != entries[automaton]:
            witness = {"automaton": automaton, "printed": entries[automaton], "least": layers}
            error = table(2).cell(automaton, entries[automaton])
            return Outcome(False, {"least": layers_by_automaton}, {**witness, "error": error})
    return Outcome(True, {"least": layers_by_automaton})


@fact("table.complete", "exact")
def rows_are_complete(without: list[str]) -> Outcome:
    """Every automaton of Table 1, some apart, has a row in Table 2."""
    missing = [a for a in table(1).columns if a not in table(2).rows and a not in without]
    return Outcome(
        not missing, {"missing": missing}, {"automaton": missing[0]} if missing else None
    )


@fact("table.bold", "exact")
def bold_cells_are_smallest() -> Outcome:
    """The bold cell of each row of Table 2 is its one smallest."""
    copy = table(2)
    wrong = [name for name, row in copy.rows.items() if not _is_smallest(row, copy.bold[name])]
    return comparison(not wrong, rows=len(copy.rows), wrong=wrong)


def _is_smallest(row: Sequence[str], chosen: str) -> bool:
    others = [Fraction(cell) for cell in row if cell != chosen]
    return row.count(chosen) == 1 and all(Fraction(chosen) < other for other in others)


def is_possible(cell: Spread, runs: int) -> bool:
    """Return whether `runs` values ≥ 0 can have this mean and this sample deviation."""
    mean, spread = interval(cell.mean)[1], max(interval(cell.deviation)[0], Fraction(0))
    return spread**2 <= runs * mean**2


@fact("table.possible", "exact")
def deviations_are_possible(
    number: int, runs: int, read_as: Mapping[str, str] | None = None
) -> Outcome:
    """Each mean ± deviation of a table can belong to that number of values ≥ 0."""
    copy, changed = table(number), dict(read_as or {})
    for row in copy.rows:
        for column in copy.columns:
            cell = copy.spread(row, column)
            cell = Spread(cell.mean, changed.get(f"{row}:{column}", cell.deviation))
            if not is_possible(cell, runs):
                witness = {"row": row, "column": column, "mean": cell.mean}
                return Outcome(False, {}, {**witness, "deviation": cell.deviation, "runs": runs})
    return Outcome(True, {"cells": len(copy.rows) * len(copy.columns)})


@fact("table.at-most", "exact")
def means_are_at_most(number: int, rows: list[str], columns: list[str], most: str) -> Outcome:
    """Every mean of some rows and columns is at most a bound, whatever it was rounded from."""
    copy = table(number)
    above = [
        f"row {row}, column {column}: {copy.spread(row, column).mean}"
        for row in rows
        for column in columns
        if interval(copy.spread(row, column).mean)[0] > Fraction(most)
    ]
    return Outcome(
        not above, {"above": above}, {"cells": above, "first": above[0]} if above else None
    )


@fact("table.solved", "exact")
def enough_are_solved(below: str, more_than: str) -> Outcome:
    """The automata that reach the error are more than a share, by Table 1 and by Table 2."""
    entries = layers_of_automata()
    by_one = [a for a, layers in entries.items() if layers != DASH]
    reach = {a for a in table(2).rows if least_number_of_layers(a, Fraction(below)) != DASH}
    by_two = [a for a in entries if a in reach or (a not in table(2).rows and a in by_one)]
    enough = min(len(by_one), len(by_two)) > Fraction(more_than) * len(entries)
    return comparison(enough, table1=len(by_one), table2=len(by_two), of=len(entries))


@fact("table.other-than", "exact")
def some_entry_differs(layers: int) -> Outcome:
    """Some automaton of Table 1 reached the error with another number of layers."""
    entries = [e for e in table(1).rows["layers"] if e != DASH]
    return comparison(any(int(e) != layers for e in entries), entries=entries)


@fact("table.inseparable", "exact")
def no_threshold_separates(descriptors: list[str]) -> Outcome:
    """For none of these descriptors a threshold separates the automata with a dash from the others."""
    entries = layers_of_automata()
    apart = []
    for name in descriptors:
        values = {automaton: Fraction(table(1).cell(name, automaton)) for automaton in entries}
        yes = [values[automaton] for automaton in entries if entries[automaton] != DASH]
        no = [values[automaton] for automaton in entries if entries[automaton] == DASH]
        if max(yes) < min(no) or max(no) < min(yes):
            apart.append(name)
    return comparison(not apart, separating=apart)


@fact("table.below", "exact")
def all_below(row: str, below: str) -> Outcome:
    """All numbers of a row of Table 1 are below a bound."""
    largest = max(table(1).rows[row], key=Fraction)
    return comparison(Fraction(largest) < Fraction(below), largest=largest)


@fact("table.heads", "exact")
def heads_are_as_stated(number: int, rows: list[str], columns: list[str], letter: str) -> Outcome:
    """Rows and columns of a table are headed by these values, the columns by this letter."""
    copy = table(number)
    same = list(copy.rows) == rows and list(copy.columns) == columns
    heads = {"rows": list(copy.rows), "columns": list(copy.columns), "letter": copy.heading}
    return comparison(same and copy.heading == letter, **heads)
