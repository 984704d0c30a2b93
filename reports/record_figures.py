"""Figures of a record, drawn from the values of their certificates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reports import contents, drawing, figures, small_multiples
from reports.view import View

Data = Mapping[str, Any]


@dataclass(frozen=True)
class FigureDrawing:
    """An SVG, its viewBox, and the id under which its body can be shown again."""

    svg: str
    frame: str
    body: str


def draw_figures(view: View) -> dict[str, FigureDrawing]:
    """Every figure whose certificate exists, by its id."""
    held = view.certificates
    return {
        figure["id"]: _draw(figure, held[figure["key"]]["values"][figure["values"]])
        for figure in view.drawable
    }


def _draw(figure: Data, values: Any) -> FigureDrawing:
    name = figure["id"]
    if figure["kind"] == "tree":
        data = {**figure, **values}
        return FigureDrawing(drawing.inline(data), drawing.frame(data), f"drawing-{name}-body")
    if figure["kind"] == "contents":
        data = {**figure, **values}
        return FigureDrawing(contents.inline(data), contents.frame(data), f"drawing-{name}-body")
    if figure["kind"] == "errors":
        data = {**figure, **values}
        frame = small_multiples.frame(data)
        return FigureDrawing(small_multiples.inline(data), frame, f"figure-{name}-figure_1")
    series = [{"style": "line", **curve} for curve in values]
    svg = figures.inline({**figure, "series": series})
    return FigureDrawing(svg, figures.FRAME, f"figure-{name}-figure_1")
