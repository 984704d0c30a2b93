"""The answer for a screen, a text, a browser and a program; one value, four pure renderings.

Symbols of an alphabet are the reader's text: they are shown, never obeyed, neither as rich's
markup nor as Markdown nor as HTML.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from html import escape

from rich.console import Console
from rich.markup import escape as plain
from rich.table import Table

from reports.escape import markdown as marked
from reports.escape import one_line
from verify.automaton.model import Answer, Status

SCHEMA = "assay-automaton-1"
MARKS = {Status.MET: "✓", Status.NOT_MET: "✗", Status.CANNOT: "⊘", Status.UNDECIDED: "?"}
COLOURS = {
    Status.MET: "green",
    Status.NOT_MET: "red",
    Status.CANNOT: "red",
    Status.UNDECIDED: "yellow",
}
MOST_SYMBOLS = 12


@dataclass(frozen=True)
class Grid:
    """One table of the answer: a title, a header, rows of text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def grids(answer: Answer) -> list[Grid]:
    """The answer as tables, in the order one would ask."""
    return [
        Grid(
            "Hypotheses",
            ("theorem", "hypothesis", "status", "witness", "claims"),
            tuple(
                (h.theorem, h.name, f"{MARKS[h.status]} {h.status}", h.witness, ", ".join(h.claims))
                for h in answer.hypotheses
            ),
        ),
        Grid(
            "Sizes",
            (
                "construction",
                "layers",
                "embedding",
                "attention",
                "feed-forward",
                "heads",
                "tokens",
                "parameters",
                "note",
            ),
            tuple(
                (
                    c.name,
                    *_numbers(
                        c.depth,
                        c.embedding,
                        c.attention,
                        c.feedforward,
                        c.heads,
                        c.tokens,
                        c.parameters,
                    ),
                    c.note,
                )
                for c in answer.constructions
            ),
        ),
        Grid(
            "Constants and errors",
            ("quantity", "value", "meaning", "evidence"),
            tuple((f.name, f.value, f.meaning, f.evidence) for f in answer.figures),
        ),
        Grid(
            f"Floating-point formats, ε = {answer.eps}",
            ("format", "attention", "certified error", "measured error", "suffices"),
            tuple(
                (f.name, f.attention, f.certified, f.measured, f.suffices) for f in answer.formats
            ),
        ),
    ]


def _numbers(*values: int) -> Iterable[str]:
    return (str(value) for value in values)


def heading(answer: Answer) -> str:
    """What was asked, in one line."""
    kinds = {"wfa": "weighted automaton", "wta": "weighted tree automaton"}
    return one_line(
        f"{answer.source or 'automaton'}: {kinds[answer.kind]} with {answer.states} states over "
        f"{{{symbols(answer.alphabet)}}}, length {answer.length}"
    )


def symbols(alphabet: Sequence[str]) -> str:
    """An alphabet, shortened where it is long."""
    shown = ", ".join(alphabet[:MOST_SYMBOLS])
    more = len(alphabet) - MOST_SYMBOLS
    return shown if more <= 0 else f"{shown}, … {more} more"


def closing(answer: Answer) -> str:
    """What it comes to, in one line."""
    if not answer.unmet:
        return "Every hypothesis of the theorems is met."
    names = "; ".join(f"{h.theorem}: {h.name} ({h.status})" for h in answer.unmet)
    return f"Not met: {names}."


def cited(answer: Answer) -> str:
    """How to get the sentences that may be written."""
    return f"What may be cited: verify cite {' '.join(item.claim for item in answer.cite)}"


def terminal(answer: Answer, console: Console) -> None:
    """The answer on a screen."""
    console.print(plain(heading(answer)), style="bold", highlight=False)
    for grid in grids(answer):
        if grid.rows:
            console.print(_table(grid))
    style = "red" if answer.unmet else "green"
    console.print(plain(closing(answer)), style=style, highlight=False)
    console.print(plain(cited(answer)), style="dim", highlight=False)


def _table(grid: Grid) -> Table:
    table = Table(title=grid.title, title_justify="left", title_style="bold", show_lines=False)
    for name in grid.header:
        table.add_column(name, overflow="fold")
    for row in grid.rows:
        table.add_row(*(_coloured(one_line(cell)) for cell in row))
    return table


def _coloured(cell: str) -> str:
    for status, mark in MARKS.items():
        if cell == f"{mark} {status}":
            return f"[{COLOURS[status]}]{plain(cell)}[/]"
    return plain(cell)


def markdown(answer: Answer) -> str:
    """The answer as Markdown tables."""
    parts = [f"# {marked(heading(answer))}", marked(closing(answer))]
    for grid in grids(answer):
        if grid.rows:
            lines = [_cells(grid.header), _cells(["---"] * len(grid.header))]
            body = [_cells([marked(cell) for cell in row]) for row in grid.rows]
            parts += [f"## {marked(grid.title)}", "\n".join([*lines, *body])]
    return "\n\n".join([*parts, marked(cited(answer))]) + "\n"


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8888; padding: .3rem .6rem; text-align: left;
  vertical-align: top; }
"""


def html(answer: Answer) -> str:
    """The answer as one page that needs nothing else."""
    tables = "\n".join(_html_table(grid) for grid in grids(answer) if grid.rows)
    title = escape(heading(answer))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{title}</h1>\n<p>{escape(closing(answer))}</p>\n{tables}\n"
        f"<p>{escape(cited(answer))}</p>\n</main>\n</body>\n</html>\n"
    )


def _html_table(grid: Grid) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in grid.header)
    rows = "\n".join(
        f"<tr>{''.join(f'<td>{escape(one_line(cell))}</td>' for cell in row)}</tr>"
        for row in grid.rows
    )
    return (
        f'<h2>{escape(grid.title)}</h2>\n<div class="wide" tabindex="0" role="region" '
        f'aria-label="{escape(grid.title)}">\n'
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def data(answer: Answer) -> str:
    """The answer as JSON; numbers that are bounds are text."""
    body = {"schema": SCHEMA, **asdict(answer), "all_met": not answer.unmet}
    return json.dumps(body, indent=1) + "\n"
