"""The paper's data as the re-checker reads them: statements, bindings, findings, as plain tables."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

Table = dict[str, Any]
PAPER, PINS, ERRATUM = "paper.toml", "statements.json", "erratum.tex"
CANONICAL = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
)


@dataclass(frozen=True)
class Data:
    """Statements (results of ours among them) by id, findings, observations, figures and conditions.

    `about` is what `paper.toml` says, `texts` the other files by name.
    """

    statements: dict[str, Table]
    findings: dict[str, Table]
    observations: dict[str, Table]
    figures: dict[str, Table]
    answers: list[Table]
    about: Table = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    conditions: list[Table] = field(default_factory=list)

    def need_of(self, fact: str) -> str:
        """Need of a fact in the paper's data; empty if it has none."""
        needs = self.about.get("needs", {})
        return next((need for need, facts in needs.items() if fact in facts), "")


def fingerprint(value: Any) -> str:
    """SHA-256 of canonical JSON."""
    return hashlib.sha256(CANONICAL.encode(value).encode()).hexdigest()


def key(fact: str, parameters: Table) -> str:
    """The name of the certificate of a fact with these parameters."""
    return f"{fact}-{fingerprint([fact, parameters])[:12]}"


def read(folder: Traversable | None = None) -> Data:
    """The data of a folder; by default those that come with the package, with their pinned proofs."""
    place = folder if folder is not None else files("verify") / "paper"
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted(place.iterdir(), key=lambda file: file.name)
        if path.name.endswith((".toml", ".tex"))
    }
    if folder is None:
        texts[PINS] = (files("verify") / "coq" / PINS).read_text("utf-8")
    return parse(texts)


def parse(texts: dict[str, str]) -> Data:
    """The data of a folder's texts by file name."""
    tables = [
        tomllib.loads(text)
        for name, text in sorted(texts.items())
        if name.endswith(".toml") and name != PAPER
    ]

    def gathered(*kinds: str) -> dict[str, Table]:
        return {entry["id"]: entry for k in kinds for t in tables for entry in t.get(k, ())}

    ours = {entry["id"] for t in tables for entry in t.get("result", ())}
    statements = gathered("statement", "result")
    for name, entry in statements.items():
        entry["ours"] = name in ours
    answers = [{"instead": "", **entry} for t in tables for entry in t.get("answer", ())]
    return Data(
        statements,
        gathered("finding"),
        gathered("observation"),
        gathered("figure"),
        answers,
        tomllib.loads(texts[PAPER]),
        texts,
        [entry for t in tables for entry in t.get("condition", ())],
    )


def hash_of(entry: Table) -> str:
    """The hash of a statement's entry in its file."""
    return fingerprint({name: value for name, value in entry.items() if name != "ours"})
