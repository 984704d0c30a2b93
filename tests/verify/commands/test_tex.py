"""`assay tex`: true, false and stale marks of a manuscript."""

import json
import os
import re
import shlex
import shutil
import subprocess
from importlib.resources import files

import pytest
import yaml

from constructions import __version__
from verify.cli import main
from verify.judge import schemas
from verify.judge.paper import load
from verify.record.record import header

ROW = {
    **dict.fromkeys(("title", "form", "section", "method", "scope", "grade", "text"), ""),
    **dict.fromkeys(("because", "reason", "through"), ""),
    "under": [],
    "conditions": [],
    "notes": [],
    "note": "",
    "repair": None,
    "aliases": [],
    "numbered": "",
    "places": [],
    "rests_on": [],
    "findings": [],
    "interpretations": [],
    "ours": False,
}
ROWS = [
    {**ROW, "id": "thm2", "numbered": "Theorem 2", "verdict": "proved", "rank": "proved",
     "standing": "proved", "scope": "all", "sentence": "It holds."},
    {**ROW, "id": "eq1", "verdict": "repaired", "rank": "repaired", "standing": "repaired",
     "sentence": "It does not hold as printed.", "aliases": ["thm2.recursion"]},
]  # fmt: skip


@pytest.fixture
def check(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("verify.rejudge.judge_again", lambda *_: ("not judged again", False))
    record = {
        "schema": schemas.RECORD,
        "paper": {**header(load().about)},
        "statements": ROWS,
        "findings": [],
        "observations": [],
        "answers": [],
        "conditions": [],
        "profile": "quick",
    }

    def checked(text):
        (tmp_path / "record.json").write_text(json.dumps(record), "utf-8")
        file = tmp_path / "paper.tex"
        file.write_text(text, "utf-8")
        status = main(["tex", str(file), "--from", str(tmp_path)])
        said = capsys.readouterr()
        assert status != 4, said.err
        return status, said.out

    return checked


def test_marks_that_agree_pass(check):
    status, out = check("\\assayholds{thm2}\n\\assay{eq1} % assay: eq1 = repaired\n")
    assert status == 0 and "3 of 3 marks agree" in out


def test_a_false_mark_is_named_with_its_line_and_the_sentence_to_use(check):
    status, out = check("text\n\\assayholds{eq1}\n")
    assert status == 1
    assert "paper.tex:2: eq1: the manuscript says holds as printed" in out
    assert "Write: It does not hold as printed." in out


def test_a_stale_verdict_and_an_old_name_are_seen(check):
    status, out = check("% assay: thm2 = refuted\n\\assay{thm2.recursion}\n")
    assert status == 1
    assert "the manuscript says refuted, the record says proved" in out
    assert "thm2.recursion is an old name; use eq1" in out


def test_an_unknown_statement_comes_with_what_is_near(check):
    status, out = check("\\assay{thm7}\n")
    assert status == 1 and "no statement 'thm7'; near it: thm2" in out


def test_a_commented_macro_is_no_mark(check):
    status, out = check("% \\assayholds{eq1}\n")
    assert status == 0 and "Warning: no marks in 1 file;" in out


def folder_of(tmp_path, **sources):
    for name, text in sources.items():
        file = tmp_path / f"{name.replace('__', '/')}.tex"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")


def test_included_files_are_read_once_and_only_inside_the_folder(check, tmp_path):
    (tmp_path / "outside.tex").write_text("\\assayholds{eq1}\n", "utf-8")
    folder_of(tmp_path, sec__one="\\assayholds{eq1}\n\\input{paper}\n", two="\\assay{thm2}\n")
    text = "\\input{sec/one}\n\\include{two}\n% \\input{three}\n\\input{../escape}\n\\input{gone}\n"
    status, out = check(text + "\\input{sec/one.tex}\n")
    assert status == 1 and "one.tex:1: eq1: the manuscript says holds as printed" in out
    assert "1 of 2 marks agree" in out
    assert "paper.tex:4: ../escape.tex is outside of this folder and not read (warning)" in out
    assert "paper.tex:5: no such file:" in out and "three" not in out


def test_our_own_file_has_no_marks_and_an_edited_one_is_a_fault(tmp_path, capsys):
    assert main(["tex", "--sty", str(tmp_path), "--key", "rizvi24"]) == 0
    style, paper = tmp_path / "assay.tex", tmp_path / "paper.tex"
    assert "{rizvi24}" in style.read_text("utf-8")
    text = "\\usepackage{assay}\n\\assay{thm2} \\assaypaper[p.~3]{} \\assaytool{}\n"
    paper.write_text(text, "utf-8")
    capsys.readouterr()
    assert main(["tex", str(paper)]) == main(["tex", str(style)]) == 0
    out = capsys.readouterr().out
    assert "1 of 1 marks agree" in out and "0 of 0" not in out
    assert "No manuscript among the files" in out
    style.write_text(style.read_text("utf-8").replace("{eq1}{repaired}", "{eq1}{proved}"), "utf-8")
    assert main(["tex", str(paper)]) == 1
    assert "assay.tex:1: belongs to another record or was edited" in capsys.readouterr().out


def test_a_word_that_is_no_verdict_is_named(check):
    status, out = check("% assay: thm2 = prooved\n")
    assert status == 1 and "prooved is not a verdict; expected one of proved, checked," in out


def test_faults_are_annotations_on_github_and_results_in_sarif(
    check, tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    _, out = check("\n\\assayholds{eq1}\n")
    assert f"::error file={tmp_path / 'paper.tex'},line=2::eq1: the manuscript says" in out
    paths = ["--from", str(tmp_path), "--format", "sarif"]
    assert main(["tex", str(tmp_path / "paper.tex"), *paths]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 2}
    assert place["artifactLocation"]["uri"].endswith("paper.tex")


def test_a_file_that_cannot_be_read_is_bad_input(tmp_path, capsys):
    assert main(["tex", str(tmp_path / "no.tex")]) == 4
    assert "no such file" in capsys.readouterr().err


# The sample manuscript, through everything that other people's CI would run.


@pytest.fixture
def sample(repository, tmp_path):
    folder = tmp_path / "paper"
    folder.mkdir()
    shutil.copy(repository / "docs" / "sample" / "manuscript.tex", folder)
    return folder / "manuscript.tex"


def faults_of_the_sample(out):
    lines = [line for line in out.splitlines() if "manuscript.tex:" in line]
    assert [line.split(" Write:")[0].split(": ", 1)[1] for line in lines] == [
        "eq1: the manuscript says holds as printed, the record says repaired.",
        "alg1: the manuscript says proved, the record says repaired.",
    ]
    assert "3 of 5 marks agree" in out


def test_the_sample_has_one_false_and_one_stale_mark(sample, capsys):
    assert main(["tex", str(sample)]) == 1
    faults_of_the_sample(capsys.readouterr().out)


def test_the_sample_without_its_two_faults_passes(sample, capsys):
    text = sample.read_text("utf-8")
    mended = text.replace(r"\assayholds{eq1}", "").replace("alg1 = proved", "alg1 = repaired")
    sample.write_text(mended, "utf-8")
    assert main(["tex", str(sample)]) == 0
    assert "4 of 4 marks agree" in capsys.readouterr().out


def test_the_pre_commit_hook_checks_the_sample(repository, sample, program):
    (hook,) = yaml.safe_load((repository / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert hook["types"] == ["tex"] and hook["language"] == "python"
    done = subprocess.run(
        [*shlex.split(hook["entry"]), str(sample)], env=program, capture_output=True, text=True
    )
    assert done.returncode == 1
    faults_of_the_sample(done.stdout)


def test_the_action_checks_the_sample(repository, sample, program):
    action = yaml.safe_load((repository / "action.yml").read_text("utf-8"))
    step = action["runs"]["steps"][-1]
    assert step["env"] == {"ASSAY_FILES": "${{ inputs.files }}"}
    done = subprocess.run(
        ["bash", "-c", step["run"]],
        env={**program, "ASSAY_FILES": str(sample)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    faults_of_the_sample(done.stdout)


def test_the_files_that_the_action_and_the_workflow_name_exist(repository):
    action = yaml.safe_load((repository / "action.yml").read_text("utf-8"))
    assert "constraints-hashed.txt" in action["runs"]["steps"][1]["run"]
    assert (repository / "constraints-hashed.txt").is_file()
    workflow = yaml.safe_load((repository / ".github/workflows/checks.yml").read_text("utf-8"))
    steps = workflow["jobs"]["checks"]["steps"]
    assert steps[-1]["run"] == "bash .ci/run" and (repository / ".ci" / "run").is_file()


def test_the_documented_configurations_are_of_this_version(repository):
    page = (repository / "docs" / "cite.md").read_text("utf-8")
    hook, workflow = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    assert hook["repos"][0]["rev"] == f"v{__version__}"
    assert workflow["jobs"]["pinned"]["steps"][1]["uses"] == f"OWNER/assay@v{__version__}"
    assert f"git+https://github.com/OWNER/assay@v{__version__}`" in page


@pytest.fixture
def disguised(sample, tmp_path):
    """The sample under the name of an option that leads to a record in which everything holds."""
    forged = sample.parent / "forged.tex"
    forged.mkdir()
    record = json.loads((files("reports") / "published" / "record.json").read_text("utf-8"))
    for row in record["statements"]:
        row.update(verdict="proved", rank="proved", standing="proved", through="")
    (forged / "record.json").write_text(json.dumps(record), "utf-8")
    shutil.copy(sample, sample.parent / "--from=forged.tex")
    return sample.parent


def test_a_file_named_like_an_option_is_a_file_for_the_hook(repository, disguised, program):
    """`pre-commit` hands over the names of files after the entry."""
    (hook,) = yaml.safe_load((repository / ".pre-commit-hooks.yaml").read_text("utf-8"))
    names = ["--from=forged.tex", "manuscript.tex"]
    done = subprocess.run([*shlex.split(hook["entry"]), *names], env=program, cwd=disguised,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 1 and "6 of 10 marks agree" in done.stdout


@pytest.mark.parametrize("given", ["--from=forged.tex manuscript.tex", "*.tex"])
def test_a_file_named_like_an_option_is_a_file_for_the_action(
    repository, disguised, program, given
):
    action = yaml.safe_load((repository / "action.yml").read_text("utf-8"))
    shutil.rmtree(disguised / "forged.tex") if given == "*.tex" else None
    done = subprocess.run(["bash", "-c", action["runs"]["steps"][-1]["run"]], cwd=disguised,
                          env={**program, "ASSAY_FILES": given}, capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 1 and "6 of 10 marks agree" in done.stdout


def test_a_name_with_a_blank_reaches_the_action_by_a_pattern(repository, sample, program):
    sample.rename(sample.with_name("my paper.tex"))
    action = yaml.safe_load((repository / "action.yml").read_text("utf-8"))
    environment = {**program, "ASSAY_FILES": "my?paper.tex"}
    done = subprocess.run(["bash", "-c", action["runs"]["steps"][-1]["run"]], cwd=sample.parent,
                          env=environment, capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 1 and "3 of 5 marks agree" in done.stdout


def test_neither_files_nor_a_folder_is_bad_input(capsys):
    assert main(["tex"]) == 4
    assert "expected a LaTeX source, or --sty DIR" in capsys.readouterr().err


def tex(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


@pytest.mark.skipif(
    not (shutil.which("pdflatex") and shutil.which("bibtex")), reason="LaTeX is not installed"
)
def test_the_sample_compiles_with_the_package_and_both_citations(sample, capsys):
    folder = sample.parent
    assert main(["tex", "--sty", str(folder)]) == 0
    capsys.readouterr()
    assert main(["cite", "thm1", "thm2", "thm1", "--format", "bibtex"]) == 0
    (folder / "assay.bib").write_text(capsys.readouterr().out, "utf-8")
    latex = ("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "manuscript")
    tex(folder, *latex)
    assert "Warning" not in tex(folder, "bibtex", "manuscript")
    entries = (folder / "manuscript.bbl").read_text("utf-8")
    assert (
        entries.count("\\bibitem{rizvimartel2024simulating}")
        == entries.count("\\bibitem{assay}")
        == 1
    )
    tex(folder, *latex)
    assert "undefined" not in tex(folder, *latex)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="LaTeX is not installed")
def test_without_its_macros_the_package_says_how_to_get_them(repository, sample):
    shutil.copy(repository / "reports" / "assay.sty", sample.parent)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "manuscript"],
        cwd=sample.parent, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0 and "There is no file assay.tex" in done.stdout


@pytest.mark.parametrize("blank", [" ", "  ", "\t"])
def test_a_macro_with_a_blank_before_its_braces_is_a_mark(check, blank):
    status, out = check(f"\\assayholds{blank}{{eq1}}\n")
    assert status == 1 and "eq1: the manuscript says holds as printed" in out


def test_a_comment_after_a_line_break_is_a_comment(check):
    assert check("\\\\% \\assayholds{eq1}\n")[0] == 0
    assert check("a \\\\% assay: thm2 = refuted\n")[0] == 1
    assert check("50\\% \\assayholds{eq1}\n")[0] == 1


MISSPELT = [
    "% assay: thm 2 = proved", "% Assay: thm2 = proved", "% assay : thm2 = proved",
    "% assays: thm2 = proved", "% assay: thm2 proved", "% assay: thm2 =", "% assay:",
    "% assay thm2 = proved", "\\assays{thm2}", "\\assayHolds{thm2}", "\\assayholds",
    "\\assayholds{thm2", "\\assayholds{{thm2}}", "\\assay thm2",
]  # fmt: skip


@pytest.mark.parametrize("text", MISSPELT)
def test_a_malformed_mark_is_an_error_that_shows_it(check, text):
    status, out = check(f"\\assayholds{{thm2}}\n{text}\n")
    assert status == 1 and "1 of 2 marks agree" in out
    assert "paper.tex:2: no mark: " in out and "expected \\assay{ID}" in out


@pytest.mark.parametrize("text", ["% the assay of 1 = 1", "% assayed", "\\usepackage{assay}"])
def test_prose_about_an_assay_is_no_mark(check, text):
    status, out = check(f"{text}\n")
    assert status == 0 and "0 of 0 marks agree" in out


@pytest.mark.parametrize("command", [["tex"], ["lint", "--paper"]])
def test_only_regular_files_are_read(tmp_path, capsys, command):
    """A pipe would be waited for and a device read for ever."""
    os.mkfifo(tmp_path / "pipe.tex")
    for path in (tmp_path / "pipe.tex", "/dev/zero", tmp_path):
        assert main([*command, str(path)]) == 4
        line = capsys.readouterr().err
        assert str(path) in line and "expected a regular file" in line and line.count("\n") == 1


def test_a_manuscript_of_too_many_bytes_is_not_read(tmp_path, capsys):
    with (tmp_path / "huge.tex").open("w") as huge:
        huge.truncate(1 << 40)
    assert main(["tex", str(tmp_path / "huge.tex")]) == 4
    assert "expected at most" in capsys.readouterr().err


def test_a_mark_on_a_statement_with_conditions_is_answered_by_them(check, monkeypatch):
    monkeypatch.setitem(ROWS[0], "conditions", ["GELU"])
    status, out = check("\\assayholds{thm2}\n")
    assert status == 0 and "thm2 holds given GELU" in out
