"""The commands list, show, findings, cite, run and lint: what they print, and their statuses."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from verify import cli
from verify.cli import main, parser
from verify.commands.cite import status, texts
from verify.record.manuscript import Mark, fault

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A run of three statements without Coq: exit status, printed text, folder."""
    folder = tmp_path_factory.mktemp("run")
    kept = {k: v for k, v in os.environ.items() if k not in ("ASSAY_PAPER", "ASSAY_PAUTOMAC")}
    done = subprocess.run(
        [sys.executable, "-m", "verify", "run", "def2.1", "lem1", "thm1.readout",
         "--jobs", "1", "--out", str(folder / "report")],
        env={**kept, "PATH": "", "ASSAY_CACHE": str(folder / "cache"),
             "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True, text=True,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr, folder / "report"


@pytest.fixture(scope="module")
def folder(ran):
    return str(ran[2])


def rows_of(folder):
    with open(f"{folder}/record.json", encoding="utf-8") as file:
        return {row["id"]: row for row in json.load(file)["statements"]}


def test_a_run_without_coq_says_so_and_ends_as_may_be_expected(ran):
    status_, printed, _ = ran
    assert status_ == 0, printed
    assert "without coq: coqc is not installed" in printed
    assert "facts to find" in printed and "Traceback" not in printed


def supporting(row):
    return {b["fact"] for interpretation in row["interpretations"] for b in interpretation["bindings"]
            if b["weight"] == "supports"}  # fmt: skip


def test_a_run_finds_the_asked_statements_and_what_lies_below_them(folder):
    rows = rows_of(folder)
    assert rows["lem1"]["verdict"] == "repaired" and "indices.sum" in supporting(rows["lem1"])
    assert rows["lem1.sum"]["rank"] in ("proved", "checked")
    assert rows["thm1.readout"]["rank"] in ("proved", "checked")


def test_a_run_takes_the_rest_from_the_published_record_or_leaves_it_unchecked(folder):
    rest = rows_of(folder)["tab3"]
    assert rest["inherited"] or rest["rank"] == "unchecked"


def test_a_run_writes_every_promised_file(ran):
    names = {path.name for path in ran[2].iterdir()}
    promised = {"record.json", "certificates.json", "index.html", "report.md", "assay.tex"}
    assert names >= promised | {"junit.xml", "badge.svg", "erratum.tex"}


def test_a_run_writes_a_record_of_what_was_missing_and_names_the_page(ran):
    _, printed, folder = ran
    made = json.loads((folder / "record.json").read_text("utf-8"))
    assert made["profile"] == "quick"
    assert {"coq", "paper", "pautomac", "full profile"} <= set(made["missing"])
    assert "index.html" in printed and "facts of other statements" in printed
    inherited = {row["id"] for row in made["statements"] if row["inherited"]}
    assert "thm1" in inherited and "def2.1" not in inherited


@pytest.mark.slow
def test_the_folder_of_a_run_on_a_bare_machine_is_confirmed_as_it_is(folder, capsys):
    assert main(["recheck", folder, "--quiet"]) == 0
    assert "not confirmed" not in capsys.readouterr().out


def test_list_as_json_has_the_fields_of_the_design(folder, capsys):
    assert main(["list", "--json", "--from", folder]) == 0
    rows = json.loads(capsys.readouterr().out)
    promised = {"id", "section", "places", "lines", "form", "verdict", "method", "grade", "scope"}
    assert all(set(row) >= promised | {"standing", "finding", "rests_on"} for row in rows)
    found = {row["id"]: row for row in rows}
    assert found["lem1"]["lines"] == found["lem1"]["places"][0]
    assert (found["lem1"]["finding"], found["lem1"]["grade"]) == ("tensor-shape", "slip")


def test_list_fits_a_terminal_and_cuts_nothing_in_a_pipe(folder, capsys, monkeypatch):
    assert main(["list", "--from", folder]) == 0
    whole = capsys.readouterr().out.splitlines()
    assert (
        max(map(len, whole)) > 100 and len(whole) > 150 and not any(w.endswith("…") for w in whole)
    )
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for width in (80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        assert main(["list", "--from", folder]) == 0
        assert max(map(len, capsys.readouterr().out.splitlines())) == width


def test_list_follows_the_paper(folder, capsys):
    assert main(["list", "--from", folder, "--json"]) == 0
    sections = list(dict.fromkeys(row["section"] for row in json.loads(capsys.readouterr().out)))
    assert sections == ["1", "2.2", "2.3", "2.4", "2.5", "3.1", "3.2", "4.1", "4.2", "5", "5.1",
                        "5.2", "6", "7", "A.1", "A.2", "B.1", "B.2", "C", "D.1", "D.2",
                        "Checklist"]  # fmt: skip


def test_list_filters(folder, capsys):
    assert main(["list", "--from", folder, "--section", "B", "--form", "universal"]) == 0
    part = capsys.readouterr().out
    assert "lem1.sum" in part and "lem1.tensor" not in part and "exp." not in part


def test_a_filter_without_a_statement_names_what_there_is(folder, capsys):
    assert main(["list", "--from", folder, "--verdict", "true"]) == 4
    assert "expected one of" in capsys.readouterr().err


def test_show_prints_verdict_reason_finding_and_sentence(folder, capsys):
    assert main(["show", "Lemma 1", "--from", folder]) == 0
    out = " ".join(capsys.readouterr().out.split())
    for part in ("verdict repaired (slip)", "as printed: refuted", "as repaired: proved",
                 "The tensor of Lemma 1 is n² × n² × n²", "write Lemma 1 of [1]"):  # fmt: skip
        assert part in out, part


def test_show_answers_first_and_says_nothing_twice(folder, capsys):
    assert main(["show", "Lemma 1", "--from", folder]) == 0
    out = capsys.readouterr().out
    assert out.startswith("lem1  Lemma 1: ")
    assert out.splitlines()[1].split() == ["cite", "it?", "Not", "as", "printed"]
    whole = " ".join(out.split())
    row = json.loads(Path(folder, "record.json").read_text("utf-8"))["statements"]
    (lemma,) = [each for each in row if each["id"] == "lem1"]
    assert whole.count(" ".join(lemma["because"].split())) == 1


def test_a_narrow_terminal_gets_narrow_lines(folder, capsys, monkeypatch):
    for columns, most in (("60", 60), ("10", 40), ("200", 80)):
        monkeypatch.setenv("COLUMNS", columns)
        assert main(["findings", "--from", folder]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert most - 12 < max(len(line) for line in lines if line.startswith("  ")) <= most


def test_show_knows_old_ids(folder, capsys):
    assert main(["show", "lem1.matmul", "--from", folder]) == 0
    assert "lem1.matmul is now part of lem1" in capsys.readouterr().out


def test_findings_come_worst_first_and_with_their_fields(folder, capsys):
    assert main(["findings", "--json", "--from", folder]) == 0
    found = json.loads(capsys.readouterr().out)
    order = ["material", "gap", "slip"]
    places = [order.index(finding["grade"]) for finding in found]
    assert places == sorted(places) and len(set(places)) == 3
    keys = {"grade", "printed", "witness", "repair", "touches"}
    assert all(set(finding) >= keys for finding in found)
    assert main(["findings", "--grade", "gap", "--from", folder]) == 0
    assert "SLIP" not in capsys.readouterr().out


def test_findings_are_counted_numbered_and_found_by_number_or_id(folder, capsys):
    assert main(["findings", "--from", folder]) == 0
    first, *blocks = capsys.readouterr().out.split("\n\n")
    assert first.startswith(f"{len(blocks)} findings: ") and " material, " in first
    assert [block.split()[0] for block in blocks] == [f"F{i + 1}" for i in range(len(blocks))]
    last = blocks[-1].strip()
    name = last.splitlines()[0].rpartition("(")[2].rstrip(")")
    for asked in (name, f"f{len(blocks)}"):
        assert main(["findings", asked, "--from", folder]) == 0
        assert capsys.readouterr().out.strip() == last
    assert main(["findings", "F0", "--from", folder]) == 4
    assert f"expected F1 … F{len(blocks)} or an id\n" in capsys.readouterr().err
    assert main(["findings", name[:-1], "--from", folder]) == 4
    assert f"or an id, such as {name}" in capsys.readouterr().err
    assert main(["show", "F1", "--from", folder]) == 4
    assert "assay findings F1" in capsys.readouterr().err


def test_cite_says_no_more_than_was_shown(folder, capsys):
    assert main(["cite", "lem1", "--from", folder]) == 1
    text = capsys.readouterr().out
    assert text.startswith("Lemma 1 of [1] holds with the shape that its proof gives the tensor")
    assert "not with the printed one" in text and "[2] The Assay authors: Assay" in text
    assert main(["cite", "thm1.readout", "--from", folder]) == 2
    text = capsys.readouterr().out
    assert "this is checked for" in text and "does not hold" not in text


def test_cite_takes_the_papers_own_names(folder, capsys):
    for name in ("Equation (1)", "Eq. (1)", "eq1", "thm2.recursion"):
        main(["cite", name, "--from", folder, "--format", "json"])
        assert json.loads(capsys.readouterr().out)[0]["id"] == "eq1"


def test_cite_has_four_forms(folder, capsys):
    said = {}
    for form in ("text", "latex", "bibtex", "json"):
        assert main(["cite", "lem1", "lem1", "--format", form, "--from", folder]) == 1
        said[form] = capsys.readouterr().out
    assert said["bibtex"].count("@inproceedings{") == said["bibtex"].count("@misc{") == 1
    assert said["latex"].rstrip().endswith("% assay: lem1 = repaired")
    assert "\\cite{rizvimartel2024simulating}" in said["latex"] and "[1]" not in said["latex"]
    assert json.loads(said["json"])[0]["verdict"] == "repaired"


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [(["proved", "proved"], 0), (["proved", "repaired"], 1), (["refuted", "open"], 1),
     (["proved", "checked"], 2), (["proved", "open"], 2), (["measured"], 2)],
)  # fmt: skip
def test_the_status_of_cite_follows_the_standings(verdicts, expected):
    scope = {"checked": "n = 2", "measured": "n = 2"}
    rows = [
        {"verdict": each, "rank": each, "standing": each, "scope": scope.get(each, "all")}
        for each in verdicts
    ]
    assert status(rows) == expected


@pytest.mark.parametrize(
    ("verdict", "rank", "standing", "expected"),
    [("well-formed", "proved", "proved", 0), ("confirmed", "proved", "proved", 0),
     ("consistent", "measured", "measured", 2), ("proved", "proved", "checked", 2),
     ("proved", "proved", "refuted", 1), ("ill-formed", "repaired", "repaired", 1),
     ("well-formed", "proved", "open", 2)],
)  # fmt: skip
def test_cite_and_tex_agree_on_what_holds_as_printed(verdict, rank, standing, expected):
    row = {"id": "s", "verdict": verdict, "rank": rank, "standing": standing, "scope": "all"}
    assert status([row]) == expected
    relied = fault(
        Mark(Path(), 1, "s", "holds"), {"s": {**row, "aliases": [], "sentence": "", "numbered": ""}}
    )
    assert (relied is None) is (expected == 0)


@pytest.mark.parametrize("verdict", ["consistent", "checked", "measured"])
def test_what_is_shown_in_part_is_no_full_answer(verdict):
    rank = {"consistent": "measured"}.get(verdict, verdict)
    row = {"id": "s", "verdict": verdict, "rank": rank, "standing": rank, "scope": "n = 2"}
    row |= {"sentence": "Cats purr.", "note": "", "numbered": ""}
    assert status([row]) == 2 and texts(row, False)[1] == f"In part: s is {verdict} for n = 2."
    marks = {"s": {**row, "aliases": []}}
    relied = fault(Mark(Path(), 1, "s", "holds"), marks)
    assert relied.partly and f"{verdict} in part, for n = 2" in relied.text
    assert fault(Mark(Path(), 1, "s", verdict), marks) is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "no.such.statement"], "expected"),
        (["run", "--jobs", "0"], "expected"),
        (["run", "--data", "pautomac=/no/such/folder"], "expected"),
        (["run", "--data", "words=/no/such/folder"], "expected"),
        (["run", "--about", "/no/such/folder"], "expected"),
        (["run", "--update"], "expected"),
        (["run", "--paper", "/no/such/file"], "expected"),
        (["list", "--from", "/no/such/folder"], "there is no folder /no/such/folder"),
        (["lint", "--paper", "/no/such/paper"], "no such file: /no/such/paper"),
    ],
)
def test_bad_input_gets_one_line_and_status_four(arguments, words, capsys):
    assert main(arguments) == 4
    captured = capsys.readouterr()
    assert captured.err.startswith("assay: ") and captured.err.count("\n") == 1
    assert words in captured.err and "Traceback" not in captured.err


@pytest.mark.parametrize("command", ["show", "cite"])
def test_an_unknown_statement_is_answered_with_near_ones(command, folder, capsys):
    assert main([command, "lem2", "--from", folder]) == 4
    assert "lem1" in capsys.readouterr().err


@pytest.mark.parametrize("name", cli.command_names())
def test_every_command_has_help_with_examples_and_exit_statuses(name, capsys):
    with pytest.raises(SystemExit) as stop:
        parser().parse_args([name, "--help"])
    assert stop.value.code == 0
    said = capsys.readouterr().out
    assert f"usage: assay {name}" in said and f"\nexamples:\n  assay {name}" in said
    assert "\nexit status: 0" in said


def test_the_help_lists_every_command_once_grouped_as_in_the_documentation(capsys):
    assert main([]) == 0
    listed = capsys.readouterr().out.partition("commands:")[2].partition("exit status")[0]
    groups = [re.findall(r"^    (\w+)(?= |$)", part, re.M) for part in listed.strip().split("\n\n")]
    assert sorted(name for group in groups for name in group) == sorted(cli.command_names())
    page = (DOCS / "commands.md").read_text("utf-8")
    tables = [re.findall(r"^\| `assay (\w+)", part, re.M) for part in page.split("\n## ")]
    assert [set(group) for group in groups] == [set(table) for table in tables if table]


def test_every_sentence_of_the_paper_has_a_statement_and_those_of_another_text_have_none(
    capsys, tmp_path
):
    other = tmp_path / "other.tex"
    other.write_text("\\begin{document}\nOne plus one is three.\n\\end{document}\n", "utf-8")
    assert main(["lint", "--paper", str(other), "--all"]) == 1
    assert "no statement covers “One plus one is three.”" in capsys.readouterr().out
    if paper := os.environ.get("ASSAY_PAPER"):
        capsys.readouterr()
        assert main(["lint", "--paper", paper]) == 0


def test_cite_prints_the_note_when_it_is_asked_for(capsys):
    assert main(["cite", "Theorem 2"]) == 0
    short = capsys.readouterr().out
    assert main(["cite", "Theorem 2", "--full"]) == 0
    full = capsys.readouterr().out
    assert "Note: " not in short and full.startswith(short.splitlines()[0])
    assert "Note: " in full and "begin token" in full
    assert main(["cite", "Theorem 2", "--full", "--format", "latex"]) == 0
    latex = capsys.readouterr().out
    assert "\\footnote{" in latex and "\\cite[Thm.~2]{rizvimartel2024simulating}" in latex


def test_cite_takes_the_readers_own_key(capsys):
    assert main(["cite", "thm2", "--format", "latex", "--key", "mykey"]) == 0
    assert "\\cite[Thm.~2]{mykey}" in capsys.readouterr().out
    assert main(["cite", "thm2", "--format", "bibtex", "--key", "mykey"]) == 0
    assert "@inproceedings{mykey," in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["cite", "thm2", "--key", "my key}"])


@pytest.mark.parametrize("name", ["With ReLU", "with relu"])
def test_a_row_of_page_one_names_its_statement(name, capsys):
    assert main(["cite", name]) == 0
    assert "alphabet that depends on W" in capsys.readouterr().out
