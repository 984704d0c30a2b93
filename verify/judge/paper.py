"""Reads a paper's folder: `paper.toml`, and statements, findings and page one from the other TOML files.

    read(folder)     the paper of a folder
    parse(texts)     the same of the folder's texts by file name, as a report carries them
    load()           the paper that comes with the package

An entry that breaks a rule (`verify.judge.rules`) is refused with its file, its name and the rule.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from verify.judge.about import About
from verify.judge.conditions import check_conditions
from verify.judge.data import (
    FORMS,
    GRADES,
    Binding,
    Condition,
    Figure,
    Finding,
    Observation,
    PageEntry,
    Paper,
    Repair,
    Silent,
    Statement,
    digest,
)
from verify.judge.entries import Entry, InvalidPaper, Table, build, require
from verify.judge.rules import (
    check_key,
    check_name,
    check_parameters,
    check_references,
    check_statement,
)

NAMED = ("statement", "result", "finding", "observation", "figure", "condition")
KINDS = (*NAMED, "silent", "answer")
PAPER = "paper.toml"
ERRATUM = "erratum.tex"
# The LaTeX commands of an erratum: text, lists and formulas. Everything else could open a file, run a
# program or change what letters mean, and is refused.
COMMANDS_TEXT = """
    machinechecked corrects section subsection paragraph item begin end emph textbf textit texttt textrm
    label ref eqref cite footnote noindent par medskip smallskip bigskip quad qquad ensuremath text
    mathrm mathbf mathbb mathcal mathit mathsf operatorname left right big Big bigl bigr Bigl Bigr frac
    tfrac dfrac sqrt sum prod int log exp max min sin cos tan tanh lim sup inf arg dim deg det gcd le
    leq ge geq neq ne equiv sim approx cong cdot cdots ldots dots times otimes oplus circ div pm mp in
    notin ni subset subseteq cup cap setminus emptyset forall exists neg land lor to mapsto rightarrow
    Rightarrow leftarrow Leftarrow iff implies colon mid parallel infty partial nabla prime top bot perp
    langle rangle lceil rceil lfloor rfloor lVert rVert lvert rvert Vert vert star ast dagger alpha beta
    gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau
    upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega bar hat
    tilde vec dot overline underline underbrace overbrace binom pmod bmod mod limits nolimits
    displaystyle textstyle hspace vspace dag ell Re Im textbackslash textasciitilde textasciicircum
    textquotedblleft textquotedblright ss ae oe o i j S P small choose rule itemsep setlength hfill
    vfill
"""
COMMANDS = frozenset(COMMANDS_TEXT.split())
ENVIRONMENTS_TEXT = """
    itemize enumerate description quote center equation equation* align align* gather gather* cases
    array matrix pmatrix bmatrix tabular theorem lemma proposition corollary proof
"""
ENVIRONMENTS = frozenset(ENVIRONMENTS_TEXT.split())
COMMAND = re.compile(r"\\([A-Za-z@]+)(?:(?<=\\begin)\s*\{([^{}]*)\})?|\^\^")
Places = dict[str, list[tuple[str, Table]]]


@cache
def load() -> Paper:
    """The paper that comes with the package."""
    return read(files("verify") / "paper")


def read(folder: Traversable) -> Paper:
    """The paper of a folder."""
    return parse(texts_of(folder))


def _text(path: Traversable) -> str:
    return path.read_text(encoding="utf-8")


def texts_of(folder: Traversable, read: Callable[[Any], str] = _text) -> dict[str, str]:
    """The data of a folder by file name, in the order of their names; no code."""
    found = {}
    for path in sorted(folder.iterdir(), key=lambda file: file.name):
        if path.name.endswith(".toml") or path.name == ERRATUM:
            try:
                found[path.name] = read(path)
            except UnicodeDecodeError:
                raise InvalidPaper(f"{path.name}: no UTF-8 text") from None
    return found


def parse(texts: Mapping[str, str]) -> Paper:
    """The paper of a folder's texts by file name."""
    require(PAPER in texts, PAPER, "no such file in the folder of a paper")
    entries: Places = {kind: [] for kind in KINDS}
    for name, text in texts.items():
        if name.endswith(".toml") and name != PAPER:
            _collect(name, text, entries)
    statements = dict(_statements(entries["statement"], ours=False))
    statements |= _statements(entries["result"], ours=True)
    paper = Paper(
        _about(texts),
        statements,
        _unique(Finding, "finding", entries),
        _unique(Observation, "observation", entries),
        _unique(Figure, "figure", entries),
        tuple(build(Silent, entry, where) for where, entry in entries["silent"]),
        tuple(build(PageEntry, entry, where) for where, entry in entries["answer"]),
        {entry["id"]: digest(entry) for kind in KINDS[:2] for _, entry in entries[kind]},
        _where(entries),
        _unique(Condition, "condition", entries),
    )
    require(bool(statements), PAPER, "no statement in any file beside it")
    check_references(paper)
    check_conditions(paper)
    return paper


def _about(texts: Mapping[str, str]) -> About:
    erratum = texts.get(ERRATUM, "")
    for found in COMMAND.finditer(erratum):
        known = found[1] in COMMANDS and (found[1] != "begin" or found[2] in ENVIRONMENTS)
        require(
            known, ERRATUM, f"{found[0]} has no place in an erratum: text, lists and formulas only"
        )
    table = _toml(PAPER, texts[PAPER])
    require("erratum" not in table, PAPER, f"unknown key 'erratum', write it as {ERRATUM}")
    about = build(About, {**table, "erratum": erratum}, PAPER)
    fits = re.fullmatch(r"[0-9a-f]{64}", about.source.sha256)
    require(
        fits is not None, f"{PAPER}: source", "sha256 is the SHA-256 of the source in hexadecimal"
    )
    for name in about.data:
        check_name(name, f"{PAPER}: data")
    for name, reference in (("paper", about.paper), ("check", about.check)):
        check_key(reference.key, f"{PAPER}: {name}")
    return about


def _toml(name: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InvalidPaper(f"{name}: {error}") from None


def _collect(name: str, text: str, entries: Places) -> None:
    for kind, tables in _toml(name, text).items():
        require(kind in KINDS, name, f"unknown table {kind!r}, expected one of {', '.join(KINDS)}")
        rows = isinstance(tables, list) and all(isinstance(entry, dict) for entry in tables)
        require(rows, name, f"{kind}: expected tables [[{kind}]]")
        for number, entry in enumerate(tables, 1):
            entries[kind].append(
                (f"{name}: {kind} {entry.get('id', entry.get('name', number))}", entry)
            )


def _where(entries: Places) -> dict[str, str]:
    """The file and the entry of each id; of an answer, by its name."""
    named = {entry["id"]: where for kind in NAMED for where, entry in entries[kind]}
    answers = {f"answer {entry['name']}": where for where, entry in entries["answer"]}
    return {**named, **answers}


def _unique(kind: type[Entry], name: str, entries: Places) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for where, entry in entries[name]:
        made = build(kind, entry, where)
        check_name(entry["id"], where)
        require(entry["id"] not in found, where, "stands twice")
        check_parameters(entry.get("parameters", {}), where)
        found[entry["id"]] = made
        if isinstance(made, Finding):
            for grade in (made.grade, *made.grades.values()):
                require(grade in GRADES, where, f"unknown grade {grade!r}")
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
    require("ours" not in entry, where, "unknown key 'ours', write it as a [[result]]")
    bindings = entry.get("binding", [])
    require(isinstance(bindings, list), where, "binding: expected tables [[statement.binding]]")
    made = tuple(
        build(Binding, item, f"{where}: binding {number}")
        for number, item in enumerate(bindings, 1)
    )
    repair = build(Repair, entry["repair"], where) if "repair" in entry else None
    each = build(Statement, {**entry, "binding": made, "repair": repair, "ours": ours}, where)
    check_statement(each, where)
    return each
