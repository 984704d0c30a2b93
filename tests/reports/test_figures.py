"""What is put on the axes of a figure, as it was approved: places, strokes, marks and names, not pixels."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("matplotlib")

from approved_support import agree_with_approved
from matplotlib import style
from matplotlib.colors import to_hex

from reports.figures import CURVES, SETTINGS, _power, _sheet, _step, image, inline

APPROVED = Path(__file__).with_suffix(".json")
PLAIN = {"id": "f", "title": "T", "alt": "A", "xlabel": "x\ny", "ylabel": "$y$"}


def series(style: str, x: str, y: str, label: str = "") -> dict[str, Any]:
    return {"label": label, "style": style, "x": x.split(), "y": y.split()}


MANY = " ".join(map(str, range(1, 26)))
FIGURES = {
    "one line": ("linear", "linear", [series("line", "1 2 3", "4 5 6")]),
    "every style": (
        "linear", "linear",
        [series(style, "1 2 4", "4 5 6", f"s{k}")
         for k, style in enumerate(["line", "dashed", "points", "bars", "bars", "dashed", "line", "bars"])],
    ),
    "bars alone": ("linear", "linear", [series("bars", "3", "7", "b")]),
    "three names": ("log", "log", [series("line", "1 10 1000", "1e-9 1e-3 1", f"s{k}") for k in range(3)]),
    "four names": ("log", "log", [series("line", "1 10 1000", "1e-9 1e-3 1", f"s{k}") for k in range(4)]),
    "few places": ("log", "linear", [series("line", "1 2 4 8 16 32 64 128 256", "1 2 3 4 5 6 7 8 9")]),
    "more places": ("log", "linear", [series("line", "1 2 4 8 16 32 64 128 256 512", "1 " * 10)]),
    "marked points": ("linear", "log", [series("line", MANY[:-3], MANY[:-3])]),
    "many points": ("linear", "log", [series("line", MANY, MANY)]),
    "zeros": ("linear", "log", [series("line", "1 2 3 4", "0 1 0 10", "z"), series("dashed", "1 2", "0 0")]),
    "zeros on a plain axis": ("linear", "linear", [series("line", "1 2 3", "0 1 0")]),
    "nothing above zero": ("linear", "log", [series("line", "1 2", "0 0")]),
    "narrow": ("linear", "log", [series("line", "1 2", "2 199")]),
    "hardly wide": ("linear", "log", [series("line", "1 2", "2 200")]),
    "small": ("linear", "log", [series("line", "1 2", "0.0004 0.003")]),
    "large": ("linear", "log", [series("line", "1 2", "40000 300000")]),
    "very wide": ("linear", "log", [series("line", "1 2", "1e-300 1e300")]),
    "beyond floats": ("linear", "log", [series("line", "1 2", "1e-320 1e308")]),
}  # fmt: skip


def drawn(name: str) -> dict[str, Any]:
    """The contents of the axes."""
    xscale, yscale, given = FIGURES[name]
    with style.context(["default", SETTINGS]):
        sheet = _sheet({**PLAIN, "xscale": xscale, "yscale": yscale, "series": given})
        (axes,) = sheet.axes
        legends = [*sheet.legends, *filter(None, [axes.get_legend()])]
        return {
            "size": [str(length) for length in sheet.get_size_inches()],
            "labels": [axes.get_xlabel(), axes.get_ylabel(), axes.get_xscale(), axes.get_yscale()],
            "lines": [line(each) for each in axes.lines],
            "bars": [
                [to_hex(each.get_facecolor()), *(f"{v:.9g}" for v in each.get_bbox().extents)]
                for each in axes.patches
            ],
            "texts": [[each.get_text(), each.get_ha(), each.get_va(), *each.get_position()]
                      for each in axes.texts],
            "marks": [marks(axis) for axis in (axes.xaxis, axes.yaxis) if axis.get_scale() == "log"],
            "legends": [legend(each, len(sheet.legends)) for each in legends],
        }  # fmt: skip


def legend(each: Any, outside: int) -> list[Any]:
    """Whether it stands outside of the axes, where, in how many columns, and its names."""
    return [outside, each._loc, each._ncols, *(text.get_text() for text in each.get_texts())]


def line(each: Any) -> list[Any]:
    """Colour, marker, dashes, and the points."""
    look = [each.get_color(), each.get_marker(), each.get_linestyle(), str(each._dash_pattern)]
    look += [each.get_fillstyle(), each.get_clip_on()]
    return [*look, [f"{x:.9g}" for x in each.get_xdata()], [f"{y:.9g}" for y in each.get_ydata()]]


def marks(axis: Any) -> list[list[str]]:
    """Where an axis is marked, and with which words."""
    places = axis.get_major_locator()()
    words = [axis.get_major_formatter()(place, k) for k, place in enumerate(places)]
    return [[f"{place:.6g}" for place in places], words, [str(len(axis.get_minor_locator()()))]]


@pytest.mark.parametrize("name", FIGURES)
def test_the_axes_are_as_approved(name: str) -> None:
    agree_with_approved(APPROVED, name, drawn(name))


def test_sizes_and_widths_are_as_approved() -> None:
    """What one sees of the settings on a sheet: letters, lines, the frame and the grid."""
    with style.context(["default", SETTINGS]):
        given = [series("line", "1 2", "1 2", "s")]
        (axes,) = _sheet({**PLAIN, "xscale": "linear", "yscale": "linear", "series": given}).axes
        spines = {
            name: [spine.get_visible(), spine.get_linewidth()]
            for name, spine in axes.spines.items()
        }
        (drawn_line,), (grid, *_) = axes.lines, axes.get_xgridlines()
        found = {
            "letters": [axes.xaxis.label.get_size(), axes.get_xticklabels()[0].get_size(),
                        axes.get_legend().get_texts()[0].get_size(), axes.xaxis.label.get_family()],
            "line": [drawn_line.get_linewidth(), drawn_line.get_markersize()],
            "frame": [spines, to_hex(axes.spines["left"].get_edgecolor()), axes.get_axisbelow()],
            "grid": [grid.get_visible(), grid.get_linewidth(), grid.get_alpha(), grid.get_color()],
            "inks": [axes.xaxis.label.get_color(), axes.get_xticklabels()[0].get_color()],
            "grounds": [axes.get_facecolor()[3], axes.figure.get_facecolor()[3]],
            "legend": axes.get_legend().get_frame_on(),
        }  # fmt: skip
        agree_with_approved(APPROVED, "sizes and widths", found)


def test_powers_of_ten_are_written_with_one_digit() -> None:
    assert [_power(x) for x in (1, 10, 2e-7, 5e12, 1e-307)] == [
        "10⁰",
        "10¹",
        "2·10⁻⁷",
        "5·10¹²",
        "10⁻³⁰⁷",
    ]


def test_bars_are_as_wide_as_the_least_step_allows() -> None:
    assert _step([3.0, 1.0, 1.5, 3.0]) == 0.5
    assert _step([3.0]) == _step([3.0, 3.0]) == _step([]) == 1.0


def test_a_figure_is_drawn_in_three_formats_at_one_size() -> None:
    figure = {**PLAIN, "xscale": "linear", "yscale": "linear", "series": FIGURES["one line"][2]}
    png, pdf, svg = (image(figure, kind) for kind in ("png", "pdf", "svg"))
    assert png[16:24] == (832).to_bytes(4) + (546).to_bytes(4)  # 6.4 and 4.2 inches of 130 dots
    assert b"CreationDate" not in pdf and b"/MediaBox [ 0 0 460.8 302.4 ]" in pdf
    root = ET.fromstring(svg)
    assert root.get("viewBox") == "0 0 460.8 302.4" and svg.startswith(b"<?xml")


def test_only_the_ink_of_a_drawing_is_that_of_the_page() -> None:
    figure = {**PLAIN, "xscale": "linear", "yscale": "linear",
              "series": [series("line", "1 2", "1 2", "#0a0b0c")]}  # fmt: skip
    drawing = inline(figure)
    assert drawing.count("#0a0b0c") == 1 and CURVES[0] in drawing  # the name in the legend
    assert "stroke: currentColor" in drawing and drawing.endswith("</svg>\n")
    assert not any(text != text.rstrip() for text in drawing.splitlines())


@pytest.mark.parametrize("y", ["1 2", "1 2 3 4"])
def test_a_curve_has_one_value_for_each_place(y: str) -> None:
    figure = {
        **PLAIN,
        "xscale": "linear",
        "yscale": "linear",
        "series": [series("line", "1 2 3", y)],
    }
    with pytest.raises(ValueError, match="zip"):
        inline(figure)
