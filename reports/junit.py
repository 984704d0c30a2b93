"""JUnit XML: one test case for each claim, for machines that watch a change.

A claim fails here when its verdict is not the recorded one or its check is broken; a claim that
was not checked, as recorded, is skipped with its reason. That a claim of the paper is refuted,
as recorded, is no failure of ours.
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
    for claim in view.claims:
        _case(suite, claim.data)
    suite.set("tests", str(len(view.claims)))
    suite.set("failures", str(len(suite.findall("*/failure"))))
    suite.set("errors", "0")
    suite.set("skipped", str(len(suite.findall("*/skipped"))))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def trouble(claim: Data) -> tuple[str, str] | None:
    """Why a claim fails, as type and message, or nothing."""
    verdict, recorded = claim["verdict"], claim["recorded"]
    if verdict == "broken":
        return "broken", claim["reason"] or "the check is broken"
    if recorded and recorded != verdict:
        return "changed", f"recorded as {recorded}, now {verdict}"
    return None


def _case(suite: ET.Element, claim: Data) -> None:
    case = ET.SubElement(suite, "testcase", classname=f"assay.{_slug(claim)}", name=claim["id"])
    if found := trouble(claim):
        kind, message = found
        ET.SubElement(case, "failure", type=kind, message=_text(message)).text = _text(
            claim["cite"]
        )
    elif claim["verdict"] == "not-checked":
        ET.SubElement(case, "skipped", message=_text(claim["reason"] or "not checked"))
    ET.SubElement(case, "system-out").text = _text(f"{claim['verdict']}: {claim['cite']}")


def _slug(claim: Data) -> str:
    return str(claim["id"].split(".")[0])


def _text(text: str) -> str:
    """One line that XML may hold: `one_line` drops controls, the two last points are no letters."""
    return one_line(text).replace("\ufffe", "").replace("\uffff", "")
