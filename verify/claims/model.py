"""What a claim is: one statement of the paper, its place and its readings, and no evidence.

A claim is worded once, from the paper alone. Whether it holds is said by `verify.evidence`,
weighed by `verify.verdict`; a statement is never reworded to make a check pass.

Notation
    id        `sec.kind.slug`, the one name used in registry, check, certificate, report, LaTeX
    reading   one way to understand the print; each reading gets a verdict of its own
    lines     first and last line of the paper's LaTeX source, counted from 1
"""

from dataclasses import dataclass, field
from enum import StrEnum

PAPER_SHA256 = "f4c4ba0a91ffd817f0bf49d3fdfac62ed34e8a6d00420ebf296bae88e325f889"


class Kind(StrEnum):
    """What sort of statement a claim is."""

    DEFINITION = "definition"
    THEOREM = "theorem"
    LEMMA = "lemma"
    COROLLARY = "corollary"
    PROOF = "proof"
    SIZE = "size"
    MATRIX = "matrix"
    EQUATION = "equation"
    ALGORITHM = "algorithm"
    EXAMPLE = "example"
    TABLE = "table"
    FIGURE = "figure"
    FOOTNOTE = "footnote"
    TEXT = "text"
    EXPERIMENT = "experiment"
    CITATION = "citation"
    QUESTION = "question"
    BEYOND = "beyond"


class Severity(StrEnum):
    """How much it would matter if the claim failed."""

    SLIP = "slip"
    MATERIAL = "material"


class Name(StrEnum):
    """How a reading treats the print: to the letter, in good will, or mended."""

    LITERAL = "literal"
    CHARITABLE = "charitable"
    REPAIRED = "repaired"


@dataclass(frozen=True)
class Location:
    """Where the paper says it: section by number, LaTeX label if any, source lines."""

    section: str
    lines: tuple[int, int]
    label: str | None = None


@dataclass(frozen=True)
class Reading:
    """One way to understand a claim, and how it differs from the print."""

    name: Name
    text: str
    differs: str = ""


@dataclass(frozen=True)
class Claim:
    """One checkable statement of the paper, in our own words."""

    id: str
    title: str
    kind: Kind
    where: Location
    statement: str
    refuted_by: str
    severity: Severity
    readings: tuple[Reading, ...] = ()
    rests_on: tuple[str, ...] = ()
    uncheckable: str = ""
    tags: tuple[str, ...] = field(default=())

    def reading(self, name: Name) -> Reading:
        """The reading of that name; the statement itself is the literal one."""
        for reading in self.all_readings():
            if reading.name is name:
                return reading
        raise KeyError(f"claim {self.id} has no {name} reading")

    def all_readings(self) -> tuple[Reading, ...]:
        """The readings in the order literal, charitable, repaired; the literal one always there."""
        given = {reading.name: reading for reading in self.readings}
        given.setdefault(Name.LITERAL, Reading(Name.LITERAL, self.statement))
        return tuple(given[name] for name in Name if name in given)
