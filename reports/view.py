"""The record joined for rendering: each claim with its evidence, figures, tables, drawings, dependants.

Nothing is judged here. What a claim's page says of counterexamples, repairs and limits is what
its evidence says, each sentence once, in the order of the evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from reports.numbered import Row, rows
from reports.words import ORDER, VERDICTS, Word

Data = Mapping[str, Any]


@dataclass(frozen=True)
class ClaimView:
    """A claim with everything that its page shows."""

    data: Data
    evidence: tuple[Data, ...]
    dependants: tuple[str, ...]
    figures: tuple[Data, ...]
    tables: tuple[Data, ...]
    drawings: tuple[Data, ...]

    @property
    def id(self) -> str:
        """The claim's one name."""
        return str(self.data["id"])

    @property
    def word(self) -> Word:
        """The verdict as a reader sees it."""
        return VERDICTS[self.data["verdict"]]

    @property
    def standing(self) -> Word:
        """The verdict with ancestors counted."""
        return VERDICTS[self.data["standing"]]

    @property
    def lowered(self) -> bool:
        """Whether an ancestor lowers the verdict."""
        return bool(self.data["standing"] != self.data["verdict"])

    @property
    def printed(self) -> Data:
        """The literal reading."""
        return next(r for r in self.data["readings"] if r["name"] == "literal")

    @property
    def others(self) -> list[Data]:
        """The readings that differ from the print."""
        return [r for r in self.data["readings"] if r["name"] != "literal"]

    @property
    def counterexamples(self) -> list[str]:
        """What the evidence brings against the claim."""
        return _said(self.evidence, "counterexample")

    @property
    def repairs(self) -> list[str]:
        """The repairs that the evidence names."""
        return _said(self.evidence, "repair")

    @property
    def limits(self) -> list[str]:
        """What the evidence says that it does not establish."""
        return _said(self.evidence, "limits") or [self._only_the_scope()]

    def _only_the_scope(self) -> str:
        if not self.evidence:
            return "Anything: there is no evidence on this claim."
        scope = self.data["scope"]
        return f"Anything outside the stated scope ({scope})." if scope else "Nothing was stated."

    @property
    def certificates(self) -> list[str]:
        """The files that hold the claim's certificates."""
        return [item["certificate"] for item in self.evidence if item["certificate"]]


@dataclass(frozen=True)
class View:
    """A record, joined."""

    record: Data
    claims: tuple[ClaimView, ...]
    rows: tuple[Row, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many claims have each verdict, strongest first; verdicts without claims left out."""
        found = Counter(claim.data["verdict"] for claim in self.claims)
        return {name: found[name] for name in ORDER if found[name]}

    @property
    def sections(self) -> dict[str, list[ClaimView]]:
        """The claims by section, in the record's order."""
        found: dict[str, list[ClaimView]] = {}
        for claim in self.claims:
            found.setdefault(claim.data["section"], []).append(claim)
        return found

    @property
    def kinds(self) -> list[str]:
        """The kinds that occur, in alphabetical order."""
        return sorted({claim.data["kind"] for claim in self.claims})


def view(record: Data) -> View:
    """Join a record."""
    dependants: dict[str, list[str]] = {}
    for claim in record["claims"]:
        for ancestor in claim["rests_on"]:
            dependants.setdefault(ancestor, []).append(claim["id"])
    claims = tuple(_claim(record, claim, dependants) for claim in record["claims"])
    return View(record, claims, tuple(rows(record["claims"])))


def _claim(record: Data, claim: Data, dependants: Mapping[str, list[str]]) -> ClaimView:
    numbers = sorted({number for reading in claim["readings"] for number in reading["evidence"]})
    evidence = tuple(record["evidence"][number] for number in numbers)
    return ClaimView(
        claim,
        evidence,
        tuple(dependants.get(claim["id"], ())),
        _used(record["figures"], (name for item in evidence for name in item["figures"])),
        _used(record["tables"], (name for item in evidence for name in item["tables"])),
        _used(record["drawings"], (name for item in evidence for name in item["drawings"])),
    )


def _used(items: Iterable[Data], names: Iterable[str]) -> tuple[Data, ...]:
    by_id = {item["id"]: item for item in items}
    return tuple(by_id[name] for name in dict.fromkeys(names))


def _said(evidence: Iterable[Data], key: str) -> list[str]:
    return list(dict.fromkeys(item[key] for item in evidence if item[key]))
