"""The commands: list, show, cite, run; their exit statuses and their errors."""

import json
import os

import pytest

from verify.cli import main, parser


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    saved = dict(os.environ)
    for name in ("ASSAY_PAPER", "ASSAY_PAUTOMAC"):
        os.environ.pop(name, None)
    os.environ["PATH"] = ""  # without Coq, for speed
    try:
        assert main(["run", "lem1", "thm1.readout", "--jobs", "1", "--out", str(out)]) in (0, 1, 2)
    finally:
        os.environ.update(saved)
    return str(out)


def test_list_as_json_has_the_fields_of_the_design(folder, capsys):
    assert main(["list", "--json", "--from", folder]) == 0
    rows = json.loads(capsys.readouterr().out)
    keys = {"id", "section", "lines", "kind", "verdict", "grade", "scope", "rests_on"}
    assert all(set(row) == keys for row in rows)
    assert all(len(row["lines"]) == 2 for row in rows)
    assert {row["id"]: row["verdict"] for row in rows}["lem1.matmul"] == "repaired"


def test_list_shows_a_table(folder, capsys):
    assert main(["list", "--from", folder, "--verdict", "repaired"]) == 0
    out = capsys.readouterr().out
    assert "lem1.matmul" in out
    assert "thm1.readout" not in out


def test_show_prints_readings_evidence_and_how_to_repeat(folder, capsys):
    assert main(["show", "lem1.matmul", "--from", folder]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for part in (
        "literal: refuted",
        "repaired: proved",
        "counterexample",
        "verify run lem1.matmul",
    ):
        assert part in out


@pytest.mark.parametrize(
    ("claim", "status"), [("thm1.readout", 0), ("lem1.matmul", 1), ("lem1.interactions", 0)]
)
def test_cite_says_no_more_than_was_shown(folder, capsys, claim, status):
    assert main(["cite", claim, "--from", folder]) == status
    text = capsys.readouterr().out
    assert ("does not hold as printed" in text) == (status == 1)
    assert claim in text


@pytest.mark.parametrize("form", ["text", "latex", "bibtex", "json"])
def test_cite_has_four_forms(folder, capsys, form):
    main(["cite", "lem1.matmul", "--format", form, "--from", folder])
    out = capsys.readouterr().out
    assert "lem1.matmul" in out or form == "bibtex"
    if form == "json":
        assert json.loads(out)[0]["verdict"] == "repaired"
    if form == "bibtex":
        assert out.startswith("@inproceedings{")


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "no.such.claim"],
        ["run", "--jobs", "0"],
        ["run", "--pautomac", "/no/such/folder"],
        ["run", "--paper", "/no/such/file"],
        ["show", "no.such.claim"],
        ["cite", "no.such.claim"],
        ["list", "--from", "/no/such/folder"],
        ["coverage", "/no/such/paper"],
    ],
)
def test_bad_input_gets_one_line_and_status_four(arguments, capsys):
    assert main(arguments) == 4
    captured = capsys.readouterr()
    assert captured.err.startswith("verify: ")
    assert captured.err.count("\n") == 1
    assert "expected" in captured.err
    assert "Traceback" not in captured.err


def test_every_command_has_help(capsys):
    names = ("run", "list", "show", "cite", "recheck", "coverage", "automaton", "export", "sweep")
    for name in (*names, "draw", "experiment"):
        with pytest.raises(SystemExit) as stop:
            parser().parse_args([name, "--help"])
        assert stop.value.code == 0
    assert "usage: verify" in capsys.readouterr().out


def test_coverage_is_empty_on_the_paper_and_not_on_another_text(capsys, tmp_path):
    other = tmp_path / "other.tex"
    lines = [r"\begin{document}", "One plus one is three, and this no claim covers."] + [""] * 1100
    other.write_text("\n".join([*lines, "A second one that no claim covers.", r"\end{document}"]))
    assert main(["coverage", str(other)]) == 1
    assert "not the paper of the registry" in capsys.readouterr().out
    if paper := os.environ.get("ASSAY_PAPER"):
        assert main(["coverage", paper]) == 0
