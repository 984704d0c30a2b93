"""`assay explain`: where what is long is cut, and where everything stands in the figure."""

import json
from fractions import Fraction

import pytest

from constructions.automata.families import counting
from constructions.automata.wta import WTA
from constructions.files.reader import to_json
from verify.cli import main
from verify.commands import explain


def test_numbers_are_rounded_to_the_digits_that_are_asked_for():
    assert explain.rounded("2/3", None) == "2/3"
    assert [explain.rounded(text, 3) for text in ("2/3", "-7", "20000/3")] == [
        *("0.667", "-7", "6.67e+3")
    ]


@pytest.mark.parametrize(("count", "status"), [("1000", 0), ("1001", 4)])
def test_up_to_a_thousand_digits_can_be_asked_for(count, status, tmp_path, capsys):
    file = tmp_path / "wfa.json"
    file.write_text(to_json(counting()))
    assert main(["explain", str(file), "--word", "0", "--digits", count]) == status


def test_a_weight_of_a_tree_is_that_of_its_root():
    tree = WTA.of([2], [[[3]]], {"a": [5], "b": ["1/7"]})
    said = explain.result(tree, list("[a[ab]]"))
    assert said == f"State of the tree: 225/7. Its weight: f = {Fraction(450, 7)}."


def test_theorem_1_is_explained_by_its_products(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["explain", "thm1", "--length", "4", "--plot", "contents.svg"]) == 0
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines()]
    assert ["4", "A₄", "A₃A₄", "A₁A₂A₃A₄"] in rows and ["-3", "I", "A₄", "A₂A₃A₄"] in rows
    assert "8 monomials: A1[1,1]·A2[1,1]·A3[1,1]·A4[1,1] + " in " ".join(out.split())
    assert "after layer 2" in (tmp_path / "contents.svg").read_text()
    assert main(["explain", "thm1", "--length", "3", "--states", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entries"][-1][-1] == ["A1[1,1]·A2[1,1]·A3[1,1]"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["thm1"], "--length"),
        (["thm1", "--length", "17"], "--length"),
        (["thm1", "--length", "12", "--states", "3"], "--states"),
        (["thm1", "--length", "4", "--plot", "a.png"], "--plot"),
        (["missing.json", "--length", "4"], "--length"),
        (["missing.json"], "--word"),
    ],
)
def test_what_theorem_1_cannot_be_asked_is_one_line(arguments, field, capsys):
    assert main(["explain", *arguments]) == 4
    message = capsys.readouterr().err
    assert field in message and message.count("\n") == 1
