"""docs/experiments.md says what the data and the records say: each row of its tables is made anew."""

from collections.abc import Iterator
from pathlib import Path

from verify.facts.authors_code import lines
from verify.facts.registry import Inputs, find, registered
from verify.judge.data import Binding, Statement
from verify.judge.paper import load
from verify.judge.verdict import own_judgement

JUDGED = (["confirmed"], ["contradicted"], ["unknown"])
PAGE = Path(__file__).parents[3] / "docs" / "experiments.md"


def statements(form: str, fact: str) -> Iterator[tuple[Statement, Binding]]:
    """The statements of a form that some binding ties to a fact, with the first such binding."""
    for each in load().statements.values():
        bound = [b for b in each.binding if b.fact == fact]
        if each.form == form and bound:
            yield each, bound[0]


def verdict(each: Statement) -> str:
    known = registered()
    needs = {b.key: set(known[b.fact].needs) for b in each.binding}
    kept = tuple(b for b in each.binding if not needs[b.key])
    found = {b.key: find(known[b.fact], [dict(b.parameters)], Inputs())[0] for b in kept}
    return own_judgement(each.__class__(**{**vars(each), "binding": kept}), found).verdict


def history() -> Iterator[str]:
    for each, binding in statements("history", "code.line"):
        places = [lines()[name].place for name in sorted(binding.parameters["values"])]
        yield f"| `{each.id}` | {each.says} | {verdict(each)} | {', '.join(places)} |"


def cells() -> Iterator[str]:
    for each, binding in statements("measurement", "training.cell"):
        if not each.id.startswith("tab"):
            continue
        found = find(registered()[binding.fact], [dict(binding.parameters)], Inputs())[0].values
        ends = " … ".join(found["interval"])
        row = (each.title, found["printed"], found["mean"], ends, found["ratio"], found["p"])
        yield f"| {' | '.join(row)} | {verdict(each)} |"


def test_the_table_of_history_statements_is_made_of_the_data():
    page = PAGE.read_text("utf-8").splitlines()
    rows = list(history())
    assert len(rows) >= 10
    assert [line for line in page if line.split(" | ")[2:3] in JUDGED] == rows


def test_the_table_of_repeated_cells_is_made_of_the_records():
    page = PAGE.read_text("utf-8").splitlines()
    rows = list(cells())
    assert len(rows) >= 3 and [row for row in rows if row not in page] == []
    assert sum(line.startswith("| Table 3,") for line in page) == len(rows)


def test_the_numbers_on_carried_over_tries_are_those_of_the_records():
    names = ("layers-T16-L1-tries10", "layers-T16-L1")
    parameters = {"chains": names[0], "independent": names[1], "epochs": 10, "level": "0.05"}
    found = find(registered()["training.carried"], [parameters], Inputs())[0].values
    page = PAGE.read_text("utf-8")
    for name in ("means", "minima", "first", "last", "independent_means", "independent_minima"):
        assert ", ".join(found[name]) in page, name
    assert found["p"] in page and found["factor"] in page
