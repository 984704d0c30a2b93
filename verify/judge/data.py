"""The paper's data: statements, bindings, findings, observations, figures, conditions.

A statement is something the paper says, in one or several places; its form decides what may be
said of it. A binding is a person's judgement that an outcome of a fact entails an interpretation of the
statement, for a stated part of its range. A finding is one defect of the paper with all the
statements it touches. A result of ours is a statement with `ours` set.

    form          examples                          verdicts
    universal     Theorem 1                         proved · checked · measured · vouched · refuted ·
                                                    repaired
    asymptotic    depth O(log T)                    the same; a table of sizes proves no O(·)
    possibility   "could", "one can define"         proved by one construction, refuted only by an
                                                    impossibility
    instance      a number, a cell of a table       proved · refuted, by exact computation
    definition    Definition 3.1                    well-formed · ill-formed
    history       what was done                     confirmed · contradicted · unknown
    measurement   a trained error                   consistent · inconsistent · not repeated
    citation      what another paper shows          confirmed · contradicted · unknown
    view          motivation, an open question      no verdict
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from verify.judge.about import About

FORMS = (
    "universal",
    "asymptotic",
    "possibility",
    "instance",
    "definition",
    "history",
    "measurement",
    "citation",
    "view",
)
# Strongest first. `source` is the reading of somebody's published code or text; `vouched` is the word
# of a person who has read the argument and signs for it.
PERSON = "vouched"
METHODS = (
    "machine-checked",
    "machine-checked-lean",
    "symbolic",
    "exact",
    "enclosure",
    "exhaustive",
    "source",
    "sampled",
    "observed",
    PERSON,
)
FOR_ALL_SIZES = frozenset({"machine-checked", "machine-checked-lean", "symbolic"})
RIGOROUS = FOR_ALL_SIZES | {"exact", "enclosure", "exhaustive"}
GRADES = ("material", "gap", "slip")
INTERPRETATIONS = ("printed", "repaired")
# What a theorem does with a condition; the order in which evidence decides it.
CELL_STATES = (
    "not needed",
    "false as printed",
    "needed, missing in print",
    "stated",
    "used, not stated",
)
Plain = Any  # None, bool, int, str, lists and mappings of these; floats are refused


def canonical(value: Plain) -> str:
    """JSON with sorted keys and no spaces: one text for one value."""
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )


def digest(value: Plain) -> str:
    """SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def key_of(fact: str, parameters: Mapping[str, Plain]) -> str:
    """The name of a certificate: the same for bindings that ask for the same computation."""
    return f"{fact}-{digest([fact, dict(parameters)])[:12]}"


def fill_template(template: str, values: Mapping[str, Plain]) -> str:
    """A template with its numbers filled in; a list becomes "1, 2, 3"."""
    return template.format_map({name: value_text(value) for name, value in values.items()})


def value_text(value: Plain) -> str:
    """Return a value as text of a sentence."""
    if isinstance(value, list | tuple):
        return ", ".join(value_text(item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {value_text(item)}" for name, item in value.items())
    return str(value)


@dataclass(frozen=True)
class Binding:
    """Rule that an outcome of a fact entails an interpretation of a statement on a part of its range."""

    fact: str
    covers: str
    method: str
    because: str
    parameters: Mapping[str, Plain] = field(default_factory=dict)
    outcome: str = "holds"
    interpretation: str = "printed"
    impossibility: bool = False  # the fact, where it holds, shows that the statement is false
    assumes: tuple[str, ...] = ()  # conditions that the paper does not state
    profile: str = "quick"

    @property
    def key(self) -> str:
        """The name of its certificate."""
        return key_of(self.fact, self.parameters)

    @property
    def refutes(self) -> bool:
        """The expected outcome speaks against the statement."""
        return self.outcome == "fails" or self.impossibility

    @property
    def whole(self) -> bool:
        """It shows the whole range and assumes nothing that the paper does not state."""
        return self.covers == "all" and not self.assumes and self.method != PERSON

    @property
    def scope(self) -> str:
        """Covered part of the range, with numbers from the parameters and the assumptions."""
        covers = "all" if self.covers == "all" else fill_template(self.covers, self.parameters)
        return ", assuming ".join([covers, *self.assumes])


@dataclass(frozen=True)
class Repair:
    """The smallest change that makes a statement true, and what it then says."""

    change: str
    says: str


@dataclass(frozen=True)
class Statement:
    """A statement of the paper, or a result of ours.

    `text` is the statement in our words, complete in itself; `says` the same as a clause that
    can follow "that"; `under` the conditions the paper states, here or in its proof;
    `conditions` those that it does not state and that restrict what may be claimed (a
    hypothesis, a range, a class of objects): both are part of the sentence; `notes` what a reader may want
    to know besides: conventions, how a definition is read, whose construction it is; `cite` a
    sentence of its own for some verdicts; `reason` why there is no verdict; `sentences`
    names single sentences "LINE:NUMBER" of lines that hold several.
    """

    id: str
    title: str
    form: str
    section: str
    text: str
    says: str
    places: tuple[tuple[int, int], ...] = ()
    sentences: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    same_as: str = ""
    aliases: tuple[str, ...] = ()
    repair: Repair | None = None
    cite: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    answered_by: str = ""
    numbered: str = ""  # the paper's own name, where it has one: "Theorem 2"
    binding: tuple[Binding, ...] = ()
    ours: bool = False


@dataclass(frozen=True)
class Finding:
    """A defect of the paper (one root cause) with its smallest witness and its smallest repair.

    `witness` is a template; its numbers come from the witness of the certificate `shown_by`
    (a statement and the number of its binding, counted from 1). `grade` is that of every statement
    it touches for which `grades` names no other.
    """

    id: str
    title: str
    grade: str
    printed: str
    why: str
    witness: str
    repair: str
    touches: tuple[str, ...]
    shown_by: tuple[str, int]
    places: tuple[tuple[int, int], ...] = ()
    figure: str = ""
    grades: Mapping[str, str] = field(default_factory=dict)

    def grade_for(self, statement: str) -> str:
        """Grade of the defect for one of the statements that it touches."""
        return self.grades.get(statement, self.grade)


@dataclass(frozen=True)
class Observation:
    """A true remark about the paper that is none of its claims."""

    id: str
    title: str
    text: str
    fact: str = ""
    parameters: Mapping[str, Plain] = field(default_factory=dict)
    method: str = ""
    outcome: str = "holds"
    profile: str = "quick"
    aliases: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name of its certificate; empty where it rests on no fact."""
        return key_of(self.fact, self.parameters) if self.fact else ""


@dataclass(frozen=True)
class Figure:
    """A figure of the report: which values of which fact are drawn, and what to conclude."""

    id: str
    title: str
    caption: str
    alt: str
    statements: tuple[str, ...]
    fact: str
    parameters: Mapping[str, Plain]
    method: str
    kind: str  # curves · tree · contents · errors
    values: str  # the name of the fact's value that holds the data
    xlabel: str = ""
    ylabel: str = ""
    xscale: str = "linear"
    yscale: str = "linear"
    profile: str = "quick"

    @property
    def key(self) -> str:
        """The name of its certificate."""
        return key_of(self.fact, self.parameters)


@dataclass(frozen=True)
class PageEntry:
    """A row of page one: its name, the statement that answers, and the entries that belong to it.

    `covers` are beginnings of ids whose findings are listed beside it; `instead` a result that may
    be cited in its place.
    """

    name: str
    about: str
    statement: str
    covers: tuple[str, ...]
    instead: str = ""


@dataclass(frozen=True)
class Cell:
    """State of a condition in a theorem, and the ids of the entries that show it."""

    state: str
    evidence: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class Condition:
    """A condition, with a cell for each statement that it concerns, by the statement's id.

    `clause` is its wording in lists of conditions; `words` are other wordings that texts have.
    """

    id: str
    group: str
    name: str
    clause: str
    cells: Mapping[str, Cell]
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Silent:
    """Lines or sentences of the source that state nothing, with the reason."""

    places: tuple[tuple[int, int], ...]
    reason: str
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """Head and entries of a paper; of each statement the hash of its text in the file.

    `where` names the file and the entry of each id, for messages.
    """

    about: About
    statements: Mapping[str, Statement]
    findings: Mapping[str, Finding]
    observations: Mapping[str, Observation]
    figures: Mapping[str, Figure]
    silent: tuple[Silent, ...]
    answers: tuple[PageEntry, ...]
    hashes: Mapping[str, str]
    where: Mapping[str, str] = field(default_factory=dict)
    conditions: Mapping[str, Condition] = field(default_factory=dict)
