"""Reports: pure renderings of one record; the same record, the same bytes.

    index.html        the page: the answer, findings, figures, our own results, all statements
    report.md         the same as Markdown
    assay.tex         macros for a LaTeX source
    junit.xml         one test case for each statement
    badge.svg         the result in a line
    erratum.tex       what an author of the paper could publish
    figures/ID.svg    each figure by itself

A renderer sees the record and the certificates and nothing else: no clock, no machine.

Start at `page` and `view`. Everything here may change: reports compute nothing, and the tests approve
what they print.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["render_all"]


def render_all(record: Mapping[str, Any], certificates: Mapping[str, Any]) -> dict[str, bytes]:
    """Every rendering of a record: file name to bytes."""
    from reports.badge import badge
    from reports.erratum import erratum
    from reports.figures import standalone
    from reports.junit import junit
    from reports.page import html
    from reports.record_figures import draw_figures
    from reports.texts import latex_macros, markdown_report
    from reports.view import view

    joined = view(record, certificates)
    pictures = draw_figures(joined)
    return {
        "index.html": html(joined, pictures),
        "report.md": markdown_report(joined),
        "assay.tex": latex_macros(joined),
        "junit.xml": junit(joined),
        "badge.svg": badge(joined),
        "erratum.tex": erratum(joined),
        **{f"figures/{name}.svg": standalone(one.svg) for name, one in pictures.items()},
    }
