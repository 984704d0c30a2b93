"""Matrix of conditions by theorem: every state follows from the evidence of its cell.

A condition has a row in `conditions.toml`, and in it a cell for each theorem that it concerns. A
cell names a state and evidence: statements, findings, observations. The first line that fits gives
the state, and a cell with another one is refused:

    not needed                a statement that holds and does not have the condition: the theorem
                              itself, or a possibility that belongs to it
    false as printed          a finding, and a statement that it touches and that is refuted or repaired
    needed, missing in print  a finding on the theorem or on what it rests on
    stated                    a statement of the paper that has the condition among those it states, or
                              in its text; a definition
    used, not stated          another statement of the theorem: a step of its proof

A condition that a statement of the theorem lists in `under` is stated: no cell calls it missing or
not stated. A theorem's own statements are those whose id begins with its id, and those it rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from verify.judge.data import CELL_STATES, Cell, Condition, Paper, Statement
from verify.judge.entries import InvalidPaper, require
from verify.judge.verdict import Disagreement, Judgement, Verdict, expected_judgements

NOT_NEEDED, FALSE, MISSING, STATED, USED = CELL_STATES
SHOWN = frozenset({Verdict.PROVED, Verdict.CHECKED})
FAULTY = frozenset({Verdict.REFUTED, Verdict.REPAIRED})
Judged = Mapping[str, Judgement]


def cell_state(paper: Paper, judged: Judged, row: Condition, column: str) -> str:
    """Return the state that the evidence of a cell shows; empty if it shows none."""
    matches: dict[str, Callable[[Paper, Judged, Row, str], bool]] = {
        NOT_NEEDED: _not_needed,
        FALSE: _false,
        MISSING: _missing,
        STATED: _stated,
        USED: _used,
    }
    cell = row.cells[column]
    return next((s for s in CELL_STATES if matches[s](paper, judged, (row, cell), column)), "")


Row = tuple[Condition, Cell]


def _not_needed(paper: Paper, judged: Judged, row: Row, column: str) -> bool:
    return any(
        judged[each.id].standing in SHOWN
        and (each.id == column or (each.form == "possibility" and _belongs(each.id, column)))
        and not _named(row[0], (*each.under, *each.conditions, each.text))
        for each in _statements(paper, row)
        if not each.ours
    )


def _false(paper: Paper, judged: Judged, row: Row, column: str) -> bool:
    touched = {name for f in _findings(paper, row) for name in paper.findings[f].touches}
    touched &= family(paper, column)
    return any(judged[s.id].rank in FAULTY and s.id in touched for s in _statements(paper, row))


def _missing(paper: Paper, judged: Judged, row: Row, column: str) -> bool:
    whole = family(paper, column)
    found = any(whole & set(paper.findings[f].touches) for f in _findings(paper, row))
    return found and not _stated_in(paper, row[0], whole)


def _stated(paper: Paper, judged: Judged, row: Row, column: str) -> bool:
    return any(
        each.form == "definition" or _named(row[0], (*each.under, each.text))
        for each in _statements(paper, row)
        if not each.ours
    )


def _used(paper: Paper, judged: Judged, row: Row, column: str) -> bool:
    whole = family(paper, column)
    steps = [
        each
        for each in _statements(paper, row)
        if not each.ours and (each.id in whole or _named(row[0], each.conditions))
    ]
    return bool(steps) and not _stated_in(paper, row[0], whole)


def family(paper: Paper, column: str) -> set[str]:
    """Return the ids of a theorem, of its parts, and of all that it rests on with their parts."""
    found: set[str] = set()
    pending = [column]
    while pending:
        name = pending.pop()
        if name not in found:
            found |= {each for each in paper.statements if _belongs(each, name)}
            pending += paper.statements[name].rests_on
    return found


def _belongs(name: str, column: str) -> bool:
    return name == column or name.startswith(f"{column}.")


def _stated_in(paper: Paper, condition: Condition, names: set[str]) -> bool:
    return any(
        condition.clause in paper.statements[name].under
        for name in names
        if not paper.statements[name].ours
    )


def _named(condition: Condition, texts: tuple[str, ...]) -> bool:
    """Return True if a text has the clause of the condition or another wording of it."""
    return any(word in text for word in (condition.clause, *condition.words) for text in texts)


def _statements(paper: Paper, row: Row) -> list[Statement]:
    return [paper.statements[name] for name in row[1].evidence if name in paper.statements]


def _findings(paper: Paper, row: Row) -> list[str]:
    return [name for name in row[1].evidence if name in paper.findings]


def check_conditions(paper: Paper) -> None:
    """Refuse a cell whose evidence does not show its state, and a second wording of a condition."""
    if not paper.conditions:
        return
    try:
        judged = expected_judgements(paper, lambda _: "")
    except Disagreement as error:
        raise InvalidPaper(str(error)) from None
    for name, judgement in judged.items():
        whole = judgement.rank is not Verdict.BROKEN
        require(whole, paper.where.get(name, name), judgement.interpretation.reason)
    for row in paper.conditions.values():
        where = paper.where.get(row.id, row.id)
        taken = row.id in paper.statements or row.id in paper.findings
        require(not taken, where, f"{row.id!r} is the id of another entry")
        for column, cell in row.cells.items():
            _check_names(paper, cell, column, f"{where}: {column}")
            shown = cell_state(paper, judged, row, column)
            wrong = f"state = {cell.state!r}, its evidence shows {shown or 'none'!r}"
            require(shown == cell.state, f"{where}: {column}", wrong)
    _check_wording(paper)


def _check_names(paper: Paper, cell: Cell, column: str, where: str) -> None:
    require(column in paper.statements, where, "no such statement")
    states = ", ".join(CELL_STATES)
    require(cell.state in CELL_STATES, where, f"state = {cell.state!r}, expected one of {states}")
    for name in cell.evidence:
        known = name in paper.statements or name in paper.findings or name in paper.observations
        require(known, where, f"evidence {name!r} is no statement, finding or observation")


def _check_wording(paper: Paper) -> None:
    """A condition has one wording in the lists of conditions that the paper states."""
    for each in paper.statements.values():
        for entry in each.under:
            for row in paper.conditions.values():
                other = entry != row.clause and _named(row, (entry,))
                wrong = f"under: {entry!r}, write it as {row.clause!r}"
                require(not other, paper.where.get(each.id, each.id), wrong)
