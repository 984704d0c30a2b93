"""The page: one file that shows a record, without network, from a disk, on any screen.

Constructs    HTML with its style, its script and its figures inside; a content security policy
              that allows this script by its hash and nothing else
Trusts        nothing of the record: the template engine escapes every value; the only markup
              that passes is our own style and script and the SVG that `reports.figures` and
              `reports.drawing` draw
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from reports import drawing, words
from reports.answer import answer, legend
from reports.figures import FRAME
from reports.maps import maps
from reports.view import Data, View


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
    found.globals.update(
        verdicts=words.VERDICTS,
        readings=words.READINGS,
        strengths=words.STRENGTHS,
        outcomes=words.OUTCOMES,
        place=words.place,
        lines=words.lines,
        counted=words.counted,
        frame=FRAME,
        drawing_frame=drawing.frame,
    )
    return found


def html(view: View, figures: Mapping[str, str], drawings: Mapping[str, str]) -> bytes:
    """The whole page; `figures` and `drawings` hold the SVG of each by its id."""
    script = resources.files("reports").joinpath("templates/script.js").read_text("utf-8")
    page = environment().get_template("page.html.j2")
    return page.render(
        view=view,
        record=view.record,
        by_id={claim.id: claim for claim in view.claims},
        answer=answer(view),
        legend=legend(view),
        maps=maps(view),
        figures=_shown(view, "figures", figures) + _shown(view, "drawings", drawings),
        css=_css(),
        script=Markup(script),  # noqa: S704
        script_hash=_hash(script),
    ).encode()


def _css() -> Markup:
    sheet = environment().get_template("style.css.j2")
    text = sheet.render(grounds=words.GROUND, words=list(words.VERDICTS.values()))
    return Markup(text)  # noqa: S704


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _shown(view: View, kind: str, svgs: Mapping[str, str]) -> list[tuple[Data, Markup, list[str]]]:
    """Each figure, or each drawing, with its SVG and the claims that show it."""
    users: dict[str, list[Any]] = {}
    for claim in view.claims:
        for item in getattr(claim, kind):
            users.setdefault(item["id"], []).append(claim.id)
    return [
        (item, Markup(svgs[item["id"]]), users.get(item["id"], []))  # noqa: S704
        for item in view.record[kind]
    ]
