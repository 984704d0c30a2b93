"""Tables 1 to 4 against each other: what the print says, without any training.

Claimed      ten descriptors, nine rows of least errors, thirty and twenty-four means with
             deviations over ten runs
Checked      text against text, exactly, each printed decimal as the interval that rounds to it
Notation     `row:column` names a cell of Tables 3 and 4, columns counted from 0
What it is   a contradiction in print is exact; agreement in print shows nothing on the training,
             so a row that survives is left to the trained runs
"""

from collections.abc import Iterator
from typing import Any

from verify.check import Job, check
from verify.claims.model import Name
from verify.claims.printed import TABLE3_HEADER, TABLE3_LENGTHS, Spread
from verify.evidence import Evidence, Outcome, Strength
from verify.experiments import consistency
from verify.experiments.printed import PRINTED, RUNS, Tables, interval, shown

NINE_RUNS = RUNS - 1
ROWS1 = tuple(f"tab1.row-{number}" for number in PRINTED.one)
ROWS3 = tuple(f"tab3.row-{key}" for key in PRINTED.three)
ROWS4 = tuple(f"tab4.row-{key}" for key in PRINTED.four)


def said(
    claim: str,
    holds: bool,
    statement: str,
    value: Any,
    summary: str,
    **more: Any,
) -> Evidence:
    """Exact evidence from the printed text, with the statement that the re-checker repeats."""
    settings: dict[str, Any] = {
        "outcome": Outcome.HOLDS if holds else Outcome.FAILS,
        "strength": Strength.EXACT,
        "scope": "the printed tables",
        "engine": "rationals",
        "certificate": {"kind": "tables.statement", "statement": statement, "value": value},
    }
    return Evidence(claim=claim, summary=summary, **(settings | more))


@check("tab1.layers", "tab1.caption", "exp.pautomac.minimum", *ROWS1)
def layers_needed_agree_with_table_2(job: Job) -> Iterator[Evidence]:
    """Recompute the last row of Table 1 from Table 2."""
    yield from layers_needed(PRINTED)


def layers_needed(tables: Tables) -> Iterator[Evidence]:
    """Say which entries of Table 1 are contradicted by Table 2."""
    wrong, found = consistency.layers_mismatch(tables), consistency.needed(tables)
    cases = "; ".join(
        f"automaton {p}: Table 1 says {tables.one[p].layers}, Table 2 gives {found[p]} "
        f"({', '.join(tables.two[p].cells)})"
        for p in wrong
    )
    told = f"Table 2 contradicts Table 1 for {cases}." if wrong else "Tables 1 and 2 agree."
    limits = "Which of the two tables is wrong cannot be seen from the print." if wrong else ""
    more: dict[str, Any] = {"counterexample": cases, "limits": limits}
    for claim in ("tab1.layers", "tab1.caption", "exp.pautomac.minimum"):
        yield said(claim, not wrong, "layers-mismatch", wrong, told, **more)
    for problem in wrong:
        claim = f"tab1.row-{problem}"
        yield said(claim, False, "layers-mismatch", wrong, told, repair=f"{found[problem]}", **more)
    if wrong == ["38"]:
        summary = (
            "With 4 for automaton 38, every entry of Table 1 that has a row in Table 2 follows "
            "from it; automaton 4 has no row."
        )
        repaired = {"reading": Name.REPAIRED, "repair": "automaton 38 needs 4 layers"}
        yield said("tab1.layers", found["38"] == "4", "needed", found, summary, **repaired)


@check("tab2.complete", "tab2.caption")
def table_2_has_a_row_for_every_automaton(job: Job) -> Iterator[Evidence]:
    """Look for automata of Table 1 that Table 2 leaves out."""
    yield from complete(PRINTED)


def complete(tables: Tables) -> Iterator[Evidence]:
    """Say whether every automaton of Table 1 is in Table 2."""
    missing = consistency.absent(tables)
    told = f"Of the {len(tables.one)} automata of Table 1, {missing or 'none'} have no row."
    for claim in ("tab2.complete", "tab2.caption"):
        more = {"counterexample": f"automaton {', '.join(missing)}" if missing else ""}
        yield said(claim, not missing, "absent-from-table-2", missing, told, **more)
    if missing == ["4"]:
        yield said(
            "tab2.caption",
            True,
            "absent-from-table-2",
            missing,
            "All automata of Table 1 except number 4 have a row in Table 2.",
            reading=Name.CHARITABLE,
        )


@check("tab2.bold")
def the_bold_cell_is_the_smallest(job: Job) -> Iterator[Evidence]:
    """Compare the bold cell of every row of Table 2 with the others."""
    yield from bold(PRINTED)


def bold(tables: Tables) -> Iterator[Evidence]:
    """Say whether the bold cell of each row is its smallest."""
    wrong = consistency.bold_wrong(tables)
    told = f"In {len(tables.two) - len(wrong)} of {len(tables.two)} rows the bold cell is smallest."
    yield said("tab2.bold", not wrong, "bold-wrong", wrong, told, counterexample=", ".join(wrong))


@check("tab3.possible", "tab4.possible", "exp.train.runs", *ROWS3, *ROWS4)
def means_and_deviations_are_possible(job: Job) -> Iterator[Evidence]:
    """Ask of every mean ± deviation whether ten non-negative errors can have it."""
    yield from possibility(PRINTED)


def possibility(tables: Tables) -> Iterator[Evidence]:
    """Say which cells ten non-negative values cannot have."""
    for number, table in ((3, tables.three), (4, tables.four)):
        yield from _whole_table(number, table)
        for key, cells in table.items():
            yield from _row(number, key, cells)


def _whole_table(number: int, table: consistency.SpreadTable) -> Iterator[Evidence]:
    population = consistency.impossible(table, RUNS)
    sample = consistency.impossible(table, NINE_RUNS)
    count = sum(len(cells) for cells in table.values())
    bad = ", ".join(f"{at} ({shown(_cell(table, at))})" for at in population)
    told = (
        f"Of {count} cells, {len(sample)} cannot be mean and sample deviation of ten non-negative values, "
        f"by either divisor; {len(population)} cannot with the population deviation"
        f"{': ' + bad if bad else ''}."
    )
    name = f"impossible-table-{number}-sample"
    impossible = ", ".join(f"{at} ({shown(_cell(table, at))})" for at in sample)
    limits = f"Which deviation is printed is not said. {_concentrated(table)}".strip()
    more: dict[str, Any] = {"counterexample": impossible, "limits": limits}
    yield said(f"tab{number}.possible", not sample, name, sample, told, **more)
    if number == 3:
        yield said("tab3.possible", not sample, name, sample, told, **more, reading=Name.CHARITABLE)
    if sample:
        yield said("exp.train.runs", False, name, sample, told, **more)


def _cell(table: consistency.SpreadTable, at: str) -> Spread:
    key, _, index = at.partition(":")
    return table[key][int(index)]


def _concentrated(table: consistency.SpreadTable) -> str:
    """What a pair that only just is possible forces on the ten runs."""
    never = consistency.impossible(table, NINE_RUNS)
    tight = [at for at in consistency.impossible(table, RUNS) if at not in never]
    return " ".join(
        f"{shown(_cell(table, at))} forces the nine better runs to a mean of at most "
        f"{float(consistency.others_at_most(_cell(table, at))):.2g}."
        for at in tight
    )


def _row(number: int, key: str, cells: tuple[Spread, ...]) -> Iterator[Evidence]:
    """A row with an impossible cell is refuted; a possible one is left open."""
    claim = f"tab{number}.row-{key}"
    for index, cell in enumerate(cells):
        if not consistency.possible(cell, NINE_RUNS):
            yield _impossible_cell(claim, number, key, index, cell)
            return
    yield Evidence(
        claim,
        Outcome.UNKNOWN,
        Strength.EXACT,
        "the printed tables",
        f"All {len(cells)} pairs of the row are possible for ten runs; whether training gives "
        f"them, the print cannot show.",
    )


def _impossible_cell(claim: str, number: int, key: str, index: int, cell: Spread) -> Evidence:
    return Evidence(
        claim,
        Outcome.FAILS,
        Strength.EXACT,
        "the printed tables",
        f"No ten non-negative errors have mean and deviation {shown(cell)}: the sample deviation "
        f"is at most √10 times the mean.",
        engine="rationals",
        certificate={
            "kind": "tables.deviation",
            "table": number,
            "row": key,
            "column": index,
            "mean": cell.mean,
            "deviation": cell.deviation,
            "divisor": NINE_RUNS,
            "possible": False,
        },
        counterexample=shown(cell),
        limits="Which of the two numbers is misprinted cannot be seen.",
    )


@check("tab3.decrease", "tab4.decrease", "tab4.k-order")
def means_are_ordered(job: Job) -> Iterator[Evidence]:
    """Follow the means down the columns of Tables 3 and 4 and along the rows of Table 4."""
    yield from order(PRINTED)


def order(tables: Tables) -> Iterator[Evidence]:
    """Say where the means do not fall, or do not grow with k."""
    for number, table in ((3, tables.three), (4, tables.four)):
        wrong = consistency.rises(table)
        told = f"Going down, the mean does not fall at {', '.join(wrong) or 'no cell'}."
        more = {"counterexample": ", ".join(f"{at}: {shown(_cell(table, at))}" for at in wrong)}
        name = f"rises-table-{number}"
        yield said(f"tab{number}.decrease", not wrong, name, wrong, told, **more)
        if number == 3 and wrong:
            yield _within_deviation(table, wrong)
    wrong = consistency.falls_along_rows(tables.four)
    told = f"Going right, the mean does not grow at {', '.join(wrong) or 'no cell'}."
    yield said("tab4.k-order", not wrong, "falls-with-k", wrong, told, counterexample=str(wrong))


def _within_deviation(table: consistency.SpreadTable, wrong: list[str]) -> Evidence:
    """The exceptions are smaller than the deviation printed beside them."""
    keys = list(table)
    small = True
    for at in wrong:
        key, _, index = at.partition(":")
        rise = -consistency.drops(table, int(index))[keys.index(key) - 1]
        small = small and rise <= interval(_cell(table, at).deviation)[1]
    told = f"{len(wrong)} of 27 steps rise, each by less than the deviation of its cell."
    return said("tab3.decrease", small, "rises-table-3", wrong, told, reading=Name.CHARITABLE)


@check("tab3.digits", "tab4.digits")
def cells_have_the_same_number_of_digits(job: Job) -> Iterator[Evidence]:
    """Count printed decimals."""
    yield from digits(PRINTED)


def digits(tables: Tables) -> Iterator[Evidence]:
    """Say how many decimals the cells have."""
    for number, table in ((3, tables.three), (4, tables.four)):
        found = consistency.places(table)
        told = f"Cells of Table {number} have {', '.join(map(str, found))} decimals."
        yield said(f"tab{number}.digits", len(found) == 1, f"decimals-table-{number}", found, told)


@check("tab3.rounding", "exp.train.counting.rounding")
def rounding_can_give_zero(job: Job) -> Iterator[Evidence]:
    """A mean squared error above 1/4 leaves an output further than 1/2 from its integer."""
    yield from rounding(PRINTED)


def rounding(tables: Tables) -> Iterator[Evidence]:
    """Say which means exclude that rounding gives an error of 0 in every run."""
    wrong = consistency.above_quarter(tables.three)
    cells = ", ".join(f"{at} ({_cell(tables.three, at).mean})" for at in wrong)
    told = (
        f"If rounding gave 0 in all ten runs, every error would be at most 1/2 and every mean at "
        f"most 1/4; {len(wrong)} of 30 means are above it: {cells or 'none'}."
    )
    limits = "The other cells neither show nor exclude it: an MSE bounds single errors weakly."
    for claim in ("tab3.rounding", "exp.train.counting.rounding"):
        if wrong:
            more = {"counterexample": cells, "limits": limits}
            yield said(claim, False, "above-quarter", wrong, told, **more)
        else:
            scope = "the printed tables"
            yield Evidence(claim, Outcome.UNKNOWN, Strength.EXACT, scope, told, limits=limits)


@check("tab3.header")
def the_header_of_table_3_names_lengths(job: Job) -> Iterator[Evidence]:
    """Compare the header L = 16, 32, 64 with the numbers of layers that the rows count."""
    yield from header(PRINTED, TABLE3_HEADER)


def header(tables: Tables, printed: tuple[str, ...]) -> Iterator[Evidence]:
    """Say whether the header uses the letter of the rows for something else."""
    letters = {cell.partition("=")[0] for cell in printed}
    numbers = tuple(cell.partition("=")[2] for cell in printed)
    rows = list(tables.three)
    clash = letters == {"L"} and not set(numbers) & set(rows)
    told = f"The rows count layers {rows[0]} to {rows[-1]}; the columns are headed {printed}."
    yield said("tab3.header", not clash, "rows-table-3", rows, told, counterexample=printed[0])
    if clash and numbers == TABLE3_LENGTHS:
        yield said(
            "tab3.header",
            True,
            "columns-table-3",
            [len(cells) for cells in tables.three.values()],
            "Read as T = 16, 32, 64, the columns are the three lengths of Section 5.2.",
            reading=Name.REPAIRED,
            repair="T for L in the header",
        )
