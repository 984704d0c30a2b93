"""Faults of a paper's folder, one line each, with file and entry.

    source          the file is missing; the digest is not that of the file; a place past its end;
                    sentences that no statement covers
    findings        a witness names a value that neither the fact nor its confirmation mentions
    facts           a binding asks for a fact that is not there, or by another method; a fact has no
                    sentence, no line in its module's docstring; nothing asks for it; the table of
                    needs does not say what it needs; a tool computes a fact that is not there
    confirmations   a fact has none by its method, or there is one of no fact
    proofs          a theorem has no pinned statement

An entry that breaks a rule of the data is refused before (`verify.judge.rules`).
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from verify.facts.registry import Fact
from verify.judge.coverage import SourceError, uncovered
from verify.judge.data import Finding, Paper, Statement
from verify.judge.sentence import fields_of
from verify.record.chosen_paper import PINS, ChosenPaper
from verify.record.plan import entries_asking, misfits

LISTED = 5


def problems(
    about: ChosenPaper, confirmed: Mapping[str, str], source: Path | None, every: bool = False
) -> Iterator[str]:
    """Everything that is missing or does not fit; `confirmed` are the methods of confirmations."""
    facts = about.registered()
    yield from misfits(about.paper, facts)
    for tool, computed in about.paper.about.tools.items():
        for name in sorted(set(computed) - set(facts)):
            yield f"paper.toml: tools: {tool}: no fact {name!r}"
    own = {name: each for name, each in facts.items() if not _for_any_paper(each)}
    for each in own.values():
        yield from missing_places(each, about.paper, own, confirmed)
    for name in sorted(set(confirmed) - set(facts)):
        yield f"{about.paper.about.code.confirmations}: {name}: a confirmation of no fact"
    yield from _not_pinned(about)
    yield from _unknown_names(about.paper, own)
    if source is not None:
        yield from _source(about, source, every)
    elif about.folder is not None:
        yield from _no_source(about)


def missing_places(
    each: Fact, paper: Paper, own: Mapping[str, Fact], confirmed: Mapping[str, str]
) -> Iterator[str]:
    """Missing confirmation of a fact of the paper's own code, with its file."""
    module = sys.modules[each.run.__module__]
    file, code = Path(str(module.__file__)).name, paper.about.code
    place = f"{file}: fact {each.id}"
    beside = [other for other in own.values() if other.run.__module__ == each.run.__module__]
    used = {entry.fact for _, entry in entries_asking(paper)}
    if not each.title.endswith((".", ":")):
        yield f"{place}: no docstring, expected a sentence that says what holds"
    if each.id not in (module.__doc__ or "") and len(beside) > 1:
        yield f"{place}: no line in the docstring of {file}"
    if each.id not in used:
        yield f"{place}: no binding, observation or figure asks for it"
    if confirmed.get(each.id) != each.method:
        declared = f'@confirms("{each.id}", "{each.method}", …)'
        then = (
            "`assay recheck --trust` refuses it" if code.confirmations else "it is taken on trust"
        )
        file = code.confirmations or "paper.toml: code: confirmations"
        yield f"{place}: no {declared} in {file}; {then}"
    need, stated = "".join(each.needs[:1]), paper.about.need_of(each.id)
    if each.id not in used and need != stated:
        yield f"{place}: needs {need!r}, [needs] of paper.toml has {stated!r}"


def _for_any_paper(each: Fact) -> bool:
    return each.run.__module__.startswith("verify.evidence.")


def _not_pinned(about: ChosenPaper) -> Iterator[str]:
    """Theorems whose statement is not pinned beside the proofs."""
    path = about.proofs / PINS if about.proofs else None
    pins = json.loads(path.read_text("utf-8")) if path and path.is_file() else {}
    for where, each in entries_asking(about.paper):
        name = each.parameters.get("theorem")
        if each.fact == "coq.theorem" and name not in pins:
            yield f"{where}: theorem {name!r} is not pinned in {path or PINS}"


def _no_source(about: ChosenPaper) -> Iterator[str]:
    """Return what is wrong where the folder's source cannot be read."""
    name = about.paper.about.source.file
    if name:
        yield f"paper.toml: source: no such file: {name}"
    else:
        yield 'paper.toml: source: no file, expected file = "paper.tex"; places are not checked'


def _unknown_names(paper: Paper, own: Mapping[str, Fact]) -> Iterator[str]:
    """Return the values that a witness names and that occur nowhere in the fact's own code."""
    for finding in paper.findings.values():
        name, number = finding.shown_by
        binding = paper.statements[name].binding[number - 1]
        if (each := own.get(binding.fact)) is None:
            continue
        code = inspect.getsource(sys.modules[each.run.__module__])
        words = {*re.findall(r"\w+", code), *binding.parameters}
        for field in sorted(fields_of(finding.witness) - words):
            yield f"{paper.where[finding.id]}: witness: no value {field!r} in the fact {each.id}"


def _source(about: ChosenPaper, path: Path, every: bool) -> Iterator[str]:
    """The paper's source: its digest, and what no statement covers."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != about.paper.about.source.sha256:
        yield f"paper.toml: source: sha256 is not that of {path.name}, which is {digest}"
    try:
        yield from _past_the_end(about.paper, len(path.read_text("utf-8").splitlines()), path.name)
        left = uncovered(path.read_text("utf-8"), about.paper)
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        yield f"{path.name}:{line}: no UTF-8 text; save the file as UTF-8"
        return
    except SourceError as error:
        yield f"{path.name}: {error}"
        return
    most = len(left) if every else LISTED
    for name, text in left[:most]:
        yield f"{path.name}:{name}: no statement covers “{text[:60]}”"
    if len(left) > most:
        yield f"{path.name}: {len(left) - most} more sentences are not covered (assay lint --all)"


def _past_the_end(paper: Paper, lines: int, name: str) -> Iterator[str]:
    """Return the places that name lines which the source does not have."""
    named: list[Statement | Finding] = [*paper.statements.values(), *paper.findings.values()]
    entries = [(paper.where[each.id], each.places) for each in named]
    entries += [(f"silent {n}", silent.places) for n, silent in enumerate(paper.silent, 1)]
    for where, places in entries:
        for first, last in places:
            if not 1 <= first <= last <= lines:
                yield f"{where}: places: [{first}, {last}], but {name} has {lines} lines"
