"""`assay precision`: the sentence first, tables, JSON and plot, and one line for each bad input."""

import json

import pytest

from constructions.automata.families import hmm
from constructions.automata.wta import WTA
from constructions.files.reader import to_json
from verify.cli import main

HMM = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
TREES = WTA.of([1, 0], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], {"a": ["1/2", "1/2"], "b": [1, 0]})


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "hmm.json"
    path.write_text(to_json(HMM))
    return path


def test_the_sentence_comes_first_and_the_passes_last(file, capsys):
    assert main(["precision", str(file), "--lengths", "4:8", "--all"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("Of the lengths up to 8, in float64, certified to stay within 1e-6")
    assert "Longest of these lengths certified within 1e-6" in said
    assert said.endswith("A measurement bounds nothing.")


def test_json_has_every_row_and_the_plot_is_drawn_where_all_curves_are(file, tmp_path, capsys):
    figure = tmp_path / "precision.svg"
    assert main(["precision", str(file), "--lengths", "4:8", "--eps", "1e-9", "--json", "--plot",
                 str(figure)]) == 0  # fmt: skip
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == "assay-precision-1" and data["eps"] == "1e-9"
    assert data["lengths"] == [4, 8] and len(data["rows"]) == 2 * len(data["safe"])
    assert "greatest state" in figure.read_text()


@pytest.mark.parametrize(("arguments", "complaint"), [
    (["--lengths", "8:4"], "A ≤ B"),
    (["--lengths", "0:4"], "A:B"),
    (["--lengths", "x"], "A:B"),
    (["--lengths", "1:99999"], "4096"),
    (["--eps", "0"], "a number > 0"),
    (["--plot", "figure.txt"], ".svg"),
])  # fmt: skip
def test_bad_input_ends_with_one_line(file, capsys, arguments, complaint):
    assert main(["precision", str(file), *arguments]) == 4
    error = capsys.readouterr().err
    assert complaint in error and error.count("\n") == 1


def test_trees_are_refused_in_one_line(tmp_path, capsys):
    path = tmp_path / "wta.json"
    path.write_text(to_json(TREES))
    assert main(["precision", str(path)]) == 4
    assert "over words" in capsys.readouterr().err
