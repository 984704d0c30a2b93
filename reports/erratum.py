r"""The erratum: what an author of the paper could publish, generated from the same record.

Every material finding and every gap with its witness and its correction, the sections that the
paper's folder brings (`erratum.tex`), and the slips in one list. In these sections
`\machinechecked{NAME}` says whether this run's Coq accepted the theorem.
"""

from __future__ import annotations

import re

from reports.answer import answers
from reports.escape import Raw, latex
from reports.texts import environment
from reports.view import Data, View

MARK = re.compile(r"\\machinechecked\{([^{}]*)\}")


def erratum(view: View) -> bytes:
    """The erratum as a LaTeX source that needs nothing but the standard classes."""
    template = environment(latex).get_template("erratum.tex.j2")
    by_grade = {
        grade: [finding for finding in view.findings if finding["grade"] == grade]
        for grade in view.grades
    }
    names = {each.id: each.data["numbered"] or each.data["title"] for each in view.statements}
    text = template.render(
        record=view.record,
        answers=[one for one in answers(view) if not one.statement.data["ours"]],
        by_grade=by_grade,
        names=names,
        corrections=Raw(MARK.sub(lambda mark: _coq(view, mark[1]), view.record["erratum"])),
    )
    return text.encode()


def _coq(view: View, theorem: str) -> str:
    """Whether this run's Coq accepted a theorem, with its name."""
    name = rf"\texttt{{{latex(theorem)}}}"
    if any(_accepted(each, theorem) for each in view.certificates.values()):
        return f"machine-checked in Coq ({name})"
    return f"stated in Coq ({name}, which was not compiled in this run)"


def _accepted(certificate: Data, theorem: str) -> bool:
    asked = certificate["fact"] == "coq.theorem" and certificate["holds"] is True
    return asked and bool(certificate["parameters"].get("theorem") == theorem)
