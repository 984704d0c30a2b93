"""The numbered statements of the paper, in its own count, and the claims that speak of each.

The paper numbers twelve definitions, four theorems (three of them stated twice), a lemma, a
corollary, an equation, an algorithm and four tables. A claim belongs to a statement when its
source lines lie within the statement's. Of those with the statement's own kind, the one with
the most lines is its head and speaks for it, unless the head is named; a table has no head, there
the weakest claim counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.words import ORDER

Data = Mapping[str, Any]


@dataclass(frozen=True)
class Statement:
    """One numbered statement: how the paper calls it, its kind, its source lines."""

    name: str
    kind: str
    first: int
    last: int
    about: str
    head: str = ""

    def holds(self, claim: Data) -> bool:
        """Whether a claim's lines lie within the statement's."""
        first, last = claim["lines"]
        return bool(self.first <= first and last <= self.last)


STATEMENTS = (
    Statement("Definition 2.1", "definition", 123, 125, "weighted finite automata"),
    Statement("Definition 2.2", "definition", 141, 144, "binary trees"),
    Statement("Definition 2.3", "definition", 147, 153, "weighted tree automata"),
    Statement("Definition 2.4", "definition", 182, 189, "bilinear layers"),
    Statement("Definition 3.1", "definition", 205, 207, "exact simulation"),
    Statement("Definition 3.2", "definition", 211, 213, "approximate simulation"),
    Statement("Definition 3.3", "definition", 219, 221, "shortcuts"),
    Statement("Theorem 1", "theorem", 232, 235, "exact simulation of WFAs"),
    Statement("Theorem 2", "theorem", 239, 242, "approximate simulation of WFAs"),
    Statement("Definition 4.1", "definition", 265, 268, "subtrees by position"),
    Statement("Definition 4.2", "definition", 273, 277, "simulation of WTAs"),
    Statement("Theorem 3", "theorem", 283, 286, "approximate simulation of WTAs"),
    Statement("Corollary 1", "corollary", 293, 296, "tree automata"),
    Statement("Table 1", "table", 298, 313, "layers for each automaton"),
    Statement("Algorithm 1", "algorithm", 451, 465, "prefix sum"),
    Statement("Definition A.1", "definition", 481, 483, "weighted finite automata, again"),
    Statement("Definition A.2", "definition", 487, 495, "hidden Markov models"),
    Statement("Definition A.3", "definition", 514, 532, "probabilistic finite automata"),
    Statement("Theorem 1 (restated)", "theorem", 594, 596, "with its exact sizes"),
    Statement("Lemma 1", "lemma", 703, 709, "matrix product by a tensor"),
    Statement("Theorem 2 (restated)", "theorem", 724, 726, "with its exact sizes"),
    Statement("Theorem 4", "theorem", 730, 732, "polynomials by an MLP, cited"),
    Statement("Equation (1)", "equation", 813, 818, "the recursive bound", "thm2.recursion"),
    Statement("Theorem 3 (restated)", "theorem", 826, 828, "in the appendix"),
    Statement("Table 2", "table", 939, 958, "errors for each automaton"),
    Statement("Table 3", "table", 1000, 1020, "errors against layers"),
    Statement("Table 4", "table", 1022, 1038, "errors against embedding size"),
)


@dataclass(frozen=True)
class Row:
    """A numbered statement with its head, the other claims on its lines, and its printed proof."""

    statement: Statement
    head: Data | None
    parts: tuple[Data, ...]
    proof: Data | None = None

    @property
    def claims(self) -> tuple[Data, ...]:
        """The head, then the parts."""
        return ((self.head,) if self.head else ()) + self.parts

    @property
    def speaker(self) -> Data | None:
        """The claim whose verdict is the row's: the head, or the weakest part."""
        return self.head or max(
            self.parts, key=lambda claim: ORDER.index(claim["verdict"]), default=None
        )

    @property
    def verdict(self) -> str:
        """The row's verdict; `not-checked` where no claim speaks of the statement."""
        return str(self.speaker["verdict"]) if self.speaker else "not-checked"


def rows(claims: Sequence[Data]) -> list[Row]:
    """One row for each numbered statement, in the order of the paper."""
    return [_row(statement, claims) for statement in STATEMENTS]


def _row(statement: Statement, claims: Sequence[Data]) -> Row:
    inside = [c for c in claims if statement.holds(c) and c["kind"] != "beyond"]
    own = [c for c in inside if c["kind"] == statement.kind and statement.kind != "table"]
    named = next((c for c in own if c["id"] == statement.head), None)
    head = named or max(own, key=lambda c: c["lines"][1] - c["lines"][0], default=None)
    parts = tuple(claim for claim in inside if claim is not head)
    return Row(statement, head, parts, _proof(head, claims))


def _proof(head: Data | None, claims: Sequence[Data]) -> Data | None:
    if head is None or head["kind"] not in ("theorem", "lemma", "corollary"):
        return None
    topic = head["id"].split(".")[0]
    return next((c for c in claims if c["kind"] == "proof" and c["id"] == f"{topic}.proof"), None)
