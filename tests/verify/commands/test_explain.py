"""`assay explain`: numbers, Theorem 1 by SymPy, and one line for what cannot be explained."""

import json
from fractions import Fraction

import pytest

from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.files.reader import to_json
from verify.cli import main
from verify.commands import explain


def test_numbers_are_rounded_to_the_digits_that_are_asked_for():
    assert explain.rounded("2/3", None) == "2/3"
    assert [explain.rounded(text, 3) for text in ("2/3", "-7", "20000/3")] == [
        *("0.667", "-7", "6.67e+3")
    ]


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


TREE = WTA.of([1], [[[1]]], {"a": [1]})
WALK = WFA.of([1], {"walk": [[1]], "shop": [[1]]}, [1])


@pytest.mark.parametrize(
    ("automaton", "arguments", "line"),
    [
        (None, ["thm1"], "--length"),
        (None, ["thm1", "--length", "17"], "--length"),
        (None, ["thm1", "--length", "12", "--states", "3"], "--states"),
        (None, ["thm1", "--length", "4", "--plot", "a.png"], "--plot"),
        (None, ["missing.json", "--length", "4"], "--length"),
        (None, ["missing.json"], "--word"),
        (
            counting(),
            ["--word", "01", "--digits", "0"],
            "--digits: found 0, expected a whole number",
        ),
        (counting(), ["--word", "01", "--digits", "1001"], "--digits: found 1001, expected"),
        (counting(), ["--word", "01", "--format", "npz"], "--format: found npz, expected trans"),
        (counting(), ["--word", "012"], "--word: found 2, expected"),
        (counting(), ["--word", "0" * 300], "--word: found 300 letters, expected at most 256"),
        (WALK, ["--word", "walkshop"], "symbols separated by spaces, each one of shop, walk"),
        (TREE, ["--word", "[aa]", "--format", "gpt2"], "--format: found gpt2, expected"),
    ],
)
def test_what_cannot_be_explained_is_one_line(automaton, arguments, line, tmp_path, capsys):
    file = tmp_path / "automaton.json"
    if automaton is not None:
        file.write_text(to_json(automaton))
        arguments = [str(file), *arguments]
    assert main(["explain", *arguments]) == 4
    message = capsys.readouterr().err
    assert line in message and message.count("\n") == 1
