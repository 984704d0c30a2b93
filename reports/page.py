"""The page: one file that shows a record, without network, from a disk, on any screen.

Constructs    HTML with its style, its script and its figures inside; a content security policy
              that allows this script by its hash and nothing else
Trusts        nothing of the record: the template engine escapes every value; the only markup
              that passes is our own style and script, the SVG that `reports.figures` and
              `reports.drawing` draw, and the scripts of formulas, which `reports.typeset` sets
              in text that it escapes itself
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from reports import labels
from reports.citing import by_key, latex_text
from reports.conditions import matrix
from reports.escape import visible
from reports.maps import maps, unmapped_statements
from reports.page_one import answers
from reports.record_figures import FigureDrawing
from reports.typeset import html as mathematical
from reports.view import Data, View


@dataclass(frozen=True)
class PageFigure:
    """A figure with its SVG, and a reference that shows it a second time."""

    data: Data
    svg: Markup
    use: Markup


@cache
def environment() -> Environment:
    """The engine for HTML: everything escaped, unknown names refused."""
    found = Environment(
        loader=PackageLoader("reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.globals.update(labels.TEMPLATE_NAMES)
    found.filters["math"] = mathematical
    found.filters["ended"] = labels.as_sentence
    return found


def html(view: View, drawn: Mapping[str, FigureDrawing]) -> bytes:
    """The whole page; `drawn` holds each figure by its id."""
    script = resources.files("reports").joinpath("templates/script.js").read_text("utf-8")
    page = environment().get_template("page.html.j2")
    text = page.render(
        view=view,
        record=view.record,
        answers=answers(view),
        inherited=sum(bool(row["inherited"]) for row in view.record["statements"]),
        maps=maps(view),
        matrix=matrix(view.record, view.numbers),
        alone=unmapped_statements(view),
        figures=_figures(view, drawn),
        first=[name for name in view.first_figures if name in drawn],
        latex=_latex(view),
        css=_css(),
        script=Markup(script),  # noqa: S704
        script_hash=_hash(script),
    )
    return visible(text).encode()


def _latex(view: View) -> Callable[[Data], str]:
    """The sentence of a row for a LaTeX source, with citations by the record's keys."""
    paper = view.record["paper"]
    cite = by_key({"1": paper["paper"]["key"], "2": paper["check"]["key"]})
    return lambda row: latex_text(row["sentence"], cite)


def _css() -> Markup:
    sheet = environment().get_template("style.css.j2")
    text = sheet.render(grounds=labels.GROUND, words=list(labels.VERDICTS.values()))
    return Markup(text)  # noqa: S704


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _figures(view: View, drawn: Mapping[str, FigureDrawing]) -> dict[str, PageFigure]:
    found = {}
    for data in view.record["figures"]:
        if data["id"] in drawn:
            one = drawn[data["id"]]
            use = Markup(  # noqa: S704
                f'<svg viewBox="{escape(one.frame)}" role="img" aria-label="{escape(data["alt"])}">'
                f'<use href="#{escape(one.body)}"/></svg>'
            )
            found[data["id"]] = PageFigure(data, Markup(one.svg), use)  # noqa: S704
    return found
