"""Training again: plans, data, stacked models, tries, and runs that survive a kill."""

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

from constructions.automata.families import k_counting
from constructions.core.errors import InputError
from verify.cli import main
from verify.commands import experiment as command
from verify.experiments import data, network, plan, store, train
from verify.experiments.network import Simulator, add_positions, sinusoids
from verify.experiments.settings import UNSAID, Settings, from_plain
from verify.experiments.stack import Dropout, Stack

ROOT = Path(__file__).parents[3]
TINY = Settings("layers", 4, 1, 4, seeds=(0,), examples=100, epochs=2, dropout="0")


def parsed(*words):
    parser = argparse.ArgumentParser()
    command.arguments(parser)
    return parser.parse_args(words)


def test_the_protocol_decides_epochs_and_dropout_and_options_come_last():
    authors = command.planned(parsed("layers", "--protocol", "authors"))
    assert {(cell.epochs, cell.dropout) for cell in authors} == {(100, "0.2")}
    ours = command.planned(parsed("layers", "--dropout", "0.3", "--seeds", "5"))
    assert {(cell.epochs, cell.dropout, cell.seeds) for cell in ours} == {(20, "0.3", (5,))}


def test_the_cells_of_the_protocol_are_those_of_its_page_and_cannot_be_changed():
    assert command.planned(parsed("protocol")) == list(plan.COMMITTED)
    with pytest.raises(InputError, match="protocol"):
        command.planned(parsed("protocol", "--epochs", "1"))


def test_every_unsaid_choice_is_a_field_and_an_option():
    options = vars(parsed("layers"))
    for name in UNSAID:
        assert hasattr(TINY, name) and name in options


def test_settings_with_a_field_too_many_or_too_few_are_refused():
    with pytest.raises(InputError, match="colour"):
        from_plain(TINY.plain() | {"colour": 1})


@pytest.mark.parametrize(("k", "letters"), [(1, 2), (2, 3), (3, 3)])
def test_trajectories_are_the_states_of_the_automaton(k, letters):
    automaton = k_counting(k, letters)
    words = data.uniform_words(data.counting(k, letters), 5, 6, torch.Generator().manual_seed(1))
    found = data.trajectory(data.counting(k, letters), words)
    for word, states in zip(words.tolist(), found.tolist(), strict=True):
        assert states == [[float(x) for x in s] for s in automaton.states([str(a) for a in word])]


def test_the_split_is_eighty_ten_ten_without_a_common_example():
    parts = data.split(100, torch.Generator().manual_seed(0))
    assert [len(part) for part in parts] == [80, 10, 10]
    assert sorted(torch.cat(parts).tolist()) == list(range(100))


def test_alignment_moves_the_rows_of_the_targets():
    machine = data.counting(1, 2)
    after = data.sample(TINY, machine, 100, 4, stream=0)
    before = data.sample(replace(TINY, alignment="before"), machine, 100, 4, stream=0)
    assert torch.equal(before.states[:, 1:], after.states[:, :-1])
    assert torch.equal(before.states[:, 0], torch.tensor([[0.0, 1.0]]).expand(100, 2))


def test_scaled_targets_and_softmax_outputs_have_their_ranges():
    machine = data.counting(1, 2)
    scaled = data.sample(replace(TINY, targets="scaled"), machine, 10, 4, stream=0)
    assert scaled.states.max() <= 1
    model = Simulator(replace(TINY, readout="softmax"), 2, 2)
    assert torch.allclose(model(scaled.words).sum(-1), torch.ones(10, 4))


def test_only_a_model_without_positions_is_blind_to_order():
    word = torch.tensor([[0, 1, 1, 0]])
    for kind in ("index", "sinusoidal"):
        torch.manual_seed(0)
        model = Simulator(replace(TINY, positions=kind), 2, 2).eval()
        assert not torch.allclose(model(word)[:, 0], model(word.flip(1))[:, 3], atol=1e-6)
    torch.manual_seed(0)
    blind = Simulator(replace(TINY, positions="none"), 2, 2).eval()
    assert torch.allclose(blind(word)[:, 0], blind(word.flip(1))[:, 3], atol=1e-6)
    assert add_positions("index", torch.ones(2, 3, 4))[1, :, -1].tolist() == [0, 1, 2]


def test_a_causal_model_ignores_later_letters():
    model = Simulator(replace(TINY, causal=True), 2, 2).eval()
    first, second = model(torch.tensor([[0, 1, 1, 0]])), model(torch.tensor([[0, 1, 0, 1]]))
    assert torch.allclose(first[:, :2], second[:, :2], atol=1e-6)
    assert sinusoids(4, 5).shape == (4, 5)


def test_fresh_layers_differ_and_cloned_layers_do_not():
    cloned = Simulator(replace(TINY, layers=2), 2, 2).encoder.layers
    assert torch.equal(cloned[0].linear1.weight, cloned[1].linear1.weight)
    fresh = Simulator(replace(TINY, layers=2, initial="fresh"), 2, 2).encoder.layers
    assert not torch.equal(fresh[0].linear1.weight, fresh[1].linear1.weight)


STACKED = [
    {},
    {"activation": "gelu", "positions": "sinusoidal"},
    {"causal": True, "positions": "none"},
    {"readout": "softmax", "initial": "fresh"},
]


@pytest.mark.parametrize("change", STACKED)
def test_the_stacked_layers_are_pytorchs_encoder(change):
    settings = replace(TINY, layers=3, width=8, seeds=(0, 1, 5), **change)
    models = train.models(settings, 2, 2)
    drawn = torch.Generator().manual_seed(1)
    for parameter in (part for each in models for part in each.parameters()):
        parameter.data += 0.2 * torch.randn(parameter.shape, generator=drawn)
    stack = Stack(settings, models)
    words = torch.randint(2, (3, 7, 4), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        found = stack(words)
        assert stack.seen == []
        for model, one, own in zip(models, found, words, strict=True):
            assert torch.allclose(model.eval()(own), one, atol=1e-5)
        stack.weights["encoder.layers.1.norm1.weight"] += 0.1
        assert not torch.allclose(models[0](words[0]), stack(words)[0], atol=1e-5)


def test_gradients_of_one_seed_do_not_reach_another():
    settings = replace(TINY, seeds=(0, 1))
    stack = Stack(settings, train.models(settings, 2, 2))
    stack(torch.zeros(2, 3, 4, dtype=torch.long))[0].sum().backward()
    gradient = stack.weights["readout.weight"].grad
    assert gradient is not None and gradient[0].abs().sum() > 0 and gradient[1].abs().sum() == 0


def test_dropout_keeps_its_rate_and_its_mean_and_nothing_is_dropped_while_judging():
    drop = Dropout(0.2, (0,))
    dropped = drop(torch.ones(200_000))
    assert abs(float((dropped == 0).double().mean()) - 0.2) < 0.005
    assert abs(float(dropped.mean()) - 1) < 0.01
    drop.active = False
    assert torch.equal(drop(torch.ones(5)), torch.ones(5))


def test_the_best_validation_state_is_selected_for_each_seed():
    weights = {"w": torch.tensor([[1.0], [1.0]])}
    best = train.Best(torch.tensor([0.5, 0.5]), torch.tensor([1, 1]), {"w": torch.zeros(2, 1)})
    best.offer(2, torch.tensor([0.4, 0.6]), weights)
    assert best.epochs.tolist() == [2, 1] and best.weights["w"].flatten().tolist() == [1, 0]


def test_a_new_try_redraws_embedding_and_readout_and_keeps_the_encoder():
    settings = replace(TINY, seeds=(0, 1))
    stack = Stack(settings, train.models(settings, 2, 2))
    before = {name: weight.detach().clone() for name, weight in stack.weights.items()}
    train.start_again(stack, [torch.Generator().manual_seed(s) for s in (7, 8)])
    changed = {
        name for name, weight in stack.weights.items() if not torch.equal(weight, before[name])
    }
    assert changed == {"embedding.weight", "readout.weight"}


def test_the_first_of_several_tries_is_the_single_try():
    alone, chain = train.run(TINY)["result"], train.run(replace(TINY, tries=3))["result"]
    assert [row[0] for row in chain["mse"]] == [row[0] for row in alone["mse"]]
    assert [len(row) for row in chain["mse"]] == [3]


def test_a_cell_is_reproducible_and_leaves_the_random_state_alone():
    before = torch.random.get_rng_state()
    first, second = train.run(TINY), train.run(TINY)
    assert first["result"] == second["result"]
    assert torch.equal(before, torch.random.get_rng_state())
    assert train.run(replace(TINY, seeds=(1,)))["result"]["mse"] != first["result"]["mse"]
    assert len(first["result"]["beyond"][0]) == 8
    assert len(first["result"]["attention"][0][0]) == 7


def test_training_lowers_the_error():
    settings = replace(TINY, epochs=30, examples=500)
    curve = [float(x) for x in train.run(settings)["result"]["curve"][0]]
    assert curve[-1] < curve[0] / 2


def test_a_record_is_written_whole_and_a_strange_one_is_refused(tmp_path):
    record = train.run(TINY)
    path = store.write(tmp_path, record)
    assert store.read(path) == record and list(tmp_path.rglob("*.*")) == [path]
    other = replace(TINY, seeds=(1,))
    assert store.pending_cells(tmp_path, [TINY, other]) == [other]
    path.rename(path.with_name("other.json"))
    with pytest.raises(InputError, match="the run named by the file"):
        store.read(path.with_name("other.json"))
    for text in ("{", "[" * 10**5):
        path.write_text(text)
        with pytest.raises(InputError, match="readable JSON"):
            store.read(path)


def command_line(folder: Path, out: str) -> list[str]:
    options = "--layers 1 --lengths 4,5,6 --seeds 0 --epochs 3 --examples 2000 --jobs 1"
    words = ["experiment", "layers", *options.split(), "--out", str(folder / out)]
    return [sys.executable, "-P", "-m", "verify", *words]


def without_clock(path: Path) -> str:
    return str([{k: v for k, v in r.items() if k != "clock"} for r in json.loads(path.read_text())])


@pytest.mark.slow
def test_a_grid_killed_in_the_middle_ends_with_the_same_results(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    subprocess.run(command_line(tmp_path, "whole"), env=environment, check=True, timeout=240)
    killed = subprocess.Popen(
        command_line(tmp_path, "killed"), env=environment, stdout=subprocess.DEVNULL
    )
    runs = tmp_path / "killed" / "runs"
    deadline = time.monotonic() + 120
    while not list(runs.glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    time.sleep(0.5)
    kept = {path: path.stat().st_mtime_ns for path in runs.glob("*.json")}
    assert 1 <= len(kept) < 3 and not (tmp_path / "killed" / "layers.json").exists()
    subprocess.run(command_line(tmp_path, "killed"), env=environment, check=True, timeout=240)
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in kept.items())
    whole, again = (tmp_path / out for out in ("whole", "killed"))
    assert without_clock(whole / "layers.json") == without_clock(again / "layers.json")
    assert (whole / "layers.csv").read_bytes() == (again / "layers.csv").read_bytes()
    assert (tmp_path / "killed" / "layers.png").stat().st_size > 5_000


@pytest.mark.parametrize("asked", [
    ("--rate", "-1"), ("--rate", "nan"), ("--rate", "0"), ("--rate", "fast"), ("--decay", "-0.1"),
    ("--dropout", "none"), ("--epochs", "0"), ("--batch", "-3"), ("--examples", "9"),
    ("--hidden", "-1"), ("--hidden", "0"), ("--symbols", "0"), ("--data-seed", "-1"),
    ("--data-seed", "99999999999"),
    ("--tries", "0"), ("--jobs", "0"), ("--budget", "-1"), ("--seeds", "-1"), ("--epochs", "x"),
])  # fmt: skip
def test_numbers_out_of_range_are_one_line(tmp_path, capsys, asked):
    try:
        status = main(["experiment", "layers", "--out", str(tmp_path / "x"), *asked])
    except SystemExit as ended:
        status = ended.code
    line = capsys.readouterr().err
    assert status == 4 and line.count("\n") == 1
    assert asked[0].strip("-").replace("-", "_") in line.replace("-", "_")
    assert not (tmp_path / "x").exists()


def chain(initial, *edges):
    """An automaton with four states and two letters that takes these edges (letter, from, to)."""
    steps = torch.zeros(2, 4, 4).double()
    for letter, before, after in edges:
        steps[letter, before, after] = 0.5
    return data.Machine(torch.tensor(initial).double(), steps)


@pytest.mark.parametrize("length", [2, 3])
def test_a_symbol_is_open_only_if_a_word_of_the_whole_length_goes_on_from_it(length):
    """The letter 1 skips a state, so that one symbol less can follow."""
    steps = [(0, k, k + 1) for k in range(length)]
    machine = chain([1, 0, 0, 0], *steps, (1, 0, 2))
    words = data.support_words(machine, 20, length, torch.Generator().manual_seed(0))
    assert words.tolist() == [[0] * length] * 20
    with pytest.raises(InputError, match="length"):
        data.support_words(machine, 1, length + 1, torch.Generator().manual_seed(0))


def test_embeddings_are_drawn_between_minus_and_plus_a_tenth():
    weight, bias = torch.full((100, 100), 7.0), torch.full((3,), 7.0)
    network.redraw([weight, bias], torch.Generator().manual_seed(0))
    assert 0.099 < float(weight.abs().max()) <= 0.1 and bias.tolist() == [0, 0, 0]
    assert abs(float(weight.mean())) < 0.002


@pytest.mark.parametrize(("task", "profile"), [("layers", "long"), ("sorting", "paper")])
def test_a_grid_has_a_known_task_and_a_known_profile(task, profile):
    with pytest.raises(InputError, match="a known experiment and profile"):
        plan.grid(task, profile)
