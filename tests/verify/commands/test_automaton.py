"""`assay automaton` and `assay export`: three renderings, exit status, bad input, real models."""

import io
import json
import os
import re
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from rich.console import Console

from constructions.automata.families import counting, dfa
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.files.formats import load
from constructions.files.reader import to_json
from reports import automaton as render
from verify.automaton import limits
from verify.automaton.report import report
from verify.automaton.report_data import Uncertified
from verify.cli import main
from verify.commands.automaton import FILES

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})


SWAP = dfa(2, 0, [0], {"a": [1, 0], "b": [0, 1]})


EVIL = WFA.of([1, 0], {"<script>alert(1)</script>": [[1, 0], [1, 1]], "[red]|*x*\n": [[1, 0], [0, 1]]},
              [1, 0])  # fmt: skip


PAUTOMAC = Path(os.environ.get("ASSAY_PAUTOMAC", "none"))


MODELS = sorted(PAUTOMAC.glob("*_model.txt"))


def stored(folder: Path, automaton: WFA | WTA) -> Path:
    path = folder / "automaton.json"
    path.write_text(to_json(automaton), encoding="utf-8")
    return path


def test_alphabets_are_shown_and_never_obeyed() -> None:
    answer = asdict(report(EVIL, 4, source="<b>.json"))
    text = render.markdown(answer)
    assert "<script" not in text
    assert "\\[red\\]\\|\\*x\\*" in text
    console = Console(record=True, width=200, file=io.StringIO())
    render.terminal(answer, console)
    shown = console.export_text()
    assert "<script>alert(1)</script>" in shown
    assert "[red]|*x*" in shown


def test_every_markdown_row_has_as_many_cells_as_its_header() -> None:
    for line in render.markdown(asdict(report(EVIL, 4))).split("\n"):
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in (4, 5, 6, 8, 10)


def test_the_data_is_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["automaton", str(stored(tmp_path, counting())), "--length", "4", "--json"])
    body = json.loads(capsys.readouterr().out)
    assert status == 0
    assert body["schema"] == "assay-automaton-3"
    assert body["all_met"] is False
    assert {h["status"] for h in body["hypotheses"]} == {"met", "not met", "undecided"}
    assert body["constructions"][0]["embedding"] == 10


def test_the_sentence_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["automaton", str(stored(tmp_path, SWAP)), "--length", "4"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Your 2-state DFA is simulated exactly by 2 layers of width 10")
    said = " ".join(out.split())
    assert "assumes: no attention error after layer 1" in said and "Sizes model layers" in said
    assert "Constants and errors" not in said


def test_the_answer_fits_a_screen_and_names_safe_lengths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["automaton", str(stored(tmp_path, SWAP)), "--length", "4"]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= 40
    assert "float64   4           4" in out and "--long" in out


def test_all_tables_are_shown_where_they_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["automaton", str(stored(tmp_path, SWAP)), "--length", "4", "--long"]) == 0
    out = capsys.readouterr().out
    titles = ("Conditions", "What it is", "Sizes", "Constants and errors", "Floating-point formats")
    places = [out.index(title) for title in titles]
    assert places == sorted(places)


def test_what_cannot_be_certified_is_status_one(tmp_path: Path) -> None:
    path = str(stored(tmp_path, SWAP))
    assert main(["automaton", path, "--length", "4", "--activation", "relu", "--json"]) == 1


def test_a_contradiction_of_our_own_is_status_three(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise Uncertified("exact model in float16: measured inf, certified 187")

    monkeypatch.setattr("verify.automaton.float_runs.consistent", broken)
    assert main(["automaton", str(stored(tmp_path, SWAP)), "--length", "4"]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "a fault of this program" in captured.err


@pytest.mark.parametrize("kind", [kind for kind in FILES if kind != "ngram"])
def test_every_example_is_printed_and_answered(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["automaton", "--example", kind]) == 0
    path = tmp_path / FILES[kind]
    path.write_text(capsys.readouterr().out)
    assert main(["automaton", str(path), "--length", "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["source"].startswith(path.name)


@pytest.mark.parametrize(
    ("option", "words"),
    [((), "read as factors"), (("--openfst-weights", "costs"), "rounded to 17 significant digits")],
)
def test_what_is_assumed_of_an_acceptors_weights_is_said(
    option: tuple[str, ...], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.att"
    path.write_text("0 0 a 0.5\n0 0.5\n")
    assert main(["automaton", str(path), "--length", "2", "--markdown", *option]) == 0
    assert words in capsys.readouterr().out
    assert main(["export", str(path), "--length", "2", "--out", str(tmp_path / "m"), *option]) == 0
    assert words in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--length", "x"],
        ["--length", "0"],
        ["--length", "9" * 30],
        ["--length", "4", "--eps", "nan"],
        ["--length", "4", "--eps", "-1"],
        ["--length", "4", "--eps", "1e-99999999"],
        ["--length", "4", "--activation", "step"],
    ],
)
def test_bad_input_is_one_line_and_status_four(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["automaton", str(stored(tmp_path, SWAP)), *arguments]) == 4
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1


def test_symbols_that_cannot_be_written_again_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "surrogate.json"
    path.write_text('{"kind":"wfa","alpha":[1],"transitions":{"\\ud800":[[1]]},"beta":[1]}')
    with pytest.raises(InputError, match="surrogates"):
        load(path)


def test_export_writes_a_model(tmp_path: Path) -> None:
    arguments = ["--length", "4", "--construction", "soft", "--out", str(tmp_path / "model")]
    assert main(["export", str(stored(tmp_path, counting())), *arguments]) == 0
    body = json.loads((tmp_path / "model" / "model.json").read_text())
    assert int(body["saturation"]) >= 1
    refused = ["--length", "4", "--construction", "tree", "--out", str(tmp_path / "other")]
    assert main(["export", str(stored(tmp_path, counting())), *refused]) == 4


@pytest.mark.skipif(not MODELS, reason="no PAutomaC models at hand")
def test_a_pautomac_model_is_inspected(capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = [model for model in MODELS if model.name.startswith("39.")]
    assert main(["automaton", str(path), "--length", "64", "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["states"] == 6


@pytest.mark.slow
@pytest.mark.parametrize("path", MODELS, ids=lambda p: p.name.partition(".")[0])
def test_every_pautomac_model_takes_less_than_a_minute(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = time.monotonic()
    assert main(["automaton", str(path), "--length", "64", "--json"]) in (0, 1)
    assert time.monotonic() - started < 60
    assert json.loads(capsys.readouterr().out)["length"] == 64


def test_what_takes_long_is_refused_with_an_estimate_and_done_where_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "counting.json"
    path.write_text(to_json(counting()), "utf-8")
    monkeypatch.setattr(limits, "PRODUCT", 4.0)
    asked = ["automaton", str(path), "--length", "2"]
    assert main(asked) == 4
    line = capsys.readouterr().err
    assert "2 states and 2 symbols, about 64 s" in line and "--large" in line
    assert main([*asked, "--large"]) == 0


@pytest.mark.parametrize("command", ["automaton", "export"])
def test_weights_that_no_step_of_the_mlps_can_multiply_are_one_line(command, tmp_path, capsys):
    file = tmp_path / "large.json"
    file.write_text(to_json(WFA.of([1], {"a": [[10**500]]}, [1])))
    more = {"automaton": [], "export": ["--construction", "soft", "--out", str(tmp_path / "x")]}
    asked = [command, str(file), "--length", "7", "--eps", "1", *more[command]]
    assert main(asked) == 4
    error = capsys.readouterr().err
    assert "eps: found 1, expected an error that MLPs" in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "missing"), [([], "FILE"), (["x.json"], "--length"), (["--length", "4"], "FILE")]
)
def test_what_is_missing_is_named(
    arguments: list[str], missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["automaton", *arguments]) == 4
    assert capsys.readouterr().err.startswith(f"assay: {missing}: found nothing, expected")


@pytest.mark.parametrize(("field", "data"), [
    ("alpha[0]", {"alpha": ["1e400"], "transitions": {"a": [[1]]}}),
    ("transitions[a][0][0]", {"alpha": [1], "transitions": {"a": [["-1e400"]]}}),
])  # fmt: skip
@pytest.mark.parametrize("command", ["automaton", "export"])
def test_a_weight_beyond_floats_is_told_with_file_and_field(tmp_path, capsys, field, data, command):
    file = tmp_path / "big.json"
    file.write_text(json.dumps({"kind": "wfa", **data, "beta": [1]}))
    more = ["--out", str(tmp_path / "model")] if command == "export" else []
    assert main([command, str(file), "--length", "4", *more]) == 4
    line = capsys.readouterr().err
    assert f"{file}: {field}: found " in line and "1.8e+308, which float64 can hold" in line
