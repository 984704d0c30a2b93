"""Figures of a record, drawn from the values of their certificates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reports import contents, drawing, figures
from reports.view import View

Data = Mapping[str, Any]
FRAME = re.compile(r'viewBox="([^"]+)"')
BODY = re.compile(r'<g [^>]*?id="([^"]+)"')


@dataclass(frozen=True)
class FigureDrawing:
    """An SVG with its viewBox and the id of its body, under which it can be shown again."""

    svg: str

    @property
    def frame(self) -> str:
        """The viewBox."""
        return str(FRAME.findall(self.svg)[0])

    @property
    def body(self) -> str:
        """The id of the outermost group."""
        return str(BODY.findall(self.svg)[0])


def draw_figures(view: View) -> dict[str, FigureDrawing]:
    """Return every figure whose certificate exists, by its id."""
    held = view.certificates
    return {
        figure["id"]: FigureDrawing(_svg(figure, held[figure["key"]]["values"][figure["values"]]))
        for figure in view.drawable
    }


def _svg(figure: Data, values: Any) -> str:
    if figure["kind"] == "tree":
        return drawing.inline({**figure, **values})
    if figure["kind"] == "contents":
        return contents.inline({**figure, **values})
    if figure["kind"] == "errors":
        return figures.inline({**figure, **values})
    return figures.inline({**figure, "series": [{"style": "line", **curve} for curve in values]})
