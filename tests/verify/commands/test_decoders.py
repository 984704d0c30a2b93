"""The commands around decoders: export, explain, equal; what they write and refuse."""

import json
from fractions import Fraction

import pytest

from constructions.automata.families import hmm
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.files.reader import to_json
from verify.automaton.explanation import explain
from verify.cli import main
from verify.display.terminal import digits

HMM = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
TREES = WTA.of([1, 0], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], {"a": ["1/2", "1/2"], "b": [1, 0]})


@pytest.fixture
def files(tmp_path):
    found = {
        "hmm": tmp_path / "hmm.json",
        "wta": tmp_path / "wta.json",
        "other": tmp_path / "o.json",
    }
    found["hmm"].write_text(to_json(HMM))
    found["wta"].write_text(to_json(TREES))
    changed = {**HMM.transitions, "b": [["1/3", "1/3"], ["1/8", "2/8"]]}
    found["other"].write_text(to_json(WFA.of(HMM.alpha, changed, HMM.beta)))
    return found


def run(*arguments):
    return main([str(argument) for argument in arguments])


def test_equal_says_so_or_names_the_shortest_word(files, capsys):
    assert run("equal", files["hmm"], files["hmm"]) == 0
    assert "Equal" in capsys.readouterr().out
    assert run("equal", files["hmm"], files["other"], "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["equal"] is False
    assert found["weights"][0] != found["weights"][1]
    assert found["weights"][0] == str(HMM.weight(found["word"]))
    assert run("equal", files["hmm"], files["wta"]) == 4


def test_no_word_is_shorter_than_the_empty_one(tmp_path, capsys):
    for name, alpha in (("one", 1), ("two", 2)):
        body = {"kind": "wfa", "alpha": [alpha], "transitions": {"a": [[0]]}, "beta": [1]}
        (tmp_path / name).write_text(json.dumps(body))
    assert run("equal", tmp_path / "one", tmp_path / "two") == 1
    assert capsys.readouterr().out == "Different on the empty word: 1 and 2.\n"


def test_weights_are_written_with_all_their_digits(tmp_path, capsys):
    """An int of more than 4300 digits has no text in Python unless it is asked for otherwise."""
    for name, state in (("one", 0), ("two", 1)):
        body = {"kind": "wfa", "alpha": ["1e1000"], "beta": [state]}
        body["transitions"] = {"a": [["1e1000"]]}
        (tmp_path / f"{name}.json").write_text(json.dumps(body))
    assert run("equal", tmp_path / "one.json", tmp_path / "two.json", "--json") == 1
    assert json.loads(capsys.readouterr().out)["weights"] == ["0", "1" + "0" * 1000]
    assert digits(Fraction(10**5000, 3)) == "1" + "0" * 5000 + "/3"


def test_explain_names_sources_and_products_of_every_layer(files, capsys):
    assert run("explain", files["hmm"], "--word", "abba", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["layer"] for row in rows} == {0, 1, 2}
    for row in rows:
        t, layer = row["position"], row["layer"]
        if layer:
            assert row["reads"] == {"back": [max(t - 2 ** (layer - 1), 0)]}
        window = " ".join("abba"[max(t - 2**layer, 0) : t])
        assert row["holds"] == (f"A[{window}]" if t else "I")


def test_the_matrices_that_explain_shows_are_the_products(files):
    for row in explain(HMM, list("abba")):
        if row.layer == 2 and row.position == 3:
            product = [HMM.__class__.of(e, HMM.transitions, HMM.beta).states("abb")[-1]
                       for e in ([1, 0], [0, 1])]  # fmt: skip
            assert row.values == [str(w) for line in product for w in line]


def test_explain_follows_pointers_in_trees_and_draws(files, tmp_path, capsys):
    picture = tmp_path / "who.svg"
    assert run("explain", files["wta"], "--word", "[a[ab]]", "--plot", picture) == 0
    assert "near" in capsys.readouterr().out
    drawing = picture.read_text()
    assert drawing.startswith("<svg") and "previous head" in drawing and "mean head" not in drawing
    rows = explain(TREES, list("[a[ab]]"))
    last = max(row.layer for row in rows)
    root = next(row for row in rows if row.layer == last and row.position == 7)
    assert root.holds == "μ"
    assert root.values == [str(w) for w in TREES.states(list("[a[ab]]"))[1]]
