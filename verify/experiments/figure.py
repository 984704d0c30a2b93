"""The figures of Section 5 drawn again: our errors, with the printed ones laid over them.

layers      mean error against the number of layers, a curve for each T, dotted at log2 T
embedding   mean error against the embedding size, a curve for each k, dotted at n² = (k + 1)²
pautomac    least error against the number of layers, a curve for each automaton, dotted at 0.001
"""

import math
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

from verify.experiments.summary import Cell

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
THRESHOLD = 1e-3
TITLES = {
    "layers": "Counting zeros: error by number of layers",
    "embedding": "Counting k symbols: error by embedding size",
    "pautomac": "PAutomaC automata: error by number of layers",
}
Curve = list[Cell]


def curves(cells: Iterable[Cell]) -> dict[str, Curve]:
    """The cells of each curve, in order along the horizontal axis."""
    groups: dict[str, Curve] = {}
    for cell in cells:
        groups.setdefault(_label(cell), []).append(cell)
    return {label: sorted(group, key=abscissa) for label, group in groups.items()}


def abscissa(cell: Cell) -> int:
    """Horizontal coordinate of a cell: its embedding size or its number of layers."""
    return cell.settings.width if cell.settings.task == "embedding" else cell.settings.layers


def _label(cell: Cell) -> str:
    s = cell.settings
    names = {"layers": f"T = {s.length}", "embedding": f"k = {s.counted}"}
    label = names.get(s.task, f"PAutomaC {s.problem}")
    if s.positions != "index":
        label += f", {s.positions} positions"
    if s.task == "embedding" and s.symbols != 10:
        label += f", {s.symbols} symbols"
    return label


def predicted_threshold(cell: Cell) -> float:
    """Horizontal coordinate of the threshold predicted by the theory."""
    if cell.settings.task == "embedding":
        return float((cell.settings.counted + 1) ** 2)
    return math.log2(cell.settings.length)


def draw(task: str, cells: list[Cell], target: Path) -> list[Path]:
    """Draw the cells of one experiment into PNG and SVG files."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "assay"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.5, 4.8), layout="constrained")
    for colour, (label, curve) in zip(cycle(COLOURS), curves(cells).items(), strict=False):
        _draw_curve(axes, curve, label, colour, task)
    _label_axes(axes, task)
    paths = [target.with_suffix(".png"), target.with_suffix(".svg")]
    figure.savefig(paths[0], dpi=130, metadata={"Software": None})
    figure.savefig(paths[1], metadata={"Date": None})
    pyplot.close(figure)
    return paths


def _draw_curve(axes: Any, curve: Curve, label: str, colour: str, task: str) -> None:
    x = [abscissa(cell) for cell in curve]
    y = [cell.least if task == "pautomac" else cell.mean for cell in curve]
    spread = [0.0 if task == "pautomac" else cell.deviation or 0.0 for cell in curve]
    axes.errorbar(x, y, spread, color=colour, marker="o", capsize=3, label=f"{label}, ours")
    if task != "pautomac":
        axes.plot(x, [c.least for c in curve], "v", color=colour, alpha=0.5, markersize=4)
    _draw_printed(axes, curve, label, colour)
    if task != "pautomac":
        first, *_ = curve
        axes.axvline(predicted_threshold(first), color=colour, linestyle=":", linewidth=1)


def _draw_printed(axes: Any, curve: Curve, label: str, colour: str) -> None:
    cells = [(abscissa(cell), cell.printed) for cell in curve if cell.printed]
    if not cells:
        return
    x = [place for place, _ in cells]
    mean = [float(printed.mean) for _, printed in cells]
    spread = [float(printed.deviation or 0) for _, printed in cells]
    style = {"linestyle": "--", "marker": "s", "markerfacecolor": "white", "capsize": 3}
    axes.errorbar(x, mean, spread, color=colour, alpha=0.6, label=f"{label}, printed", **style)


def _label_axes(axes: Any, task: str) -> None:
    axes.set_yscale("log")
    usual = "test MSE, mean ± deviation (▽ least)"
    axes.set_ylabel("least test MSE" if task == "pautomac" else usual)
    if task == "embedding":
        axes.set_xscale("log", base=2)
        axes.set_xlabel("embedding size d (dotted: n²)")
    else:
        axes.xaxis.get_major_locator().set_params(integer=True)
        dotted = "" if task == "pautomac" else " (dotted: log₂ T)"
        axes.set_xlabel(f"number of layers L{dotted}")
    if task == "pautomac":
        axes.axhline(THRESHOLD, color="black", linestyle=":", linewidth=1, label="ε = 0.001")
    axes.set_title(TITLES[task])
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
