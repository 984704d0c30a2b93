"""The judge and the re-checker, whose rules were written apart, agree on random papers."""

import tomllib

import pytest
from grid_support import quick_or_full
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from verify.judge.data import CELL_STATES
from verify.judge.entries import InvalidPaper
from verify.judge.outcome import Outcome
from verify.judge.paper import parse
from verify.judge.strategies import outcomes, papers, texts_of
from verify.judge.verdict import judge
from verify.recheck import conditions, data, rebuild
from verify.recheck.errors import Refused
from verify.recheck.evidence import Evidence
from verify.record.record import RunInfo, assemble

ROWS = ("statements", "findings", "observations", "figures", "answers", "conditions")


@st.composite
def runs(draw):
    """A paper with an outcome for each of its facts: its texts, and what both judges are given."""
    texts = draw(papers())
    paper = parse(texts)
    bindings = {b.key: b for s in paper.statements.values() for b in s.binding}
    found, held, lack = {}, {}, {}
    for key, binding in bindings.items():
        how, fails = draw(outcomes()), binding.outcome == "fails"
        holds = None if how == "open" else not fails
        witness = {"w": 1} if holds is False else None
        found[key] = (
            Outcome(missing=how) if how in ("coq", "torch") else Outcome(holds, {}, witness)
        )
        if found[key].missing:
            lack[key] = how
        else:
            held[key] = {"holds": holds, "values": {}, "witness": witness}
    return texts, found, Evidence(held, lack)


def judged(texts, found):
    paper = parse(texts)
    return assemble(paper, found, judge(paper, found), RunInfo())[0]


@settings(max_examples=quick_or_full(30, 100), deadline=None)
@given(runs())
def test_the_rechecker_finds_every_row_of_the_record_by_its_own_rules(run):
    texts, found, evidence = run
    rebuild.judge_again(judged(texts, found), data.parse(texts), evidence)


@settings(max_examples=quick_or_full(20, 50), deadline=None)
@given(runs(), st.data())
def test_a_changed_field_of_the_record_is_refused(run, more):
    texts, found, evidence = run
    record = judged(texts, found)
    part = more.draw(st.sampled_from([name for name in ROWS if record[name]]))
    row = more.draw(st.sampled_from(record[part]))
    name = more.draw(st.sampled_from(sorted(row)))
    row[name] = more.draw(st.sampled_from(changed(row[name])))
    with pytest.raises(Refused):
        rebuild.judge_again(record, data.parse(texts), evidence)


def changed(value):
    """Values of about the same shape that are other ones."""
    match value:
        case bool():
            return [not value, int(value)]
        case str():
            return [f"{value}x", None]
        case [*items]:
            return [[*items, "x"], *([items[1:]] if items else [])]
        case dict():
            return [{**value, "x": "x"}]
    return ["x", {}]


@settings(max_examples=quick_or_full(10, 30), deadline=None)
@given(papers())
def test_no_cell_of_the_matrix_can_have_another_state(texts):
    entries = tomllib.loads(texts["entries.toml"])
    assume(any(row["cells"] for row in entries.get("condition", ())))
    conditions.check_states(data.parse(texts))
    for cell in (cell for row in entries["condition"] for cell in row["cells"].values()):
        stated = cell["state"]
        for state in set(CELL_STATES) - {stated}:
            cell["state"] = state
            wrong = texts_of(entries)
            with pytest.raises(Refused, match="its evidence shows"):
                conditions.check_states(data.parse(wrong))
            with pytest.raises(InvalidPaper, match="its evidence shows"):
                parse(wrong)
        cell["state"] = stated
