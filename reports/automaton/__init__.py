"""The report on a reader's automaton for a screen, as Markdown and as JSON.

Takes         plain data, as `assay automaton --json` prints it
Order         the sentence first; then conditions, classes, sizes, constants, formats, what may be cited
Escapes       symbols of an alphabet are the reader's text: never read as rich's markup or as Markdown

Start at `heading`. Wording and layout may change; numbers are those of `verify.automaton.report`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape as plain
from rich.table import Table

from reports.escape import markdown as marked
from reports.escape import one_line

Data = Mapping[str, Any]
SCHEMA = "assay-automaton-3"
MARKS = {"met": "✓", "not met": "✗", "cannot be met": "⊘", "not needed": "○",
         "undecided": "?"}  # fmt: skip
COLOURS = {"met": "green", "not met": "red", "cannot be met": "red", "not needed": "dim",
           "undecided": "yellow"}  # fmt: skip
FULFILLED = ("met", "not needed")
KINDS = {"wfa": "weighted automaton", "wta": "weighted tree automaton"}
SIZES = ("depth", "embedding", "attention", "feedforward", "heads", "tokens", "parameters")
MOST_SYMBOLS = 12
GAP = 2  # columns between two columns of a table on a screen
SHORT = {
    "construction": "model",
    "embedding": "embed",
    "feed-forward": "MLP",
    "parameters": "params",
}
FIRST = ("Sizes", "Theorem 1's module")
MORE = (
    "All conditions, constants and formats: --long. The other models' precision: assay precision."
)


@dataclass(frozen=True)
class Grid:
    """A table of the report: a title, a header, rows of text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def short(self) -> tuple[str, ...]:
        """The header where there is little room."""
        return tuple(SHORT.get(name, name) for name in self.header)

    def without(self, column: str) -> Grid:
        """The table without a column."""
        kept = [i for i, name in enumerate(self.header) if name != column]
        rows = tuple(tuple(row[i] for i in kept) for row in self.rows)
        return Grid(self.title, tuple(self.header[i] for i in kept), rows)


def grids(answer: Data) -> list[Grid]:
    """The report as tables, the most important first; tables without rows are left out."""
    made = [
        _grid("Conditions", answer["hypotheses"], _hypothesis,
              "theorem", "condition", "status", "witness", "statements"),
        _grid("What it is", answer["classes"], _class,
              "class", "belongs", "witness", "statements"),
        _grid("Sizes", answer["constructions"], _sizes,
              "construction", "layers", "embedding", "attention", "feed-forward", "heads", "tokens",
              "parameters", "note"),
        _grid("Constants and errors", answer["quantities"],
              _picked("name", "value", "meaning", "evidence", otherwise=""),
              "quantity", "value", "meaning", "evidence"),
        _grid(f"Floating-point formats, absolute error ε = {answer['eps']}", answer["formats"],
              _picked("model", "name", "attention", "range", "certified", "measured", "suffices",
                      otherwise=""),
              "model", "format", "attention", "range", "certified error", "measured error",
              "suffices"),
        _grid(f"Theorem 1's module: longest length (1, 2, 4, … {answer['length']}) certified within "
              f"{answer['eps']}", answer["safe"],
              _picked("format", "absolute", "relative"),
              "format", "absolutely", "relative to a state's size"),
        _grid("What may be cited", answer["cite"],
              _picked("statement", "title", "standing", otherwise="not recorded"),
              "statement", "title", "standing"),
    ]  # fmt: skip
    return [grid for grid in made if grid.rows]


def first_grids(answer: Data) -> list[Grid]:
    """The tables that matter first: sizes without remarks, and safe lengths."""
    chosen = [grid for grid in grids(answer) if grid.title.startswith(FIRST)]
    return [grid.without("note") for grid in chosen]


def _grid(title: str, rows: Iterable[Data], cells: Any, *header: str) -> Grid:
    return Grid(title, header, tuple(cells(row) for row in rows))


def _hypothesis(row: Data) -> tuple[str, ...]:
    status = f"{MARKS[row['status']]} {row['status']}"
    return row["theorem"], row["name"], status, row["witness"], ", ".join(row["statements"])


def _class(row: Data) -> tuple[str, ...]:
    belongs = "yes" if row["belongs"] else "no"
    belongs += f", up to rounding ({row['rounding']})" if row["rounding"] else ""
    return row["name"], belongs, row["witness"], ", ".join(row["statements"])


def _sizes(row: Data) -> tuple[str, ...]:
    return row["name"], *(str(row[name]) for name in SIZES), row["note"]


def _picked(*names: str, otherwise: str = "none") -> Callable[[Data], tuple[str, ...]]:
    """Return a function from a row to some of its values as text."""
    return lambda row: tuple(str(row[name] or otherwise) for name in names)


def heading(answer: Data) -> str:
    """Heading of the report: source, kind, states, alphabet and length of the automaton."""
    return one_line(
        f"{answer['source'] or 'automaton'}: {KINDS[answer['kind']]} with {answer['states']} "
        f"state{'' if answer['states'] == 1 else 's'} over {{{symbols(answer['alphabet'])}}}, "
        f"length {answer['length']}"
    )


def symbols(alphabet: Sequence[str]) -> str:
    """An alphabet, shortened where it is long."""
    shown = ", ".join(alphabet[:MOST_SYMBOLS])
    more = len(alphabet) - MOST_SYMBOLS
    return shown if more <= 0 else f"{shown}, … {more} more"


def conditions_text(answer: Data) -> str:
    """Conditions that are not met, and whether the printed argument holds at all."""
    return f"{_conditions(answer)} {answer['printed']}".strip()


def _conditions(answer: Data) -> str:
    assumed = [row for row in answer["hypotheses"] if row["condition"]]
    unmet = [row for row in assumed if row["status"] not in FULFILLED]
    if not unmet:
        return f"All {len(assumed)} conditions looked at are met."
    names = "; ".join(f"{row['name']} ({row['theorem']}, {row['status']})" for row in unmet)
    return (
        f"The paper's printed argument also assumes: {names}. What is certified here does not rest "
        "on it."
    )


def scale_text(answer: Data) -> str:
    """Size of the values that ε is an error of, with a warning where ε exceeds them."""
    return one_line(" ".join(answer["scale"]["sentences"]))


def cite_command(answer: Data) -> str:
    """Command that prints the sentences to cite."""
    return f"Sentences to cite: assay cite {' '.join(row['statement'] for row in answer['cite'])}"


def export_command(answer: Data) -> str:
    """Command that exports the decoder of the tables, or "" if it is too large to export."""
    notes = [row["note"] for row in answer["constructions"] if row["name"] == "decoder"]
    if not notes or "too large" in notes[0]:
        return ""
    eps = "" if answer["eps"].startswith("about") else f" --eps {answer['eps']}"
    return f"The decoder to take away: assay export FILE --length {answer['length']}{eps} --out DIR"


def next_commands(answer: Data) -> list[str]:
    """Next commands to run, a line each."""
    return [line for line in (export_command(answer), cite_command(answer)) if line]


def terminal(answer: Data, console: Console, long: bool = True) -> None:
    """The answer on a screen: all tables, or what matters first, and what to do next."""
    console.print(plain(one_line(answer["sentence"])), style="bold", highlight=False)
    if line := decoder_line(answer):
        console.print(plain(line), highlight=False)
    console.print(plain(scale_text(answer)), highlight=False)
    console.print(plain(heading(answer)), style="dim", highlight=False)
    for grid in grids(answer) if long else first_grids(answer):
        console.print(_table(grid, console.width))
    console.print(plain(conditions_text(answer)), highlight=False)
    for line in next_commands(answer) if long else [*next_commands(answer), MORE]:
        console.print(plain(line), style="dim", highlight=False)


def conditions(rows: Iterable[Data], console: Console) -> None:
    """Conditions on a screen: the theorem, met or not, and what decides it."""
    made = _grid("Conditions", rows, _hypothesis,
                 "theorem", "condition", "status", "witness", "statements")  # fmt: skip
    console.print(_table(made.without("statements"), console.width))


def decoder_line(answer: Data) -> str:
    """Size and error of the decoder that `assay export` writes, or "" without such a model."""
    row = next((row for row in answer["constructions"] if row["name"] == "decoder"), None)
    if row is None:
        return ""
    error = next(
        (q for q in answer["quantities"] if q["name"].startswith("error of the decoder")), None
    )
    within = f", states within {error['value'].removeprefix('≤ ')}" if error else ""
    layers = f"{row['depth']} layer{'s' * (row['depth'] != 1)}"
    size = f"{layers} of width {row['embedding']}, {row['feedforward']} hidden units"
    note = row["note"].removeprefix("what assay export writes: ")
    return f"assay export writes a decoder with {size}{within} in exact arithmetic ({note})."


def _table(grid: Grid, width: int) -> Table:
    table = Table(title=f"\n{grid.title}", title_justify="left", title_style="bold",
                  box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)  # fmt: skip
    cells = [tuple(one_line(cell) for cell in row) for row in grid.rows]
    for name, size in zip(grid.short, widths([grid.short, *cells], width), strict=True):
        table.add_column(name, overflow="fold", width=size)
    for row in cells:
        table.add_row(*map(_colour, row))
    return table


def widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Widths of columns: no word is broken if possible, then the longest cells are shortened."""
    columns = list(zip(*rows, strict=True))
    found = [max(cell_len(word) for cell in column for word in cell.split() or [""])
             for column in columns]  # fmt: skip
    wanted = [max(map(cell_len, column)) for column in columns]
    room = width - GAP * (len(columns) - 1) - sum(found)
    for _ in range(-room):
        found[found.index(max(found))] -= 1
    for _ in range(min(room, sum(wanted) - sum(found))):
        lines = [most / size for most, size in zip(wanted, found, strict=True)]
        found[lines.index(max(lines))] += 1
    return [max(size, 1) for size in found]


def _colour(cell: str) -> str:
    for status, mark in MARKS.items():
        if cell == f"{mark} {status}":
            return f"[{COLOURS[status]}]{plain(cell)}[/]"
    return plain(cell)


def markdown(answer: Data) -> str:
    """The answer as Markdown tables."""
    said = (answer["sentence"], scale_text(answer), conditions_text(answer))
    parts = [f"# {marked(heading(answer))}", *map(marked, said)]
    for grid in grids(answer):
        lines = [_cells(grid.header), _cells(["---"] * len(grid.header))]
        body = [_cells([marked(cell) for cell in row]) for row in grid.rows]
        parts += [f"## {marked(grid.title)}", "\n".join([*lines, *body])]
    return "\n\n".join([*parts, *map(marked, next_commands(answer))]) + "\n"


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def data(answer: Data) -> str:
    """The answer as JSON; numbers that are bounds are text."""
    met = all(row["status"] in FULFILLED for row in answer["hypotheses"] if row["condition"])
    return json.dumps({"schema": SCHEMA, **answer, "all_met": met}, indent=1) + "\n"
