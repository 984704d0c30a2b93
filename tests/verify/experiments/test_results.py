"""Statistics, tables, the figure and the command's output for finished runs."""

import csv
import json
import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest

pytest.importorskip("torch")

import torch

from constructions.core.errors import InputError
from verify.cli import main
from verify.commands import experiment
from verify.experiments import network, plan, printed, statistics, store
from verify.experiments.settings import Settings


def settings(task="layers", **changes):
    chosen = {"length": 16, "layers": 2, "width": 16, "seeds": (0, 1), "tries": 2} | changes
    return Settings(task=task, **(plan.FIXED[task] | chosen))


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


@pytest.mark.parametrize("text", ["1,2,4", " 1 , 2,4,", "7"])
def test_lists_of_whole_numbers_are_read(text):
    assert experiment.numbers(text) == tuple(int(x) for x in text.split(",") if x.strip())


@pytest.mark.parametrize("text", ["", ",", "1.5", "-1", "a", "1234567"])
def test_other_lists_are_refused(text):
    with pytest.raises(experiment.argparse.ArgumentTypeError, match="expected whole numbers"):
        experiment.numbers(text)


SMALL = [
    "--layers",
    "1",
    "--lengths",
    "4,5",
    "--seeds",
    "0,1",
    "--epochs",
    "2",
    "--examples",
    "100",
]


def test_the_command_trains_once_and_writes_what_it_found(tmp_path, capsys):
    line = ["experiment", "layers", *SMALL, "--jobs", "1", "--out", str(tmp_path / "out")]
    assert main(line) == 0
    assert "2 cells, 2 to train" in " ".join(capsys.readouterr().out.split())
    files = {path.name: path for path in (tmp_path / "out").iterdir() if path.is_file()}
    assert sorted(files) == ["layers.csv", "layers.json", "layers.png", "layers.svg"]
    cells = json.loads(files["layers.json"].read_text())
    rows = list(csv.DictReader(files["layers.csv"].read_text().splitlines()))
    for each, row in zip(cells, rows, strict=True):
        errors = [Fraction(error) for tries in each["result"]["mse"] for error in tries]
        assert row["runs"] == "2" and Fraction(row["minimum"]) == min(errors)
    assert files["layers.png"].read_bytes()[1:4] == b"PNG"
    drawn = files["layers.svg"].read_text()
    assert "<dc:date>" not in drawn
    for length, logarithm in ((4, "2"), (5, "2.32")):
        assert f">T = {length}, log₂ T ≈ {logarithm}, ours<" in drawn
    before = {name: path.read_bytes() for name, path in files.items()}
    assert main(line) == 0
    assert "2 cells, 0 to train" in " ".join(capsys.readouterr().out.split())
    assert before == {name: path.read_bytes() for name, path in files.items()}


def test_an_interrupted_experiment_reports_progress(tmp_path, monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "train_and_store", interrupt)
    line = ["experiment", "layers", "--layers", "1,2", "--jobs", "1"]
    line += ["--out", str(tmp_path / "out")]
    assert main(line) == 130
    assert "Interrupted with 0 of 2 cells done; start again to go on." in capsys.readouterr().out


def test_the_pautomac_folder_is_an_option_or_a_variable(tmp_path, monkeypatch):
    given = SimpleNamespace(name="layers", pautomac=None)
    assert experiment.data_folder(given) is None
    given.name = "pautomac"
    monkeypatch.delenv(experiment.DATA_VARIABLE, raising=False)
    with pytest.raises(InputError, match=r"--pautomac: found nothing, .*\$ASSAY_PAUTOMAC"):
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
