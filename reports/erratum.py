r"""The erratum: a draft in the voice of the paper's authors, generated from the record.

First the sections in the paper's folder (`erratum.tex`), then every finding that these do
not correct already: material ones and gaps with what was printed, why it fails and what is right,
slips in one list by section. In the sections of the folder

    \machinechecked{NAME}      whether this run's Coq accepted the theorem; cites [2], the check
    \corrects{ID, ID, …}       names the findings that the section corrects, and prints nothing
"""

from __future__ import annotations

import re

from reports.escape import Raw, latex
from reports.labels import place
from reports.texts import environment
from reports.view import Data, View

MARK = re.compile(r"\\machinechecked\{([^{}]*)\}")
CORRECTS = re.compile(r"\\corrects\{([^{}]*)\}")


def erratum(view: View) -> bytes:
    """The erratum as a LaTeX source that needs nothing but the standard classes."""
    template = environment(latex).get_template("erratum.tex.j2")
    own = str(view.record["erratum"])
    corrected = {name.strip() for found in CORRECTS.findall(own) for name in found.split(",")}
    left = [finding for finding in view.findings if finding["id"] not in corrected]
    text = MARK.sub(lambda mark: _coq(view, mark[1]), CORRECTS.sub("", own))
    return template.render(
        record=view.record,
        material=[finding for finding in left if finding["grade"] == "material"],
        gaps=[finding for finding in left if finding["grade"] == "gap"],
        slips=_by_section(view, [finding for finding in left if finding["grade"] == "slip"]),
        corrections=Raw(text),
    ).encode()


def _by_section(view: View, findings: list[Data]) -> dict[str, list[Data]]:
    """Findings by the section of the first statement that each touches, in the paper's order."""
    sections = list(view.sections)
    found: dict[str, list[Data]] = {}
    for finding in findings:
        found.setdefault(view.by_id[finding["touches"][0]].data["section"], []).append(finding)
    return {place(name): found[name] for name in sorted(found, key=sections.index)}


def _coq(view: View, theorem: str) -> str:
    """Return whether this run's Coq accepted a theorem."""
    if any(_is_accepted(each, theorem) for each in view.certificates.values()):
        return "machine-checked in Coq [2]"
    return "stated in Coq, but was not compiled in this run"


def _is_accepted(certificate: Data, theorem: str) -> bool:
    accepted = certificate["fact"] == "coq.theorem" and certificate["holds"] is True
    return accepted and bool(certificate["parameters"].get("theorem") == theorem)
