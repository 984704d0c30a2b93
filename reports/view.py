"""The record joined for rendering: statements with dependants and figures, findings worst first.

Nothing is judged here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.labels import DEFINED, GRADES, METHODS, ORDER, VERDICTS, Word

Data = Mapping[str, Any]


@dataclass(frozen=True)
class StatementView:
    """A statement with everything that its card shows."""

    data: Data
    dependants: tuple[str, ...]
    figures: tuple[str, ...]

    @property
    def id(self) -> str:
        """The statement's one name."""
        return str(self.data["id"])

    @property
    def name(self) -> str:
        """The paper's own name for it, or our title."""
        return str(self.data["numbered"] or self.data["title"])

    @property
    def word(self) -> Word:
        """The verdict as a reader sees it."""
        return VERDICTS[self.data["verdict"]]

    @property
    def standing(self) -> Word:
        """The verdict with what it rests on, in the words of its form."""
        if not self.lowered:
            return self.word
        found = str(self.data["standing"])
        return VERDICTS[DEFINED.get(found, found) if self.data["form"] == "definition" else found]

    @property
    def lowered(self) -> bool:
        """True if a dependency lowers the verdict."""
        return bool(self.data["standing"] != self.data["rank"])

    @property
    def bindings(self) -> list[tuple[str, Data]]:
        """Each piece of evidence with the interpretation it speaks of."""
        return [(r["name"], b) for r in self.data["interpretations"] for b in r["bindings"]]


@dataclass(frozen=True)
class View:
    """A record, joined."""

    record: Data
    certificates: Mapping[str, Data]
    statements: tuple[StatementView, ...]
    findings: tuple[Data, ...]
    drawable: tuple[Data, ...]

    @property
    def by_id(self) -> dict[str, StatementView]:
        """The statements by name."""
        return {each.id: each for each in self.statements}

    @property
    def by_figure(self) -> dict[str, Data]:
        """The figures that can be drawn, by id."""
        return {figure["id"]: figure for figure in self.drawable}

    @property
    def first_figures(self) -> list[str]:
        """The figures beneath the conditions: of each list of alternatives the first that can be drawn."""
        choices = self.record["paper"]["first_figures"]
        found = (next((name for name in names if name in self.by_figure), "") for names in choices)
        return list(filter(None, found))

    @property
    def check(self) -> str:
        """Name of the check whose results `ours` are."""
        return str(self.record["paper"]["check"]["name"])

    @property
    def paper(self) -> list[StatementView]:
        """The statements of the paper."""
        return [each for each in self.statements if not each.data["ours"]]

    @property
    def ours(self) -> list[StatementView]:
        """The results of our own."""
        return [each for each in self.statements if each.data["ours"]]

    @property
    def counts(self) -> dict[str, int]:
        """Number of the paper's statements with each verdict that occurs."""
        found = Counter(each.data["verdict"] for each in self.paper)
        return {name: found[name] for name in ORDER if found[name]}

    @property
    def findings_by_grade(self) -> dict[str, list[Data]]:
        """The findings by grade, worst first; grades without any left out."""
        found: dict[str, list[Data]] = {}
        for finding in self.findings:
            found.setdefault(finding["grade"], []).append(finding)
        return found

    @property
    def numbers(self) -> dict[str, str]:
        """A short name for each finding, by which this report refers to it: F1, F2, …"""
        return {finding["id"]: f"F{place}" for place, finding in enumerate(self.findings, 1)}

    @property
    def grades(self) -> dict[str, int]:
        """Number of findings of each grade, worst first."""
        found = Counter(finding["grade"] for finding in self.findings)
        return {name: found[name] for name in GRADES}

    @property
    def sections(self) -> dict[str, list[StatementView]]:
        """The statements of the paper by section: the text, the appendices, the rest."""
        found: dict[str, list[StatementView]] = {}
        for each in sorted(self.paper, key=_place):
            found.setdefault(each.data["section"], []).append(each)
        return found

    def trust(self, fact: str) -> str:
        """Reason why the re-checker does not confirm a fact, or ""."""
        reason = self.record.get("trust", {}).get(fact, "")
        return f"Not confirmed by the re-checker: taken on trust ({reason})." if reason else ""

    def tools(self, fact: str) -> list[str]:
        """The programs that compute a fact, as the paper's data name them."""
        tools: Mapping[str, Sequence[str]] = self.record["paper"]["tools"]
        return [name for name, facts in tools.items() if fact in facts]

    def method(self, binding: Data) -> str:
        """The method of a binding, with the program that computed it."""
        method = METHODS[binding["method"]]
        return ", ".join([method, *(t for t in self.tools(binding["fact"]) if t not in method)])

    def other_tools(self, row: Data) -> list[str]:
        """Programs that computed the evidence of a row, apart from its decisive method."""
        found = [
            tool
            for each in row["interpretations"]
            for b in each["bindings"]
            if each["name"] == row["interpretation"] and b["weight"] in ("supports", "refutes")
            for tool in self.tools(b["fact"])
        ]
        return [tool for tool in dict.fromkeys(found) if tool not in METHODS[row["method"]]]

    def values(self, name: str) -> list[str]:
        """The values that occur in a field of the statements, in alphabetical order."""
        return sorted({each.data[name] for each in self.statements if each.data[name]})


def _place(each: StatementView) -> tuple[int, str, int, int]:
    section: str = each.data["section"]
    part = 0 if section[:1].isdigit() else 1 if section[1:2] in ("", ".") else 2
    first: Sequence[int] = each.data["places"][0]
    return part, section, first[0], first[1]


def view(record: Data, certificates: Data) -> View:
    """Join a record with its certificates."""
    dependants: dict[str, list[str]] = {}
    for row in record["statements"]:
        for below in row["rests_on"]:
            dependants.setdefault(below, []).append(row["id"])
    held = {item["key"]: item for item in certificates["certificates"]}
    drawn = [figure for figure in record["figures"] if _has_data(figure, held)]
    statements = tuple(
        StatementView(
            row,
            tuple(dependants.get(row["id"], ())),
            tuple(f["id"] for f in drawn if row["id"] in f["statements"]),
        )
        for row in record["statements"]
    )
    order = list(GRADES)
    findings = sorted(
        ({"fact": "", **finding} for finding in record["findings"]),
        key=lambda f: (order.index(f["grade"]), -len(f["touches"])),
    )
    return View(record, held, statements, tuple(findings), tuple(drawn))


def _has_data(figure: Data, held: Mapping[str, Data]) -> bool:
    return figure["key"] in held and figure["values"] in held[figure["key"]]["values"]
