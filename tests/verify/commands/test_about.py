"""`--about DIR`: another paper, from `assay new` to a report that is confirmed, cited and updated."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from verify.cli import main


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The three commands of the tutorial where neither Coq nor data are at hand, and what they say."""
    place = tmp_path_factory.mktemp("bare")
    env = {k: v for k, v in os.environ.items() if not k.startswith("ASSAY_")}
    env |= {"PATH": "", "ASSAY_CACHE": str(place / "cache"), "PYTHONSAFEPATH": "1"}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    said = []
    for line in (
        "new mine",
        "run --about mine --out mine/report --jobs 1",
        "recheck mine/report --about mine",
    ):
        done = subprocess.run(
            [sys.executable, "-m", "verify", *line.split()],
            cwd=place, env=env, capture_output=True, text=True,
        )  # fmt: skip
        said.append((done.returncode, done.stdout + done.stderr))
    return place / "mine", said


@pytest.fixture
def mine(bare, tmp_path, monkeypatch):
    """A copy of the folder with its report, to be changed."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("ASSAY_CACHE", str(bare[0].parent / "cache"))
    return shutil.copytree(bare[0], tmp_path / "mine")


def change(file, old, new):
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")


def rows(folder):
    record = json.loads((folder / "report" / "record.json").read_text("utf-8"))
    return {row["id"]: row for row in record["statements"]}


def test_a_new_folder_is_run_and_confirmed_in_a_bare_environment(bare):
    _, said = bare
    assert [status for status, _ in said] == [0, 0, 0], said
    assert "without coq: coqc is not installed" in said[1][1]
    assert "Every verdict is as expected for what is at hand." in said[1][1]
    assert "that the run did not have coq is taken on trust" in said[2][1]


def test_the_small_paper_has_every_verdict_that_it_is_to_show(bare):
    verdicts = {name: row["verdict"] for name, row in rows(bare[0]).items()}
    assert verdicts == {
        "abstract.odd": "proved", "intro.pleasant": "no verdict", "intro.lagrange": "vouched",
        "def1": "ill-formed", "thm1": "proved", "thm1.proof": "proved", "thm2": "unchecked",
        "eq1": "repaired", "thm3": "checked", "cor1": "proved", "prop1": "refuted",
        "tab1.12": "refuted", "tab1.100": "proved", "tab1.script": "confirmed",
        "tab1.time": "not repeated", "beyond.exceptions": "checked",
    }  # fmt: skip
    assert rows(bare[0])["cor1"]["standing"] == "checked"


def test_a_folder_without_a_report_is_answered_by_the_command_that_writes_it(mine, capsys):
    shutil.rmtree(mine / "report")
    assert main(["cite", "thm1", "--about", str(mine)]) == 4
    assert f"write it with `assay run --about {mine}`" in capsys.readouterr().err


def test_the_report_of_a_folder_is_listed_shown_and_cited(bare, capsys):
    folder = str(bare[0])
    assert main(["cite", "Proposition 1", "--about", folder]) == 1
    said = capsys.readouterr().out
    assert said.startswith(
        "Proposition 1 of [1] does not hold as printed, e.g.: 7 is no sum of 3 squares [2]."
    )
    assert (
        "[1] A. Author: Sums" in said and "[2] A. Reader: A check of [1], made with Assay" in said
    )
    assert main(["cite", "thm1", "--about", folder, "--format", "latex"]) == 0
    assert r"\cite{author2026sums}" in capsys.readouterr().out
    assert main(["cite", "thm1", "--about", folder, "--format", "bibtex"]) == 0
    assert "@misc{reader2026check," in capsys.readouterr().out
    capsys.readouterr()
    assert main(["show", "cor1", "--about", folder]) == 0
    assert "standing checked because of " in " ".join(capsys.readouterr().out.split())
    assert main(["list", "--about", folder, "--verdict", "vouched"]) == 0
    assert "intro.lagrange" in capsys.readouterr().out
    assert main(["findings", "F1", "--about", folder]) == 0
    assert "Three squares are not enough" in capsys.readouterr().out
    assert main(["lint", "--about", folder]) == 0


def test_the_marks_of_a_manuscript_are_checked_against_the_report_of_a_folder(bare, tmp_path):
    manuscript = tmp_path / "manuscript.tex"
    manuscript.write_text("\\assayholds{thm1} % assay: eq1 = repaired\n")
    assert main(["tex", str(manuscript), "--about", str(bare[0])]) == 0
    manuscript.write_text("\\assayholds{prop1}\n")
    assert main(["tex", str(manuscript), "--about", str(bare[0])]) == 1


def test_nothing_of_another_paper_is_in_the_report(bare):
    for file in (bare[0] / "report").rglob("*"):
        if file.is_file():
            text = file.read_text("utf-8")
            assert not re.search(r"automat|transformer|rizvi", text, re.I), file


# A folder is not overwritten, and code of others needs a word


def test_a_folder_with_something_in_it_is_left_alone(mine, tmp_path, capsys):
    assert main(["new", str(mine)]) == 4
    (tmp_path / "file").write_text("x")
    assert main(["new", str(tmp_path / "file")]) == 4
    assert capsys.readouterr().err.count("expected a new or an empty folder") == 2


def test_code_that_is_not_the_templates_is_run_only_when_it_is_trusted(mine, tmp_path, capsys):
    trace = tmp_path / "trace"
    with (mine / "facts.py").open("a") as file:
        file.write(f"\nopen({str(trace)!r}, 'w').close()\n")
    for command in (["run", "--jobs", "1"], ["lint"]):
        assert main([*command, "--about", str(mine)]) == 4
        line = capsys.readouterr().err
        assert "code of this folder (facts.py), expected --trust" in line and line.count("\n") == 1
    assert not trace.exists()
    assert main(["run", "--about", str(mine), "--jobs", "1", "--trust"]) == 0
    assert trace.exists()
    capsys.readouterr()
    assert main(["recheck", str(mine / "report"), "--quiet"]) == 2
    said = capsys.readouterr().out
    assert "1 fact taken on trust (code of the paper's folder: squares.doubled)" in said
    assert main(["recheck", str(mine / "report"), "--about", str(mine), "--trust", "--quiet"]) == 0
    assert "code of the paper's folder" not in capsys.readouterr().out


def test_a_compiled_file_beside_the_templates_code_is_not_run(mine, tmp_path):
    """A module's cache with the right date would be taken for its source."""
    import importlib.util
    import py_compile

    trace, source = tmp_path / "trace", mine / "facts.py"
    evil = tmp_path / "evil.py"
    evil.write_text(f"open({str(trace)!r}, 'w').close()\n")
    cached = importlib.util.cache_from_source(str(source))
    os.makedirs(os.path.dirname(cached), exist_ok=True)
    py_compile.compile(str(evil), cached, doraise=True)
    info = source.stat()
    with open(cached, "r+b") as file:
        file.seek(8)
        file.write(int(info.st_mtime).to_bytes(4, "little") + info.st_size.to_bytes(4, "little"))
    assert main(["run", "--about", str(mine), "--jobs", "1"]) == 0
    assert not trace.exists()


def test_code_outside_of_the_folder_is_refused(mine, capsys):
    change(mine / "paper.toml", 'facts = "facts.py"', 'facts = "../facts.py"')
    assert main(["run", "--about", str(mine), "--trust"]) == 4
    assert "expected a file or a folder inside" in capsys.readouterr().err


# What is half added


HALF = {
    "no such fact": ("statements.toml", "squares.doubled", "squares.tripled",
                     "statements.toml: statement cor1: binding 1: no fact 'squares.tripled'; near"),
    "another method": ("statements.toml", 'method = "symbolic"', 'method = "machine-checked"',
                       "statements.toml: statement abstract.odd: binding 1: method machine-checked"),
    "no need": ("paper.toml", 'coq = ["coq.theorem"]', "", 'needs: expected coq = ["coq.theorem"]'),
    "a finite method": ("statements.toml", 'covers = "numbers up to {most}"', 'covers = "all"',
                        "statements.toml: statement thm3: binding 1: exhaustive never covers"),
    "no finding": ("findings.toml", 'touches = ["prop1"]\nshown_by = ["prop1", 1]',
                   'touches = ["eq1"]\nshown_by = ["eq1", 1]', "prop1: it is refuted and belongs to no"),
    "a witness": ("findings.toml", "{number} is no sum", "{digit} is no sum",
                  "findings.toml: finding three-squares: witness: no value 'digit', the fact gives"),
    "no toml": ("page.toml", "[[answer]]", "[[answer]", "page.toml: "),
    "a float": ("statements.toml", "count = 4, most", "count = 4.5, most", "parameter 4.5: expected"),
    "an active erratum": ("paper.toml", "", "", "has no place in an erratum"),
    "a name": ("statements.toml", 'id = "thm3"', 'id = "thm}3"', "id = 'thm}3', expected letters"),
}  # fmt: skip


@pytest.mark.parametrize("case", HALF)
def test_what_is_half_added_is_said_in_one_line_with_file_and_entry(mine, capsys, case):
    file, old, new, said = HALF[case]
    change(mine / file, old, new)
    if case == "an active erratum":
        (mine / "erratum.tex").write_text(r"\input{/etc/passwd}")
    assert main(["run", "--about", str(mine), "--jobs", "1"]) == 4
    line = capsys.readouterr().err
    assert line.startswith("assay: ") and said in line and line.count("\n") == 1


def linted(mine, capsys):
    status = main(["lint", "--about", str(mine), "--trust"])
    return status, capsys.readouterr().out.splitlines()


def test_lint_lists_everything_that_is_missing(mine, capsys):
    with (mine / "facts.py").open("a") as file:
        file.write(
            '\n@fact("squares.new", "exact")\ndef new() -> Outcome:\n    return Outcome(True)\n'
        )
    with (mine / "paper.tex").open("a") as file:
        file.write("% changed\n")
    change(mine / "statements.toml", "places = [[44, 44]]", "places = [[43, 43]]")
    change(mine / "statements.toml", '"Sums.cubes"', '"Sums.squares"')
    status, lines = linted(mine, capsys)
    digest = hashlib.sha256((mine / "paper.tex").read_bytes()).hexdigest()
    assert status == 1 and lines == [
        "facts.py: fact squares.new: no docstring, expected a sentence that says what holds",
        "facts.py: fact squares.new: no line in the docstring of facts.py",
        "facts.py: fact squares.new: no binding, observation or figure asks for it",
        'facts.py: fact squares.new: no @confirms("squares.new", "exact", …) in confirmations.py; '
        "`assay recheck --trust` refuses it",
        f"statements.toml: statement thm2: binding 1: theorem 'Sums.squares' is not pinned in "
        f"{mine / 'proofs' / 'statements.json'}",
        f"paper.toml: source: sha256 is not that of paper.tex, which is {digest}",
        "paper.tex:44:1: no statement covers “Every natural number is the sum of four squares.”",
    ]


def test_code_that_cannot_be_imported_is_said_in_one_line(mine, capsys):
    (mine / "facts.py").write_text("def broken(:\n")
    assert main(["run", "--about", str(mine), "--trust"]) == 4
    line = capsys.readouterr().err
    assert "SyntaxError" in line and "facts.py" in line and line.count("\n") == 1


# Updates


def test_an_update_merges_some_statements_and_marks_what_was_not_run_again(mine, capsys):
    change(mine / "statements.toml", "already for one square", "already for a single square")
    assert main(["run", "eq1", "--about", str(mine), "--update", "--jobs", "1"]) == 0
    after = rows(mine)
    assert "a single square" in json.dumps(after["eq1"]) and not after["eq1"]["inherited"]
    assert after["thm3"]["inherited"] and after["thm3"]["verdict"] == "checked"
    page = (mine / "report" / "index.html").read_text("utf-8")
    assert "taken over from an earlier report" in page
    capsys.readouterr()
    assert main(["recheck", str(mine / "report"), "--about", str(mine), "--quiet"]) == 0
    said = capsys.readouterr().out
    assert "facts were taken over from an earlier record is taken on trust" in said
    assert "statements were not run again)" in said


def test_a_part_without_an_update_leaves_the_rest_unchecked(mine):
    assert main(["run", "eq1", "--about", str(mine), "--jobs", "1"]) == 0
    assert rows(mine)["thm3"]["reason"] == "needs a run of this statement"
    assert main(["recheck", str(mine / "report"), "--about", str(mine), "--quiet"]) == 2


def test_an_update_needs_statements_and_a_report(mine, tmp_path, capsys):
    assert main(["run", "--about", str(mine), "--update"]) == 4
    empty = str(tmp_path / "empty")
    assert main(["run", "eq1", "--about", str(mine), "--update", "--out", empty]) == 4
    assert capsys.readouterr().err.count("a report of this version to merge them into") == 2


def test_a_forged_update_is_refused(mine, capsys):
    assert main(["run", "eq1", "--about", str(mine), "--update", "--jobs", "1"]) == 0
    path = mine / "report" / "record.json"
    whole = json.loads(path.read_text("utf-8"))
    for row, inherited in (("intro.pleasant", True), ("thm3", 1)):
        record = json.loads(json.dumps(whole))
        next(r for r in record["statements"] if r["id"] == row)["inherited"] = inherited
        path.write_text(json.dumps(record), "utf-8")
        assert main(["recheck", str(mine / "report")]) == 1
    path.write_text(json.dumps({**whole, "base": ""}), "utf-8")
    assert main(["recheck", str(mine / "report")]) == 1
    assert "inherited, but the record names no base" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "reason"),
    [("    return True", "squares.doubled: facts.py: returned bool, expected Outcome"),
     ('    raise ValueError("no square")', "squares.doubled: ValueError: no square (facts.py:")],
)  # fmt: skip
def test_a_fact_that_raises_or_returns_no_outcome_breaks_its_statement_only(
    mine, capsys, line, reason
):
    change(mine / "facts.py", "    return Outcome(sympy.Poly(left", f"{line}\n    (sympy.Poly(left")
    about = ["--about", str(mine)]
    assert main(["run", *about, "--trust", "--jobs", "1"]) == 3
    assert reason in " ".join(capsys.readouterr().out.split())
    assert main(["show", "cor1", *about]) == 0
    said = capsys.readouterr()
    assert "broken: cor1" in said.err and reason in " ".join(said.out.split())
    assert main(["cite", "thm1", *about]) == 0
    path = mine / "report" / "record.json"
    record = json.loads(path.read_text("utf-8"))
    for name, field, value in (
        ("thm3", "rank", "proved"), ("eq1", "verdict", "proved"), ("thm1", "text", "2 = 3")
    ):  # fmt: skip
        forged = json.loads(json.dumps(record))
        next(row for row in forged["statements"] if row["id"] == name)[field] = value
        path.write_text(json.dumps(forged), "utf-8")
        assert main(["show", name, *about]) == 4
        assert "does not follow from its certificates" in capsys.readouterr().err
    path.write_text(json.dumps(record), "utf-8")
    assert main(["show", "cor1", "--from", str(mine / "report")]) == 4


def lines_of_lint(folder, capsys, *more):
    assert main(["lint", "--about", str(folder), *more]) == 1
    return capsys.readouterr().out.splitlines()


def test_lint_finds_places_past_the_end_and_values_that_no_fact_has(mine, capsys):
    change(mine / "statements.toml", "places = [[37, 39]]", "places = [[37, 390]]")
    change(mine / "findings.toml", "{number} is no sum", "{numbr} is no sum")
    where = "statements.toml: statement eq1: places: [37, 390], but paper.tex has 71 lines"
    witness = "findings.toml: finding three-squares: witness: no value 'numbr' in the fact squares.suffice"
    assert lines_of_lint(mine, capsys)[:2] == [witness, where]


def test_lint_finds_a_source_that_is_missing_or_is_not_utf8(mine, capsys):
    paper = mine / "paper.tex"
    paper.write_bytes(paper.read_bytes() + b"\n\xe9")
    assert "paper.tex:73: no UTF-8 text; save the file as UTF-8" in lines_of_lint(mine, capsys)
    paper.unlink()
    assert lines_of_lint(mine, capsys) == ["paper.toml: source: no such file: paper.tex"]


def test_an_unknown_method_or_table_is_answered_with_the_known_ones(mine, capsys):
    change(mine / "statements.toml", 'method = "symbolic"', 'method = "guess"')
    assert main(["lint", "--about", str(mine)]) == 4
    assert "'guess', expected one of machine-checked, machine-" in capsys.readouterr().err
    (mine / "more.toml").write_text("[[sillent]]\n")
    change(mine / "statements.toml", 'method = "guess"', 'method = "symbolic"')
    assert main(["lint", "--about", str(mine)]) == 4
    assert "'sillent', expected one of statement, result, " in capsys.readouterr().err


def test_page_one_without_its_file_has_a_row_for_each_numbered_statement(mine, capsys):
    (mine / "page.toml").unlink()
    change(mine / "findings.toml", 'figure = "shares"\n', "")
    change(mine / "conditions.toml", ', "beyond.exceptions"', "")
    assert main(["run", "--about", str(mine), "--jobs", "1"]) == 0
    page = (mine / "report" / "index.html").read_text("utf-8")
    named = re.findall(r'<th scope="row"><a href="#write-\d+">([^<]*)</a>', page)
    assert named == [row["numbered"] for row in rows(mine).values() if row["numbered"]]
    assert "Theorem 3" in named
