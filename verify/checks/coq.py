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

from verify.check import Job, check
from verify.claims.model import Name
from verify.coq.build import missing
from verify.coq.compile import Theorem, established
from verify.coq.sources import COQ, Refused
from verify.coq.weights import MODELS, compare, models_of
from verify.evidence import Condition, Evidence, Outcome, Plain, Strength
from verify.recheck.coq import proved

ENGINE = "Coq"
LINKS_FILE = COQ / "links.json"


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
    def outcome(self) -> Outcome:
        """A theorem with a counterexample refutes, every other one proves."""
        return Outcome.FAILS if self.counterexample else Outcome.HOLDS


LINKS = tuple(Link.of(data) for data in json.loads(LINKS_FILE.read_text("utf-8")))
CLAIMS = tuple(dict.fromkeys(link.claim for link in LINKS))


def certificate(theorem: Theorem) -> dict[str, Plain]:
    """What `verify.recheck.coq` reads."""
    file, name = theorem.file, theorem.name.partition(".")[2]
    return {
        "kind": "coq.theorem",
        "file": file,
        "sha256": theorem.sources[file],
        "theorem": name,
        "statement": proved(file, name),
        "assumptions": list(theorem.assumptions),
        "requires": {other: key for other, key in theorem.sources.items() if other != file},
    }


def assumes(theorem: Theorem) -> str:
    """What a theorem assumes, in words."""
    if not theorem.assumptions:
        return "no axioms"
    return "at most the axioms of Coq's reals: " + ", ".join(theorem.assumptions)


def evidence(link: Link, theorem: Theorem) -> Iterator[Evidence]:
    """What one theorem says of one claim, once for each reading."""
    for reading in link.readings:
        yield Evidence(
            link.claim,
            link.outcome,
            Strength.SYMBOLIC,
            link.scope,
            f"{link.summary} Machine-checked: {theorem.name.partition('.')[2]} in "
            f"verify/coq/{theorem.file}, which assumes {assumes(theorem)}.",
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
    if reason := missing():
        for claim in CLAIMS:
            yield Evidence(claim, Outcome.UNAVAILABLE, Strength.OBSERVED, "", reason)
        return
    if differences := [str(line) for name in MODELS for line in compare(name)]:
        raise Refused("; ".join(differences))
    found = established([link.theorem for link in LINKS])
    for link in LINKS:
        yield from evidence(link, found[link.theorem])
