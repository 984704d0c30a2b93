"""The record: everything a run found, as plain data; same inputs, same bytes.

The record holds no time, no machine and no order of execution. Claims come in the order of the
paper, evidence in the order of the checks' names; each certificate lies in a file of its own
beside the record and is named by its hash. `reports` renders the record and sees nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from constructions import __version__
from verify.cite import sentence
from verify.claims.model import PAPER_SHA256, Claim
from verify.evidence import Evidence
from verify.verdict import Finding, Judgement, judge, standings

SCHEMA = "assay-record-1"
PAPER = {
    "title": "Simulating Weighted Automata over Sequences and Trees with Transformers",
    "authors": ["Michael Rizvi", "Maude Lizaire", "Clara Lacroce", "Guillaume Rabusseau"],
    "venue": "AISTATS 2024",
    "sha256": PAPER_SHA256,
}
Data = dict[str, Any]


@dataclass(frozen=True)
class Seen:
    """One piece of evidence and the check that brought it."""

    check: str
    evidence: Evidence


@dataclass
class Certificates:
    """The certificates of a run: file name to bytes."""

    files: dict[str, bytes] = field(default_factory=dict)

    def add(self, seen: Seen) -> str:
        """Wrap a certificate, name it by its hash, and return the file's name."""
        item = seen.evidence
        body: Data = {
            "assay-certificate": 1,
            "claim": item.claim,
            "reading": item.reading.value,
            "outcome": item.outcome.value,
            "strength": item.strength.value,
            "scope": item.scope,
            "check": seen.check,
            "body": item.certificate,
        }
        digest = hashlib.sha256(canonical(body)).hexdigest()
        name = f"{item.claim}.{item.reading.value}.{digest[:12]}.json"
        self.files[name] = canonical({**body, "sha256": digest})
        return name


def canonical(data: Any) -> bytes:
    """JSON with sorted keys, one form for one value; floats are refused."""
    _no_floats(data, "certificate")
    return (json.dumps(data, sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode()


def _no_floats(data: Any, place: str) -> None:
    if isinstance(data, float):
        raise TypeError(f"{place}: a float ({data!r}), expected an integer or text")
    if isinstance(data, Mapping):
        for key, value in data.items():
            _no_floats(value, f"{place}.{key}")
    elif isinstance(data, (list, tuple)):
        for i, value in enumerate(data):
            _no_floats(value, f"{place}[{i}]")


def assemble(
    claims: Sequence[Claim],
    seen: Sequence[Seen],
    profile: str,
    missing: Iterable[str],
    recorded: Mapping[str, str],
) -> tuple[Data, Certificates]:
    """The record of a run, and its certificates."""
    ordered = sorted(seen, key=lambda s: (s.check, s.evidence.claim, s.evidence.reading))
    certificates = Certificates()
    evidence = [_evidence(i, item, certificates) for i, item in enumerate(ordered)]
    by_claim = _by_claim(ordered)
    judgements = {c.id: judge(c, [e for _, e in by_claim.get(c.id, [])]) for c in claims}
    standing = standings(judgements)
    rows = [
        _claim(
            judgements[name],
            standing[name],
            by_claim.get(name, []),
            recorded.get(name, ""),
            judgements,
        )
        for name in judgements
    ]
    record: Data = {
        "schema": SCHEMA,
        "assay": __version__,
        "paper": PAPER,
        "profile": profile,
        "missing": sorted(missing),
        "claims": rows,
        "evidence": evidence,
        "figures": _unique(asdict(f) for s in ordered for f in s.evidence.figures),
        "tables": _unique(asdict(t) for s in ordered for t in s.evidence.tables),
        "drawings": _unique(asdict(d) for s in ordered for d in s.evidence.drawings),
    }
    return record, certificates


def _by_claim(seen: Sequence[Seen]) -> dict[str, list[tuple[int, Evidence]]]:
    found: dict[str, list[tuple[int, Evidence]]] = {}
    for number, item in enumerate(seen):
        found.setdefault(item.evidence.claim, []).append((number, item.evidence))
    return found


def _unique(items: Iterable[Data]) -> list[Data]:
    return list({item["id"]: item for item in items}.values())


def _evidence(number: int, seen: Seen, certificates: Certificates) -> Data:
    item = seen.evidence
    return {
        "number": number,
        "check": seen.check,
        "claim": item.claim,
        "reading": item.reading.value,
        "outcome": item.outcome.value,
        "strength": item.strength.value,
        "scope": item.scope,
        "summary": item.summary,
        "engine": item.engine,
        "certificate": certificates.add(seen) if item.certificate is not None else None,
        "conditions": [asdict(condition) for condition in item.conditions],
        "counterexample": item.counterexample,
        "repair": item.repair,
        "limits": item.limits,
        "figures": [figure.id for figure in item.figures],
        "tables": [table.id for table in item.tables],
        "drawings": [drawing.id for drawing in item.drawings],
    }


def _claim(
    judgement: Judgement,
    standing: tuple[Any, str],
    evidence: list[tuple[int, Evidence]],
    recorded: str,
    present: Container[str],
) -> Data:
    """A claim's row; in a run of some claims only, ancestors that were not run are left out."""
    claim, decisive = judgement.claim, judgement.decisive
    return {
        "id": claim.id,
        "title": claim.title,
        "kind": claim.kind.value,
        "section": claim.where.section,
        "label": claim.where.label,
        "lines": list(claim.where.lines),
        "statement": claim.statement,
        "refuted_by": claim.refuted_by,
        "severity": claim.severity.value,
        "rests_on": [name for name in claim.rests_on if name in present],
        "readings": [_reading(claim, finding, evidence) for finding in judgement.findings],
        "verdict": judgement.verdict.value,
        "grade": judgement.grade,
        "decided_by": decisive.reading.value,
        "scope": decisive.scope,
        "strength": decisive.decisive.strength.value if decisive.decisive else "",
        "reason": decisive.reason,
        "standing": standing[0].value,
        "standing_because": standing[1],
        "recorded": recorded,
        "cite": sentence(judgement),
        "repeat": f"verify run {claim.id}",
    }


def _reading(claim: Claim, finding: Finding, evidence: list[tuple[int, Evidence]]) -> Data:
    reading = claim.reading(finding.reading)
    numbers = [number for number, item in evidence if item.reading is finding.reading]
    return {
        "name": finding.reading.value,
        "text": reading.text,
        "differs": reading.differs,
        "verdict": finding.verdict.value,
        "scope": finding.scope,
        "reason": finding.reason,
        "evidence": numbers,
    }
