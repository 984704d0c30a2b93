"""Resolve a statement's name: an id, an old id, the paper's number, a row of page one, or a prefix."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

Row = Mapping[str, Any]
SHORT = {
    "theorem": "thm",
    "thm": "thm",
    "corollary": "cor",
    "lemma": "lem",
    "definition": "def",
    "equation": "eq",
    "eq": "eq",
    "table": "tab",
    "figure": "fig",
}


class UnknownStatement(LookupError):
    """No statement has that name; `near` are the closest ids, the most general ones first."""

    def __init__(self, name: str, near: Sequence[str]) -> None:
        super().__init__(name)
        self.near = tuple(near)


def resolve(name: str, rows: Sequence[Row], answers: Sequence[Row] = ()) -> str:
    """The id of the statement that a name means; `answers` are the rows of page one."""
    wanted = normal_form(name)
    for candidates in (_ids(rows), _numbers(rows), _aliases(rows), _answers(answers)):
        if wanted in candidates:
            return candidates[wanted]
    beginning = [row["id"] for row in rows if row["id"].startswith(f"{wanted}.")]
    loose = [row["id"] for row in rows if row["id"].startswith(wanted)]
    for found in (beginning, loose):
        if len(found) == 1:
            return str(found[0])
    raise UnknownStatement(name, (beginning or loose)[:5] or _near(wanted, rows))


def below(name: str, rows: Sequence[Row], answers: Sequence[Row] = ()) -> list[str]:
    """The ids of a statement and of all below it; the beginning of an id is enough."""
    wanted = normal_form(name)
    under = [r["id"] for r in rows if r["id"] == wanted or r["id"].startswith(f"{wanted}.")]
    return under or [resolve(name, rows, answers)]


def normal_form(name: str) -> str:
    """One form for "Theorem 2", "Thm. 2" and "thm2", and for "Eq. (1)" and "eq1"."""
    text = name.strip().lower().replace("(", " ").replace(")", " ").strip()
    match = re.fullmatch(r"([a-z]+)\.?\s*([0-9][0-9.]*)", text)
    if match and match[1] in SHORT:
        return SHORT[match[1]] + match[2].rstrip(".")
    return text


def _ids(rows: Sequence[Row]) -> dict[str, str]:
    return {row["id"].lower(): row["id"] for row in rows}


def _numbers(rows: Sequence[Row]) -> dict[str, str]:
    return {normal_form(row["numbered"]): row["id"] for row in reversed(rows) if row["numbered"]}


def _aliases(rows: Sequence[Row]) -> dict[str, str]:
    return {alias.lower(): row["id"] for row in rows for alias in row["aliases"]}


def _answers(answers: Sequence[Row]) -> dict[str, str]:
    return {normal_form(answer["name"]): answer["statement"] for answer in answers}


def _near(wanted: str, rows: Sequence[Row]) -> list[str]:
    """Statements that have the word in their id or title, or ids that are spelt alike."""
    ids = [row["id"] for row in rows]
    having = [
        row["id"] for row in rows if wanted and wanted in f"{row['id']} {row['title']}".lower()
    ]
    close = having or get_close_matches(wanted, ids, n=8, cutoff=0.4)
    return sorted(close, key=lambda name: (name.count("."), ids.index(name)))[:3] or ids[:3]
