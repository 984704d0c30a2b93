"""Judge a record again: build all that follows from data and certificates anew, and compare.

verdicts     from the bindings and what the certificates are worth, by the re-checker's own rules
texts        those of the data; findings and observations with the values of their certificates
sentences    composed by the judge's code, the only shared code, and checked by the re-checker's
             own rules on their contents (`sentence_rules`)

A record is confirmed only if every field of every row is the one built here, and there is no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.judge.sentence import note, sentence
from verify.recheck import judge
from verify.recheck.conditions import check_states, condition_rows
from verify.recheck.data import Data, Table, hash_of
from verify.recheck.errors import agree
from verify.recheck.evidence import Evidence
from verify.recheck.header import need_names
from verify.recheck.sentence_rules import check_sentence

NOT_COMPUTED = "the witness was not computed in this run"
# Fields of the data, with their defaults.
STATEMENT: Table = {
    **dict.fromkeys(("id", "title", "form", "section", "text", "says", "ours")),
    **dict.fromkeys(("numbered", "same_as", "answered_by"), ""),
    **{name: [] for name in ("places", "under", "conditions", "notes", "rests_on", "aliases")},
    "repair": None,
    "cite": {},
}
FINDING: Table = {
    **dict.fromkeys(("id", "title", "grade", "printed", "why", "repair", "touches", "shown_by")),
    "places": [],
    "figure": "",
    "grades": {},
}
OBSERVATION: Table = {
    **dict.fromkeys(("id", "title")),
    **dict.fromkeys(("fact", "method"), ""),
    **{"parameters": {}, "outcome": "holds", "profile": "quick", "aliases": []},
}
FIGURE: Table = {
    **dict.fromkeys(("id", "title", "caption", "alt", "statements", "fact", "parameters")),
    **dict.fromkeys(("method", "kind", "values")),
    **dict.fromkeys(("xlabel", "ylabel"), ""),
    **dict.fromkeys(("xscale", "yscale"), "linear"),
    "profile": "quick",
}


def judge_again(record: Table, data: Data, evidence: Evidence) -> None:
    """Refuse a record at the first place where it is not what data and evidence give."""
    findings = {name: _finding(f, data, evidence) for name, f in data.findings.items()}
    observations = [_observation(o, evidence) for o in data.observations.values()]
    figures = [{**_fields(f, FIGURE), "key": judge.key_of(f)} for f in data.figures.values()]
    rows = _rows(data, evidence, findings)
    check_states(data)
    conditions = condition_rows(data, {row["id"]: row for row in rows})
    _same("", "statements", record["statements"], rows)
    _same("finding ", "findings", record["findings"], list(findings.values()))
    _same("observation ", "observations", record["observations"], observations)
    _same("figure ", "figures", record["figures"], figures)
    _same("condition ", "conditions", record["conditions"], conditions)
    agree("answers", record["answers"], data.answers)


def _same(kind: str, name: str, stated: list[Table], found: list[Table]) -> None:
    agree(name, [row["id"] for row in stated], [row["id"] for row in found])
    for one, other in zip(stated, found, strict=True):
        agree(f"{kind}{other['id']}", one, other)


def _fields(entry: Table, fields: Mapping[str, Any]) -> Table:
    """The fields of an entry of the data; those without a default are there."""
    return {name: entry.get(name, default) for name, default in fields.items()}


def _rows(data: Data, evidence: Evidence, findings: Mapping[str, Table]) -> list[Table]:
    verdicts = {n: judge.verdict(s, data, evidence) for n, s in data.statements.items()}
    standing = judge.standings(data, verdicts)
    rows: dict[str, Table] = {}
    needs = need_names(data.about)
    for name, entry in data.statements.items():
        _same_twin(name, data, verdicts)
        rows[name] = {
            **_fields(entry, STATEMENT),
            "hash": hash_of(entry),
            **_judged(verdicts[name]),
            "witness": _witness(name, verdicts[name], findings),
            "standing": standing[name][0],
            "through": standing[name][1],
            "inherited": name in evidence.inherited,
        }
    for row in rows.values():
        row["sentence"], row["note"] = sentence(row, rows), note(row, rows, needs)
        check_sentence(row)
    return list(rows.values())


def _judged(verdict: judge.Verdict) -> Table:
    interpretation = verdict.interpretation
    return {
        "verdict": verdict.word,
        "rank": verdict.rank,
        "interpretation": interpretation.name,
        "method": interpretation.method,
        "scope": interpretation.scope,
        "because": interpretation.decisive["because"] if interpretation.decisive else "",
        "reason": "" if interpretation.decisive else interpretation.reason,
        "findings": list(verdict.findings),
        "grade": verdict.grade,
        "interpretations": [_interpretation(each) for each in verdict.interpretations],
    }


def _interpretation(interpretation: judge.Interpretation) -> Table:
    return {
        "name": interpretation.name,
        "rank": interpretation.rank,
        "method": interpretation.method,
        "scope": interpretation.scope,
        "reason": interpretation.reason,
        "bindings": [_binding(binding, weight) for binding, weight in interpretation.weights],
    }


def _binding(binding: Table, weight: str) -> Table:
    return {
        "certificate": judge.key_of(binding),
        "fact": binding["fact"],
        "expects": binding.get("outcome", "holds"),
        "weight": weight,
        "method": binding["method"],
        "scope": judge.scope(binding),
        "because": binding["because"],
        "assumes": binding.get("assumes", []),
        "impossibility": binding.get("impossibility", False),
    }


def _same_twin(name: str, data: Data, verdicts: Mapping[str, judge.Verdict]) -> None:
    """Check that statements that say the same have the same verdict."""
    if twin := data.statements[name].get("same_as"):
        one, other = verdicts[name], verdicts[twin]
        agree(f"{name}: verdict beside {twin}", one.rank, other.rank)
        agree(f"{name}: scope beside {twin}", one.interpretation.scope, other.interpretation.scope)


def _finding(entry: Table, data: Data, evidence: Evidence) -> Table:
    statement, number = entry["shown_by"]
    binding = data.statements[statement]["binding"][number - 1]
    name = judge.key_of(binding)
    witness, shown = NOT_COMPUTED, evidence.worth(name) != "absent"
    if shown:
        certificate = evidence.held[name]
        witness = _fill(
            entry["witness"], {**certificate["values"], **(certificate["witness"] or {})}
        )
    stated = {"witness": witness, "shown": shown, "fact": binding["fact"]}
    return {**_fields(entry, FINDING), **stated}


def _observation(entry: Table, evidence: Evidence) -> Table:
    name = judge.key_of(entry) if entry.get("fact") else ""
    certificate = evidence.held.get(name, {"holds": None})
    seen = certificate["holds"] is (entry.get("outcome", "holds") == "holds")
    text = _fill(entry["text"], certificate["values"]) if seen else entry["text"]
    return {**_fields(entry, OBSERVATION), "key": name, "seen": seen, "text": text}


def _fill(template: str, values: Mapping[str, Any]) -> str:
    return template.format_map({name: judge.value_text(value) for name, value in values.items()})


def _witness(statement: str, verdict: judge.Verdict, findings: Mapping[str, Table]) -> str:
    """Return the witness of a failing statement: that of the first finding of its grade."""
    if verdict.rank not in ("refuted", "repaired"):
        return ""
    touching = (findings[name] for name in verdict.findings)
    own = (f for f in touching if judge.grade_for(statement, f) == verdict.grade)
    return next((f["witness"] for f in own), "")
