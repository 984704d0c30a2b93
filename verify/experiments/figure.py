"""The figures of Section 5 drawn again, as data: our errors, with the printed ones beside them.

layers      mean error against the number of layers, a curve for each T, with log₂ T
embedding   mean error against the embedding size, a curve for each k, with n² = (k + 1)²
pautomac    least error against the number of layers, a curve for each automaton

`reports.figures` draws them.
"""

import math
from collections.abc import Iterable
from typing import Any

from verify.experiments.summary import Cell, six_digits

TITLES = {
    "layers": "Counting zeros: error by number of layers",
    "embedding": "Counting k symbols: error by embedding size",
    "pautomac": "PAutomaC automata: error by number of layers",
}
Curve = list[Cell]


def curves(cells: Iterable[Cell]) -> dict[str, Curve]:
    """Return the cells of each curve, in order along the horizontal axis."""
    groups: dict[str, Curve] = {}
    for cell in cells:
        groups.setdefault(_label(cell), []).append(cell)
    return {label: sorted(group, key=abscissa) for label, group in groups.items()}


def abscissa(cell: Cell) -> int:
    """Return the horizontal coordinate of a cell: its embedding size or its number of layers."""
    return cell.settings.width if cell.settings.task == "embedding" else cell.settings.layers


def _label(cell: Cell) -> str:
    s = cell.settings
    names = {
        "layers": f"T = {s.length}, log₂ T ≈ {math.log2(s.length):.3g}",
        "embedding": f"k = {s.counted}, n² = {(s.counted + 1) ** 2}",
    }
    label = names.get(s.task, f"PAutomaC {s.problem}")
    if s.positions != "index":
        label += f", {s.positions} positions"
    if s.task == "embedding" and s.symbols != 10:
        label += f", {s.symbols} symbols"
    return label


def figure(task: str, cells: Iterable[Cell]) -> dict[str, Any]:
    """Return the figure of one experiment: a line for our errors, a dashed one for the printed ones."""
    series = []
    for colour, (label, curve) in enumerate(curves(cells).items()):
        ours = {abscissa(c): six_digits(c.least if task == "pautomac" else c.mean) for c in curve}
        printed = {abscissa(c): c.printed.mean for c in curve if c.printed}
        kinds = (("ours", "line", ours), ("printed", "dashed", printed))
        series += [
            {"label": f"{label}, {name}", "style": style, "colour": colour,
             "x": list(map(str, points)), "y": list(points.values())}
            for name, style, points in kinds if points
        ]  # fmt: skip
    return {
        "id": task,
        "title": TITLES[task],
        "alt": f"{TITLES[task]}; ours and as printed",
        "xlabel": "embedding size d" if task == "embedding" else "number of layers L",
        "ylabel": "least test MSE" if task == "pautomac" else "mean test MSE",
        "xscale": "log",
        "yscale": "log",
        "series": series,
    }
