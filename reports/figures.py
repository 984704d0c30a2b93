"""Curves and panels from data, of reports and of commands: the same bytes for the same data.

Constructs    an SVG by matplotlib, without date, version or random ids; text stays text
Colours       axes and letters take the colour of the page around them (currentColor), so that
              a figure can be read on light and on dark; each curve has colour, marker and dash
Unlike a plot numbers come as decimal strings and are only now made floats, for drawing alone;
              a zero on a logarithmic axis is marked at its lower edge and interrupts the curve
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Mapping
from math import ceil, floor, isnan, log10, nan
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from reports.escape import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

Data = Mapping[str, Any]
INK = "#0a0b0c"
INCHES = (6.4, 4.2)
CURVES = ("#2f7fbf", "#d0602a", "#2b9069", "#9f63c4", "#a97f1f", "#76828e")
FEW, MANY = 9, 24
MARKS, LEAST = 9, -307  # powers of ten on an axis; the least exponent that floats have
NARROW = 100  # an axis whose ends have a smaller ratio is marked between the powers of ten too
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
ROOM = 3
EDGE = 0.015  # of the height of the axes, above their lower edge
DASHES = ((5.0, 2.5), (2.0, 2.0), (7.0, 2.0, 1.5, 2.0))
SETTINGS: dict[str, Any] = {
    "svg.hashsalt": "assay",
    "svg.fonttype": "none",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 12.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.linewidth": 0.5,
    "grid.alpha": 0.22,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.frameon": False,
    "legend.fontsize": 11.0,
    "lines.linewidth": 1.7,
    "lines.markersize": 4.5,
    **dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color",
         "grid.color"), INK),
}  # fmt: skip
SHEET = re.compile(r"<defs>\s*<style.*?</style>\s*</defs>", re.DOTALL)
NOTHING = dict.fromkeys(("Date", "Creator", "Format", "Type"))
ADAPTS = "svg{color:#13181d}@media(prefers-color-scheme:dark){svg{color:#e8ebee}}"


def inline(figure: Data) -> str:
    """Return the figure as an SVG element for a page, with its title and description."""
    sheet = _sheet(figure)
    svg = _draw(sheet)
    frame = "0 0 {:g} {:g}".format(*(72 * sheet.get_size_inches()))
    opening = re.search(r"<svg [^>]*>", svg)
    if opening is None:
        raise RuntimeError(f"figure {figure['id']}: matplotlib gave no SVG element")
    body = SHEET.sub("", svg[opening.end() :], count=1).strip()
    name = f"figure-{figure['id']}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="{frame}" role="img" aria-labelledby="{name}-title {name}-alt">'
        f'<title id="{name}-title">{escape(one_line(figure["title"]))}</title>'
        f'<desc id="{name}-alt">{escape(one_line(figure["alt"]))}</desc>'
    )
    return head + _own_ids(body, name) + "\n"


def standalone(svg: str) -> bytes:
    """Return an SVG element as a separate file, readable on light and on dark backgrounds."""
    adapted = svg.replace("</desc>", f"</desc><style>{ADAPTS}</style>", 1)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{adapted}'.encode()


def _own_ids(body: str, name: str) -> str:
    """Ids that no other figure of the page has, and the colour of the page; text is left alone."""

    def own(tag: re.Match[str]) -> str:
        text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', tag.group())
        text = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", text)
        text = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', text)
        return text.replace(INK, "currentColor")

    return re.sub(r"<[^>]+>", own, body)


def image(figure: Data, kind: str) -> bytes:
    """Return the figure as a file: svg, which follows the colours of its page, or png or pdf on white."""
    from matplotlib import style

    if kind == "svg":
        return standalone(inline(figure))
    with style.context(["default", SETTINGS]):
        out = io.BytesIO()
        dates = {"CreationDate": None} if kind == "pdf" else None
        _sheet(figure).savefig(out, format=kind, facecolor="white", dpi=130, metadata=dates)
    return out.getvalue()


def _sheet(figure: Data) -> Figure:
    """Draw a figure: panels of error against C, or curves."""
    from matplotlib import style
    from matplotlib.figure import Figure

    if "panels" in figure:
        from reports import small_multiples

        return small_multiples.sheet(figure)
    with style.context(["default", SETTINGS]):
        sheet = Figure(figsize=INCHES, layout="constrained")
        axes = sheet.add_subplot()
        _labels(axes, figure, _curves(axes, figure))
    return sheet


def _draw(sheet: Figure) -> str:
    from matplotlib import style
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    with style.context(["default", SETTINGS]):
        out = io.StringIO()
        FigureCanvasSVG(sheet).print_svg(out, metadata=NOTHING)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _curves(axes: Axes, figure: Data) -> list[Any]:
    """Draw every series; returns what a legend shows, in their order."""
    _scales(axes, figure)
    handles: list[Any] = []
    for number, series in enumerate(figure["series"]):
        x, y = [float(v) for v in series["x"]], [float(v) for v in series["y"]]
        colour = CURVES[series.get("colour", number) % len(CURVES)]
        logarithmic = figure["yscale"] == "log"
        zeros = [k for k, value in zip(x, y, strict=True) if logarithmic and not value]
        drawn = [nan if k in zeros else value for k, value in zip(x, y, strict=True)]
        stroke = _stroke(series, number)
        if not stroke.get("marker") and (alone := _alone(drawn)):
            stroke |= {"marker": ".", "markevery": alone}
        handles += axes.plot(x, drawn, color=colour, **stroke)
        _zeros(axes, zeros, colour)
    return handles


def _alone(values: list[float]) -> list[int]:
    """The points between gaps, which a line does not show."""
    around = zip([nan, *values][:-1], values, [*values, nan][1:], strict=True)
    return [k for k, each in enumerate(around) if [*map(isnan, each)] == [True, False, True]]


def _zeros(axes: Axes, places: list[float], colour: str) -> None:
    """Draw zeros, which a logarithmic axis cannot show, as hollow marks at its lower edge, with a note."""
    if not places:
        return
    edge = axes.get_xaxis_transform()
    hollow: dict[str, Any] = {
        "marker": "v",
        "fillstyle": "none",
        "linestyle": "none",
        "clip_on": False,
    }
    axes.plot(places, [EDGE] * len(places), color=colour, transform=edge, **hollow)
    axes.text(1, 0.02, "▽ exactly 0", transform=axes.transAxes, ha="right", va="bottom")


def _scales(axes: Axes, figure: Data) -> None:
    """Scales; a logarithmic axis of few places is marked at these places."""
    axes.set_xscale(figure["xscale"])
    axes.set_yscale(figure["yscale"])
    places = {float(v) for series in figure["series"] for v in series["x"]}
    if figure["xscale"] == "log" and len(places) <= FEW:
        axes.set_xticks(sorted(places), [f"{place:g}" for place in sorted(places)])
        axes.set_xticks([], minor=True)
    elif figure["xscale"] == "log":
        _powers(axes.xaxis, places)
    if figure["yscale"] == "log":
        _powers(axes.yaxis, {float(v) for series in figure["series"] for v in series["y"]})


def _powers(axis: Axis, places: Collection[float]) -> None:
    """Marks at powers of ten, written as text: TeX's way takes most of the time of a drawing.

    They are chosen here, for matplotlib's choice depends on its version, and pages are compared.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    shown = [place for place in places if place > 0] or [1.0]
    narrow = max(shown) < NARROW * min(shown)
    low, high = max(floor(log10(min(shown))), LEAST), min(ceil(log10(max(shown))), -LEAST)
    powers = [k for k in range(low, high + 1) if k % ceil((high - low + 1) / MARKS) == 0]
    digits = (1, 2, 5) if narrow else (1,)
    axis.set_major_locator(FixedLocator([d * 10.0**k for k in powers for d in digits]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: _plain(value) if narrow else _power(value))
    )


def _power(value: float) -> str:
    """A number d · 10^k as one writes it by hand, one digit before the power."""
    digit, _, exponent = f"{value:.0e}".partition("e")
    power = f"10{str(int(exponent)).translate(RAISED)}"
    return power if digit == "1" else f"{digit}·{power}"


def _plain(value: float) -> str:
    """A number of one digit, written with its zeros if they are few."""
    return f"{value:g}" if 1e-3 <= value < 1e5 else _power(value)


def _stroke(series: Data, number: int) -> dict[str, Any]:
    if series["style"] == "dashed":
        return {"dashes": DASHES[number % len(DASHES)]}
    few = len(series["x"]) <= MANY
    return {"linestyle": "-", "marker": MARKERS[number % len(MARKERS)] if few else ""}


def _labels(axes: Axes, figure: Data, handles: list[Any]) -> None:
    axes.set_xlabel(one_line(figure["xlabel"]), parse_math=False)
    axes.set_ylabel(one_line(figure["ylabel"]), parse_math=False)
    labels = [one_line(series["label"]) for series in figure["series"]]
    if not any(labels):
        return
    names = ["n" * max(1, len(label)) for label in labels]  # as wide as the labels set below
    if len(labels) > ROOM:
        legend = axes.figure.legend(handles, names, loc="outside lower center", ncols=2)
    else:
        legend = axes.legend(handles, names, loc="best")
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_parse_math(False)
        text.set_text(label)
