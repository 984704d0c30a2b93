"""JUnit XML: one test case for each statement, for machines that watch a change.

A statement fails here when our own check of it is broken; one that was not looked at is skipped
with its reason. That a statement of the paper is refuted is no failure of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from reports.escape import one_line
from reports.view import View

Data = Mapping[str, Any]


def junit(view: View) -> bytes:
    """The record as a test suite."""
    suite = ET.Element("testsuite", name="assay")
    for each in view.statements:
        _case(suite, each.data)
    suite.set("tests", str(len(view.statements)))
    suite.set("failures", str(len(suite.findall("*/failure"))))
    suite.set("errors", "0")
    suite.set("skipped", str(len(suite.findall("*/skipped"))))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _case(suite: ET.Element, row: Data) -> None:
    group = f"assay.{row['id'].split('.')[0]}"
    case = ET.SubElement(suite, "testcase", classname=group, name=row["id"])
    if row["rank"] == "broken":
        ET.SubElement(case, "failure", type="broken", message=_text(row["reason"]))
    elif row["rank"] in ("unchecked", "no verdict"):
        ET.SubElement(case, "skipped", message=_text(row["reason"] or "not checked"))
    ET.SubElement(case, "system-out").text = _text(f"{row['verdict']}: {row['sentence']}")


def _text(text: str) -> str:
    """One line that XML may hold: `one_line` drops controls, the two last points are no letters."""
    return one_line(text).replace("\ufffe", "").replace("\uffff", "")
