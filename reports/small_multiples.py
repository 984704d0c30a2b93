"""Error against C in several panels: error above, error over bound below with a line at 1.

Takes         plain data: `length` and `panels`, each with label, states, norm, word, and as decimal
              text C, error, printed, corrected; `mlps` has the same for runs with an MLP
Draws         log₁₀ of these numbers, which can be far below what floats hold
Colours       axes and letters take the colour of the page around them
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from reports import figures
from reports.escape import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Data = Mapping[str, Any]
CORRECTED, PRINTED, *FLOORS = figures.CURVES
ACROSS, WIDE, HIGH = 4, 3.0, 4.3
LEAST, MOST = -50, 12  # of log₁₀ of the error
RAISED = figures.RAISED


def inches(figure: Data) -> tuple[float, float]:
    """Width and height."""
    count = len(figure["panels"])
    rows, columns = -(-count // ACROSS), min(count, ACROSS)
    return max(WIDE * columns + 0.5, 6.4), HIGH * rows + legend_height(figure)


def legend_height(figure: Data) -> float:
    """The height of the legend in inches."""
    entries = len(_handles(figure["panels"]))
    return 0.3 + 0.24 * -(-entries // _legend_columns(figure))


def _legend_columns(figure: Data) -> int:
    return min(3, min(len(figure["panels"]), ACROSS) + 1)


def sheet(figure: Data) -> Figure:
    """All panels, with one legend above them."""
    from matplotlib import style
    from matplotlib.figure import Figure

    panels = figure["panels"]
    width, height = inches(figure)
    rows, columns = -(-len(panels) // ACROSS), min(len(panels), ACROSS)
    with style.context(["default", figures.SETTINGS, {"font.size": 10.0, "legend.fontsize": 10.0}]):
        made = Figure(figsize=(width, height))
        grid = made.add_gridspec(
            3 * rows - 1, columns, height_ratios=([1.25, 1, 0.42] * rows)[:-1],
            left=0.78 / width, right=1 - 0.22 / width, top=1 - (legend_height(figure) + 0.15) / height,
            bottom=0.5 / height, hspace=0.1, wspace=0.09,
        )  # fmt: skip
        lowest, highest = _limits(panels)
        for number, panel in enumerate(panels):
            row, column = divmod(number, columns)
            upper = made.add_subplot(grid[3 * row, column])
            lower = made.add_subplot(grid[3 * row + 1, column], sharex=upper)
            _panel(upper, lower, panel)
            upper.set_ylim(lowest, highest)
            _axes(upper, lower, column == 0)
        made.legend(
            handles=_handles(panels), loc="upper left", ncols=_legend_columns(figure),
            bbox_to_anchor=(0.3 / width, 1 - 0.02 / height), columnspacing=1.6,
        )  # fmt: skip
    return made


def log10(text: str) -> float:
    """log₁₀ of a decimal > 0; nan for 0."""
    value = Decimal(text)
    return float(value.log10()) if value > 0 else float("nan")


def _limits(panels: Sequence[Data]) -> tuple[float, float]:
    """Limits of the upper axis, the same for all panels."""
    seen = [
        log10(v)
        for panel in panels
        for key in ("error", "printed", "corrected")
        for v in panel[key]
    ]
    known = [value for value in seen if value == value]
    return max(min(known, default=0) - 2, LEAST), min(max(known, default=1) + 2, MOST)


def _panel(upper: Axes, lower: Axes, panel: Data) -> None:
    x = [float(c) for c in panel["C"]]
    columns = {key: [log10(v) for v in panel[key]] for key in ("error", "printed", "corrected")}
    upper.plot(x, columns["corrected"], color=CORRECTED)
    upper.plot(x, columns["printed"], color=PRINTED, dashes=(4, 2))
    upper.plot(x, columns["error"], color=figures.INK, linestyle="none", marker="o", markersize=3.4)
    for key, colour in (("printed", PRINTED), ("corrected", CORRECTED)):
        ratios = [a - b for a, b in zip(columns["error"], columns[key], strict=True)]
        lower.plot(x, ratios, color=colour, marker="o", markersize=3)
    for mlp, colour in zip(panel["mlps"], _colours(panel["mlps"]), strict=True):
        _floor(upper, lower, mlp, colour, max(x, default=0))
    lower.axhspan(0, 9, color=PRINTED, alpha=0.08, linewidth=0)
    lower.axhline(0, color=figures.INK, linewidth=0.9)
    lower.set_ylim(*_ratio_limits(panel))
    upper.set_title(
        one_line(panel["label"]),
        loc="left",
        fontsize=11,
        fontweight="bold",
        pad=16,
        parse_math=False,
    )
    about = f"max ‖A‖ = {float(panel['norm']):.3g} · {words_of(panel)}"
    upper.text(
        0,
        1.03,
        one_line(about),
        transform=upper.transAxes,
        fontsize=8.6,
        alpha=0.8,
        parse_math=False,
    )
    lower.text(
        0.99,
        0.95,
        error_ratio(panel),
        transform=lower.transAxes,
        ha="right",
        va="top",
        fontsize=8.8,
    )


def words_of(panel: Data) -> str:
    """The word of a panel, or the number of words."""
    return f"word {powers(panel['word'])}" if panel["word"] else panel["words"]


def _floor(upper: Axes, lower: Axes, mlp: Data, colour: str, last: float) -> None:
    """The error with one MLP, carried on to the right from its last C: it falls no more."""
    x, y = [float(c) for c in mlp["C"]], [log10(v) for v in mlp["error"]]
    upper.plot(
        [*x, last], [*y, y[-1]], color=colour, marker=".", markevery=slice(0, len(x)), linewidth=1.2
    )
    for key, tint in (("printed", PRINTED), ("corrected", CORRECTED)):
        ratios = [a - log10(v) for a, v in zip(y, mlp[key], strict=True)]
        lower.plot(
            x, ratios, color=tint, linestyle="none", marker="o", markersize=4, fillstyle="none"
        )


def _colours(mlps: Sequence[Data]) -> list[str]:
    return [FLOORS[number % len(FLOORS)] for number in range(len(mlps))]


def _ratio_limits(panel: Data) -> tuple[float, float]:
    """From a thousandth to ten thousand; more only where a ratio lies outside."""
    tops = [log10(a) - log10(b) for a, b in zip(panel["error"], panel["printed"], strict=True)]
    known = [value for value in tops if value == value]
    return min(-3.0, *known, 0), max(5.2, *known, 0)


def error_ratio(panel: Data) -> str:
    """Ratio of the error to Equation (1) at the largest C, in words."""
    if not panel["error"] or not Decimal(panel["printed"][-1]):
        return "no error"
    error, printed = Decimal(panel["error"][-1]), Decimal(panel["printed"][-1])
    ratio = error / printed
    if ratio <= 1:
        return f"within Equation (1): {ratio:.2g}"
    return f"{ratio:.0f} × Equation (1)" if ratio >= 20 else f"{ratio:.2f} × Equation (1)"


def _axes(upper: Axes, lower: Axes, first: bool) -> None:
    """Powers of ten as text; labels at the first panel of a row only."""
    low, high = upper.get_ylim()
    step = max(1, 4 * round((high - low) / 20))
    ticks = [k for k in range(int(low), int(high) + 1) if k % step == 0]
    upper.set_yticks(ticks, [_power(k) for k in ticks])
    low, high = lower.get_ylim()
    small = [k for k in range(int(low), int(high) + 1) if high - low < 9 or k % 2 == 0]
    lower.set_yticks(small, [_power(k) for k in small])
    upper.tick_params(labelbottom=False, labelleft=first)
    lower.tick_params(labelleft=first)
    lower.set_xlabel("C")
    if first:
        upper.set_ylabel("error")
        lower.set_ylabel("error / bound")


def _power(k: int) -> str:
    return {0: "1", 1: "10", -1: "0.1"}.get(k, f"10{str(k).translate(RAISED)}")


def _handles(panels: Sequence[Data]) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    mlps = panels[0]["mlps"] if panels else []
    floors = [
        Line2D([], [], color=colour, marker=".", label=_floor_label(mlp))
        for mlp, colour in zip(mlps, _colours(mlps), strict=True)
    ]  # fmt: skip
    hollow = {"linestyle": "none", "marker": "o", "fillstyle": "none", "color": figures.INK}
    return [
        Line2D([], [], label="error, exact products", **{**hollow, "fillstyle": "full"}),  # type: ignore[arg-type]
        Line2D([], [], color=PRINTED, dashes=(4, 2), label="Equation (1) as printed"),
        Line2D([], [], color=CORRECTED, label="corrected recursion"),
        *floors,
        *([Line2D([], [], label="error / bound with MLPs", **hollow)] if mlps else []),  # type: ignore[arg-type]
        Patch(color=PRINTED, alpha=0.15, label="bound exceeded"),
    ]  # fmt: skip


def _floor_label(mlp: Data) -> str:
    return f"error, {mlp['activation']} MLPs, ε_mlp ≤ n·{_tenth(mlp['eps'])}"


def _tenth(eps: str) -> str:
    """1/1000000 as 10⁻⁶."""
    numerator, _, denominator = eps.partition("/")
    power = len(denominator) - 1
    if numerator == "1" and denominator == f"1{'0' * power}":
        return _power(-power)
    return eps


def powers(word: str, most: int = 28) -> str:
    """A word as powers: a¹⁶, (aabb)⁴, (baa)⁵b, ba¹⁴b."""
    for size in (1, 2, 3, 4):
        times, rest = divmod(len(word), size)
        if times > 1 and word[:size] * times + word[:rest] == word:
            return _with_exponents(word[:size], times) + word[:rest]
    text, rest_of = "", word
    while rest_of:
        run = len(rest_of) - len(rest_of.lstrip(rest_of[0]))
        text, rest_of = text + _with_exponents(rest_of[0], run), rest_of[run:]
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _with_exponents(block: str, times: int) -> str:
    if times == 1:
        return block
    return f"{block if len(block) == 1 else f'({block})'}{str(times).translate(RAISED)}"
