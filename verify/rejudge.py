"""A record of a user's folder, judged again before any command uses it.

    the package    a record on the paper of this package is judged by the package's data
    --about DIR    by the data of a paper's folder; no code of it is run
    a report       on another paper carries its data along; a record that is judged by them is never
                   confirmed (exit status 2): whoever wrote the record wrote them too

Judging takes a fraction of a second. The facts of a record are confirmed by `assay recheck`, which
takes longer.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from constructions.core.bounded_files import check_file
from constructions.core.errors import InputError
from verify.facts.registry import import_path
from verify.judge.about import FULL, About
from verify.judge.data import Paper
from verify.judge.entries import InvalidPaper
from verify.judge.outcome import Outcome
from verify.judge.paper import load, parse
from verify.judge.verdict import Disagreement, judge
from verify.recheck import data
from verify.recheck.confirmations import OURS, trust_reason
from verify.recheck.confirmations import TEMPLATE as TEMPLATE_CODE
from verify.recheck.errors import MALFORMED, Refused, Unreadable, one_line
from verify.recheck.files import carried_data, read_table
from verify.recheck.program import JudgedPaper, judge_record
from verify.record import source
from verify.record.chosen_paper import (
    PINS,
    TEMPLATE,
    ChosenPaper,
    choose,
    is_code_of_template,
    is_template,
)
from verify.record.plan import asking
from verify.record.record import RunInfo, assemble

ALIKE = 0.9  # of titles and references: similar letters of another alphabet are no other paper


def record_for(args: argparse.Namespace) -> dict[str, Any]:
    """Return the record that `--from` and `--about` name, judged again unless it is the published one.

    `args.note` says by whose data, for standard error; `args.carried` that they are the record's own.
    """
    folder = source.folder_of(args)
    if folder is None:
        return source.load()
    check_file(source.record_path(folder))
    try:
        record = read_table(folder, "record.json")
    except Unreadable as error:
        raise InputError("record", one_line(error), "", str(folder)) from None
    args.note, args.carried = judge_again(record, folder, args.about)
    return record


def judge_again(
    record: dict[str, Any], folder: Path, about: Path | None = None
) -> tuple[str, bool]:
    """Refuse a record that does not follow from its facts; else return a line on unchecked parts.

    Also return whether the record was judged by the data that it carries.
    """
    if about and _has_broken_rows(record):
        return judge_broken(record, folder, about), False
    judged = of_folder(about) if about else of_report(folder)
    try:
        certificates = read_table(folder, "certificates.json")
        judge_record(record, certificates, judged or JudgedPaper(data.read()))
    except Refused as error:
        raise InputError("record", f"refused: {one_line(error)}", "", str(folder)) from None
    by = f", {judged.note}" if judged else ""
    where = one_line(ValueError(str(folder)))
    verdicts = f"{where}: its verdicts are judged again{by}"
    note = f"{verdicts}; its facts are not re-checked, `assay recheck` confirms them"
    return note, bool(judged and judged.carried)


def _has_broken_rows(record: dict[str, Any]) -> bool:
    rows = record.get("statements")
    listed = rows if isinstance(rows, list) else []
    return any(isinstance(row, dict) and row.get("rank") == "broken" for row in listed)


def judge_broken(record: dict[str, Any], folder: Path, about: Path) -> str:
    """Judge a record with broken statements, which no re-check accepts, from the folder's own data.

    The record is assembled again from its certificates and must be the same field by field. Return
    the line for standard error that names the broken statements.
    """
    paper = choose(about).paper
    try:
        certificates = read_table(folder, "certificates.json")
        found = _outcomes(record, certificates, paper)
        inherited = {
            b.key
            for row in record["statements"]
            if row["inherited"]
            for b in paper.statements[row["id"]].binding
        }
        run = RunInfo(
            record["profile"], record["missing"], record["base"], inherited,
            record["code"], trust_of(record["code"]),
        )  # fmt: skip
        again = assemble(paper, found, judge(paper, found), run)
    except (*MALFORMED, Refused, Disagreement, InvalidPaper) as error:
        raise InputError("record", f"refused: {one_line(error)}", "", str(folder)) from None
    if again != (record, certificates):
        fault = "it does not follow from its certificates and the data of the folder"
        raise InputError("record", f"refused: {fault}", "", str(folder))
    broken = [row["id"] for row in record["statements"] if row["rank"] == "broken"]
    names = f"{', '.join(broken[:3])}{', …' if len(broken) > 3 else ''}"
    return f"{folder}: broken: {names}; correct their facts and run them again"


def _outcomes(
    record: dict[str, Any], certificates: dict[str, Any], paper: Paper
) -> dict[str, Outcome]:
    """Return the outcome of each fact; a crash as the record describes it, else what was missing."""
    found: dict[str, Outcome] = {}
    for each in certificates["certificates"]:
        found[each["key"]] = Outcome(each["holds"], each["values"], each["witness"])
    for row in record["statements"]:
        for interpretation in row["interpretations"]:
            for binding in interpretation["bindings"]:
                name = binding["certificate"]
                if binding["weight"] == "broken" and found[name].holds is None:
                    reason = interpretation["reason"].removeprefix(f"{binding['fact']}: ")
                    found[name] = Outcome(crash=reason)
    lacking = record["missing"]
    for entry, _ in asking(paper):
        if entry.key not in found:
            need = paper.about.need_of(entry.fact)
            full = (
                FULL if FULL in lacking and entry.profile == "full" else "a run of this statement"
            )
            found[entry.key] = Outcome(missing=need if need in lacking else full)
    return found


def of_folder(folder: Path, trust: bool = False) -> JudgedPaper:
    """Return the data of a paper's folder; its code is not run, unless it is the template's or trusted."""
    about = choose(folder)
    proofs = about.proofs if trust or is_template(about) else None
    code, texts = confirmations_of(about, trust), about.carried()
    _about_another_paper(texts)
    return JudgedPaper(data.parse(texts), code, proofs, f"judged by the data of {folder}")


def of_report(folder: Path) -> JudgedPaper | None:
    """Return the data that a report carries along; None if it carries none, and is on our paper."""
    try:
        texts = carried_data(folder)
        if texts is None:
            return None
        record = read_table(folder, "record.json")
    except Unreadable as error:
        raise InputError("paper", one_line(error), "") from None
    note = "judged by the data that the report carries, not by data of yours (--about DIR)"
    about = _about_another_paper(texts)
    _not_under_our_name(about)
    code = str(record.get("code")) or "none"
    proofs = TEMPLATE / "proofs" if is_code_of_template(code) else None
    if proofs and texts.get(PINS) != (proofs / PINS).read_text("utf-8"):
        raise InputError(
            "paper", "its pinned theorems are not those of its proofs", "", str(folder)
        )
    code = confirmations_by_digest(code)
    return JudgedPaper(data.parse(texts), code, proofs, note, carried=True)


def _about_another_paper(texts: dict[str, str]) -> About:
    """Return the head of the data's paper; refuse our paper, which the package's data judge."""
    try:
        about = parse(texts).about
    except InvalidPaper as error:
        raise InputError("paper", str(error), "") from None
    if about.source.sha256 == load().about.source.sha256:
        found = "the source of this package's paper"
        raise InputError(
            "paper", found, "a different paper: only the package's data judge this one"
        )
    return about


def _not_under_our_name(about: About) -> None:
    """Refuse a report with its own data under the name of this package's paper."""
    ours = load().about
    pairs = {
        "title": (about.title, ours.title),
        "key": (about.paper.key, ours.paper.key),
        "reference": (about.paper.text, ours.paper.text),
        "BibTeX entry": (about.paper.bibtex, ours.paper.bibtex),
        "url": (about.url, ours.url),
    }
    for name, (theirs, own) in pairs.items():
        alike = SequenceMatcher(None, theirs.casefold(), own.casefold()).ratio() > ALIKE
        if theirs and (alike if " " in own else theirs.casefold() == own.casefold()):
            found = f"the {name} of this package's paper"
            raise InputError(
                "paper", found, "a different paper: only the package's data judge this one"
            )


def confirmations_of(about: ChosenPaper, trust: bool) -> str:
    """Return which confirmations a re-check uses: ours, the template's, trusted ones, or none."""
    name = about.paper.about.code.confirmations
    if about.folder is None:
        return OURS
    if is_template(about):
        return TEMPLATE_CODE
    if not (trust and name):
        return ""
    try:
        return import_path(about.folder / name)
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise InputError("confirmations", what, "Python that can be imported", name) from None


def confirmations_by_digest(code: str) -> str:
    """Return which confirmations a re-check uses that knows only the digest of a paper's code."""
    if not code:
        return OURS
    return TEMPLATE_CODE if is_code_of_template(code) else ""


def trust_of(code: str) -> Callable[[str], str]:
    """Return what the re-checker takes on trust of a fact, for code with this digest."""
    used = confirmations_by_digest(code)
    return lambda fact: trust_reason(fact, used)
