"""Reports: pure renderings of one record; the same record, the same bytes.

    index.html        the page: the answer, the numbered statements, figures, maps, all claims
    report.md         the same as Markdown
    assay.tex         macros and a table for a LaTeX source
    junit.xml         one test case for each claim
    figures/ID.svg    each figure by itself
    drawings/ID.svg   each drawing of a tree and its heads by itself

A renderer sees the record and nothing else: no clock, no machine, no file of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reports import drawing
from reports.figures import inline, standalone
from reports.junit import junit
from reports.page import html
from reports.plain import latex_macros, markdown_report
from reports.schema import RecordError, validate
from reports.view import view

__all__ = ["RecordError", "render_all", "validate"]


def render_all(record: Mapping[str, Any]) -> dict[str, bytes]:
    """Every rendering of a record: file name to bytes; an invalid record raises `RecordError`."""
    validate(record)
    joined = view(record)
    figures = {figure["id"]: inline(figure) for figure in record["figures"]}
    drawings = {one["id"]: drawing.inline(one) for one in record["drawings"]}
    files = {
        "index.html": html(joined, figures, drawings),
        "report.md": markdown_report(joined),
        "assay.tex": latex_macros(joined),
        "junit.xml": junit(joined),
    }
    files.update({f"figures/{name}.svg": standalone(svg) for name, svg in figures.items()})
    files.update({f"drawings/{name}.svg": standalone(svg) for name, svg in drawings.items()})
    return files
