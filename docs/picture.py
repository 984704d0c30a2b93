"""The picture of the README and of the home page, drawn from a model that is built here.

    python docs/picture.py [FILE]

Left the automaton, in the middle what each position of its decoder reads and holds, right the
next-symbol distribution of the exported language model beside the exact one. A test draws it again.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import assay

WORD = ["walk", "shop", "shop", "clean"]
STATES = ("rain", "sun")
BLUE, ORANGE, INK = "#2f7fbf", "#d0602a", "#444"
STYLE = {"svg.hashsalt": "assay", "svg.fonttype": "path", "font.size": 9, "text.color": INK}


def process() -> assay.WFA:
    """The weather, seen by what a friend does."""
    return assay.WFA.from_hmm(
        ["3/5", "2/5"],
        [["7/10", "3/10"], ["2/5", "3/5"]],
        [["1/10", "2/5", "1/2"], ["3/5", "3/10", "1/10"]],
        ["walk", "shop", "clean"],
    )


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], bend: float) -> None:
    """An arrow between two states."""
    axes.annotate(
        "",
        xy=end,
        xytext=start,
        arrowprops={
            "arrowstyle": "-|>",
            "connectionstyle": f"arc3,rad={bend}",
            "color": INK,
            "shrinkA": 19,
            "shrinkB": 19,
        },
    )


def draw_automaton(axes: Axes) -> None:
    """Two states and how they follow one another."""
    axes.set_title("your automaton")
    for x, name in zip((0.2, 0.8), STATES, strict=True):
        axes.plot([x], [0.55], "o", markersize=36, markerfacecolor="white", markeredgecolor=BLUE)
        axes.text(x, 0.55, name, ha="center", va="center")
    arrow(axes, (0.2, 0.55), (0.8, 0.55), -0.35)
    arrow(axes, (0.8, 0.55), (0.2, 0.55), -0.35)
    axes.text(0.5, 0.71, "0.3", ha="center")
    axes.text(0.5, 0.36, "0.4", ha="center")
    axes.text(0.5, 0.12, "emits walk, shop, clean", ha="center", style="italic")
    axes.set(xlim=(0, 1), ylim=(0, 1))


def draw_scan(axes: Axes, rows: list[assay.explain]) -> None:
    """What each position reads, layer by layer, and which product it then holds."""
    axes.set_title("its decoder: a prefix scan")
    levels = 1 + max(row.layer for row in rows)
    for row in rows:
        for targets in row.reads.values():
            for target in targets:
                axes.plot(
                    [target, row.position], [row.layer - 1, row.layer], color=ORANGE, linewidth=1.2
                )
        if row.layer:
            axes.plot([row.position] * 2, [row.layer - 1, row.layer], color=BLUE, linewidth=1.2)
    for row in rows:
        axes.plot([row.position], [row.layer], "o", markersize=7, color=BLUE)
    tokens = ["⟨bos⟩", *WORD]
    axes.set_xticks(range(len(tokens)), tokens)
    axes.set_yticks(range(levels), ["embedding", *(f"layer {k}" for k in range(1, levels))])
    axes.tick_params(length=0, labelcolor=INK)
    axes.set(xlim=(-0.5, len(tokens) - 0.5), ylim=(-0.35, levels - 0.65))


def draw_distribution(axes: Axes, exact: list[float], model: list[float], error: str) -> None:
    """What comes next, by the automaton and by the exported model."""
    axes.set_title(f"softmax of its logits after\n“{' '.join(WORD)}”")
    places = range(len(exact))
    axes.bar([p - 0.2 for p in places], exact, 0.38, color=BLUE, label="exact")
    axes.bar([p + 0.2 for p in places], model, 0.38, color=ORANGE, label="model")
    axes.set_xticks(list(places), ["walk", "shop", "clean"])
    axes.set_ylim(0, 1.35 * max(exact))
    axes.legend(frameon=False, ncols=2, loc="upper center")
    axes.set_xlabel(f"certified: total variation ≤ {error}", color=INK)
    axes.tick_params(length=0, labelcolor=INK)
    axes.set_yticks([])


def numbers() -> tuple[list[float], list[float], str]:
    """The exact distribution, the exported model's, and the certified distance."""
    order = assay.Order(len(WORD), head="next", dtype="float32")
    with tempfile.TemporaryDirectory() as folder:
        written = assay.export(process(), order, folder)
        model = assay.load_model(written.folder)
        # Heights in a picture need no more; so the last bits of a processor do not change the file.
        row = [round(p, 4) for p in model.distributions([WORD])[0][-1][:3].tolist()]
    exact = [float(p) for p in assay.predictor(process()).distribution(WORD).values()]
    return exact, row, str(written.guarantee.error)


def picture() -> Figure:
    """The three panels."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 2.9), layout="constrained")
        left, middle, right = figure.subplots(1, 3, width_ratios=(1, 1.6, 1.1))
        draw_automaton(left)
        draw_scan(middle, assay.explain(process(), WORD))
        draw_distribution(right, *numbers())
        for axes in (left, middle, right):
            axes.spines[:].set_visible(False)
        left.set(xticks=[], yticks=[])
    return figure


def main(target: Path) -> None:
    """Write the picture."""
    with mpl.rc_context(STYLE):
        picture().savefig(target, format=target.suffix[1:], metadata={"Date": None}, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("picture.svg"))
