"""A record of somebody's folder, judged again: whose data count, and what follows from its facts.

    the package    a record on the paper of this package is judged by the package's data
    --about DIR    by the data of a paper's folder; no code of it is run
    a report       on another paper carries its data along; that they are its own is said

Judging takes a fraction of a second, so that no command speaks from a record that was not judged
again. Its facts are confirmed by `assay recheck`, which takes longer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from constructions.core.errors import InputError
from verify.judge.entries import InvalidPaper
from verify.judge.paper import load, parse
from verify.recheck import data
from verify.recheck.errors import Refused, Unreadable, one_line
from verify.recheck.files import carried_data, read_table
from verify.recheck.program import JudgedPaper, judge_record
from verify.record.chosen_paper import (
    TEMPLATE,
    choose,
    confirmations_by_digest,
    confirmations_of,
    is_code_of_template,
    is_template,
)


def judge_again(record: dict[str, Any], folder: Path, about: Path | None = None) -> str:
    """Refuse a record that its facts do not give; else what was not looked at, in a line."""
    judged = of_folder(about) if about else of_report(folder)
    try:
        certificates = read_table(folder, "certificates.json")
        judge_record(record, certificates, judged or JudgedPaper(data.read()))
    except Refused as error:
        raise InputError("record", f"refused: {one_line(error)}", "", str(folder)) from None
    by = f", {judged.note}" if judged else ""
    where = one_line(ValueError(str(folder)))
    verdicts = f"{where}: its verdicts are judged again{by}"
    return f"{verdicts}; its facts are not re-checked, `assay recheck` confirms them"


def of_folder(folder: Path, trust: bool = False) -> JudgedPaper:
    """The data of a paper's folder; its code is not run, unless it is the template's or trusted."""
    about = choose(folder)
    proofs = about.proofs if trust or is_template(about) else None
    code = confirmations_of(about, trust)
    return _subject(about.carried(), code, proofs, f"judged by the data of {folder}")


def of_report(folder: Path) -> JudgedPaper | None:
    """The data that a report carries along; None if it carries none, and is on our paper."""
    try:
        texts = carried_data(folder)
        if texts is None:
            return None
        record = read_table(folder, "record.json")
    except Unreadable as error:
        raise InputError("paper", one_line(error), "") from None
    note = "judged by the data that the report carries, not by data of yours (--about DIR)"
    code = str(record.get("code")) or "none"
    proofs = TEMPLATE / "proofs" if is_code_of_template(code) else None
    return _subject(texts, confirmations_by_digest(code), proofs, note)


def _subject(texts: dict[str, str], code: str, proofs: Path | None, note: str) -> JudgedPaper:
    """Another paper to judge by; ours is judged by the data of the package."""
    try:
        source = parse(texts).about.source.sha256
    except InvalidPaper as error:
        raise InputError("paper", str(error), "") from None
    if source == load().about.source.sha256:
        found = "the source of this package's paper"
        raise InputError("paper", found, "another paper: on this one the package's data count")
    return JudgedPaper(data.parse(texts), code, proofs, note)
