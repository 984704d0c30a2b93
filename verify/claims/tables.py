"""Tables 1 to 4: one claim a row, and what the tables say together.

Claims     tab1.row-N a column of Table 1 (one automaton); tab2, tab3, tab4 one printed row each;
           cross claims between tables, text, arithmetic and the data
Notation   cells are the strings of `verify.claims.printed`
"""

from verify.claims.model import Claim, Kind
from verify.claims.printed import TABLE1, TABLE2, TABLE3, TABLE4, Spread
from verify.claims.shorthand import MATERIAL, SLIP, at, charitable, repaired


def _columns_of_table1() -> tuple[Claim, ...]:
    """One claim for each automaton: its descriptors, from the data where these are given."""
    return tuple(
        Claim(
            f"tab1.row-{number}",
            f"Table 1, automaton {number}",
            Kind.TABLE,
            at("5.1", 302, 308, "tab:pautomac-table"),
            f"PAutomaC automaton {number} has {cell.states} states, {cell.alphabet} symbols, type "
            f"{cell.type}, symbol sparsity {cell.sparsity}; layers needed: {cell.layers}.",
            "a model file with other descriptors, or errors in Table 2 that contradict the layers",
            MATERIAL,
        )
        for number, cell in TABLE1.items()
    )


def _rows_of_table2() -> tuple[Claim, ...]:
    """One claim for each row of minimum errors."""
    return tuple(
        Claim(
            f"tab2.row-{number}",
            f"Table 2, automaton {number}",
            Kind.TABLE,
            at("D.2.1", line, label="sample-table"),
            f"Minimum MSE of automaton {number} for 2, 4, 6, 8, 10 layers: "
            f"{', '.join(row.cells)}; the best is {row.bold}.",
            "a bold cell that is not the smallest, a Table 1 entry that disagrees, or runs as "
            "described with clearly other errors",
            MATERIAL,
        )
        for line, (number, row) in enumerate(TABLE2.items(), start=947)
    )


def _spread_row(
    table: str, key: str, line: int, section_label: str, what: str, cells: tuple[Spread, ...]
) -> Claim:
    """One row of means and deviations."""
    text = ", ".join(f"{cell.mean} ± {cell.deviation}" for cell in cells)
    return Claim(
        f"{table}.row-{key}",
        f"Table {table[-1]}, {what} {key}",
        Kind.TABLE,
        at("D.2.2", line, label=section_label),
        f"Mean and deviation of the MSE over ten runs, {what} {key}: {text}.",
        "a pair that ten non-negative values cannot have, or runs as described with clearly other "
        "errors",
        MATERIAL,
    )


def _rows_of_table3() -> tuple[Claim, ...]:
    """One claim for each number of layers."""
    return tuple(
        _spread_row("tab3", key, line, "layers-table", "number of layers", cells)
        for line, (key, cells) in enumerate(TABLE3.items(), start=1008)
    )


def _rows_of_table4() -> tuple[Claim, ...]:
    """One claim for each embedding size."""
    return tuple(
        _spread_row("tab4", key, line, "embedding-table", "embedding size", cells)
        for line, (key, cells) in enumerate(TABLE4.items(), start=1030)
    )


ACROSS1 = (
    Claim(
        "tab1.states",
        "Numbers of states",
        Kind.TABLE,
        at("5.1", 304),
        "The ten automata have 12, 12, 15, 11, 9, 12, 13, 14, 6 and 14 states.",
        "a model file with another number of states",
        MATERIAL,
    ),
    Claim(
        "tab1.alphabet",
        "Alphabet sizes",
        Kind.TABLE,
        at("5.1", 305),
        "The alphabets have 4, 13, 12, 18, 10, 5, 15, 10, 14 and 19 symbols.",
        "a data file with another alphabet size",
        MATERIAL,
    ),
    Claim(
        "tab1.type",
        "Types",
        Kind.TABLE,
        at("5.1", 306),
        "Five of the automata are HMMs and five are PFAs, as marked.",
        "a model file of another type",
        SLIP,
    ),
    Claim(
        "tab1.sparsity",
        "Symbol sparsity",
        Kind.TABLE,
        at("5.1", 307),
        "The symbol sparsities are as printed; the term is not defined.",
        "a model file whose share of state and symbol pairs, counted in any sensible way, differs",
        SLIP,
        (
            charitable(
                "The share of pairs of state and symbol whose emission probability is not "
                "zero, or is zero, for one choice in all columns.",
                "a definition supplied",
            ),
        ),
    ),
    Claim(
        "tab1.layers",
        "Layers needed agree with Table 2",
        Kind.TABLE,
        at("5.1", 308),
        "The last row of Table 1 is the least number of layers with error below 10⁻³ in Table 2.",
        "an automaton whose row in Table 2 gives another number",
        MATERIAL,
        (
            repaired(
                "Automaton 38 needs 4 layers; automaton 4 has no row in Table 2.",
                "one entry changed, one not checkable",
            ),
        ),
        ("tab1.caption",),
    ),
    Claim(
        "tab1.caption",
        "Strictly below 10⁻³",
        Kind.TABLE,
        at("5.1", 311),
        "The entries are the minimum numbers of layers with error below 10⁻³.",
        "an entry whose printed error is not below 0.001",
        SLIP,
    ),
)

ACROSS2 = (
    Claim(
        "tab2.header",
        "Columns 2, 4, 6, 8, 10",
        Kind.TABLE,
        at("D.2.1", 945),
        "The columns of Table 2 are the numbers of layers that Section 5.1 names.",
        "another set of numbers of layers in Section 5.1",
        SLIP,
    ),
    Claim(
        "tab2.complete",
        "The full table of all values",
        Kind.TABLE,
        at("D.2.1", 937),
        "Table 2 holds the MSE values of each considered automaton.",
        "an automaton of Table 1 without a row",
        SLIP,
    ),
    Claim(
        "tab2.minimum",
        "Minimum over ten runs",
        Kind.TABLE,
        at("D.2.1", 937),
        "Table 2 reports the minimum MSE over ten runs.",
        "runs as described whose minima are clearly other",
        SLIP,
        (
            charitable(
                "Table 1 then rests on minima too, not on typical runs.",
                "best of ten runs on the test error",
            ),
        ),
    ),
    Claim(
        "tab2.bold",
        "The best value is bold",
        Kind.TABLE,
        at("D.2.1", 937),
        "In each row of Table 2 the best MSE is bold.",
        "a row whose bold cell is not the smallest",
        SLIP,
    ),
    Claim(
        "tab2.caption",
        "All PAutomaC automata",
        Kind.TABLE,
        at("D.2.1", 940),
        "Table 2 covers all PAutomaC automata.",
        "an automaton of that collection, or of Table 1, without a row",
        SLIP,
        (charitable("All automata considered, except number 4.", "nine of ten"),),
    ),
)

ACROSS3 = (
    Claim(
        "tab3.caption",
        "Deviation across layers",
        Kind.TABLE,
        at("D.2.2", 1001),
        "Table 3 gives the MSE with its standard deviation across layers.",
        "a text in which the deviation is taken over runs, with layers in rows",
        SLIP,
        (charitable("For each number of layers, deviation across ten runs.", "across runs"),),
    ),
    Claim(
        "tab3.header",
        "Columns L = 16, 32, 64",
        Kind.TABLE,
        at("D.2.2", 1006),
        "The columns of Table 3 are headed L = 16, 32, 64, while rows count layers.",
        "L used for layers in rows and for length in columns",
        SLIP,
        (repaired("The columns are T = 16, 32, 64.", "T for L"),),
    ),
    Claim(
        "tab3.possible",
        "Each mean and deviation of Table 3 is possible",
        Kind.TABLE,
        at("D.2.2", 1008, 1017, "layers-table"),
        "Each pair in Table 3 can be mean and standard deviation of ten non-negative errors.",
        "a deviation above √10 times the mean, which neither divisor, nine or ten, allows",
        MATERIAL,
        (charitable("With the sample deviation, which divides by nine.", "divisor nine"),),
    ),
    Claim(
        "tab3.decrease",
        "Errors fall with the number of layers",
        Kind.TABLE,
        at("D.2.2", 1008, 1017, "layers-table"),
        "In each column of Table 3 the mean error falls, steeply at first, as layers are added.",
        "a column in which the mean rises",
        SLIP,
        (
            charitable(
                "It falls from row to row with few exceptions near the end.",
                "exceptions of the size of the deviation",
            ),
        ),
    ),
    Claim(
        "tab3.rounding",
        "Means of Table 3 allow exact rounding",
        Kind.TABLE,
        at("D.2.2", 1008, 1017, "layers-table"),
        "Means of Table 3 are so small that rounding can give an MSE of 0 on the test set.",
        "a mean so large that some output must be off by one half or more",
        SLIP,
        (
            charitable(
                "For rows whose mean times the number of entries is below one quarter.",
                "an MSE bounds single errors only weakly",
            ),
        ),
    ),
    Claim(
        "tab3.digits",
        "Digits of Table 3",
        Kind.TABLE,
        at("D.2.2", 1008, 1017, "layers-table"),
        "All cells of Table 3 are printed to the same precision.",
        "a cell with five or seven decimals",
        SLIP,
    ),
)

ACROSS4 = (
    Claim(
        "tab4.caption",
        "Deviation across embedding sizes",
        Kind.TABLE,
        at("D.2.2", 1023),
        "Table 4 gives the MSE with its standard deviation across embedding sizes.",
        "a text in which the deviation is taken over runs, with sizes in rows",
        SLIP,
        (charitable("For each embedding size, deviation across ten runs.", "across runs"),),
    ),
    Claim(
        "tab4.header",
        "Columns k = 2, 4, 6, 8",
        Kind.TABLE,
        at("D.2.2", 1028),
        "The columns of Table 4 are the values of k that Section 5.2 names.",
        "another set of values in Section 5.2",
        SLIP,
    ),
    Claim(
        "tab4.possible",
        "Each mean and deviation of Table 4 is possible",
        Kind.TABLE,
        at("D.2.2", 1030, 1035, "embedding-table"),
        "Each pair in Table 4 can be mean and standard deviation of ten non-negative errors.",
        "a deviation above √10 times the mean, such as 0.769370 beside 0.186437",
        MATERIAL,
    ),
    Claim(
        "tab4.decrease",
        "Errors fall with the embedding size",
        Kind.TABLE,
        at("D.2.2", 1030, 1035, "embedding-table"),
        "In each column of Table 4 the mean error falls as the embedding grows.",
        "a column in which the mean rises",
        SLIP,
    ),
    Claim(
        "tab4.k-order",
        "Errors grow with k",
        Kind.TABLE,
        at("D.2.2", 1030, 1035, "embedding-table"),
        "In each row of Table 4 the mean error grows with k.",
        "a row in which the mean falls",
        SLIP,
    ),
    Claim(
        "tab4.digits",
        "Digits of Table 4",
        Kind.TABLE,
        at("D.2.2", 1030, 1035, "embedding-table"),
        "All cells of Table 4 are printed to the same precision.",
        "a cell with five or seven decimals",
        SLIP,
    ),
)

CLAIMS: tuple[Claim, ...] = (
    _columns_of_table1()
    + ACROSS1
    + _rows_of_table2()
    + ACROSS2
    + _rows_of_table3()
    + ACROSS3
    + _rows_of_table4()
    + ACROSS4
)
