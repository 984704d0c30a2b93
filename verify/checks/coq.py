"""Machine-checked proofs as evidence: what the theorems of `verify/coq` say of the claims.

Claims        those that `verify/coq/links.json` names, each in the reading that a theorem decides
Road          coqc compiles the whole development once; what each theorem assumes is printed by
              Coq; the weights of the proofs are compared with those that `constructions` builds
Scope         as the theorem states it: for all n, T, words, trees and norms of its hypotheses
Without Coq   the claims are answered `unavailable`, and other evidence has to carry them

A proof that does not compile makes this check `broken`; it refutes nothing. A claim is refuted by
a theorem that states the counterexample.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from verify import machine_checked
from verify.check import Job, check
from verify.claims.model import Name
from verify.evidence import Condition, Evidence, Outcome, Plain, Strength
from verify.proof_weights import models_of

ENGINE = "Coq"
LINKS_FILE = machine_checked.COQ / "links.json"


@dataclass(frozen=True)
class Link:
    """A theorem, the claim and the readings it speaks of, and what it says there."""

    claim: str
    readings: tuple[Name, ...]
    theorem: str
    scope: str
    summary: str
    limits: str = ""
    counterexample: str = ""
    repair: str = ""

    @classmethod
    def of(cls, data: dict[str, Any]) -> Link:
        """A link from its plain form."""
        return cls(**{**data, "readings": tuple(Name(name) for name in data["readings"])})

    @property
    def place(self) -> tuple[str, str]:
        """File and name of the theorem."""
        file, _, name = self.theorem.partition(".")
        return f"{file}.v", name

    @property
    def outcome(self) -> Outcome:
        """A theorem with a counterexample refutes, every other one proves."""
        return Outcome.FAILS if self.counterexample else Outcome.HOLDS


LINKS = tuple(Link.of(data) for data in json.loads(LINKS_FILE.read_text("utf-8")))
CLAIMS = tuple(dict.fromkeys(link.claim for link in LINKS))


def certificate(theorem: machine_checked.Proved) -> dict[str, Plain]:
    """What `verify.recheck.coq` reads."""
    return {
        "kind": "coq.theorem",
        "file": theorem.file,
        "sha256": theorem.sha256,
        "theorem": theorem.name,
        "statement": theorem.statement,
        "assumptions": list(theorem.assumptions),
        "requires": dict(theorem.requires),
    }


def assumes(theorem: machine_checked.Proved) -> str:
    """What a theorem assumes, in words."""
    if not theorem.assumptions:
        return "no axioms"
    return "at most the axioms of Coq's reals: " + ", ".join(theorem.assumptions)


def evidence(link: Link, theorem: machine_checked.Proved) -> Iterator[Evidence]:
    """What one theorem says of one claim, once for each reading."""
    for reading in link.readings:
        yield Evidence(
            link.claim,
            link.outcome,
            Strength.SYMBOLIC,
            link.scope,
            f"{link.summary} Machine-checked: {theorem.name} in verify/coq/{theorem.file}, which "
            f"assumes {assumes(theorem)}.",
            reading=reading,
            engine=ENGINE,
            certificate=certificate(theorem),
            conditions=tuple(
                Condition("weights of the proof are the program's", True, model.witness())
                for model in models_of(theorem.file)
            ),
            counterexample=link.counterexample,
            repair=link.repair,
            limits=link.limits,
        )


@check(*CLAIMS, needs=("coq",))
def theorems_of_the_development(job: Job) -> Iterator[Evidence]:
    """Compile the Coq development and report what its theorems say of the claims."""
    if reason := machine_checked.missing():
        for claim in CLAIMS:
            yield Evidence(claim, Outcome.UNAVAILABLE, Strength.OBSERVED, "", reason)
        return
    development = machine_checked.development()
    if development.differences:
        raise machine_checked.Refused("; ".join(development.differences))
    for link in LINKS:
        yield from evidence(link, development.find(*link.place))
