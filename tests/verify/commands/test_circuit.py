"""`assay circuit check`: statuses and lines."""

import json

import pytest

pytest.importorskip("torch")

from circuit_support import mutant
from export_support import counter

from verify.cli import main


@pytest.fixture
def folder(tmp_path):
    return counter(tmp_path / "model", 4)


def run(*words):
    return main(["circuit", "check", *map(str, words)])


def test_a_folders_circuit_agrees_with_its_model(folder, capsys):
    assert run(folder, "--interventions", 12) == 0
    text = capsys.readouterr().out
    assert "Run by: assay" in text and "agrees" in text


def test_a_wrong_circuit_has_status_1_and_names_the_place(folder, capsys):
    body = json.loads((folder / "circuit.json").read_text())
    (folder / "circuit.json").write_text(json.dumps(mutant(body, "a head's distance off by one")))
    assert run(folder, "--interventions", 12) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Refused")]
    assert len(lines) == 1 and "at blocks.1." in lines[0]


@pytest.mark.parametrize("words", [
    ("--interventions", 0), ("--seed", "x"), ("--interventions", 10**9),
])  # fmt: skip
def test_wrong_numbers_are_bad_input(folder, words):
    assert run(folder, *words) == 4


def test_a_folder_without_a_circuit_is_bad_input(tmp_path, capsys):
    assert run(tmp_path) == 4
    assert "circuit.json" in capsys.readouterr().err


def test_an_edge_that_carries_what_its_target_does_not_read_is_bad_input(folder, capsys):
    body = json.loads((folder / "circuit.json").read_text())
    for edge in body["edges"]:
        if (edge["source"], edge["target"], edge["input"]) == ("head 0.0", "head 1.0", "query"):
            edge["carries"] = ["window"]
    (folder / "circuit.json").write_text(json.dumps(body))
    assert run(folder) == 4
    assert "head 0.0 -> head 1.0 (query): found window" in capsys.readouterr().err
