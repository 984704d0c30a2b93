"""JUnit XML: one test case for each statement, for machines that watch a change.

A statement fails here when our own check of it is broken; one that was not looked at is skipped
with its reason. That a statement of the paper is refuted is no failure of ours.
"""

from __future__ import annotations

from reports.escape import one_line
from reports.page import environment
from reports.view import View


def junit(view: View) -> bytes:
    """Return the record as a test suite."""
    rows = [each.data for each in view.statements]
    ranks = [row["rank"] for row in rows]
    skipped = ranks.count("unchecked") + ranks.count("no verdict")
    template = environment().get_template("junit.xml.j2")
    text = template.render(
        rows=rows, failures=ranks.count("broken"), skipped=skipped, line=xml_line
    )
    return text.encode()


def xml_line(text: str) -> str:
    """Return one line that XML may hold, without controls and without U+FFFE and U+FFFF."""
    return one_line(text).replace("\ufffe", "").replace("\uffff", "")
