"""Records of others: read if they have the shape that the commands need, else refused in a line."""

import json
import os
from random import Random

import grammar_support
import pytest
import reports_support
from record_support import LIVE

from verify import rejudge
from verify.cli import BAD_INPUT, main
from verify.record import source as record_source

COMMANDS = (["list"], ["list", "--json"], ["show", "thm1"], ["show", "eq1"], ["show", "eq1", "--json"],
            ["cite", "eq1"], ["cite", "eq1", "--format", "latex"], ["cite", "eq1", "--format", "json"],
            ["findings"], ["findings", "--json"], ["conditions"], ["conditions", "thm1"])  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Writes a record beside true certificates."""
    (tmp_path / "certificates.json").write_text(json.dumps(LIVE.certificates))

    def write(record):
        (tmp_path / "record.json").write_text(json.dumps(record))
        return str(tmp_path)

    return write


def test_a_true_record_is_read_by_every_command(folder, capsys):
    place = folder(LIVE.record)
    for command in COMMANDS:
        assert main([*command, "--from", place]) in (0, 1, 2), command
        assert capsys.readouterr().out.strip()


def test_a_changed_record_is_refused_in_a_line_by_every_command(folder, capsys):
    for seed in range(2 * len(COMMANDS)):
        record = grammar_support.changed(Random(seed), LIVE.record, 0.002)
        changed = record != LIVE.record
        place, command = folder(record), COMMANDS[seed % len(COMMANDS)]
        status = main([*command, "--from", place])
        captured = capsys.readouterr()
        assert not changed or (status == BAD_INPUT and not captured.out)
        assert captured.err.count("\n") == 1 and "\x1b" not in captured.err


@pytest.mark.parametrize("content", ["", "{", "[" * 10**5, "1" * 5000, "\udce9", "null", "{}"])
def test_what_is_no_record_is_refused(tmp_path, capsys, content):
    (tmp_path / "record.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    assert main(["list", "--from", str(tmp_path)]) == BAD_INPUT
    assert capsys.readouterr().err.count("\n") == 1


def test_a_pipe_or_a_folder_in_the_place_of_the_record_is_refused_at_once(tmp_path, capsys):
    os.mkfifo(tmp_path / "record.json")
    assert main(["list", "--from", str(tmp_path)]) == BAD_INPUT
    (tmp_path / "record.json").unlink()
    (tmp_path / "record.json").mkdir()
    assert main(["list", "--from", str(tmp_path)]) == BAD_INPUT
    pipe, directory = capsys.readouterr().err.splitlines()
    assert "a special file" in pipe and "a directory" in directory


def test_marks_that_move_the_cursor_are_shown_escaped(folder, capsys, monkeypatch):
    monkeypatch.setattr(rejudge, "judge_again", lambda *_: ("not judged again", False))
    record, _ = LIVE.copies()
    for row in record["statements"]:
        for key in ("id", "title", "sentence", "text", "verdict", "standing"):
            row[key] += "\x1b[2J\u202e"
    record["findings"][0]["title"] = record["findings"][0]["why"] = "\x1b[2J\u202e"
    place = folder(record)
    for command in COMMANDS:
        command = [word.replace("eq1", "eq1\x1b[2J\u202e") for word in command]
        main([*command, "--from", place])
        out = capsys.readouterr().out
        assert "\x1b" not in out and "\u202e" not in out, command


def test_a_beginning_of_several_ids_is_ambiguous_and_theorems_come_first(capsys):
    assert main(["cite", "th"]) == BAD_INPUT
    line = capsys.readouterr().err
    assert "STATEMENT: th is ambiguous, it begins thm1, thm2, thm3, thm4, thm1." in line
    assert line.rstrip().endswith("more")
    assert main(["cite", "Theorem 9"]) == BAD_INPUT
    assert "expected a statement, such as thm1, thm2, thm3" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["}\\input{x}", "a b", "\\write18{x}", "%"])
def test_an_id_that_latex_would_obey_is_refused(folder, capsys, tmp_path, name):
    record, _ = LIVE.copies()
    record["statements"][0]["id"] = name
    place = folder(record)
    assert main(["tex", "--sty", str(tmp_path / "sty"), "--from", place]) == BAD_INPUT
    assert "refused" in capsys.readouterr().err and not (tmp_path / "sty").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda item: item.pop("values"),
        lambda item: item.pop("key"),
        lambda item: item.update(values=[1]),
        lambda item: item.update(holds="yes"),
        lambda item: item.update(witness="n = 7"),
    ],
)
def test_certificates_of_another_shape_are_none(tmp_path, change):
    certificates = reports_support.made()[1]
    file = tmp_path / "certificates.json"
    file.write_text(json.dumps(certificates), "utf-8")
    assert len(record_source.certificates_of(tmp_path)) == len(certificates["certificates"])
    change(certificates["certificates"][-1])
    file.write_text(json.dumps(certificates), "utf-8")
    assert record_source.certificates_of(tmp_path) == {}


@pytest.mark.parametrize("content", [b"", b"[" * 10**5, b"{}", b"\xff", b'{"schema": 1}'])
def test_a_report_without_certificates_cannot_be_updated(tmp_path, capsys, content):
    (tmp_path / "certificates.json").write_bytes(content)
    assert main(["run", "thm1.readout", "--update", "--out", str(tmp_path)]) == BAD_INPUT
    assert "a report of this version to merge them into" in capsys.readouterr().err
