"""The four printed tables: cells as text, and the interval that a printed decimal represents.

A printed "0.0124" represents every number that rounds to it, half a unit of its last place to
either side. `printed.toml` holds the cells; a fact compares them with the paper's source.
"""

import tomllib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files

from constructions.core.errors import InputError
from verify.experiments.settings import Settings

Interval = tuple[Fraction, Fraction]
PLUS_MINUS = "±"


@dataclass(frozen=True)
class Spread:
    """A cell of Tables 3 and 4; a cell of Table 2 has no deviation."""

    mean: str
    deviation: str = ""

    def __str__(self) -> str:
        return f"{self.mean} {PLUS_MINUS} {self.deviation}" if self.deviation else self.mean


@dataclass(frozen=True)
class Table:
    """A printed table: the heads of its columns, and its rows by their heads."""

    lines: tuple[int, int]
    columns: tuple[str, ...]
    heading: str
    rows: dict[str, tuple[str, ...]]
    bold: dict[str, str]

    def cell(self, row: str, column: str) -> str:
        """One cell as printed."""
        if row not in self.rows or column not in self.columns:
            raise InputError(
                "cell of a table", f"row {row}, column {column}", "a cell of the printed table"
            )
        return self.rows[row][self.columns.index(column)]

    def spread(self, row: str, column: str) -> Spread:
        """One cell as mean and deviation."""
        return Spread(*(part.strip() for part in self.cell(row, column).split(PLUS_MINUS)))

    def column(self, name: str) -> dict[str, Spread]:
        """One column from the top."""
        return {row: self.spread(row, name) for row in self.rows}


@cache
def table(number: int) -> Table:
    """Table 1, 2, 3 or 4."""
    text = (files("verify.experiments") / "printed.toml").read_text("utf-8")
    data = tomllib.loads(text).get(str(number))
    if data is None:
        raise InputError("table", number, "1, 2, 3 or 4")
    rows = {name: tuple(cells) for name, cells in data["rows"].items()}
    first, last = data["lines"]
    columns = tuple(data["columns"])
    return Table((first, last), columns, data["heading"], rows, data.get("bold", {}))


def interval(text: str) -> Interval:
    """All numbers that print as `text`."""
    half = Fraction(1, 2 * 10 ** decimals(text))
    return Fraction(text) - half, Fraction(text) + half


def decimals(text: str) -> int:
    """The number of printed decimal places."""
    return len(text.partition(".")[2])


def decimal_text(value: Fraction, places: int) -> str:
    """A rational ≥ 0 as a decimal, rounded to `places` places."""
    digits = f"{round(value * 10**places)}".rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def value_of(settings: Settings) -> Spread | None:
    """Printed mean and spread of a trained cell, or None."""
    s = settings
    trained_so, number, *place = {
        "layers": (s.width == 16, 3, s.layers, s.length),
        "embedding": ((s.layers, s.length) == (4, 32), 4, s.width, s.counted),
        "pautomac": ((s.width, s.length) == (64, 64), 2, s.problem, s.layers),
    }[s.task]
    source, (row, column) = table(number), map(str, place)
    if trained_so and row in source.rows and column in source.columns:
        return source.spread(row, column)
    return None
