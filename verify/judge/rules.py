"""Rules for the data of a paper; an entry that breaks one is refused with its place.

a scope is "all" or names a parameter, so that no number is typed beside the computation
no finite method covers the whole range of a universal or asymptotic statement
a person's word proves nothing and refutes nothing
a failing construction refutes no possibility; only an impossibility does
every refutation belongs to a finding, and every finding to a refutation
a repaired interpretation names its repair
a sentence of its own knows its fields, and drops no condition where the statement holds
ids are names: letters, digits, dots, hyphens and plus signs
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from verify.judge import sentence
from verify.judge.data import (
    FOR_ALL_SIZES,
    INTERPRETATIONS,
    METHODS,
    PERSON,
    RIGOROUS,
    Binding,
    Finding,
    Observation,
    Paper,
    Statement,
)
from verify.judge.entries import InvalidPaper, require

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._+-]*")
VIEW = "view"
MATHEMATICAL = ("universal", "asymptotic", "possibility", "instance", "definition")


def check_name(name: Any, where: str) -> None:
    """Refuse an id that would need escapes in a URL, in LaTeX or in Markdown."""
    named = isinstance(name, str) and NAME.fullmatch(name) is not None
    require(named, where, f"id = {name!r}, expected letters, digits, dots, hyphens, plus signs")


def check_key(key: str, where: str) -> None:
    """Refuse a key that would need escapes in a LaTeX citation."""
    fits = KEY.fullmatch(key) is not None
    require(fits, where, f"key = {key!r}, expected letters, digits and :._+-")


def check_parameters(parameters: Any, where: str) -> None:
    """Parameters are whole numbers, texts, true or false, lists and tables of these."""
    if isinstance(parameters, Mapping):
        parameters = list(parameters.values())
    if isinstance(parameters, list):
        for value in parameters:
            check_parameters(value, where)
        return
    fits = isinstance(parameters, str | int)
    require(fits, where, f"parameter {parameters!r}: expected a whole number or a text")


def check_statement(each: Statement, where: str) -> None:
    """The rules that concern one statement."""
    check_name(each.id, where)
    repaired = any(b.interpretation == "repaired" for b in each.binding)
    require(
        not repaired or each.repair is not None, where, "a repaired interpretation needs its repair"
    )
    require(each.form != VIEW or not each.binding, where, "a view has no verdict and no binding")
    require(bool(each.binding or each.reason), where, "without a binding it needs a reason")
    require(each.ours or bool(each.places), where, "a statement of the paper needs its places")
    for place in each.places:
        require(len(place) == 2 and place[0] <= place[1], where, f"place {place!r}")
    for number, binding in enumerate(each.binding, 1):
        check_binding(binding, each.form, f"{where}: binding {number}")
    _check_cite(each, where)


def _check_cite(each: Statement, where: str) -> None:
    for verdict, template in each.cite.items():
        fields = sentence.fields_of(template)
        for name in sorted(fields - sentence.FIELDS):
            require(False, where, f"cite.{verdict}: no field {name!r}")
        holds = verdict in ("proved", "checked", "measured", "vouched", "repaired")
        dropped = [one for one in (*each.under, *each.conditions) if one not in template]
        fits = not holds or not dropped or "given" in fields
        require(fits, where, f"cite.{verdict} drops a condition: {''.join(dropped[:1])}")


def check_binding(each: Binding, form: str, where: str) -> None:
    """The rules that concern one binding of a statement of this form."""
    known = ", ".join(METHODS)
    require(
        each.method in METHODS, where, f"unknown method {each.method!r}, expected one of {known}"
    )
    require(each.outcome in ("holds", "fails"), where, f"unknown outcome {each.outcome!r}")
    require(
        each.interpretation in INTERPRETATIONS,
        where,
        f"unknown interpretation {each.interpretation!r}",
    )
    require(each.profile in ("quick", "full"), where, f"unknown profile {each.profile!r}")
    check_parameters(each.parameters, where)
    _check_scope(each, where)
    whole = form in ("universal", "asymptotic") and not each.refutes and each.covers == "all"
    finite = each.method not in FOR_ALL_SIZES and each.method != PERSON
    says = f"{each.method} never covers the whole range of {_article(form)} statement"
    require(not (whole and finite), where, says)
    fails = form == "possibility" and each.outcome == "fails"
    require(not fails, where, "a failure refutes no possibility; only an impossibility does")
    rigorous = form not in MATHEMATICAL or each.method in RIGOROUS
    says = f"a refutation needs a rigorous method, not {each.method}"
    require(not each.refutes or (rigorous and each.method != PERSON), where, says)


def _check_scope(each: Binding, where: str) -> None:
    named = any(f"{{{name}}}" in each.covers for name in each.parameters)
    require(each.covers == "all" or named, where, "a part of the range must name a {parameter}")
    try:
        _ = each.scope
    except (KeyError, IndexError, ValueError) as error:
        raise InvalidPaper(f"{where}: covers = {each.covers!r}: no parameter {error}") from None


def check_references(paper: Paper) -> None:
    """Check that an entry that another one names exists and fits."""
    for each in paper.statements.values():
        where = paper.where[each.id]
        for name in (*each.rests_on, *filter(None, (each.same_as, each.answered_by))):
            require(name in paper.statements, where, f"no statement {name!r}")
        _check_refuted(paper, each, where)
    _check_no_circle(paper)
    _check_aliases(paper)
    for finding in paper.findings.values():
        _check_finding(paper, finding, paper.where[finding.id])
    for answer in paper.answers:
        names = filter(None, (answer.statement, answer.instead))
        _check_known(paper, list(names), paper.where[f"answer {answer.name}"])
    for name in chain.from_iterable(paper.about.first_figures):
        require(name in paper.figures, "paper.toml: first_figures", f"no figure {name!r}")
    for figure in paper.figures.values():
        _check_known(paper, figure.statements, paper.where[figure.id])


def _check_known(paper: Paper, names: Sequence[str], where: str) -> None:
    for name in names:
        require(name in paper.statements, where, f"no statement {name!r}")


def _check_refuted(paper: Paper, each: Statement, where: str) -> None:
    refuted = any(b.refutes and b.interpretation == "printed" for b in each.binding)
    touched = any(each.id in finding.touches for finding in paper.findings.values())
    require(not refuted or touched, where, "it is refuted and belongs to no finding")


def _check_finding(paper: Paper, finding: Finding, where: str) -> None:
    _check_known(paper, finding.touches, where)
    for name in finding.grades:
        require(name in finding.touches, where, f"grades: it does not touch {name!r}")
    require(not finding.figure or finding.figure in paper.figures, where, "no such figure")
    require(len(finding.shown_by) == 2, where, "shown_by names a statement and a binding")
    name, number = finding.shown_by
    require(name in finding.touches, where, f"shown_by {name!r} is not among what it touches")
    bindings = paper.statements[name].binding
    require(1 <= number <= len(bindings), where, f"{name} has no binding {number}")
    require(bindings[number - 1].refutes, where, f"binding {number} of {name} refutes nothing")


def _check_no_circle(paper: Paper) -> None:
    done: set[str] = set()

    def walk(name: str, path: tuple[str, ...]) -> None:
        require(name not in path, paper.where[name], f"rests on itself: {' → '.join(path)}")
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
            require(alias not in owners, paper.where[each.id], f"alias {alias!r} is taken")
            require(alias not in paper.statements, paper.where[each.id], f"{alias!r} is an id")
            owners[alias] = each.id


def _article(noun: str) -> str:
    """Return a noun with its indefinite article."""
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"
