"""Reads the paper's data from TOML and refuses an entry with its file, its name and the rule.

Rules kept here
    a scope is "all" or names a parameter, so that no number is typed beside the computation
    no finite method covers the whole range of a universal or asymptotic statement
    a failing construction refutes no possibility; only an impossibility does
    every refutation belongs to a finding, and every finding to a refutation
    a repaired reading names its repair
    a sentence of its own knows its fields, and drops no condition where the statement holds
"""

from __future__ import annotations

import tomllib
import typing
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

from verify.judge import sentence
from verify.judge.model import (
    FOR_ALL_SIZES,
    FORMS,
    GRADES,
    METHODS,
    READINGS,
    RIGOROUS,
    Answer,
    Binding,
    Figure,
    Finding,
    Observation,
    Paper,
    Repair,
    Retired,
    Silent,
    Statement,
    digest,
)

Entry = TypeVar("Entry")
Table = dict[str, Any]
KINDS = ("statement", "result", "finding", "observation", "figure", "retired", "silent", "answer")
WITHOUT_VERDICT = "view"


class InvalidPaper(ValueError):
    """An entry of the data that cannot be used."""


def require(condition: bool, where: str, what: str) -> None:
    """Refuse an entry, saying where it stands."""
    if not condition:
        raise InvalidPaper(f"{where}: {what}")


@cache
def load() -> Paper:
    """The data that come with the package."""
    return read(files("verify") / "paper")


def read(folder: Traversable) -> Paper:
    """The paper of a folder of TOML files, in the order of their names."""
    entries: dict[str, list[tuple[str, Table]]] = {kind: [] for kind in KINDS}
    for path in sorted(folder.iterdir(), key=lambda file: file.name):
        if path.name.endswith(".toml"):
            _collect(path, entries)
    statements = dict(_statements(entries["statement"], ours=False))
    statements |= _statements(entries["result"], ours=True)
    paper = Paper(
        statements,
        _unique(Finding, "finding", entries),
        _unique(Observation, "observation", entries),
        _unique(Figure, "figure", entries),
        tuple(_build(Retired, entry, where) for where, entry in entries["retired"]),
        tuple(_build(Silent, entry, where) for where, entry in entries["silent"]),
        tuple(_build(Answer, entry, where) for where, entry in entries["answer"]),
        {entry["id"]: digest(entry) for kind in KINDS[:2] for _, entry in entries[kind]},
    )
    _check_references(paper)
    return paper


def _collect(path: Traversable, entries: dict[str, list[tuple[str, Table]]]) -> None:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidPaper(f"{path.name}: {error}") from None
    for kind, tables in data.items():
        require(kind in KINDS, path.name, f"unknown table {kind!r}, expected one of {KINDS}")
        for number, entry in enumerate(tables, 1):
            entries[kind].append((f"{path.name}: {kind} {entry.get('id', number)}", entry))


def _build(kind: type[Entry], entry: Table, where: str) -> Entry:
    """A dataclass from a table; unknown, missing and ill-typed keys are errors."""
    known = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    for name in entry:
        require(name in known, where, f"unknown key {name!r}, expected one of {', '.join(known)}")
    for name, f in known.items():
        optional = f.default is not MISSING or f.default_factory is not MISSING
        require(optional or name in entry, where, f"{name} is missing")
    hints = typing.get_type_hints(kind)
    return kind(**{name: _typed(value, hints[name], where, name) for name, value in entry.items()})


def _typed(value: Any, hint: Any, where: str, name: str) -> Any:
    """A value of the hinted type; arrays become tuples, and pairs are pairs of whole numbers."""
    origin = typing.get_origin(hint)
    if origin is tuple:
        require(isinstance(value, list), where, f"{name} = {value!r}, expected a list")
        return tuple(tuple(item) if isinstance(item, list) else item for item in value)
    plain = hint if isinstance(hint, type) else None
    if plain in (str, int, bool):
        require(type(value) is plain, where, f"{name} = {value!r}, expected {plain.__name__}")
    return value


def _unique(kind: type[Entry], name: str, entries: Mapping[str, list[tuple[str, Table]]]) -> Any:
    found: dict[str, Entry] = {}
    for where, entry in entries[name]:
        made = _build(kind, entry, where)
        require(entry["id"] not in found, where, "stands twice")
        found[entry["id"]] = made
        if isinstance(made, Finding):
            require(made.grade in GRADES, where, f"unknown grade {made.grade!r}")
    return found


def _statements(entries: list[tuple[str, Table]], ours: bool) -> Iterator[tuple[str, Statement]]:
    seen: set[str] = set()
    for where, entry in entries:
        require("id" in entry and entry["id"] not in seen, where, "needs an id of its own")
        seen.add(entry["id"])
        yield entry["id"], _statement(entry, ours, where)


def _statement(entry: Table, ours: bool, where: str) -> Statement:
    form = entry.get("form")
    require(form in FORMS, where, f"unknown form {form!r}, expected one of {', '.join(FORMS)}")
    bindings = [
        _binding(item, str(form), f"{where}: binding {number}")
        for number, item in enumerate(entry.get("binding", ()), 1)
    ]
    repair = _build(Repair, entry["repair"], where) if "repair" in entry else None
    made = _build(Statement, {**entry, "binding": bindings, "repair": repair, "ours": ours}, where)
    repaired = any(b.reading == "repaired" for b in bindings)
    require(not repaired or repair is not None, where, "a repaired reading needs its repair")
    require(form != WITHOUT_VERDICT or not bindings, where, "a view has no verdict and no binding")
    require(bool(bindings) or bool(made.reason), where, "without a binding it needs a reason")
    require(ours or bool(made.places), where, "a statement of the paper needs its places")
    _check_cite(made, where)
    for place in made.places:
        require(len(place) == 2 and place[0] <= place[1], where, f"place {place!r}")
    return made


def _check_cite(made: Statement, where: str) -> None:
    for verdict, template in made.cite.items():
        asked = sentence.fields_of(template)
        for name in sorted(asked - sentence.FIELDS):
            require(False, where, f"cite.{verdict}: no field {name!r}")
        needed = bool(made.under) and verdict in ("proved", "checked", "measured", "repaired")
        require(not needed or "given" in asked, where, f"cite.{verdict} drops the conditions")


def _binding(entry: Table, form: str, where: str) -> Binding:
    made = _build(Binding, entry, where)
    require(made.method in METHODS, where, f"unknown method {made.method!r}")
    require(made.outcome in ("holds", "fails"), where, f"unknown outcome {made.outcome!r}")
    require(made.reading in READINGS, where, f"unknown reading {made.reading!r}")
    require(made.profile in ("quick", "full"), where, f"unknown profile {made.profile!r}")
    named = any(f"{{{name}}}" in made.covers for name in made.parameters)
    require(made.covers == "all" or named, where, "a part of the range must name a {parameter}")
    try:
        _ = made.scope
    except (KeyError, IndexError, ValueError) as error:
        raise InvalidPaper(f"{where}: covers = {made.covers!r}: no parameter {error}") from None
    supports = not made.refutes
    ranges = form in ("universal", "asymptotic") and supports and made.covers == "all"
    require(
        not ranges or made.method in FOR_ALL_SIZES,
        where,
        f"{made.method} never covers the whole range of a {form} statement",
    )
    fails = form == "possibility" and made.outcome == "fails"
    require(not fails, where, "a failure refutes no possibility; only an impossibility does")
    mathematical = form in ("universal", "asymptotic", "possibility", "instance", "definition")
    require(
        not (made.refutes and mathematical) or made.method in RIGOROUS,
        where,
        f"a refutation needs a rigorous method, not {made.method}",
    )
    return made


def _check_references(paper: Paper) -> None:
    for each in paper.statements.values():
        where = f"statement {each.id}"
        for name in (*each.rests_on, *filter(None, (each.same_as, each.answered_by))):
            require(name in paper.statements, where, f"no statement {name!r}")
        _check_refuted(paper, each, where)
    _check_no_circle(paper)
    _check_aliases(paper)
    for finding in paper.findings.values():
        where = f"finding {finding.id}"
        for name in finding.touches:
            require(name in paper.statements, where, f"no statement {name!r}")
        _check_witness(paper, finding, where)
        require(not finding.figure or finding.figure in paper.figures, where, "no such figure")
    for answer in paper.answers:
        for name in filter(None, (answer.statement, answer.instead)):
            require(name in paper.statements, f"answer {answer.name}", f"no statement {name!r}")
    for figure in paper.figures.values():
        for name in figure.statements:
            require(name in paper.statements, f"figure {figure.id}", f"no statement {name!r}")


def _check_refuted(paper: Paper, each: Statement, where: str) -> None:
    refuted = any(b.refutes and b.reading == "printed" for b in each.binding)
    touched = any(each.id in finding.touches for finding in paper.findings.values())
    require(not refuted or touched, where, "it is refuted and belongs to no finding")


def _check_witness(paper: Paper, finding: Finding, where: str) -> None:
    require(len(finding.shown_by) == 2, where, "shown_by names a statement and a binding")
    name, number = finding.shown_by
    require(name in finding.touches, where, f"shown_by {name!r} is not among what it touches")
    bindings = paper.statements[name].binding
    require(1 <= number <= len(bindings), where, f"{name} has no binding {number}")
    require(bindings[number - 1].refutes, where, f"binding {number} of {name} refutes nothing")


def _check_no_circle(paper: Paper) -> None:
    done: set[str] = set()

    def walk(name: str, path: tuple[str, ...]) -> None:
        require(name not in path, f"statement {name}", f"rests on itself: {' → '.join(path)}")
        if name not in done:
            for below in paper.statements[name].rests_on:
                walk(below, (*path, name))
            done.add(name)

    for name in paper.statements:
        walk(name, ())


def _check_aliases(paper: Paper) -> None:
    owners: dict[str, str] = {}
    entries: list[Statement | Observation] = [*paper.statements.values()]
    for each in (*entries, *paper.observations.values()):
        for alias in each.aliases:
            require(alias not in owners, f"statement {each.id}", f"alias {alias!r} is taken")
            require(alias not in paper.statements, f"statement {each.id}", f"{alias!r} is an id")
            owners[alias] = each.id
    for entry in paper.retired:
        require(entry.id not in owners, f"retired {entry.id}", "is an alias too")
