"""Hypothesis strategies for the data of a paper: for tests of what reads, judges or renders them.

    from hypothesis import given
    from verify.judge.paper import parse
    from verify.judge.strategies import papers

    @given(papers())
    def test_my_rendering(texts):
        paper = parse(texts)
        ...

Needs the extra `testing`. A paper is drawn as the texts of its folder, which keep all rules. The
simplest has one statement, no finding and no condition.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from verify.judge.data import CELL_STATES, FORMS, GRADES, METHODS, PERSON, RIGOROUS
from verify.judge.entries import InvalidPaper
from verify.judge.paper import parse
from verify.judge.rules import MATHEMATICAL

Table = dict[str, Any]
HEAD = """
title = "A paper"
authors = ["A. Author"]
venue = "drawn"
year = 2024
[source]
sha256 = "{digest}"
[paper]
key = "paper"
text = "A paper."
bibtex = ""
[check]
key = "check"
text = "A check."
bibtex = ""
""".format(digest="0" * 64)
IDS = ("a", "a.proof", "b", "b.step", "c")
TEXTS = ("it holds", "it holds under k0", "it holds under k1, k0")


@st.composite
def papers(draw: DrawFn, most: int = 4) -> dict[str, str]:
    """Texts of a folder by file name: statements, bindings, findings and conditions that fit."""
    names = IDS[: draw(st.integers(1, most))]
    statements = [draw(_statements(name, names[:place])) for place, name in enumerate(names)]
    findings = [_finding(draw, s, n) for s in statements for n in _refuting(s)[:1]]
    tables: Table = {"statement": statements, "finding": findings}
    rows = [draw(_conditions(f"k{k}", tables)) for k in range(draw(st.integers(0, 2)))]
    return texts_of({**tables, "condition": [fitting(row, tables) for row in rows]})


def texts_of(tables: Mapping[str, list[Table]]) -> dict[str, str]:
    """Return the files of a folder with these tables."""
    lines = [f"{kind} = {toml(rows)}" for kind, rows in tables.items() if rows]
    return {"entries.toml": "\n".join(lines), "paper.toml": HEAD}


def toml(value: Any) -> str:
    """Return a value as TOML, tables in a line."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{json.dumps(name)} = {toml(item)}" for name, item in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def fitting(row: Table, tables: Mapping[str, list[Table]]) -> Table:
    """Return a row of conditions whose cells have the states that their evidence shows."""
    cells = {}
    for column, cell in row["cells"].items():
        for state in CELL_STATES:
            one = {**row, "cells": {column: {**cell, "state": state}}}
            if _accepted({**tables, "condition": [one]}):
                cells[column] = one["cells"][column]
    return {**row, "cells": cells}


def _accepted(tables: Mapping[str, list[Table]]) -> bool:
    try:
        parse(texts_of(tables))
    except InvalidPaper:
        return False
    return True


@st.composite
def _statements(draw: DrawFn, name: str, before: tuple[str, ...]) -> Table:
    form = draw(st.sampled_from([form for form in FORMS if form != "view"]))
    repaired = draw(st.booleans())
    drawn = [draw(_bindings(form, repaired)) for _ in range(draw(st.integers(0, 3)))]
    bindings = [each for each in drawn if not _proves(each) or not _contradicted(each, drawn)]
    entry = {
        **{"id": name, "title": name, "form": form, "section": "1", "places": [[1, 1]]},
        **{"text": draw(st.sampled_from(TEXTS)), "says": "it holds", "reason": "not looked at"},
        "under": draw(st.lists(st.sampled_from(["k0", "k1"]), unique=True)),
        "conditions": draw(st.lists(st.sampled_from(["k0", "k1"]), unique=True)),
        "rests_on": draw(st.lists(st.sampled_from(before), unique=True, min_size=1))
        if before
        else [],
        "binding": bindings,
    }
    return {**entry, "repair": {"change": "c", "says": "r"}} if repaired else entry


@st.composite
def _bindings(draw: DrawFn, form: str, repaired: bool) -> Table:
    method = draw(st.sampled_from(METHODS))
    k = draw(st.sampled_from([0, 1, 2, 2]))
    rigorous = method != PERSON and (method in RIGOROUS or form not in MATHEMATICAL)
    fails = rigorous and k == 2 and form != "possibility"
    whole = fails or method in METHODS[:3] or form not in ("universal", "asymptotic")
    readings = ["printed", "repaired"] if repaired else ["printed"]
    return {
        **{"fact": draw(st.sampled_from(["f", "g", "h"])) + form[0] + method[:2], "method": method},
        **{"parameters": {"k": k}, "outcome": "fails" if fails else "holds"},
        "covers": draw(st.sampled_from(["all", "k ≤ {k}"] if whole else ["k ≤ {k}"])),
        "because": draw(st.sampled_from(["x", "y"])),
        "interpretation": draw(st.sampled_from(readings)),
        "impossibility": rigorous and not fails and draw(st.integers(0, 5)) == 5,
        "assumes": draw(st.sampled_from([[], [], ["z"]])),
    }


def _proves(binding: Table) -> bool:
    whole = binding["covers"] == "all" and not binding["assumes"]
    return whole and binding["method"] != PERSON and not _refutes(binding)


def _refutes(binding: Table) -> bool:
    return binding["outcome"] == "fails" or bool(binding["impossibility"])


def _contradicted(binding: Table, others: list[Table]) -> bool:
    name = "interpretation"
    return any(_refutes(each) and each[name] == binding[name] for each in others)


def _refuting(statement: Table) -> list[int]:
    """Indices of the bindings that are evidence against the printed statement."""
    return [
        number
        for number, each in enumerate(statement["binding"], 1)
        if each["interpretation"] == "printed" and _refutes(each)
    ]


def _finding(draw: DrawFn, statement: Table, number: int) -> Table:
    name = statement["id"]
    return {
        **dict.fromkeys(("title", "printed", "why", "witness", "repair"), "t"),
        **{"id": f"on-{name}", "touches": [name], "shown_by": [name, number]},
        "grade": draw(st.sampled_from(GRADES)),
        "grades": draw(st.sampled_from([{}, {}, {name: "gap"}])),
    }


@st.composite
def _conditions(draw: DrawFn, name: str, tables: Mapping[str, list[Table]]) -> Table:
    statements = [each["id"] for each in tables["statement"]]
    ids = [*statements, *(each["id"] for each in tables["finding"])]
    evidence = st.lists(st.sampled_from(ids), unique=True, max_size=3)
    columns = draw(st.lists(st.sampled_from(statements), unique=True))
    cells = {column: {"evidence": draw(evidence), "note": ""} for column in columns}
    return {"id": name, "group": "g", "name": name, "clause": name, "cells": cells}


def outcomes() -> SearchStrategy[str]:
    """State of a fact: decided as its bindings expect, open, or the need it lacked."""
    return st.sampled_from(["decided", "decided", "decided", "open", "coq", "torch"])
