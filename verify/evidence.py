"""What a check may say: evidence, with its kind, its scope and its certificate.

The kinds of evidence are ordered and never inflate:

    symbolic ▸ exact ▸ enclosure ▸ exhaustive ▸ sampled ▸ observed

Many digits are no enclosure; many samples are no exhaustion. A counterexample with exact data
is `exact`, however it was found. The scope is always stated, in words a reader can repeat.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeAlias

from verify.claims.model import Name

Plain: TypeAlias = Any  # None, bool, int, str, lists and mappings; the record refuses floats


class Outcome(StrEnum):
    """What was seen. `unavailable`: something the check needs is not there; `broken`: our fault."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"
    UNAVAILABLE = "unavailable"
    BROKEN = "broken"

    def __bool__(self) -> bool:
        raise TypeError("an outcome is not a boolean: compare it with Outcome.HOLDS")


class Strength(StrEnum):
    """The kind of evidence, strongest first."""

    SYMBOLIC = "symbolic"
    EXACT = "exact"
    ENCLOSURE = "enclosure"
    EXHAUSTIVE = "exhaustive"
    SAMPLED = "sampled"
    OBSERVED = "observed"


@dataclass(frozen=True)
class Condition:
    """One hypothesis, whether it is met, and the witness that shows it."""

    name: str
    met: bool
    witness: str


@dataclass(frozen=True)
class Series:
    """One curve of a figure: plain numbers as decimal strings, so that nothing is rounded twice."""

    label: str
    x: tuple[str, ...]
    y: tuple[str, ...]
    style: str = "line"


@dataclass(frozen=True)
class Figure:
    """A figure as data; `reports` draws it. Tiny values come as their base-10 logarithm."""

    id: str
    title: str
    alt: str
    xlabel: str
    ylabel: str
    series: tuple[Series, ...]
    xscale: str = "linear"
    yscale: str = "linear"


@dataclass(frozen=True)
class Table:
    """A table as data: a header and rows of text."""

    id: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Arcs:
    """Where one head attends: pairs of positions, counted from 1.

    `missed` are the positions whose arc ends at a wrong place; `depths` those that the head
    works with, where they are not the tree's own.
    """

    label: str
    arcs: tuple[tuple[int, int], ...]
    missed: tuple[int, ...] = ()
    depths: tuple[int, ...] = ()


@dataclass(frozen=True)
class Drawing:
    """A tree's string with its depths, and where heads attend, as data; `reports` draws it."""

    id: str
    title: str
    alt: str
    tokens: tuple[str, ...]
    depths: tuple[int, ...]
    heads: tuple[Arcs, ...]


@dataclass(frozen=True)
class Evidence:
    """What one check saw of one reading of one claim."""

    claim: str
    outcome: Outcome
    strength: Strength
    scope: str
    summary: str
    reading: Name = Name.LITERAL
    engine: str = ""
    certificate: Mapping[str, Plain] | None = None
    conditions: tuple[Condition, ...] = ()
    counterexample: str = ""
    repair: str = ""
    limits: str = ""
    figures: tuple[Figure, ...] = field(default=())
    tables: tuple[Table, ...] = field(default=())
    drawings: tuple[Drawing, ...] = field(default=())


def settled(problem: object | None, item: Evidence) -> Evidence:
    """The evidence as it stands where no problem was found, else as failed, with the problem."""
    if problem is None:
        return item
    return replace(item, outcome=Outcome.FAILS, strength=Strength.EXACT, summary=str(problem))
