"""The matrix of conditions judged again, by rules written anew.

Each cell belongs to a condition and a theorem, and names entries of the data. What these show:

    not needed                the theorem, or a possibility among its parts, holds without the condition
    false as printed          a finding and a faulty part of the theorem that it touches
    needed, missing in print  a finding on a part of the theorem, which does not state the condition
    stated                    a definition, or a statement of the paper that has the condition
    used, not stated          a part of the theorem, which does not state the condition

A cell of the data must have the first of these that fits if all facts come out as expected; in the
record a cell is shown where it fits what was decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.recheck import judge
from verify.recheck.data import Data, Table
from verify.recheck.errors import Refused, abbreviate
from verify.recheck.evidence import Evidence

Verdicts = Mapping[str, Mapping[str, Any]]  # rank and standing of each statement


class Expected(Evidence):
    """Evidence in which every fact was decided as its bindings expect."""

    def worth(self, name: str) -> str:
        """Return "decided" for every certificate."""
        return "decided"


def check_states(data: Data) -> None:
    """Refuse data in which a cell's state is not the one that its evidence shows."""
    if not data.conditions:
        return
    verdicts = {n: judge.verdict(s, data, Expected({}, {})) for n, s in data.statements.items()}
    standing = judge.standings(data, verdicts)
    expected = {n: {"rank": v.rank, "standing": standing[n][0]} for n, v in verdicts.items()}
    for row in data.conditions:
        for theorem, cell in row["cells"].items():
            found = state_of(row, theorem, data, expected)
            if cell["state"] != found:
                stated = abbreviate(cell["state"])
                where = f"condition {row['id']}: {theorem}"
                raise Refused(f"{where}: stated {stated}, its evidence shows {found!r}")


def condition_rows(data: Data, verdicts: Verdicts) -> list[Table]:
    """Return the rows that a record of these verdicts has."""
    return [
        {
            **{name: row[name] for name in ("id", "group", "name", "clause")},
            "words": row.get("words", []),
            "cells": [
                {
                    "statement": theorem,
                    "state": cell["state"],
                    "evidence": cell["evidence"],
                    "note": cell.get("note", ""),
                    "shown": state_of(row, theorem, data, verdicts) == cell["state"],
                }
                for theorem, cell in row["cells"].items()
            ],
        }
        for row in data.conditions
    ]


def state_of(row: Table, theorem: str, data: Data, verdicts: Verdicts) -> str:
    """Return the state that the evidence of a cell shows, or ""."""
    named = row["cells"][theorem]["evidence"]
    entries = [data.statements[n] for n in named if n in data.statements]
    printed = [s for s in entries if not s.get("ours", False)]
    touched = {t for n in named if n in data.findings for t in data.findings[n]["touches"]}
    parts = parts_of(theorem, data)
    touched &= parts
    if any(_holds_without(s, row, theorem, verdicts) for s in printed):
        return "not needed"
    if any(s["id"] in touched and verdicts[s["id"]]["rank"] in judge.FAULTY for s in entries):
        return "false as printed"
    silent = not any(
        row["clause"] in data.statements[n].get("under", ())
        for n in parts
        if not data.statements[n].get("ours", False)
    )
    if touched and silent:
        return "needed, missing in print"
    if any(s["form"] == "definition" or _has(row, _stated(s)) for s in printed):
        return "stated"
    steps = [s for s in printed if s["id"] in parts or _has(row, s.get("conditions", ()))]
    return "used, not stated" if steps and silent else ""


def parts_of(theorem: str, data: Data) -> set[str]:
    """Return the ids of a theorem's parts, and of the parts of all that it rests on."""
    done: set[str] = set()
    roots = [theorem]
    for root in roots:  # grows while it is read
        done.update(n for n in data.statements if f"{n}.".startswith(f"{root}."))
        roots += [n for n in data.statements[root].get("rests_on", ()) if n not in roots]
    return done


def _holds_without(statement: Table, row: Table, theorem: str, verdicts: Verdicts) -> bool:
    own = statement["id"] == theorem
    part = f"{statement['id']}.".startswith(f"{theorem}.") and statement["form"] == "possibility"
    holds = verdicts[statement["id"]]["standing"] in ("proved", "checked")
    texts = [*_stated(statement), *statement.get("conditions", ())]
    return (own or part) and holds and not _has(row, texts)


def _stated(statement: Table) -> list[str]:
    return [*statement.get("under", ()), statement["text"]]


def _has(row: Table, texts: Any) -> bool:
    wordings = [row["clause"], *row.get("words", ())]
    return any(wording in text for text in texts for wording in wordings)
