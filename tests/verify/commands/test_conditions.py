"""`assay conditions`: the matrix as a table of marks, a theorem's column, and bad input in a line."""

import json

import pytest
from reports_support import made

from reports.conditions import matrix
from verify.cli import main
from verify.commands.conditions import table


@pytest.fixture(scope="module")
def about(tmp_path_factory):
    """A paper's folder with a report in which all facts were at hand but Coq."""
    place = tmp_path_factory.mktemp("paper")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setenv("PATH", "")
        patch.setenv("ASSAY_CACHE", str(place / "cache"))
        assert main(["new", "mine"]) == 0
        main(["run", "--about", "mine", "--out", "mine/report", "--jobs", "1"])
    return ["--about", str(place / "mine")]


def said(capsys, *arguments, status=0):
    assert main(["conditions", *arguments]) == status
    out, err = capsys.readouterr()
    return out if status == 0 else err


def test_the_matrix_has_a_row_a_condition_and_fits_the_screen(capsys, about, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    out = said(capsys, *about)
    row, *_ = [line for line in out.splitlines() if line.startswith("n ≥ 1, or n ≥ 2")]
    assert row.split().count("–") == 3  # Theorem 3, Proposition 1, Corollary 1
    assert {"●", "?", "✕"} <= set(row)
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize("width", [40, 60, 100])
def test_columns_that_do_not_fit_follow_below(width):
    found = matrix(made()[0], {"norms": "F1"})
    marks = [line for line in table(found, width) if line[:1] not in ("●", "○", "▲", "✕", "◐")]
    for name in found.short_names.values():
        assert sum(name in line for line in marks) == 1


def test_a_theorem_has_its_conditions_with_remarks_and_evidence(capsys, about):
    out = " ".join(said(capsys, "Theorem 1", *about).split())
    assert "● stated" in out and "it holds for n = 0 as well (thm1)" in out
    (row,) = json.loads(said(capsys, "thm1", "--json", *about))
    assert [cell["state"] for cell in row["cells"]] == ["stated"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nothing.json", "--length", "4"], "nothing.json"),
        (["--length", "4"], "FILE"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, line):
    err = said(capsys, *arguments, status=4)
    assert line in err and err.count("\n") == 1


def test_a_theorem_without_conditions_comes_with_those_that_have_some(capsys, about):
    assert "one of Theorem 1, Theorem 2, Theorem 3" in said(capsys, "eq1", *about, status=4)


def test_a_cell_whose_facts_a_run_lacks_is_not_called_shown(capsys, about):
    out = said(capsys, *about)
    cells = [c for row in json.loads(said(capsys, "--json", *about)) for c in row["cells"]]
    assert [c["statement"] for c in cells if not c["shown"]] == ["thm2"]  # proved by Coq alone
    assert "? not shown" in out
