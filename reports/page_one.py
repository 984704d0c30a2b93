"""Page one: may I cite it? For each main statement the answer, its conditions, what was wrong.

yes                       the statement holds for its whole range
yes, with conditions      the same, under conditions that the sentence names
yes, as Assay’s           shown by the check, not by the paper
in part                   shown for a part of its range only; of a measurement: some cells are refuted
consistent                a measurement that the check could confirm in full
not as printed            false as printed; the repaired form may be cited
no                        false, and no repair is known

Without `[[answer]]` entries, each numbered statement has a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.labels import GRADES, METHODS, grade_counts
from reports.view import StatementView, View

Data = Mapping[str, Any]
ORDER = tuple(GRADES)
MEASUREMENT = "measurement"
CONSISTENT = "Consistent"
PERMISSION = {
    "proved": "Yes",
    "checked": "In part",
    "measured": "In part",
    "vouched": "On a person’s word",
    "repaired": "Not as printed",
    "refuted": "No",
    "open": "Not decided",
    "unchecked": "Not checked",
    "no verdict": "A view",
    "broken": "Our check is broken",
}


@dataclass(frozen=True)
class PageRow:
    """One row of page one."""

    name: str
    about: str
    statement: StatementView
    permission: str
    findings: tuple[Data, ...]
    used: StatementView | None
    tools: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The verdict whose colour the row has."""
        row = self.statement.data
        if row["form"] == MEASUREMENT and row["standing"] == row["rank"]:
            return "checked" if self.permission == PERMISSION["checked"] else str(row["verdict"])
        return str(row["standing"])

    @property
    def evidence(self) -> str:
        """Methods and tools of the evidence, or "" without evidence."""
        method = METHODS[self.statement.data["method"]]
        method = "; ".join(filter(None, (method, ", ".join(self.tools))))
        corrected = self.statement.data["rank"] == "repaired" and method
        return f"the corrected form: {method}" if corrected else method

    @property
    def finding_counts(self) -> str:
        """Number of findings of each grade that affect the row, worst first, or ""."""
        return grade_counts([finding["grade"] for finding in self.findings])


def answers(view: View) -> list[PageRow]:
    """The rows of page one, in the order of the data."""
    by_id = view.by_id
    found = []
    for entry in entries(view.record):
        each = by_id[entry["statement"]]
        touching = _findings(view.findings, entry["covers"], each.data)
        used = by_id[entry["instead"]] if entry["instead"] else None
        may = permission(each.data, view.check)
        if may == CONSISTENT and _some_refuted(view, entry["covers"]):
            may = PERMISSION["checked"]
        tools = tuple(view.other_tools(each.data))
        found.append(PageRow(entry["name"], entry["about"], each, may, touching, used, tools))
    return found


def entries(record: Data) -> list[Data]:
    """Return the `[[answer]]` entries of the record, or one for each numbered statement."""
    listed: list[Data] = record["answers"] or [
        {
            "name": row["numbered"],
            "about": row["title"],
            "statement": row["id"],
            "covers": [row["id"]],
            "instead": "",
        }
        for row in record["statements"]
        if row["numbered"]
    ]
    return listed


def _some_refuted(view: View, covers: list[str]) -> bool:
    """Return whether a statement that a row covers fails as printed."""
    rows = view.record["statements"]
    return any(row["rank"] in ("refuted", "repaired") for row in rows if _within(row["id"], covers))


def permission(row: Data, check: str) -> str:
    """Short answer to "may I cite it?" for a row of the record; `check` is the name of the check."""
    standing = row["standing"]
    if row["form"] == MEASUREMENT and standing == "proved":
        return CONSISTENT
    if standing == "proved" and row["ours"]:
        return f"Yes, as {check}’s"
    if standing == "proved" and (row["under"] or row["conditions"]):
        return "Yes, with conditions"
    return PERMISSION.get(standing, str(standing))


def _findings(findings: Sequence[Data], covers: list[str], row: Data) -> tuple[Data, ...]:
    """The findings on a row with the grade that each has there, worst first."""
    touching = [{**f, "grade": grade} for f in findings if (grade := _grade(f, covers, row))]
    return tuple(sorted(touching, key=lambda f: ORDER.index(f["grade"])))


def _grade(finding: Data, covers: list[str], row: Data) -> str:
    """Grade of a finding for a row, or "" if it does not affect it.

    Where the row's statement is proved, what is wrong in the steps of its proof is a gap at most.
    """
    touched = [name for name in finding["touches"] if _within(name, covers)]
    grades = [finding["grades"].get(name, finding["grade"]) for name in touched]
    worst = min(grades, key=ORDER.index, default="")
    spared = row["rank"] == "proved" and row["id"] not in touched
    return "gap" if spared and worst == "material" else worst


def _within(name: str, covers: list[str]) -> bool:
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in covers)
