"""What is missing or does not fit in a paper's folder, one line each, with file and entry.

    source          the digest is not that of the file; sentences that no statement covers
    facts           a binding asks for a fact that is not there, or by another method; a fact has no
                    sentence; nothing asks for it; the table of needs does not say what it needs
    confirmations   a fact has none, or there is one of no fact
    proofs          a theorem has no pinned statement

An entry that breaks a rule of the data is refused before (`verify.judge.rules`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from pathlib import Path

from verify.facts.registry import Fact
from verify.judge.coverage import SourceError, coverage
from verify.record.plan import entries_asking, unfit_facts
from verify.record.subject import PINS, Subject

LISTED = 5


def problems(about: Subject, confirmed: Collection[str], source: Path | None) -> Iterator[str]:
    """Everything that is missing or does not fit; `confirmed` are the facts with a confirmation."""
    facts = about.registered()
    yield from unfit_facts(about.paper, facts)
    yield from _half_added(about, facts, confirmed)
    yield from _not_pinned(about)
    if source is not None:
        yield from _source(about, source)


def _half_added(
    about: Subject, facts: dict[str, Fact], confirmed: Collection[str]
) -> Iterator[str]:
    """Facts of the paper's own code that lack something, and confirmations of nothing."""
    asked = {each.fact for _, each in entries_asking(about.paper)}
    own = {name: each for name, each in facts.items() if not _for_any_paper(each)}
    for name, each in own.items():
        place = f"{Path(each.run.__code__.co_filename).name}: fact {name}"
        if not each.title:
            yield f"{place}: no docstring, expected a sentence that says what holds"
        if name not in asked:
            yield f"{place}: no binding, observation or figure asks for it"
        if name not in confirmed:
            yield f"{place}: no confirmation, a re-check takes it on trust"
    for name in sorted(set(confirmed) - set(facts)):
        yield f"{about.paper.about.code.confirmations}: {name}: a confirmation of no fact"


def _for_any_paper(each: Fact) -> bool:
    return each.run.__module__.startswith("verify.evidence.")


def _not_pinned(about: Subject) -> Iterator[str]:
    """Theorems whose statement is not pinned beside the proofs."""
    path = about.proofs / PINS if about.proofs else None
    pins = json.loads(path.read_text("utf-8")) if path and path.is_file() else {}
    for where, each in entries_asking(about.paper):
        name = each.parameters.get("theorem")
        if each.fact == "coq.theorem" and name not in pins:
            yield f"{where}: theorem {name!r} is not pinned in {path or PINS}"


def _source(about: Subject, path: Path) -> Iterator[str]:
    """The paper's source: its digest, and what no statement covers."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != about.paper.about.source.sha256:
        yield f"paper.toml: source: sha256 is not that of {path.name}, which is {digest}"
    try:
        left = coverage(path, about.paper).open
    except (SourceError, UnicodeDecodeError) as error:
        yield f"{path.name}: {error}"
        return
    for name, text in left[:LISTED]:
        yield f"{path.name}:{name}: no statement covers “{text[:60]}”"
    if len(left) > LISTED:
        yield f"{path.name}: {len(left) - LISTED} more sentences are not covered (assay coverage)"
