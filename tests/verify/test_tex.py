"""`verify tex`: true, false and stale marks of a manuscript."""

import json

import pytest

from verify.cli import main

ROW = {
    **dict.fromkeys(("title", "form", "section", "method", "scope", "grade", "text"), ""),
    "aliases": [],
    "numbered": "",
    "places": [],
    "rests_on": [],
    "findings": [],
    "readings": [],
}
ROWS = [
    {**ROW, "id": "thm2", "numbered": "Theorem 2", "verdict": "proved", "rank": "proved",
     "standing": "proved", "sentence": "It holds."},
    {**ROW, "id": "eq1", "verdict": "repaired", "rank": "repaired", "standing": "repaired",
     "sentence": "It does not hold as printed.", "aliases": ["thm2.recursion"]},
]  # fmt: skip


@pytest.fixture
def check(tmp_path, capsys):
    record = {
        "schema": "assay-record-2",
        "statements": ROWS,
        "findings": [],
        "observations": [],
        "profile": "quick",
    }
    (tmp_path / "record.json").write_text(json.dumps(record), "utf-8")

    def checked(text):
        file = tmp_path / "paper.tex"
        file.write_text(text, "utf-8")
        status = main(["tex", str(file), "--from", str(tmp_path)])
        return status, capsys.readouterr().out

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
    assert check("% \\assayholds{eq1}\n") == (0, "0 of 0 marks agree with the record.\n")


def test_a_file_that_cannot_be_read_is_bad_input(tmp_path, capsys):
    assert main(["tex", str(tmp_path / "no.tex")]) == 4
    assert "expected a LaTeX source" in capsys.readouterr().err
