"""`assay sweep`: the table, JSON and plot, and one line for each bad input."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from constructions.core.errors import InputError
from verify.cli import main
from verify.commands import sweep


def lines(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if line.strip()]


def test_weight_two_at_length_sixteen_exceeds_the_printed_bound_1024_times(capsys):
    assert main(["sweep", "scalar:2", "--length", "16", "--saturation", "400:1600:4"]) == 0
    out = capsys.readouterr().out
    assert " ".join(out.split()).startswith(
        "Of 4 values of C, the error certainly exceeds Equation (1) as printed: iterated at 4, layer by "
        "layer at 4 (first in layer 2); the corrected bound at none."
    )
    rows = [cells for cells in lines(out) if cells[0] in {"400", "800", "1200", "1600"}]
    assert len(rows) == 4
    for cells in rows:
        assert cells[7] == "yes"
        assert 1000 < float(cells[4]) < 1025
        assert float(cells[6]) < 1 < float(cells[5])
    assert abs(float(rows[-1][4]) - 1024) < 0.1
    assert rows[0][:5] == ["400", "120.0", "0.1186", "452.3", "1011.9"]


def test_a_layer_is_compared_with_the_print_where_the_iteration_keeps_it(capsys):
    """This hidden Markov model keeps Equation (1) iterated, and exceeds it from layer to layer."""
    assert main(["sweep", "hmm:2:7", "--length", "8", "--saturation", "100:300:2"]) == 0
    out = capsys.readouterr().out
    assert "iterated at none, layer by layer at 2 (first in layer 2)" in " ".join(out.split())
    assert "Words: all 256 (aaaaaaaa, aaaaaaab, aaaaaaba, …)" in out
    assert "M = " not in out and max(map(len, out.splitlines())) <= 100


def test_mlps_end_the_fall_of_the_error(tmp_path, capsys):
    asked = [
        "sweep",
        "hmm:2:7",
        "--length",
        "4",
        "--saturation",
        "200:800:2",
        "--activation",
        "tanh",
    ]
    plot = tmp_path / "floor.svg"
    assert main([*asked, "--mlp-error", "1e-12", "--plot", str(plot), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    last = [float(row["error"]) for row in answer["rows"] if row["layer"] == 2]
    assert "tanh MLPs with ε_mlp ≤" in answer["block"] and len(answer["word_list"]) == 16
    assert 1e-16 < last[-1] < 1e-12 and abs(last[-1] / last[0] - 1) < 0.1
    assert "n·10⁻¹²" in plot.read_text()


def test_json_has_every_layer_and_every_bound(capsys):
    main(["sweep", "counting", "--length", "4", "--saturation", "20:40:2", "--json"])
    answer = json.loads(capsys.readouterr().out)
    rows = answer["rows"]
    assert [(row["saturation"], row["layer"]) for row in rows] == [
        ("20", 1), ("20", 2), ("40", 1), ("40", 2),
    ]  # fmt: skip
    assert all(
        float(row["error"]) <= float(row["corrected"]) <= float(row["all_words"]) for row in rows
    )
    assert answer["all_words"] and len(answer["word_list"]) == 16


def test_json_states_words_digits_and_the_decay_rate(capsys):
    main(["sweep", "rotation:1/8", "--length", "8", "--saturation", "500:1000:2", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert answer["states"] == 2
    assert answer["all_words"] is True
    assert all(row["working_digits"] == 38 for row in answer["rows"])  # 117 + log2 1000 bits
    assert abs(float(answer["decay_rate"][0]) / float(answer["gap"]) - 1) < 1e-6


def test_the_table_says_which_reading_each_column_is(capsys):
    main(["sweep", "counting", "--length", "6", "--saturation", "100:200:2"])
    said = " ".join(capsys.readouterr().out.split())
    assert "Measured decay rate of the error in C: " in said and "1 − cos(π/8)" in said
    for name, meaning in sweep.LEGEND:
        assert f"{name} {meaning}" in said
    with pytest.raises(SystemExit):
        main(["sweep", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "stepwise Equation (1) from the measured error of the layer before" in said


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_a_plot_is_drawn(tmp_path, suffix, capsys):
    file = tmp_path / f"plot.{suffix}"
    main(["sweep", "hmm:2:1", "--length", "4", "--saturation", "20:60:3", "--plot", str(file)])
    assert file.stat().st_size > 1000


def test_equal_tokens_have_no_ratio_and_length_one_no_layer(capsys):
    main(["sweep", "scalar:1", "--length", "4", "--saturation", "5:6:2"])
    assert "–" in capsys.readouterr().out
    main(["sweep", "scalar:2", "--length", "1", "--saturation", "5"])
    assert "yes" in capsys.readouterr().out


def test_an_automaton_from_a_file_is_swept(tmp_path, capsys):
    file = tmp_path / "two.json"
    body = {"kind": "wfa", "alpha": [1], "transitions": {"a": [["2"]]}, "beta": [1]}
    file.write_text(json.dumps(body), encoding="utf-8")
    main(["sweep", str(file), "--length", "8", "--saturation", "400", "--json"])
    answer = json.loads(capsys.readouterr().out)
    last = answer["rows"][-1]
    assert last["error_over_printed"] == "12.000000"
    assert last["error_over_corrected"] == "0.42857143"
    assert last["error"] == "4.59072865847649e-11"


def test_a_name_in_brackets_is_shown_as_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    body = {"kind": "wfa", "alpha": [1], "transitions": {"a": [["2"]]}, "beta": [1]}
    Path("[bold]two.json").write_text(json.dumps(body), encoding="utf-8")
    assert main(["sweep", "[bold]two.json", "--length", "2", "--saturation", "9"]) == 0
    assert "[bold]two.json: n = 1, T = 2" in capsys.readouterr().out


def test_a_tree_automaton_is_refused(tmp_path, capsys):
    file = tmp_path / "tree.json"
    body = {"kind": "wta", "alpha": [1], "tensor": [[[1]]], "leaves": {"a": [1]}}
    file.write_text(json.dumps(body), encoding="utf-8")
    assert main(["sweep", str(file), "--length", "8", "--saturation", "400"]) == 4
    assert "expected an automaton over words" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["unknown", "--length", "4", "--saturation", "5"], "family"),
        (["scalar:x", "--length", "4", "--saturation", "5"], "weight"),
        (["missing.json", "--length", "4", "--saturation", "5"], "file"),
        (["scalar:2", "--length", "0", "--saturation", "5"], "--length"),
        (["scalar:2", "--length", "100000", "--saturation", "5"], "--length"),
        (["scalar:2", "--length", "four", "--saturation", "5"], "--length"),
        (["scalar:2", "--length", "4", "--saturation", "1:2"], "--saturation"),
        (["scalar:2", "--length", "4", "--saturation", "0:2:3"], "--saturation"),
        (["scalar:2", "--length", "4", "--saturation", "9:2:3"], "--saturation"),
        (["scalar:2", "--length", "4", "--saturation", "1:2:0"], "--saturation"),
        (["scalar:2", "--length", "4", "--saturation", "1:2:9999999999"], "--saturation"),
        (["scalar:2", "--length", "4", "--saturation", "1e99:1e999999:3"], "--saturation"),
        (["scalar:2", "--length", "4", "--saturation", "nan"], "--saturation"),
        (["scalar:2", "--length", "4", "--saturation", "5", "--plot", "a.exe"], "--plot"),
        (["scalar:2", "--length", "4", "--saturation", "5", "--mlp-error", "1"], "--activation"),
        (
            [
                "scalar:2",
                "--length",
                "4",
                "--saturation",
                "5",
                "--activation",
                "tanh",
                "--mlp-error",
                "2",
            ],
            "--mlp-error",
        ),
    ],
)
def test_bad_input_is_one_line_and_status_four(arguments, field, capsys):
    assert main(["sweep", *arguments]) == 4
    message = capsys.readouterr().err
    assert field in message
    assert message.count("\n") == 1


@pytest.mark.parametrize(
    ("length", "constants", "most"),
    [("129", "5", "128"), ("4", "1:2:513", "512"), ("4", "10000001", "10000000")],
)
def test_what_is_just_too_much_is_refused_with_the_limit(length, constants, most, capsys):
    assert main(["sweep", "scalar:2", "--length", length, "--saturation", constants]) == 4
    assert f"{most}\n" in capsys.readouterr().err


def test_as_many_constants_as_allowed_reach_from_the_first_to_the_last():
    found = sweep.saturations("1:10000000:512")
    assert (len(found), found[0], found[-1]) == (512, 1, 10**7)
    assert sweep.saturations("5/2") == [Fraction(5, 2)]


def test_a_family_is_preferred_to_a_missing_file_and_a_file_to_a_family(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert sweep.automaton_of("counting").n == 2
    body = {"kind": "wfa", "alpha": [1], "transitions": {"a": [["2"]]}, "beta": [1]}
    Path("counting").write_text(json.dumps(body), encoding="utf-8")
    assert sweep.automaton_of("counting").n == 1


def test_a_constant_has_at_most_forty_characters_and_may_be_the_largest():
    text = "1." + "0" * 38
    assert sweep.saturations(text) == [1] and sweep.saturations("10000000") == [10**7]
    for wrong in (f"{text}0", "10000000.5", "0", "-1"):
        with pytest.raises(InputError, match="C > 0 and at most 10000000"):
            sweep.saturations(wrong)
    assert sweep.saturations("3:3:1") == [3]


def test_a_length_of_one_has_no_layer_and_its_row_says_so():
    swept = sweep.sweep("scalar:2", 1, [Fraction(1, 3)])
    assert sweep.outcome(swept) == "One letter takes no layer, so that there is no error."
    assert sweep.as_data(swept)["decay_rate"] == []
