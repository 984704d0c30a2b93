"""The report as a value: a sentence, conditions with witnesses, sizes, errors, formats, citations.

A hypothesis is `met`, `not met` (by this automaton, at this length), `cannot be met` (by any
automaton, with the choices made), `not needed` or `undecided`. What an automaton is (a PFA, an HMM) is
no hypothesis and has rows of its own. Numbers are text, rounded to the safe side.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from constructions.core.one_line import one_line
from constructions.exports.built_model import ErrorScale


class Status(StrEnum):
    """The status of a hypothesis."""

    MET = "met"
    NOT_MET = "not met"
    CANNOT = "cannot be met"
    NOT_NEEDED = "not needed"
    UNDECIDED = "undecided"

    def __bool__(self) -> bool:
        raise TypeError("a status is not a boolean: compare it with Status.MET")


FULFILLED = (Status.MET, Status.NOT_NEEDED)


class Uncertified(ArithmeticError):
    """A measured error above the certified one: a fault of this program, with its exit status."""

    status = 3


@dataclass(frozen=True)
class Hypothesis:
    """A condition of a theorem, with the statements of the paper that it belongs to.

    `condition` is the id of its row in the matrix of conditions; empty for a conclusion.
    """

    theorem: str
    name: str
    status: Status
    witness: str
    statements: tuple[str, ...]
    condition: str = ""


@dataclass(frozen=True)
class Class:
    """Membership of the automaton in a family of Appendix A.2; no theorem requires it.

    `rounding` is by how much sums that must be 1 miss it where that is within the readers' tolerance.
    """

    name: str
    belongs: bool
    witness: str
    statements: tuple[str, ...]
    rounding: str = ""


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
    statements: tuple[str, ...]


@dataclass(frozen=True)
class Quantity:
    """A number with its meaning: an error, a constant, a number of layers."""

    name: str
    value: str
    meaning: str
    evidence: str


def certified(name: str, value: str, meaning: str) -> Quantity:
    """A number that holds for all inputs."""
    return Quantity(name, value, meaning, "certified")


UNSEEN = "not measured"


def measured(name: str, value: str, meaning: str) -> Quantity:
    """A measured number, or the reason why there is none."""
    return Quantity(name, value, meaning, "none" if value.startswith(UNSEEN) else "measured")


@dataclass(frozen=True)
class Format:
    """A model in a floating-point format: its heads, its range, its errors."""

    model: str
    name: str
    attention: str
    range: str
    certified: str
    measured: str
    suffices: str


@dataclass(frozen=True)
class Citable:
    """A statement that may be cited for this automaton, with its recorded standing."""

    statement: str
    title: str
    standing: str


@dataclass(frozen=True)
class SafeLength:
    """The greatest length up to which a model in a format certainly stays within ε; 0 for none."""

    model: str
    format: str
    absolute: int
    relative: int


@one_line(lambda self: self.sentence)
@dataclass(frozen=True)
class AutomatonReport:
    """The report on one automaton at one length."""

    sentence: str
    certified: bool
    source: str
    kind: str
    states: int
    alphabet: tuple[str, ...]
    length: int
    eps: str
    activation: str
    hypotheses: tuple[Hypothesis, ...]
    classes: tuple[Class, ...]
    constructions: tuple[Construction, ...]
    quantities: tuple[Quantity, ...]
    formats: tuple[Format, ...]
    scale: ErrorScale
    safe: tuple[SafeLength, ...]
    cite: tuple[Citable, ...]
    printed: str

    @property
    def unmet(self) -> tuple[Hypothesis, ...]:
        """The hypotheses that are not met."""
        return tuple(h for h in self.hypotheses if h.condition and h.status not in FULFILLED)
