"""From trained cells to numbers: mean, deviation, minimum and maximum, beside the printed values.

The deviation is the sample deviation (divisor one less than the number of runs); the paper does
not say which one it prints. A single run has none. Numbers are text with six significant digits.
"""

import csv
import json
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from verify.experiments.printed import Spread, value_of
from verify.experiments.settings import Settings, from_plain
from verify.experiments.store import Record

COLUMNS = (
    *("experiment", "T", "L", "d", "k", "problem", "positions", "symbols", "epochs", "tries"),
    *("runs", "mean", "deviation", "minimum", "maximum", "rounded", "baseline"),
    *("printed", "printed_deviation"),
)


@dataclass(frozen=True)
class Cell:
    """The runs of one cell, with what was printed for it; tries of a seed count as runs."""

    settings: Settings
    result: dict[str, Any]

    @property
    def errors(self) -> tuple[float, ...]:
        """The test errors of all seeds and tries."""
        return tuple(float(error) for tries in self.result["mse"] for error in tries)

    @property
    def rounded(self) -> tuple[float, ...]:
        """The test errors after rounding to integers."""
        return tuple(float(error) for tries in self.result["rounded"] for error in tries)

    @property
    def printed(self) -> Spread | None:
        """The printed cell."""
        return value_of(self.settings)

    @property
    def mean(self) -> float:
        """The mean test error."""
        return statistics.fmean(self.errors)

    @property
    def deviation(self) -> float | None:
        """The sample deviation, if there are two runs or more."""
        return statistics.stdev(self.errors) if len(self.errors) > 1 else None

    @property
    def least(self) -> float:
        """The smallest test error."""
        return min(self.errors)

    def row(self) -> dict[str, str]:
        """One line of the CSV file."""
        s, spread, printed = self.settings, self.deviation, self.printed
        values = (
            (s.task, s.length, s.layers, s.width, s.counted, s.problem or "")
            + (s.positions, s.symbols, s.epochs, s.tries, len(self.errors))
            + (six_digits(self.mean), "" if spread is None else six_digits(spread))
            + (six_digits(self.least), six_digits(max(self.errors)))
            + (six_digits(statistics.fmean(self.rounded)), self.result["baseline"])
            + ((printed.mean, printed.deviation) if printed else ("", ""))
        )
        return dict(zip(COLUMNS, map(str, values), strict=True))


def cells(records: Iterable[Record]) -> list[Cell]:
    """The cells of a set of records."""
    return [Cell(from_plain(record["settings"]), record["result"]) for record in records]


def write_csv(path: Path, rows: Iterable[Cell]) -> None:
    """The cells as a table."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(cell.row() for cell in rows)


def write_json(path: Path, records: Iterable[Record]) -> None:
    """The records, a line each: the same bytes for the same records."""
    lines = [json.dumps(record, sort_keys=True) for record in records]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def committed_records() -> list[Record]:
    """The records of docs/protocol.md that are part of this repository."""
    text = (files("verify.experiments") / "results" / "protocol.json").read_text("utf-8")
    records: list[Record] = json.loads(text)
    return records


def six_digits(value: float) -> str:
    """Six significant digits as text, so that a record is rounded once."""
    return f"{value:.6g}"
