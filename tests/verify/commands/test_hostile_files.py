"""Files that never end, or are too large for memory, in a paper's folder: one line, at once."""

import os
import shutil

import pytest

from verify.cli import BAD_INPUT, main
from verify.record.chosen_paper import TEMPLATE

pytestmark = pytest.mark.timeout(60)
COMMANDS = {
    "run": ["run", "--jobs", "1", "--about"],
    "lint": ["lint", "--about"],
    "list": ["list", "--about"],
    "recheck": ["recheck", "report", "--about"],
}


def endless(path, kind):
    path.unlink(missing_ok=True)
    if kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        with path.open("wb") as file:
            file.truncate(1 << 40)


@pytest.mark.parametrize("kind", ["device", "pipe", "sparse"])
@pytest.mark.parametrize("name", ["paper.toml", "more.toml", "erratum.tex"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_data_file_that_never_ends_is_refused(tmp_path, capsys, command, name, kind):
    mine = shutil.copytree(TEMPLATE, tmp_path / "mine")
    endless(mine / name, kind)
    asked = [str(mine / "report") if word == "report" else word for word in COMMANDS[command]]
    assert main([*asked, str(mine)]) == BAD_INPUT
    line = capsys.readouterr().err
    assert line.count("\n") == 1 and "Traceback" not in line


@pytest.mark.parametrize("kind", ["device", "pipe", "sparse"])
def test_code_that_never_ends_is_refused(tmp_path, capsys, kind):
    """A pipe in place of facts.py was left out, so that the template's own facts were run."""
    mine = shutil.copytree(TEMPLATE, tmp_path / "mine")
    endless(mine / "facts.py", kind)
    assert main(["lint", "--trust", "--about", str(mine)]) == BAD_INPUT
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("kind", ["device", "pipe", "sparse"])
@pytest.mark.parametrize("option", [[], ["--paper"]])
def test_a_source_that_never_ends_is_refused(tmp_path, monkeypatch, capsys, option, kind):
    endless(tmp_path / "paper.tex", kind)
    monkeypatch.setenv("ASSAY_PAPER", str(tmp_path / "paper.tex"))
    assert main(["lint", *(option and [*option, str(tmp_path / "paper.tex")])]) == BAD_INPUT
    assert capsys.readouterr().err.count("\n") == 1
