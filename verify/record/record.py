"""The record: all results of a run, as plain data; same inputs, same bytes.

The record holds no time, no machine and no order of execution. Statements come in the order of
the data files, certificates in the order of their names. `reports` renders the record and the
certificates and sees nothing else; `assay recheck` confirms the one and judges the other again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from typing import Any

from constructions import __version__
from verify.judge import schemas
from verify.judge.about import About, Reference
from verify.judge.conditions import cell_state
from verify.judge.data import (
    Binding,
    Condition,
    Finding,
    Observation,
    Paper,
    Statement,
    digest,
    fill_template,
)
from verify.judge.entries import InvalidPaper
from verify.judge.outcome import Outcome
from verify.judge.sentence import NOT_COMPUTED, note, sentence
from verify.judge.verdict import Interpretation, Judgement, Verdict
from verify.record.plan import Asking, asking

WORDS = ("id", "title", "numbered", "form", "section", "text", "says", "same_as", "answered_by",
         "ours")  # fmt: skip
LISTS = ("under", "conditions", "notes", "rests_on", "aliases")
Data = dict[str, Any]


def canonical(data: Any) -> bytes:
    """JSON with sorted keys, one form for one value; floats are refused."""
    _no_floats(data, "record")
    return (json.dumps(data, sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode()


def _no_floats(data: Any, place: str) -> None:
    if isinstance(data, float):
        raise TypeError(f"{place}: a float ({data!r}), expected an integer or text")
    if isinstance(data, Mapping):
        for key, value in data.items():
            _no_floats(value, f"{place}.{key}")
    elif isinstance(data, list | tuple):
        for i, value in enumerate(data):
            _no_floats(value, f"{place}[{i}]")


def _nothing(fact: str) -> str:
    """Return "": nothing of a fact is taken on trust."""
    return ""


@dataclass(frozen=True)
class RunInfo:
    """Circumstances of a run.

    `lacking` says what was not at hand, and why; `base` where facts were taken over from, if any
    were (the published record, or an earlier one), and `inherited` which certificates those are;
    `code` is the digest of the code of a paper's folder; `trust` gives what a re-check takes on
    trust of a fact, or "".
    """

    profile: str = "quick"
    lacking: Mapping[str, str] = field(default_factory=dict)
    base: str = ""
    inherited: Collection[str] = ()
    code: str = ""
    trust: Callable[[str], str] = _nothing


def assemble(
    paper: Paper, found: Mapping[str, Outcome], judged: Mapping[str, Judgement], run: RunInfo
) -> tuple[Data, Data]:
    """The record of a run whose facts were judged, and its certificates."""
    findings = {name: _finding(f, paper, found) for name, f in paper.findings.items()}
    rows = {
        name: _row(paper.statements[name], paper.hashes[name], judgement, findings, run.inherited)
        for name, judgement in judged.items()
    }
    for row in rows.values():
        row["sentence"] = sentence(row, rows)
        row["note"] = note(row, rows, paper.about.need_names)
    listed = _certificates(paper, found)
    certificates = {"schema": schemas.CERTIFICATES, "certificates": listed}
    record: Data = {
        "schema": schemas.RECORD,
        "assay": __version__,
        "paper": header(paper.about),
        "profile": run.profile,
        "base": run.base,
        "code": run.code,
        "missing": dict(sorted(run.lacking.items())),
        "statements": list(rows.values()),
        "findings": list(findings.values()),
        "observations": [_observation(o, paper, found) for o in paper.observations.values()],
        "conditions": [_condition(c, paper, judged) for c in paper.conditions.values()],
        "answers": [asdict(answer) for answer in paper.answers],
        "figures": [{**asdict(f), "key": f.key} for f in paper.figures.values()],
        "erratum": paper.about.erratum,
        "rechecker": {"lines": rechecker_lines()},
        "trust": _trust(listed, run.trust),
        "certificates": digest(certificates),
    }
    # Sorted, as in the files: what is fresh, kept or read again must render to the same bytes.
    plain: tuple[Data, Data] = json.loads(json.dumps([record, certificates], sort_keys=True))
    return plain[0], plain[1]


def header(about: About) -> Data:
    """Head of a record on the paper: authors, title, venue, and both references."""
    return {
        **_picked(about, "title", "venue", "year", "url"),
        "authors": list(about.authors),
        "tools": {name: list(facts) for name, facts in about.tools.items()},
        "first_figures": list(map(list, about.first_figures)),
        "source": asdict(about.source),
        "paper": _reference(about.paper),
        "check": _reference(about.check),
    }


def _picked(entry: object, *names: str) -> Data:
    """Return some fields of an entry."""
    return {name: getattr(entry, name) for name in names}


def _reference(reference: Reference) -> Data:
    return {
        name: text.strip().replace("{version}", __version__)
        for name, text in asdict(reference).items()
    }


def _row(
    statement: Statement,
    hash_: str,
    judgement: Judgement,
    findings: Mapping[str, Data],
    inherited: Collection[str],
) -> Data:
    return {
        **_statement_fields(statement),
        **_verdict_fields(judgement),
        "hash": hash_,
        "witness": _witness(statement.id, judgement, findings),
        "inherited": any(b.key in inherited for b in statement.binding),
    }


def _statement_fields(statement: Statement) -> Data:
    """A statement as its file has it."""
    return {
        **_picked(statement, *WORDS),
        **{name: list(getattr(statement, name)) for name in LISTS},
        "places": [list(place) for place in statement.places],
        "repair": asdict(statement.repair) if statement.repair else None,
        "cite": dict(statement.cite),
    }


def _verdict_fields(judgement: Judgement) -> Data:
    """The verdict, and how the decisive interpretation came to it."""
    interpretation = judgement.interpretation
    return {
        **_picked(judgement, "verdict", "grade", "through"),
        **_picked(interpretation, "method", "scope"),
        "rank": judgement.rank.value,
        "interpretation": interpretation.name,
        "because": interpretation.decisive.because if interpretation.decisive else "",
        "reason": interpretation.reason if interpretation.decisive is None else "",
        "findings": list(judgement.findings),
        "standing": judgement.standing.value,
        "interpretations": [_interpretation(each) for each in judgement.interpretations],
    }


def _witness(name: str, judgement: Judgement, findings: Mapping[str, Data]) -> str:
    """The reason why a statement fails, in the words of the worst finding that touches it."""
    if judgement.rank not in (Verdict.REFUTED, Verdict.REPAIRED):
        return ""
    touching = [findings[each] for each in judgement.findings]
    graded = [f for f in touching if f["grades"].get(name, f["grade"]) == judgement.grade]
    return str(graded[0]["witness"]) if graded else ""


def _interpretation(interpretation: Interpretation) -> Data:
    return {
        **_picked(interpretation, "name", "method", "scope", "reason"),
        "rank": interpretation.rank.value,
        "bindings": [_binding(binding, weight) for binding, weight in interpretation.weights],
    }


def _binding(binding: Binding, weight: str) -> Data:
    return {
        **_picked(binding, "fact", "method", "scope", "because", "impossibility"),
        "certificate": binding.key,
        "expects": binding.outcome,
        "weight": weight,
        "assumes": list(binding.assumes),
    }


def _finding(finding: Finding, paper: Paper, found: Mapping[str, Outcome]) -> Data:
    """A finding with the numbers of its witness; without the fact, with the template."""
    name, number = finding.shown_by
    binding = paper.statements[name].binding[number - 1]
    item = found[binding.key]
    seen = {**item.values, **(item.witness or {})}
    shown = not item.missing and not item.crash
    where = f"{paper.where.get(finding.id, finding.id)}: witness"
    witness = _fill(finding.witness, seen, where) if shown else NOT_COMPUTED
    return {**asdict(finding), "witness": witness, "shown": shown, "fact": binding.fact}


def _fill(template: str, values: Mapping[str, Any], where: str) -> str:
    """A template with its values; one that asks for another value is refused with its entry."""
    try:
        return fill_template(template, values)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        names = ", ".join(values) or "nothing"
        raise InvalidPaper(f"{where}: no value {error}, the fact gives {names}") from None


def _observation(observation: Observation, paper: Paper, found: Mapping[str, Outcome]) -> Data:
    item = found.get(observation.key)
    seen = item is not None and item.holds is (observation.outcome == "holds")
    where = paper.where.get(observation.id, observation.id)
    text = observation.text
    if item is not None and seen:
        text = _fill(text, item.values, where)
    return {**asdict(observation), "key": observation.key, "seen": seen, "text": text}


def _condition(row: Condition, paper: Paper, judged: Mapping[str, Judgement]) -> Data:
    """A row of the matrix; `shown` is true if the facts decided in this run show the state."""
    cells = [
        {
            "statement": column,
            **asdict(cell),
            "shown": cell_state(paper, judged, row, column) == cell.state,
        }
        for column, cell in row.cells.items()
    ]
    return {**asdict(row), "cells": cells}


def _trust(certificates: list[Data], trust: Callable[[str], str]) -> Data:
    """Return the facts that the re-checker does not confirm, each with the reason."""
    reasons = {each["fact"]: trust(each["fact"]) for each in certificates}
    return {fact: reason for fact, reason in reasons.items() if reason}


def _certificates(paper: Paper, found: Mapping[str, Outcome]) -> list[Data]:
    wanted = {each.key: each for each, _ in asking(paper)}
    there = sorted(key for key in wanted if key in found and not found[key].missing)
    return [_certificate(wanted[key], found[key]) for key in there]


def _certificate(entry: Asking, item: Outcome) -> Data:
    return {
        **_picked(entry, "key", "fact", "method"),
        "parameters": dict(entry.parameters),
        "holds": item.holds,
        "values": dict(item.values),
        "witness": None if item.witness is None else dict(item.witness),
    }


def rechecker_lines() -> int:
    """Number of lines of the re-checker, for a reader who trusts nothing else."""
    pending, lines = [files("verify") / "recheck"], 0
    while pending:
        for path in pending.pop().iterdir():
            if path.is_dir():
                pending.append(path)
            elif path.name.endswith(".py"):
                lines += path.read_text("utf-8").count("\n")
    return lines
