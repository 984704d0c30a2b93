"""Circuits of tree decoders against models: agreement, and refusal of every wrong file."""

from dataclasses import replace

import flint
import pytest

pytest.importorskip("torch")

import torch
from circuit_support import (
    TREE_MUTANTS,
    assert_refused_with_one_line,
    changed_circuit,
    tree_mutant,
)

from constructions.automata.wta import WTA
from constructions.circuits.file import load_circuit
from constructions.circuits.interventions import RemoveEdge
from constructions.core.errors import InputError
from constructions.exports.order import Order
from verify.automaton.export import export
from verify.circuits.check import answer, check, predictions
from verify.circuits.library import load_library
from verify.circuits.references import reference
from verify.circuits.score import score
from verify.circuits.tree_allowance import tree_allowance
from verify.circuits.trials import Trial, draw_trials

RANDOM = WTA.of(
    [1, 0],
    [[["1/2", 1], [-1, "1/3"]], [[1, 0], [2, 1]]],
    {"a": [1, "1/2"], "b": [-1, 1]},
)
ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
ONE = WTA.of([1], [[["1/2"]]], {"a": [3]})
MODELS = {
    "two states": (RANDOM, Order(13)),
    "soft": (RANDOM, Order(10, eps="1e-2")),
    "relu, npz": (ADDER, Order(10, activation="relu", format="npz")),
    "gelu": (RANDOM, Order(10, activation="gelu")),
    "float32": (ADDER, Order(7, dtype="float32", eps="1e-2")),
    "transformerlens": (ADDER, Order(7, format="transformerlens")),
    "three layers, two heads": (ADDER, Order(4)),
    "one state": (ONE, Order(16)),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return export(RANDOM, Order(13), tmp_path_factory.mktemp("model")).folder


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return export(ADDER, Order(7), tmp_path_factory.mktemp("small")).folder


SLOW = ("two states", "soft", "gelu", "one state", "relu, npz", "float32")


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in MODELS
])  # fmt: skip
def test_interventions_do_to_the_model_what_the_circuit_predicts(name, tmp_path):
    automaton, order = MODELS[name]
    found = check(export(automaton, order, tmp_path).folder, seed=1, interventions=32)
    assert found.verdict == "agrees", "\n".join(found.lines())
    assert sum(found.trials.values()) == 32 and found.worst is not None
    assert 0 < found.worst.share <= 1
    assert found.weak < found.comparisons / 100


@pytest.mark.parametrize("name", TREE_MUTANTS)
def test_a_wrong_circuit_file_is_refused_with_one_line(name, folder):
    with changed_circuit(folder, lambda body: tree_mutant(body, name)):
        found = check(folder, seed=1, interventions=16)
    assert_refused_with_one_line(found)


def test_a_changed_weight_is_noticed(folder):
    circuit = load_circuit(folder)
    library = load_library(folder, circuit)
    with torch.no_grad():
        library.module.blocks[2].W_out[:, :] *= 1.001
    found = answer(library, draw_trials(circuit, 8, 1))
    assert found.verdict == "refused"


def test_a_bound_that_is_not_finite_leaves_it_undecided(folder):
    """If C were as small as this, softmax would tell nothing apart, and errors would grow beyond a float."""
    circuit = load_circuit(folder)
    loose = replace(circuit, constants={**circuit.constants, "saturation": "1/1000000"})
    found = answer(load_library(folder, loose), draw_trials(loose, 4, 1))
    assert found.verdict == "undecided" and found.unbounded > 0


def test_less_attention_is_allowed_for_and_no_more(folder):
    """With a C ten times as large the file promises more than the model keeps: refused."""
    circuit = load_circuit(folder)
    sharper = replace(circuit, constants={
        **circuit.constants, "saturation": str(10 * int(circuit.constants["saturation"]))})  # fmt: skip
    found = answer(load_library(folder, sharper), draw_trials(sharper, 4, 1))
    assert found.verdict == "refused"


def test_what_a_block_erases_keeps_only_rounding(tmp_path):
    folder = export(RANDOM, Order(10, eps="1e-2"), tmp_path).folder
    library = load_library(folder, load_circuit(folder))
    _, allowed = predictions(library, Trial(tuple("[[ab][ab]]"), ()))
    between, after = allowed.streams["middle", 2], allowed.streams["after", 2]
    largest = {name: max(max(row) for row in table["near_state"])
               for name, table in (("between", between), ("after", after))}  # fmt: skip
    assert largest["after"] < flint.arb("1e-12") < flint.arb("1e-9") < largest["between"]


def test_scores_that_are_not_divided_are_rounded_by_more(folder):
    """A pt2 graph scores q · k; with the same weights its scores, and their rounding, are larger."""
    library = load_library(folder, load_circuit(folder))
    circuit, word = library.circuit, tuple("[[ab][ab]]")
    found = [tree_allowance(weights, circuit.values(word), circuit.symbols(word), ())
             for weights in (library.tree_weights, replace(library.tree_weights, divided=False))]  # fmt: skip
    less, more = (each.streams["middle", 3]["far_state"][10][0] for each in found)
    assert 0 < less < more


def test_the_same_seed_draws_the_same_trials_and_every_edge_comes_before_any_twice(folder):
    circuit = load_circuit(folder)
    drawn = draw_trials(circuit, 8, 3)
    assert drawn == draw_trials(circuit, 8, 3) and drawn != draw_trials(circuit, 8, 4)
    removed = [t.interventions[0] for t in draw_trials(circuit, 96, 3)
               if t.interventions and isinstance(t.interventions[0], RemoveEdge)]  # fmt: skip
    assert len(set(removed)) == len(removed) > 24


@pytest.mark.slow
def test_the_reference_methods_find_most_of_a_tree_decoder(folder):
    assert score(folder, reference(folder, "heads"))["heads"]["accuracy"] == 1
    probes = score(folder, reference(folder, "probe"))
    assert all(scores["R2"] > 0.999 for scores in probes.values()) and len(probes) == 5


@pytest.mark.slow
def test_heads_that_read_elsewhere_score_less_and_other_answers_are_refused(small):
    answer = reference(small, "heads")
    wrong = {name: [[0] * len(row) for row in rows] for name, rows in answer["heads"].items()}
    assert score(small, {"heads": wrong})["heads"]["accuracy"] == 0
    assert (
        score(small, {"heads": {"head 2.0": answer["heads"]["head 2.0"]}})["heads"]["accuracy"] < 1
    )
    with pytest.raises(InputError, match="heads: found"):
        score(small, {"heads": [1]})


@pytest.mark.slow
def test_the_circuit_of_a_tree_decoder_in_a_graph_is_checked_with_its_weights(tmp_path):
    folder = export(ADDER, Order(10, format="pt2"), tmp_path).folder
    found = check(folder, seed=1, interventions=32, trusted=True)
    assert found.verdict == "agrees", "\n".join(found.lines())
    assert found.library == "assay, outputs by the graph"
