r"""Markdown and LaTeX: the same record as text, safe by default.

Every value that a template prints goes through the escape of its language; what a template
writes itself is marked `Raw`. The LaTeX file defines, for `\input` in a preamble,

    \assay{thm2}          the verdict in a word
    \assayscope{thm2}     what part of the range was covered
    \assaysentence{thm2}  the sentence that may be cited
    \assaypaper, \assaytool  the references [1] and [2] in it; citations unless defined before
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from reports import labels
from reports.citing import latex_text, optional
from reports.conditions import matrix
from reports.escape import Raw, code, finalizer, latex, markdown
from reports.page_one import answers
from reports.view import View


def environment(escape: Callable[[object], str]) -> Environment:
    """The engine for text: every value goes through the escape of its language."""
    found = Environment(
        loader=PackageLoader("reports"),
        autoescape=False,  # noqa: S701
        finalize=finalizer(escape),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
    )
    found.globals.update(
        labels.TEMPLATE_NAMES,
        code=lambda value: Raw(code(value)),
        after=lambda text: Raw(f" {escape(text)}" if text else ""),
        cited=_with_references,
        raw=Raw,
    )
    return found


def _with_references(sentence: str) -> Raw:
    """A sentence as LaTeX, with the macros for [1] and [2]."""
    return Raw(latex_text(sentence, _macro))


def _macro(number: str, place: str) -> str:
    name = "assaypaper" if number == "1" else "assaytool"
    return rf"\{name}{optional(place)}{{}}"


def _render(name: str, escape: Callable[[object], str], view: View) -> bytes:
    values: dict[str, Any] = {
        "view": view,
        "record": view.record,
        "answers": answers(view),
        "matrix": matrix(view.record, view.numbers),
    }
    return environment(escape).get_template(name).render(values).encode()


def markdown_report(view: View) -> bytes:
    """The record as Markdown."""
    return _render("report.md.j2", markdown, view)


def latex_macros(view: View) -> bytes:
    """The record as LaTeX macros and a table."""
    return _render("assay.tex.j2", latex, view)
