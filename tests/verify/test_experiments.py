"""Training again: the plans, the data, the runs that survive a kill, and what is said of them."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from verify.check import Job
from verify.checks import experiments as checks
from verify.checks import experiments_encoder as encoder
from verify.checks.section5 import compare
from verify.claims.printed import Spread
from verify.evidence import Outcome

from constructions.errors import InputError
from constructions.families import counting, k_counting
from verify.commands import experiment as command
from verify.experiments import data, plan, store, summary
from verify.experiments.model import Simulator, sinusoids
from verify.experiments.settings import UNSAID, Settings, from_plain
from verify.experiments.train import Best, run
from verify.recheck import experiments as recheck
from verify.recheck.errors import Refused

ROOT = Path(__file__).parents[2]
TINY = Settings("layers", 4, 1, 4, seed=0, examples=100, epochs=2, dropout="0")


def test_the_paper_profile_is_the_printed_grid():
    layers = plan.runs("layers", plan.grid("layers", "paper"))
    assert len(layers) == 3 * 10 * 10
    assert len(plan.runs("embedding", plan.grid("embedding", "paper"))) == 4 * 6 * 10
    assert len(plan.runs("pautomac", plan.grid("pautomac", "paper"))) == 10 * 5 * 10
    assert {run.examples for run in layers} == {10_000} and {run.rate for run in layers} == {
        "0.001"
    }


def test_every_unsaid_choice_is_a_field_and_an_option():
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    for name in UNSAID:
        assert hasattr(TINY, name)
    args = parser.parse_args(["experiment", "layers", "--dropout", "0.3", "--seeds", "5"])
    runs = command.planned(args)
    assert {run.dropout for run in runs} == {"0.3"} and {run.seed for run in runs} == {5}


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"task": "sorting"}, "task"),
        ({"width": 5}, "width"),
        ({"dropout": "1"}, "dropout"),
        ({"positions": "none at all"}, "positions"),
        ({"epochs": 0}, "epochs"),
    ],
)
def test_settings_that_cannot_be_run_are_refused_by_name(change, what):
    with pytest.raises(InputError, match=what):
        from_plain(TINY.plain() | change)


def test_settings_with_a_field_too_many_or_too_few_are_refused():
    with pytest.raises(InputError, match="colour"):
        from_plain(TINY.plain() | {"colour": 1})


def test_a_changed_setting_has_another_name():
    assert TINY.name != replace(TINY, epochs=3).name != replace(TINY, seed=1).name


@pytest.mark.parametrize(("k", "letters"), [(1, 2), (2, 3), (3, 3)])
def test_trajectories_are_the_states_of_the_automaton(k, letters):
    automaton = k_counting(k, letters)
    words = data.uniform_words(data.counting(k, letters), 5, 6, torch.Generator().manual_seed(1))
    found = data.trajectory(data.counting(k, letters), words)
    for word, states in zip(words.tolist(), found.tolist(), strict=True):
        assert states == [[float(x) for x in s] for s in automaton.states([str(a) for a in word])]


def test_zero_counting_is_the_paper_automaton():
    machine, automaton = data.counting(1, 2), counting()
    assert machine.alpha.tolist() == [float(x) for x in automaton.alpha]
    assert machine.transitions[0].tolist() == [[1, 0], [1, 1]]


def test_support_words_have_positive_weight_and_dead_ends_are_avoided():
    alpha = torch.tensor([1.0, 0.0, 0.0]).double()
    steps = torch.zeros(2, 3, 3).double()
    steps[0, 0, 1] = steps[0, 1, 1] = 0.5
    steps[1, 0, 2] = 0.5
    machine = data.Machine(alpha, steps)
    words = data.support_words(machine, 20, 4, torch.Generator().manual_seed(0))
    assert (words == 0).all()
    assert (data.trajectory(machine, words)[:, -1].sum(1) > 0).all()
    with pytest.raises(InputError, match="length"):
        data.support_words(data.Machine(alpha, steps * 0), 1, 2, torch.Generator().manual_seed(0))


def test_the_split_is_eighty_ten_ten_and_alignment_moves_the_rows():
    machine = data.counting(1, 2)
    whole = data.sample(TINY, machine, 100, 4, stream=0)
    parts = data.split(whole)
    assert [len(p) for p in (parts.train, parts.validation, parts.test)] == [80, 10, 10]
    before = data.sample(replace(TINY, alignment="before"), machine, 100, 4, stream=0)
    assert torch.equal(before.states[:, 1:], whole.states[:, :-1])
    assert torch.equal(before.states[:, 0], torch.tensor([[0.0, 1.0]]).expand(100, 2))


def test_scaled_targets_and_softmax_outputs_have_their_ranges():
    machine = data.counting(1, 2)
    scaled = data.sample(replace(TINY, targets="scaled"), machine, 10, 4, stream=0)
    assert scaled.states.max() <= 1
    model = Simulator(replace(TINY, readout="softmax"), 2, 2)
    assert torch.allclose(model(scaled.words).sum(-1), torch.ones(10, 4))


def test_only_a_model_without_positions_is_blind_to_order():
    word = torch.tensor([[0, 1, 1, 0]])
    for kind in ("index", "sinusoidal", "learned"):
        torch.manual_seed(0)
        model = Simulator(replace(TINY, positions=kind), 2, 2).eval()
        assert not torch.allclose(model(word)[:, 0], model(word.flip(1))[:, 3], atol=1e-6)
    torch.manual_seed(0)
    blind = Simulator(replace(TINY, positions="none"), 2, 2).eval()
    assert torch.allclose(blind(word)[:, 0], blind(word.flip(1))[:, 3], atol=1e-6)


def test_a_causal_model_does_not_see_what_follows():
    model = Simulator(replace(TINY, causal=True), 2, 2).eval()
    first, second = model(torch.tensor([[0, 1, 1, 0]])), model(torch.tensor([[0, 1, 0, 1]]))
    assert torch.allclose(first[:, :2], second[:, :2], atol=1e-6)
    assert sinusoids(4, 5).shape == (4, 5)


def test_fresh_layers_differ_and_cloned_layers_do_not():
    cloned = Simulator(replace(TINY, layers=2), 2, 2).encoder.layers
    assert torch.equal(cloned[0].linear1.weight, cloned[1].linear1.weight)
    fresh = Simulator(replace(TINY, layers=2, initial="fresh"), 2, 2).encoder.layers
    assert not torch.equal(fresh[0].linear1.weight, fresh[1].linear1.weight)


def test_the_best_validation_model_is_kept():
    best, model = Best(), Simulator(TINY, 2, 2)
    best.offer(1, 0.5, model)
    best.offer(2, 0.7, model)
    assert (best.epoch, best.error) == (1, 0.5)


def test_a_run_is_reproducible_and_leaves_the_random_state_alone():
    before = torch.random.get_rng_state()
    first, second = run(TINY), run(TINY)
    assert first["result"] == second["result"]
    assert torch.equal(before, torch.random.get_rng_state())
    assert run(replace(TINY, seed=1))["result"]["mse"] != first["result"]["mse"]
    assert len(first["result"]["beyond"]) == 8


def test_a_record_is_written_whole_and_a_strange_one_is_refused(tmp_path):
    record = run(TINY)
    path = store.write(tmp_path, record)
    assert store.read(path) == record and not list(tmp_path.rglob("*.part"))
    assert store.pending(tmp_path, [TINY, replace(TINY, seed=1)]) == [replace(TINY, seed=1)]
    path.rename(path.with_name("other.json"))
    with pytest.raises(InputError, match="the run that its name says"):
        store.read(path.with_name("other.json"))
    path.write_text("{")
    with pytest.raises(InputError, match="readable JSON"):
        store.read(path)


DRIVER = """
import argparse, sys
from verify.commands import experiment

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    experiment.add_parser(parser.add_subparsers())
    args = parser.parse_args()
    sys.exit(args.func(args))
"""


def command_line(folder: Path, out: str) -> list[str]:
    driver = folder / "driver.py"
    driver.write_text(DRIVER)
    options = "--layers 1 --lengths 4 --seeds 0,1,2 --epochs 3 --examples 2000 --jobs 1"
    words = ["experiment", "layers", *options.split(), "--out", str(folder / out)]
    return [sys.executable, str(driver), *words]


def test_a_grid_killed_in_the_middle_ends_with_the_same_results(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    subprocess.run(command_line(tmp_path, "whole"), env=environment, check=True, timeout=120)
    killed = subprocess.Popen(
        command_line(tmp_path, "killed"), env=environment, stdout=subprocess.DEVNULL
    )
    runs = tmp_path / "killed" / "runs"
    deadline = time.monotonic() + 60
    while not list(runs.glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    time.sleep(0.5)
    kept = {path: path.stat().st_mtime_ns for path in runs.glob("*.json")}
    assert 1 <= len(kept) < 3 and not (tmp_path / "killed" / "layers.json").exists()
    subprocess.run(command_line(tmp_path, "killed"), env=environment, check=True, timeout=120)
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in kept.items())
    for name in ("layers.json", "layers.csv"):
        whole, again = (tmp_path / out / name for out in ("whole", "killed"))
        assert whole.read_bytes() == again.read_bytes()
    assert (tmp_path / "killed" / "layers.png").stat().st_size > 5_000


def test_pautomac_without_data_is_an_input_error(monkeypatch, tmp_path):
    monkeypatch.delenv(command.DATA_VARIABLE, raising=False)
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["experiment", "pautomac", "--out", str(tmp_path / "x")])
    with pytest.raises(InputError, match="ASSAY_PAUTOMAC"):
        args.func(args)
    with pytest.raises(argparse.ArgumentTypeError):
        command.numbers("1,two")


def a_cell(errors, printed=("0.2", "0.1"), rounded=(0.0,), **change):
    settings = replace(TINY, **change)
    return summary.Cell(settings, tuple(errors), tuple(rounded), "1.0", Spread(*printed))


def test_a_cell_meets_the_print_where_the_ranges_do():
    assert checks.meets(a_cell([0.25, 0.5]))
    assert not checks.meets(a_cell([0.31, 0.5])) and not checks.meets(a_cell([0.01, 0.05]))


def test_rows_are_supported_where_all_cells_meet_and_open_otherwise():
    (good,) = checks.rows([a_cell([0.2]), a_cell([0.3])], "tab3")
    assert good.outcome is Outcome.HOLDS and good.claim == "tab3.row-1"
    (left_open,) = checks.rows([a_cell([0.2]), a_cell([0.9])], "tab3")
    assert left_open.outcome is Outcome.UNKNOWN


def test_least_errors_agree_on_the_same_side_of_epsilon():
    ours = {"task": "pautomac", "problem": 39, "layers": 2}
    below = a_cell([0.0005], ("0.0004", ""), **ours)
    above = a_cell([0.0005], ("0.0014", ""), **ours)
    assert {e.claim: e.outcome for e in checks.least([below])}["tab2.row-39"] is Outcome.HOLDS
    assert {e.claim: e.outcome for e in checks.least([above])}["tab2.row-39"] is Outcome.UNKNOWN


def test_rounding_to_zero_is_seen_or_left_open():
    assert checks.rounding([a_cell([0.1], rounded=(0.0,))]).outcome is Outcome.HOLDS
    assert checks.rounding([a_cell([0.1], rounded=(0.1,))]).outcome is Outcome.UNKNOWN


def test_models_no_better_than_guessing_leave_the_claim_open():
    poor = {e.claim: e for e in checks.learning([a_cell([2.0])], []) if e.reading == "literal"}
    assert poor["exp.simulate"].outcome is Outcome.UNKNOWN
    assert poor["exp.train.optimiser"].outcome is Outcome.UNKNOWN
    fine = {e.claim: e for e in checks.learning([a_cell([0.2])], []) if e.reading == "literal"}
    assert fine["exp.simulate"].outcome is Outcome.HOLDS
    assert fine["exp.train.optimiser"].outcome is Outcome.HOLDS


def test_an_alphabet_is_supported_only_if_it_alone_meets_the_print():
    def found(ten, two):
        small = {"task": "embedding", "width": 2, "counted": 2}
        first = a_cell([ten], ("1.316259", "0.0361747"), **small, symbols=10)
        second = a_cell([two], ("1.316259", "0.0361747"), **small, symbols=2)
        return {e.claim: e.outcome for e in checks.alphabets([first, second])}

    assert found(1.3, 2.0)["exp.k.setup"] is Outcome.HOLDS
    assert found(1.3, 1.3)["exp.k.setup"] is Outcome.UNKNOWN
    assert found(1.5, 2.0)["exp.k.setup"] is Outcome.UNKNOWN


def test_a_layer_without_residuals_would_meet_the_hypothesis():
    layer = torch.nn.TransformerEncoderLayer(2, 2, 2, 0.0, batch_first=True)
    assert (encoder.silent_layer(layer) != 0).any()
    assert (encoder.silent_layer(torch.nn.Linear(2, 2)) == 0).all()
    (item,) = encoder.the_trained_encoder_is_not_the_one_of_the_theorems(Job())
    assert item.outcome is Outcome.FAILS and recheck.residual(item.certificate)


def test_the_committed_results_are_those_of_the_committed_plan():
    for task in ("layers", "embedding", "pautomac"):
        found = [from_plain(record["settings"]).name for record in summary.committed(task)]
        assert found == [settings.name for settings in plan.committed(task)]


def test_the_figure_sets_trained_and_constructed_side_by_side():
    figure = checks.beyond_figure()
    assert [series.label.split(",")[0] for series in figure.series] == [
        "trained",
        "trained",
        "one constructed layer",
    ]
    trained, built = figure.series[1], figure.series[2]
    assert float(trained.y[-1]) > 1 > float(built.y[-1])
    json.dumps([series.y for series in figure.series])


@pytest.mark.parametrize("what", ["embedding", "hidden", "depth", "pads"])
def test_a_certificate_on_sizes_is_computed_again(what):
    body = compare(what, 3, 32, 16)
    assert what in recheck.sizes(body)
    for change in ({"needed": 1}, {"met": not body["met"]}, {"what": "colour"}, {"states": 0}):
        with pytest.raises(Refused):
            recheck.sizes(body | change)
