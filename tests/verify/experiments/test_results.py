"""Statistics, tables, the figure and the command's output for finished runs."""

import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import flint
import pytest

pytest.importorskip("torch")

import torch
from approved_support import agree_with_approved

from constructions.automata.families import hmm
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from verify.cli import main
from verify.commands import experiment
from verify.experiments import (
    figure,
    network,
    plan,
    printed,
    statistics,
    store,
    summary,
)
from verify.experiments.settings import Settings

APPROVED = Path(__file__).with_suffix(".json")
COIN = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
DEAD = WFA.of([1, 0, 0], {"a": [[0, 1, 0], [0, 0, 1], [0, 0, 0]], "b": [[0, 1, 0], [0, 0, 0], [0, 0, 1]]},
              [1, 1, 1])  # fmt: skip
RESULT = {
    "mse": [["0.5", "0.25"], ["0.125", "1"]],
    "rounded": [["0", "1"], ["2", "3"]],
    "baseline": "7",
}


def settings(task="layers", **changes):
    chosen = {"length": 16, "layers": 2, "width": 16, "seeds": (0, 1), "tries": 2} | changes
    return Settings(task=task, **(plan.FIXED[task] | chosen))


def cell(task="layers", **changes):
    return summary.Cell(settings(task, **changes), RESULT)


def test_two_segments_bend_where_they_meet():
    """By hand: y falls by 4 a step down to x = 3 and by 1 a step behind it."""
    x, y = [1, 2, 3, 4, 6], [Fraction(v) for v in (20, 16, 12, 11, 9)]
    assert statistics.elbow(x, y, "linear") == 3
    assert statistics.residual(x, [flint.fmpq(int(v)) for v in y], 2) == 0
    assert statistics.residual(x, [flint.fmpq(int(v)) for v in y], 1) > 0
    powers = [Fraction(1, 2**k) for k in (0, 3, 6, 7, 9)]
    assert statistics.elbow(x, powers, "log") == 3
    assert statistics.elbow(x[:4], [Fraction(1)] * 4, "linear") is None


def test_what_repeats_a_value_does_not_fall():
    falling = [Fraction(v) for v in (10, 6, 4, 2)]
    assert statistics.is_falling(falling) and not statistics.is_falling([*falling, falling[-1]])


def test_a_p_value_is_below_a_level_or_not_or_undecided():
    level = Fraction(1, 20)
    assert statistics.is_below(flint.arb("0.01"), level) is True
    assert statistics.is_below(flint.arb("0.06"), level) is False
    assert statistics.is_below(flint.arb("0.05", "0.01"), level) is None
    assert statistics.decimal(flint.arb("0.1234565")) in ("0.123456", "0.123457")


def test_welch_has_the_values_of_tables_of_the_t_distribution():
    """For equal variances and numbers it is Student's test: t = 2.228 at 10 degrees is 5 %."""
    one = statistics.group([Fraction(k) for k in range(6)])
    assert (one.mean, one.variance, one.runs) == (Fraction(5, 2), Fraction(7, 2), 6)
    gap = Fraction("2.228139") ** 2 * one.variance / 3
    other = replace(one, mean=one.mean + Fraction(float(gap) ** 0.5))
    assert abs(float(statistics.welch(one, other).mid()) - 0.05) < 1e-6


@pytest.mark.parametrize(
    ("text", "places", "least", "most"),
    [("0.25", 2, "0.245", "0.255"), ("7", 0, "6.5", "7.5"), ("0.010", 3, "0.0095", "0.0105")],
)
def test_a_printed_number_is_an_interval(text, places, least, most):
    assert printed.decimals(text) == places
    assert printed.interval(text) == (Fraction(least), Fraction(most))


def test_decimals_are_rounded_to_places():
    assert [printed.decimal_text(Fraction(v), 2) for v in ("0.005", "1/3", "12.345", "0")] == [
        "0.00", "0.33", "12.34", "0.00"]  # fmt: skip
    assert printed.decimal_text(Fraction(2, 3), 3) == "0.667"


def test_printed_cells_are_those_of_the_paper_and_others_none():
    table = printed.table(3)
    row, column = next(iter(table.rows)), table.columns[0]
    layers = settings(layers=int(row), length=int(column))
    assert printed.value_of(layers) == table.spread(row, column)
    assert printed.value_of(replace(layers, width=8)) is None
    assert printed.value_of(replace(layers, length=17)) is None
    four = printed.table(4)
    width, counted = list(four.rows)[1], four.columns[0]
    embedding = settings("embedding", layers=4, length=32, width=int(width), counted=int(counted))
    assert printed.value_of(embedding) == four.spread(width, counted)
    assert printed.value_of(replace(embedding, layers=3)) is None
    two = printed.table(2)
    problem, depth = next(iter(two.rows)), two.columns[0]
    trained = settings("pautomac", problem=int(problem), layers=int(depth), width=64, length=64)
    assert printed.value_of(trained) == two.spread(problem, depth)
    assert printed.value_of(replace(trained, length=32)) is None
    assert list(table.column(column)) == list(table.rows)
    with pytest.raises(InputError, match="1, 2, 3 or 4"):
        printed.table(5)
    with pytest.raises(InputError, match="row x, column 1"):
        table.cell("x", "1")
    assert str(printed.Spread("1")) == "1" and str(printed.Spread("1", "2")) == "1 ± 2"


CURVES = {
    "layers": [cell(layers=4), cell(layers=1), cell(length=32), cell(positions="none")],
    "embedding": [cell("embedding", width=w, layers=4, length=32, counted=2, symbols=s)
                  for w, s in ((16, 10), (8, 10), (8, 4))],
    "pautomac": [cell("pautomac", problem=p, layers=n, width=64, length=64)
                 for p, n in ((39, 4), (39, 2), (7, 2))],
}  # fmt: skip


def test_a_figure_is_written_as_png_and_svg(tmp_path):
    found = figure.draw("layers", CURVES["layers"][:1], tmp_path / "layers")
    assert [path.name for path in found] == ["layers.png", "layers.svg"]
    assert found[0].read_bytes()[1:4] == b"PNG" and b"<svg" in found[1].read_bytes()
    assert b"<dc:date>" not in found[1].read_bytes()
    assert b"<!-- T = 16, ours -->" in found[1].read_bytes()
    width, height = (int.from_bytes(found[0].read_bytes()[k : k + 4], "big") for k in (16, 20))
    assert (width, height) == (975, 624)


@pytest.mark.parametrize("text", ["1,2,4", " 1 , 2,4,", "7"])
def test_lists_of_whole_numbers_are_read(text):
    assert experiment.numbers(text) == tuple(int(x) for x in text.split(",") if x.strip())


@pytest.mark.parametrize("text", ["", ",", "1.5", "-1", "a", "1234567"])
def test_other_lists_are_refused(text):
    with pytest.raises(experiment.argparse.ArgumentTypeError, match="expected whole numbers"):
        experiment.numbers(text)


def trained(monkeypatch):
    """Replacement for training that records its arguments and stores a result."""
    asked = []

    def execute(waiting, out, data, jobs, display):
        asked.append(([run.cell for run in waiting], data, jobs))
        for run in waiting:
            display.epoch(SimpleNamespace(settings=run, epoch=1, error=0.125))
            store.write(out, {"settings": run.plain(), "result": RESULT, "clock": {}})
            display.finished(run)

    monkeypatch.setattr(experiment, "execute", execute)
    return asked


def test_the_command_reports_training_and_results(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "1000")
    drawn = lambda task, rows, place: [place.with_suffix(".png"), place.with_suffix(".svg")]  # noqa: E731
    monkeypatch.setattr(figure, "draw", drawn)
    asked = trained(monkeypatch)
    line = [
        "experiment",
        "layers",
        "--layers",
        "1,2",
        "--seeds",
        "0,1",
        "--out",
        str(tmp_path / "out"),
    ]
    assert main([*line, "--jobs", "1"]) == 0
    assert asked == [(["layers-T16-L1", "layers-T16-L2"], None, 1)]
    said = capsys.readouterr().out.replace(str(tmp_path), "TMP").splitlines()
    agree_with_approved(
        APPROVED, "said of an experiment", [row for row in said if "0:00:0" not in row]
    )
    names = sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_file())
    assert names == ["layers.csv", "layers.json"]
    assert main(line) == 0 and len(asked) == 1
    assert "2 cells, 0 to train" in capsys.readouterr().out


def test_an_interrupted_experiment_reports_progress(tmp_path, monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(experiment, "execute", interrupt)
    line = ["experiment", "layers", "--layers", "1,2", "--out", str(tmp_path / "out")]
    assert main(line) == 130
    assert "Interrupted with 0 of 2 cells done; start again to go on." in capsys.readouterr().out


def test_the_pautomac_folder_is_an_option_or_a_variable(tmp_path, monkeypatch):
    given = SimpleNamespace(name="layers", pautomac=None)
    assert experiment.data_folder(given) is None
    given.name = "pautomac"
    monkeypatch.delenv(experiment.DATA_VARIABLE, raising=False)
    with pytest.raises(InputError, match=r"--pautomac DIR or \$ASSAY_PAUTOMAC"):
        experiment.data_folder(given)
    monkeypatch.setenv(experiment.DATA_VARIABLE, str(tmp_path))
    assert experiment.data_folder(given) == tmp_path
    given.pautomac = tmp_path / "absent"
    with pytest.raises(InputError, match="an existing folder"):
        experiment.data_folder(given)


def test_positions_are_sines_and_cosines_of_falling_rates():
    """The rates are 10000^(-2i/width): 1, then 1/100 for a width of four."""
    found = network.sinusoids(3, 4)
    for t in range(3):
        wanted = [math.sin(t), math.cos(t), math.sin(t / 100), math.cos(t / 100)]
        assert found[t].tolist() == pytest.approx(wanted, abs=1e-6)
    assert network.sinusoids(2, 5).shape == (2, 5)
    tokens = torch.full((2, 3, 4), 7.0)
    assert network.add_positions("index", tokens)[1].tolist() == [[7, 7, 7, t] for t in range(3)]
    assert torch.equal(network.add_positions("sinusoidal", tokens), tokens + found)
    assert network.add_positions("none", tokens) is tokens


def test_a_task_has_its_own_table():
    """With the sizes of another task nothing is printed for it."""
    sizes = {"problem": 39, "counted": 2, "layers": 4, "width": 64, "length": 64}
    assert printed.value_of(settings("pautomac", **sizes)) is not None
    assert printed.value_of(settings("layers", **{**sizes, "length": 32})) is None
    assert printed.value_of(settings("embedding", **sizes)) is None


LEAST = {
    "length": 1, "layers": 1, "width": 1, "symbols": 1, "counted": 1, "epochs": 1, "batch": 1,
    "heads": 1, "tries": 1, "problem": 0, "hidden": 0, "data_seed": 0, "examples": 10,
}  # fmt: skip


@pytest.mark.parametrize("name", LEAST)
def test_whole_numbers_have_a_least_and_a_largest_value(name):
    def changed(value):
        return settings(**{"heads": 1, "width": 10**9, name: value})

    least, most = LEAST[name], 10**9
    for value in (least, most):
        assert getattr(changed(value), name) == value
    for value in (least - 1, most + 1):
        with pytest.raises(InputError, match=f"{name}.*a whole number from {least} to {most}"):
            changed(value)


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("rate", ("0.000001", "1000"), ("0", "-1", "1000.5")),
        ("decay", ("0", "1000"), ("-0.000001", "1000.5")),
        ("dropout", ("0", "0.999"), ("-0.1", "1", "1.5")),
    ],
)
def test_rates_and_shares_have_limits(name, inside, outside):
    for text in inside:
        assert getattr(settings(**{name: text}), name) == text
    for text in outside:
        with pytest.raises(InputError, match=name):
            settings(**{name: text})
