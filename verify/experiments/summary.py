"""From runs to cells: mean, deviation, minimum and maximum, beside the printed values.

A cell is all runs that differ in their seed alone. The deviation is the sample deviation (divisor
one less than the number of runs); the paper does not say which one it prints. A single run has
none. Numbers are text with six significant digits.
"""

import csv
import json
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from verify.claims.printed import Spread
from verify.experiments.printed import value_of
from verify.experiments.settings import Settings, from_plain
from verify.experiments.store import Record

COLUMNS = (
    "experiment",
    "T",
    "L",
    "d",
    "k",
    "problem",
    "positions",
    "symbols",
    "epochs",
    "runs",
    "mean",
    "deviation",
    "minimum",
    "maximum",
    "rounded",
    "baseline",
    "printed",
    "printed_deviation",
)


@dataclass(frozen=True)
class Cell:
    """The runs of one cell, with what was printed for it."""

    settings: Settings
    errors: tuple[float, ...]
    rounded: tuple[float, ...]
    baseline: str
    printed: Spread | None

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
        s, spread = self.settings, self.deviation
        printed = self.printed
        values = (
            (s.task, s.length, s.layers, s.width, s.counted, s.problem or "")
            + (s.positions, s.symbols, s.epochs, len(self.errors))
            + (_short(self.mean), "" if spread is None else _short(spread))
            + (_short(self.least), _short(max(self.errors)))
            + (_short(statistics.fmean(self.rounded)), self.baseline)
            + ((printed.mean, printed.deviation) if printed else ("", ""))
        )
        return dict(zip(COLUMNS, map(str, values), strict=True))


def cells(records: Iterable[Record]) -> list[Cell]:
    """The cells of a set of runs, in the order in which they first appear."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        shared = {key: value for key, value in record["settings"].items() if key != "seed"}
        groups.setdefault(json.dumps(shared, sort_keys=True), []).append(record)
    return [_cell(group) for group in groups.values()]


def _cell(group: list[Record]) -> Cell:
    settings = from_plain(group[0]["settings"])
    results = [record["result"] for record in group]
    return Cell(
        settings,
        tuple(float(result["mse"]) for result in results),
        tuple(float(result["rounded"]) for result in results),
        results[0]["baseline"],
        value_of(settings),
    )


def write_csv(path: Path, rows: Iterable[Cell]) -> None:
    """The cells as a table."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(cell.row() for cell in rows)


def write_json(path: Path, records: Iterable[Record]) -> None:
    """The runs themselves, without the clock: the same bytes for the same results."""
    plain = [{"settings": r["settings"], "result": r["result"]} for r in records]
    lines = [json.dumps(run, sort_keys=True) for run in plain]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def read_json(path: Path) -> list[Record]:
    """The runs of a file written by `write_json`."""
    records = json.loads(path.read_text(encoding="utf-8"))
    return [{**record, "clock": {}} for record in records]


def committed(task: str) -> list[Record]:
    """The runs that are part of this repository."""
    return read_json(Path(__file__).parent / "results" / f"{task}.json")


def _short(value: float) -> str:
    return f"{value:.6g}"
