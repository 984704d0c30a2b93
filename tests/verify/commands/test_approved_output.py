"""What the commands print, as it was approved: statuses, words, tables and numbers."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
import reports_support
from approved_support import agree_with_approved

from verify import rejudge
from verify.automaton import float_runs, precision
from verify.cli import main
from verify.display.progress import Progress

APPROVED = Path(__file__).with_suffix(".json")
FILES = {
    "wfa.json": {"kind": "wfa", "alpha": [0, 1], "beta": [1, 0],
                 "transitions": {"0": [[1, 0], [1, 1]], "1": [[1, 0], [0, 1]]}},
    "other.json": {"kind": "wfa", "alpha": [0, 1], "beta": [1, 0],
                   "transitions": {"0": [[1, 0], [1, 1]], "1": [[1, 0], ["1/7", 1]]}},
    "wta.json": {"kind": "wta", "alpha": [1, 0], "tensor": [[[0, 1], [1, 0]], [[0, 0], [0, 1]]],
                 "leaves": {"a": [1, 1], "b": [5, 1]}},
}  # fmt: skip
# A name and symbols that rich would take for its markup, or colour as numbers.
ODD = {"kind": "wfa", "alpha": [1], "beta": [2], "transitions": {"[b]": [[2]], "7": [["1/2"]]}}
ODD_TREE = {"kind": "wta", "alpha": [1], "tensor": [[[1]]], "leaves": {"7": [2], "/b": ["1/3"]}}
IN_COLOUR = [
    "explain [b].json --word '[b] 7' --format transformerlens",
    "explain [i].json --word '[7[/b 7]]'",
    "sweep [b].json --length 2 --saturation 9",
    "precision [b].json --lengths 1:1",
    "automaton [b].json --length 2",
    "export [b].json --length 2 --out [b]",
    "equal [b].json [b].json",
]
# Its digest is cited, and does not change with the lines of our re-checker.
RECORD = {**reports_support.made()[0], "rechecker": {"lines": 1000}}
PAPER = r"""By \assayholds{thm1} and \assayholds{eq1}, see \assayholds{absent}.
\assay{eq1} % \assayholds{thm2}
"""
ASKED = [
    "automaton wfa.json --length 6",
    "automaton wfa.json --length 6 --long --eps 1e-3",
    "automaton wfa.json --length 6 --relative 2 --activation relu",
    "automaton wta.json --length 7 --long",
    "automaton wta.json --length 7 --markdown",
    "sweep scalar:2 --length 4 --saturation 20:80:3",
    "sweep wfa.json --length 1 --saturation 20:40:2",
    "precision wfa.json --lengths 1:8",
    "explain wfa.json --word 0110",
    "explain wfa.json --word 0110 --digits 3 --format transformerlens",
    "explain wta.json --word [a[ab]]",
    "equal wfa.json other.json",
    "equal wfa.json wfa.json",
    "equal wfa.json other.json --json",
    "export wfa.json --length 6 --out model",
    "export wfa.json --length 6 --format npz --plain --out plain",
    "export wfa.json --length 6 --attention hard --out hard",
    "export wta.json --length 7 --out tree",
    "export wfa.json --length 64 --format gpt2 --dtype float32 --out rounded",
    "export wfa.json --length 64 --plain --levels 2 --dtype bfloat16 --out coarse",
    "export wfa.json --length 4 --attention soft --saturation 30 --feedforward exact --out given",
]
OF_A_RECORD = [
    "list",
    "list --verdict repaired",
    "show thm1",
    "show eq1",
    "cite thm1 eq1",
    "cite eq1 --full",
    "cite eq1 --format latex --key rizvi24 --full",
    "cite thm1 --format bibtex",
    "cite eq1 --format json",
    "findings",
    "findings --grade material",
    "tex paper.tex",
    "list --section 4",
    "show def1",
]


def not_run(model, guarantee, files):
    return replace(guarantee, not_run="torch is not installed")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with automata and a record; without PyTorch, so that nothing is measured."""
    for name, body in FILES.items():
        (tmp_path / name).write_text(json.dumps(body))
    (tmp_path / "paper.tex").write_text(PAPER)
    (tmp_path / "record.json").write_text(json.dumps(RECORD))
    monkeypatch.setattr(rejudge, "judge_again", lambda *_: ("not judged again", False))
    monkeypatch.setattr("verify.automaton.export._run", not_run)
    for module in (float_runs, precision):
        monkeypatch.setattr(module, "has_torch", lambda: False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def agree(line, arguments, capsys):
    status = main(arguments)
    captured = capsys.readouterr()
    found = {"status": status, "out": captured.out.splitlines(), "err": captured.err.splitlines()}
    agree_with_approved(APPROVED, line, found)


@pytest.mark.parametrize("line", ASKED)
def test_a_command_prints_what_was_approved(line, folder, capsys):
    agree(line, line.split(), capsys)


@pytest.mark.parametrize("line", IN_COLOUR)
def test_a_terminal_shows_what_was_approved_and_no_text_is_markup(
    line, folder, monkeypatch, capsys
):
    """Of the user's text nothing is coloured and nothing left out."""
    for name, body in (("[b].json", ODD), ("[i].json", ODD_TREE)):
        Path(name).write_text(json.dumps(body))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "COLORTERM", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    shown_on = []
    monkeypatch.setattr(Progress, "__enter__", lambda bar: shown_on.append(bar._bar.console) or bar)
    status = main(shlex.split(line))
    assert all(console.stderr for console in shown_on)
    assert shown_on or line.startswith("explain")
    found = {"status": status, "out": capsys.readouterr().out.splitlines()}
    agree_with_approved(APPROVED, f"in colour: {line}", found)


@pytest.mark.parametrize("line", OF_A_RECORD)
def test_a_command_says_of_a_record_what_was_approved(line, folder, capsys):
    agree(line, [*line.split(), "--from", "."], capsys)
