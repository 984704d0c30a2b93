"""Circuits against models run by our own module: agreement, and refusal of every wrong file."""

import json
from dataclasses import replace

import flint
import pytest

pytest.importorskip("torch")

import torch
from circuit_support import MUTANTS, assert_refused_with_one_line, changed_circuit, mutant

from constructions.automata.families import pfa
from constructions.automata.named import automaton_by_name
from constructions.automata.processes import ngram, rrxor
from constructions.circuits.file import load_circuit
from constructions.circuits.interventions import (
    AblateBlock,
    AblateFeature,
    AblateScratch,
    RemoveEdge,
)
from constructions.exports.order import Order
from verify.automaton.export import export
from verify.circuits.allowance import upper
from verify.circuits.check import answer, check
from verify.circuits.library import load_library
from verify.circuits.trials import Trial, draw_trials

HMM = automaton_by_name("hmm:3:7")
PARITY = pfa(
    [1, 0],
    {"a": [[0, "1/2"], ["1/3", 0]], "b": [["1/4", 0], [0, "1/3"]]},
    ["1/4", "1/3"],
)
MODELS = {
    "T = 5, no power of two": (HMM, Order(5)),
    "one letter": (HMM, Order(1)),
    "transformerlens": (HMM, Order(4, format="transformerlens")),
    "one-hot": (ngram(["abba", "ab"], 2), Order(8, head="next")),
    "digital": (ngram(["abba", "ab"], 2), Order(4, head="next", plain=True)),
    "digital, three layers": (PARITY, Order(8, head="next", plain=True)),
    "five states": (rrxor(), Order(4)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return export(HMM, Order(8), tmp_path_factory.mktemp("model")).folder


SLOW = ("T = 5, no power of two", "five states", "digital, three layers")


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in MODELS
])  # fmt: skip
def test_interventions_have_the_predicted_results(name, tmp_path):
    automaton, order = MODELS[name]
    found = check(export(automaton, order, tmp_path).folder, seed=1, interventions=32)
    assert found.verdict == "agrees", "\n".join(found.lines())
    assert sum(found.trials.values()) == 32 and found.worst is not None
    assert 0 < found.worst.share <= 1


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_circuit_file_is_refused_with_one_line(name, folder):
    with changed_circuit(folder, lambda body: mutant(body, name)):
        found = check(folder, seed=1, interventions=32)
    assert_refused_with_one_line(found)


def test_a_changed_weight_is_noticed(folder):
    circuit = load_circuit(folder)
    library = load_library(folder, circuit)
    with torch.no_grad():
        library.module.blocks[1].W_out[:, 0] *= 1.001
    found = answer(library, draw_trials(circuit, 32, 1))
    assert found.verdict == "refused"


def test_a_bound_that_is_not_finite_leaves_it_undecided(tmp_path):
    """A digital block that may read a half, if C were as small as this, has no bound."""
    automaton, order = MODELS["digital"]
    folder = export(automaton, order, tmp_path).folder
    circuit = load_circuit(folder)
    loose = replace(circuit, constants={**circuit.constants, "saturation": "1/16"})
    found = answer(replace(load_library(folder, circuit), circuit=loose), draw_trials(loose, 8, 1))
    assert found.verdict == "undecided" and found.unbounded > 0
    assert "no finite bound" in list(found.lines())[-1]


@pytest.mark.parametrize("kind", [AblateFeature, AblateScratch, AblateBlock, RemoveEdge])
def test_digital_blocks_are_ablated_too(kind, tmp_path):
    """Entries, scratches, blocks and edges that carry something: whole numbers, if not 0 and 1."""
    circuit, library = digital_model(tmp_path)
    trials = [trial for trial in draw_trials(circuit, 400, 3)
              if any(isinstance(each, kind) for each in trial.interventions)]  # fmt: skip
    changed = [trial for trial in trials if matters(circuit, trial)]
    found = answer(library, changed[:8])
    assert found.verdict == "agrees" and sum(found.trials.values()) == 8, list(found.lines())


def digital_model(folder):
    circuit = load_circuit(export(*MODELS["digital, three layers"], folder).folder)
    return circuit, load_library(folder, circuit)


def matters(circuit, trial):
    exact = circuit.values(trial.word).outputs
    return circuit.values(trial.word, trial.interventions).outputs != exact


def test_a_mean_of_windows_has_no_bound_where_blocks_are_digital(tmp_path):
    _, library = digital_model(tmp_path)
    change = RemoveEdge("embed", "head 1.0", "key")
    found = answer(library, [Trial(tuple("abba"), (change,))])
    assert found.verdict == "undecided" and found.unbounded > 0


def test_the_same_seed_draws_the_same_trials_and_every_edge_comes_before_any_twice(folder):
    circuit = load_circuit(folder)
    assert draw_trials(circuit, 64, 3) == draw_trials(circuit, 64, 3)
    assert draw_trials(circuit, 64, 3) != draw_trials(circuit, 64, 4)
    removed = [t.interventions[0] for t in draw_trials(circuit, 300, 3)
               if t.interventions and isinstance(t.interventions[0], RemoveEdge)]  # fmt: skip
    testable = len(set(removed))
    assert testable > 40 and len(set(removed[:testable])) == testable


def test_softmax_is_never_called_exact(folder):
    """The deviation is that of softmax, not of rounding, and is below what is certified for it."""
    note = json.loads((folder / "model.json").read_text())
    found = check(folder, seed=2, interventions=16)
    assert found.largest_output > 1e-12 and note["certified_error"] is not None


@pytest.mark.parametrize("value", ["0", "1e-9", "2.5"])
def test_the_float_allowance_is_slightly_above_the_bound(value):
    bound = flint.arb(value)
    assert bound <= flint.arb(upper(bound)) <= bound * (1 + flint.arb(2) ** -48)
    assert upper(flint.arb("inf")) == float("inf")
