"""The answer as a value: hypotheses with witnesses, sizes, errors, formats, what may be cited.

A hypothesis is `met`, `not met` (by this automaton, at this length), `cannot be met` (by any
automaton, with the choices made) or `undecided`. Numbers are text, rounded to the safe side.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Whether a hypothesis holds."""

    MET = "met"
    NOT_MET = "not met"
    CANNOT = "cannot be met"
    UNDECIDED = "undecided"

    def __bool__(self) -> bool:
        raise TypeError("a status is not a boolean: compare it with Status.MET")


@dataclass(frozen=True)
class Hypothesis:
    """One hypothesis of one theorem; `required` if a theorem needs it, not only a family."""

    theorem: str
    name: str
    status: Status
    witness: str
    claims: tuple[str, ...]
    required: bool = True


@dataclass(frozen=True)
class Construction:
    """The sizes of one construction for this automaton at this length."""

    name: str
    depth: int
    embedding: int
    attention: int
    feedforward: int
    heads: int
    tokens: int
    parameters: int
    note: str
    claims: tuple[str, ...]


@dataclass(frozen=True)
class Figure:
    """One number with its meaning: an error, a constant, a number of digits."""

    name: str
    value: str
    meaning: str
    evidence: str


@dataclass(frozen=True)
class Format:
    """What a floating-point format does to the exact construction."""

    name: str
    attention: str
    certified: str
    measured: str
    suffices: str


@dataclass(frozen=True)
class Citable:
    """A claim that may be cited for this automaton, with the verdict recorded for it."""

    claim: str
    title: str
    verdict: str


@dataclass(frozen=True)
class Answer:
    """Everything that is said of one automaton at one length."""

    source: str
    kind: str
    states: int
    alphabet: tuple[str, ...]
    length: int
    eps: str
    hypotheses: tuple[Hypothesis, ...]
    constructions: tuple[Construction, ...]
    figures: tuple[Figure, ...]
    formats: tuple[Format, ...]
    cite: tuple[Citable, ...]

    @property
    def unmet(self) -> tuple[Hypothesis, ...]:
        """The required hypotheses that are not met."""
        return tuple(h for h in self.hypotheses if h.required and h.status is not Status.MET)
