"""The matrix of conditions for a reader: one row a condition, one column a theorem.

    columns    the theorems in the order of page one, then the other statements
    cell       mark and word of the state, links to the evidence, a note

A cell whose state the facts of the run do not show has the word for that in place of the state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.labels import CONDITION_STATES, NOT_SHOWN, StateWord

Data = Mapping[str, Any]
SHORT = {"Theorem": "Thm", "Corollary": "Cor", "Lemma": "Lem", "Equation": "Eq", "Definition": "Def",
         "Proposition": "Prop"}  # fmt: skip


@dataclass(frozen=True)
class MatrixCell:
    """A cell as a reader sees it; `links` are pairs of a label and an anchor of the report."""

    column: str
    state: str
    word: StateWord
    links: tuple[tuple[str, str], ...]
    note: str


@dataclass(frozen=True)
class MatrixRow:
    """A condition with its cells by column."""

    id: str
    group: str
    name: str
    cells: Mapping[str, MatrixCell]


@dataclass(frozen=True)
class Matrix:
    """The columns by id with their names, and the rows."""

    columns: Mapping[str, str]
    rows: tuple[MatrixRow, ...]

    @property
    def groups(self) -> dict[str, list[MatrixRow]]:
        """The rows by group, in their order."""
        found: dict[str, list[MatrixRow]] = {}
        for row in self.rows:
            found.setdefault(row.group, []).append(row)
        return found

    @property
    def short_names(self) -> dict[str, str]:
        """Names of the columns for narrow tables: Thm 1, Eq (1)."""
        return {column: short_name(name) for column, name in self.columns.items()}

    def counts(self, column: str) -> list[tuple[StateWord, int]]:
        """Number of cells of a column in each state."""
        words = [row.cells[column].word for row in self.rows if column in row.cells]
        every = (*CONDITION_STATES.values(), NOT_SHOWN)
        return [(word, words.count(word)) for word in every if word in words]


def matrix(record: Data, numbers: Mapping[str, str]) -> Matrix:
    """Return the matrix of a record; `numbers` are the short names of its findings."""
    names = {row["id"]: row["numbered"] or row["title"] for row in record["statements"]}
    rows = tuple(_row(row, names, numbers) for row in record["conditions"])
    used = {column for row in rows for column in row.cells}
    first = [answer["statement"] for answer in record["answers"]]
    columns = {column: names[column] for column in (*first, *names) if column in used}
    return Matrix(columns, rows)


def _row(row: Data, names: Mapping[str, str], numbers: Mapping[str, str]) -> MatrixRow:
    cells = {cell["statement"]: _cell(cell, names, numbers) for cell in row["cells"]}
    return MatrixRow(row["id"], row["group"], row["name"], cells)


def _cell(cell: Data, names: Mapping[str, str], numbers: Mapping[str, str]) -> MatrixCell:
    word = CONDITION_STATES[cell["state"]] if cell["shown"] else NOT_SHOWN
    links = tuple(_links(cell["evidence"], numbers))
    return MatrixCell(cell["statement"], cell["state"], word, links, cell["note"])


def _links(evidence: Sequence[str], numbers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in evidence:
        if name in numbers:
            yield numbers[name], f"finding-{name}"
        else:
            yield name, name


def short_name(name: str) -> str:
    """Return a name with its first word shortened: "Theorem 1" becomes "Thm 1"."""
    first, _, rest = name.partition(" ")
    return f"{SHORT.get(first, first)} {rest}".strip() if re.search(r"\d", rest) else name
