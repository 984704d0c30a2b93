"""The erratum: what an author of the paper could publish, generated from the same record.

Every material finding and every gap with its witness and its correction, the corrected error
recursion with its proof, the corrected tree construction, and the slips in one list.
"""

from __future__ import annotations

from reports.escape import latex
from reports.plain import environment
from reports.view import View


def erratum(view: View) -> bytes:
    """The erratum as a LaTeX source that needs nothing but the standard classes."""
    template = environment(latex).get_template("erratum.tex.j2")
    by_grade = {
        grade: [finding for finding in view.findings if finding["grade"] == grade]
        for grade in view.grades
    }
    names = {each.id: each.data["numbered"] or each.data["title"] for each in view.statements}
    return template.render(record=view.record, by_grade=by_grade, names=names).encode()
