"""References to a paper and to its check in text, LaTeX and BibTeX, from the head of a record."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from typing import Any

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._+-]*")
Head = Mapping[str, Any]
Row = Mapping[str, Any]


def references(paper: Head) -> list[str]:
    """Texts of [1] and [2]."""
    return [f"[1] {paper['paper']['text']}", f"[2] {paper['check']['text']}"]


def with_key(paper: Head, key: str) -> Head:
    """The head of a record with the reader's own BibTeX key of the paper, if there is one."""
    if not key:
        return paper
    ours = paper["paper"]
    entry = ours["bibtex"].replace(f"{{{ours['key']},", f"{{{key},", 1)
    return {**paper, "paper": {**ours, "key": key, "bibtex": entry}}


def bibtex(paper: Head) -> str:
    """One entry for the paper and one for the check."""
    return f"{paper['paper']['bibtex']}\n\n{paper['check']['bibtex']}"


def latex_sentence(row: Row, paper: Head, full: bool = False) -> str:
    """The sentence for a LaTeX source, with citations and the mark that `assay tex` checks.

    `full` puts the note into a footnote.
    """
    from reports.citing import by_key, latex_text

    cite = by_key({"1": paper["paper"]["key"], "2": paper["check"]["key"]})
    note = rf"\footnote{{{latex_text(row['note'], cite)}}}" if full and row["note"] else ""
    return f"{latex_text(row['sentence'], cite)}{note} % assay: {row['id']} = {row['verdict']}"


def bibtex_key(text: str) -> str:
    """Return a BibTeX key as it is given; refuse other text."""
    if not KEY.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r}, expected letters, digits and any of :._+-")
    return text
