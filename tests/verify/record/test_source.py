"""Records of others: read if they have the shape that the commands need, else refused in a line."""

import json
import os
from random import Random

import grammar_support
import pytest
import reports_support

from constructions.core.errors import InputError
from verify import rejudge
from verify.cli import BAD_INPUT, main
from verify.record import source as record_source

COMMANDS = (["list"], ["list", "--json"], ["show", "thm1"], ["show", "eq1"], ["show", "eq1", "--json"],
            ["cite", "eq1"], ["cite", "eq1", "--format", "latex"], ["cite", "eq1", "--format", "json"],
            ["findings"], ["findings", "--json"], ["conditions"], ["conditions", "thm1"])  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Writes a record, which is not judged again: test_second_look is about that."""
    monkeypatch.setattr(rejudge, "judge_again", lambda *_: ("not judged again", False))

    def write(record):
        (tmp_path / "record.json").write_text(json.dumps(record))
        return str(tmp_path)

    return write


def made():
    return reports_support.made()[0]


def test_a_true_record_is_read_by_every_command(folder, capsys):
    place = folder(made())
    for command in COMMANDS:
        assert main([*command, "--from", place]) in (0, 1, 2), command
        assert capsys.readouterr().out.strip()


def test_a_changed_record_is_read_or_refused_by_every_command(folder, capsys):
    seen = set()
    for seed in range(150):
        record = grammar_support.changed(Random(seed), made(), 0.05)
        place, command = folder(record), COMMANDS[seed % len(COMMANDS)]
        status = main([*command, "--from", place])
        captured = capsys.readouterr()
        assert status in (0, 1, 2, BAD_INPUT)
        assert captured.err.count("\n") == 1
        assert "\x1b" not in captured.out + captured.err and "\u202e" not in captured.out
        seen.add(status == BAD_INPUT)
    assert seen == {True, False}


def edit(record, path, value):
    for key in path[:-1]:
        record = record[key]
    record[path[-1]] = value


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("schema",), "assay-record-1", "another schema"),
        (("statements",), {}, "statements is missing or no list"),
        (("statements",), [], "no statement"),
        (("statements", 0), 1, "statements[0]"),
        (("statements", 1, "title"), None, "statements[1].title"),
        (("statements", 1, "places"), [[1]], "no pair of lines"),
        (("statements", 1, "places"), [[True, 2]], "statements[1].places[0][0]"),
        (("statements", 1, "id"), "def1", "an id twice"),
        (("statements", 3, "findings"), [], "grade without a finding"),
        (("statements", 3, "repair"), [], "statements[3].repair"),
        (("statements", 3, "interpretations", 0, "bindings"), [{}], "bindings[0].fact"),
        (("findings", 0, "grade"), "awful", "findings[0].grade"),
    ],
)
def test_the_place_that_is_wrong_is_named(folder, path, value, named):
    record = made()
    edit(record, path, value)
    from pathlib import Path

    with pytest.raises(InputError) as caught:
        record_source.load(Path(folder(record)))
    assert named in str(caught.value)


@pytest.mark.parametrize("content", ["", "{", "[" * 10**5, "1" * 5000, "\udce9", "null"])
def test_what_is_no_json_is_refused(tmp_path, content):
    (tmp_path / "record.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError):
        record_source.load(tmp_path)


def test_a_pipe_or_a_folder_in_the_place_of_the_record_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "record.json")
    with pytest.raises(InputError, match="special file"):
        record_source.load(tmp_path)
    (tmp_path / "record.json").unlink()
    (tmp_path / "record.json").mkdir()
    with pytest.raises(InputError, match="a directory"):
        record_source.load(tmp_path)


def test_marks_that_move_the_cursor_are_shown_escaped(folder, capsys):
    record = made()
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
    record = made()
    record["statements"][0]["id"] = name
    place = folder(record)
    assert main(["tex", "--sty", str(tmp_path), "--from", place]) == BAD_INPUT
    assert "the name" in capsys.readouterr().err


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
