"""Page one: ten lines, computed; one row for each numbered statement of the paper."""

from __future__ import annotations

from typing import Any

from reports.numbered import STATEMENTS, rows

from reports.answer import answer
from reports.view import view

Record = dict[str, Any]


def texts(record: Record) -> dict[str, str]:
    return {line.topic: line.text for line in answer(view(record))}


def test_the_answer_has_ten_lines(record: Record, large: Record) -> None:
    assert len(answer(view(record))) == 10
    assert len(answer(view(large))) == 10


def test_the_answer_counts_the_verdicts(record: Record) -> None:
    said = texts(record)["All claims"]
    assert said.startswith("12 statements of the paper: 2 proved, 1 certified, 2 supported")


def test_the_answer_sorts_the_numbered_statements(record: Record) -> None:
    said = texts(record)
    names = "Theorem 1, Definition A.2 and Lemma 1"
    assert said["Hold as printed"] == f"{names}; each for the scope stated below."
    assert said["Hold repaired"] == "Definition 3.1."
    assert said["Fail as printed"] == "Equation (1)."
    assert said["Not settled"].startswith("supported: Table 1; undecided: Theorem 2; not-checked:")


def test_the_answer_follows_a_changed_verdict(record: Record) -> None:
    record["claims"][1].update(verdict="refuted", standing="refuted")
    assert texts(record)["Fail as printed"] == "Theorem 1 and Equation (1)."


def test_a_statement_that_an_ancestor_lowers_says_so(record: Record) -> None:
    record["claims"][1].update(standing="repaired", standing_because="sim.exact.definition")
    assert "Theorem 1 (with ancestors repaired)" in texts(record)["Hold as printed"]


def test_the_answer_cites_the_main_results_with_their_proofs(record: Record) -> None:
    said = texts(record)
    cite = record["claims"][1]["cite"]
    assert said["Theorem 1"] == f"{cite} Its printed proof: not-checked."
    assert {"Theorem 2", "Theorem 3", "Corollary 1"} <= set(said)


def test_the_answer_says_what_was_not_seen(record: Record) -> None:
    assert texts(record)["This run"] == (
        "Profile quick. Not at hand: PAutomaC <models>. "
        "1 claim inherits a weakness, from thm2.recursion."
    )


def test_there_is_one_row_for_each_numbered_statement(record: Record) -> None:
    found = rows(record["claims"])
    assert [row.statement for row in found] == list(STATEMENTS)
    assert len({statement.name for statement in STATEMENTS}) == 27


def test_a_statement_without_a_claim_is_not_checked(record: Record) -> None:
    row = next(r for r in rows(record["claims"]) if r.statement.name == "Theorem 4")
    assert (row.head, row.parts, row.verdict) == (None, (), "not-checked")


def test_the_widest_claim_of_its_kind_is_the_head(record: Record) -> None:
    narrow = {**record["claims"][1], "id": "thm1.narrow", "lines": [233, 233], "verdict": "refuted"}
    row = next(r for r in rows([narrow, *record["claims"]]) if r.statement.name == "Theorem 1")
    assert row.head is not None
    assert row.head["id"] == "thm1.exact"
    assert [part["id"] for part in row.parts] == ["thm1.narrow"]


def test_the_weakest_claim_speaks_for_a_table(record: Record) -> None:
    table = next(c for c in record["claims"] if c["id"] == "tab1.row-38")
    bad = {**table, "id": "tab1.row-39", "verdict": "refuted"}
    row = next(r for r in rows([table, bad, table]) if r.statement.name == "Table 1")
    assert row.speaker is bad
    assert row.verdict == "refuted"


def test_the_named_claim_speaks_for_equation_one() -> None:
    lines = {"kind": "equation", "verdict": "proved"}
    claims = [
        {**lines, "id": "thm2.recursion.base", "lines": [813, 817]},
        {**lines, "id": "thm2.recursion", "lines": [815, 818], "verdict": "repaired"},
    ]
    (row,) = [row for row in rows(claims) if row.statement.name == "Equation (1)"]
    assert row.verdict == "repaired"
    (row,) = [row for row in rows(claims[:1]) if row.statement.name == "Equation (1)"]
    assert row.verdict == "proved"
