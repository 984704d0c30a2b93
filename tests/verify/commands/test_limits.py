"""Where commands begin to refuse, what they reckon beforehand, and what their plots are given, by hand."""

import argparse
from types import SimpleNamespace

import pytest

from constructions.automata.trees import comb, tokens
from constructions.core.errors import InputError
from verify import cli
from verify.commands import draw, experiment, list_, precision
from verify.display import terminal


def test_lengths_of_precision_are_two_numbers_or_one():
    assert precision.ends("1:64") == (1, 64) and precision.ends("7") == (7, 7)
    for text in ("0:4", "a:4", "1:-2"):
        with pytest.raises(InputError, match="two whole numbers ≥ 1"):
            precision.ends(text)


def test_a_drawing_takes_up_to_200000_scores_unless_it_is_asked_for(capsys):
    """One opening bracket: as many scores as the length."""
    symbols = tuple("[ab]")
    assert draw.chosen_length(None, symbols, False) == draw.chosen_length("4", symbols, False) == 4
    assert draw.chosen_length("200000", symbols, False) == 200000
    assert capsys.readouterr().err == ""
    with pytest.raises(InputError, match="200001: 200001 exact scores, about 20 s"):
        draw.chosen_length("200001", symbols, False)
    assert draw.chosen_length("209999", symbols, True) == 209999
    assert capsys.readouterr().err == "209999 exact scores, about 20 s\n"
    with pytest.raises(InputError, match="at least 4, the tree's own length"):
        draw.chosen_length("3", symbols, False)


@pytest.mark.parametrize(("leaves", "status"), [(40, 0), (41, 4)])
def test_a_tree_of_up_to_120_tokens_is_drawn(leaves, status, monkeypatch, capsys):
    """That of 40 leaves has 118, that of 41 has 121."""
    monkeypatch.setattr(draw, "draw", lambda *_: "")
    text = "".join(tokens(comb(["a"] * leaves)))
    assert cli.main(["draw", text]) == status
    assert status == 0 or "121 tokens, expected at most 120" in capsys.readouterr().err


@pytest.mark.parametrize(("size", "shown"), [(300, "x" * 300), (301, "x" * 300 + "…")])
def test_a_complaint_has_at_most_300_characters(size, shown, capsys):
    with pytest.raises(SystemExit):
        cli.Parser(prog="p").error("x" * size)
    assert capsys.readouterr().err == f"p: {shown} (see p --help)\n"
    name = "ValueError: "
    assert cli._faulty(ValueError("x" * (size - len(name)))) == 70
    cut = f"{name}{'x' * (300 - len(name))}{'…' * (size > 300)}"
    assert f"please report it: {cut} (ASSAY_DEBUG" in capsys.readouterr().err


@pytest.mark.parametrize(("columns", "width"), [("200", 80), ("60", 60), ("20", 40)])
def test_a_paragraph_is_as_wide_as_the_terminal_from_40_to_80(columns, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    first, *others = terminal.paragraph("says", "x " * 200).splitlines()
    assert first.startswith("  says     x x") and all(
        line.startswith(" " * 11 + "x") for line in others
    )
    assert len(others) > 1 and width - 1 <= len(first) == len(others[0]) <= width


@pytest.mark.parametrize(("option", "most"), [("jobs", 256), ("budget", 10**6)])
def test_an_experiment_has_limits_of_its_jobs_and_its_minutes(option, most, monkeypatch, tmp_path):
    """What is within them goes on to the folder of the results."""

    class Reached(Exception):
        """The limits are kept."""

    def announced(*_):
        raise Reached

    monkeypatch.setattr(experiment, "announce", announced)
    monkeypatch.setattr(experiment, "planned", lambda args: [])
    given = {"name": "layers", "out": tmp_path, "jobs": 1, "budget": 1, "pautomac": None}
    for value in (1, most):
        with pytest.raises(Reached):
            experiment.main(argparse.Namespace(**{**given, option: value}))
    for value in (0, most + 1):
        with pytest.raises(InputError, match=f"--{option}: .*a whole number from 1 to {most}"):
            experiment.main(argparse.Namespace(**{**given, option: value}))


def test_no_cell_is_begun_after_the_time_is_over(monkeypatch, tmp_path):
    """The clock stands at 0 when it begins, then at 60, then at 61 of 60 seconds."""
    clock, trained, said = iter((0, 60, 61)), [], []
    cells = [SimpleNamespace(cell=name) for name in "abc"]
    monkeypatch.setattr(experiment.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(experiment.store, "pending_cells", lambda out, cells: cells)
    monkeypatch.setattr(experiment, "train", lambda *given, jobs: trained.append((given[1], jobs)))
    experiment.train_within(SimpleNamespace(print=said.append), cells, tmp_path, 60)
    assert trained == [([cells[0]], 1)]
    assert said == ["The budget is over: b and what follows are not trained."]


def test_sections_follow_the_paper_numbers_then_letters_then_names():
    sections = ["Abstract", "B.10", "10", "2.1", "B.2", "A", "2", "1"]
    rows = [{"section": name} for name in sections]
    assert [row["section"] for row in sorted(rows, key=list_._place)] == [
        *("1", "2", "2.1", "10", "A", "B.2", "B.10", "Abstract")
    ]


def test_a_section_has_its_subsections_and_no_other_field_has():
    row = {"section": "2.1", "form": "a.b"}
    assert list_._within(row, "section", "2") and not list_._within(row, "section", "2.1.1")
    assert not list_._within({"section": "21"}, "section", "2") and not list_._within(
        row, "form", "a"
    )


def test_a_line_is_cut_where_a_terminal_is_too_narrow_for_it():
    rows = [{"id": "a", "section": "1", "verdict": "proved", "grade": "", "title": "Title"},
            {"id": "bcd", "section": "10", "verdict": "repaired", "grade": "slip", "title": "T"}]  # fmt: skip
    whole = ["a   1  proved          Title", "bcd 10 repaired (slip) T"]
    assert [*list_.lines(rows, None)] == [*list_.lines(rows, len(whole[0]))] == whole
    assert [*list_.lines(rows, len(whole[0]) - 1)] == ["a   1  proved          Tit…", whole[1]]
