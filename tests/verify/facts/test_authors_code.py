"""Lines of the authors' code: values are compared, and hashes where a clone is at hand."""

import os
import subprocess
from hashlib import sha256

import pytest

from constructions.core.errors import InputError
from verify.facts import authors_code


def test_a_value_that_is_listed_holds_and_another_one_fails_with_its_place():
    assert authors_code.code_line({"rate": "0.001", "heads": "2"}).holds is True
    found = authors_code.code_line({"heads": "2", "rate": "0.01"})
    assert found.holds is False and found.witness["place"] == "options.py:23"


def test_a_line_that_is_not_listed_is_an_error():
    with pytest.raises(KeyError):
        authors_code.code_line({"colour": "red"})


def a_line(text="learning = 1"):
    return authors_code.Line("HEAD", "a.py", 2, "", "", sha256(text.encode()).hexdigest())


def test_a_changed_line_of_a_folder_is_refused(tmp_path):
    (tmp_path / "a.py").write_text("first\nlearning = 1\n")
    authors_code.compare_hash(a_line(), tmp_path)
    (tmp_path / "a.py").write_text("first\nlearning = 2\n")
    with pytest.raises(InputError, match=r"a\.py:2"):
        authors_code.compare_hash(a_line(), tmp_path)


def test_a_clone_is_read_at_the_listed_commit(tmp_path):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    (tmp_path / "a.py").write_text("first\nlearning = 1\n")
    for command in (["init", "-q"], ["add", "a.py"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *command], check=True)
    (tmp_path / "a.py").write_text("first\nlearning = 2\n")
    authors_code.compare_hash(a_line(), tmp_path)
    assert authors_code.text_in_clone(a_line(), tmp_path / ".git") == "learning = 1"


def test_with_a_clone_the_fact_compares_hashes(tmp_path, monkeypatch):
    (tmp_path / "options.py").write_text("\n" * 30)
    monkeypatch.setenv(authors_code.VARIABLE, str(tmp_path))
    with pytest.raises(InputError, match=r"options\.py:23"):
        authors_code.code_line({"rate": "0.001"})


@pytest.mark.skipif(not os.environ.get("ASSAY_CODE"), reason="no clone of the authors' code")
def test_every_listed_line_is_in_the_clone():
    values = {name: line.value for name, line in authors_code.lines().items()}
    assert authors_code.code_line(values).holds is True
