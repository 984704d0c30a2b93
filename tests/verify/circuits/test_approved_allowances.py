"""What models with norms, normalised streams and tree decoders may be off by, as it was approved.

They are built with given constants, a norm's K among them that is small enough to be seen.
"""

from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("torch")

import flint
from approved_support import agree_with_approved, plain_data
from export_support import ADDER, model_of

from constructions import language_model, normalised
from constructions.automata.prediction import predictor
from constructions.automata.processes import mess3, ngram
from constructions.automata.wta import WTA
from constructions.blocks.logarithm import fit_logarithm
from constructions.circuits.interventions import (
    AblateBlock,
    AblateFeature,
    Interchange,
    MoveHead,
    RemoveEdge,
)
from constructions.exports.build import with_constants
from constructions.exports.built_model import Constants, ExportModel
from constructions.exports.circuit import circuit_of
from constructions.exports.order import Order, settle
from constructions.exports.stock import state_dict
from constructions.exports.tree_circuit import tree_circuit_of
from verify.circuits.check import word_predictions
from verify.circuits.tree_allowance import tree_allowance
from verify.circuits.tree_weights import TreeWeights
from verify.circuits.trials import Trial, draw_trials

APPROVED = Path(__file__).with_suffix(".json")
LOGARITHM = fit_logarithm("silu", Fraction(1, 1000), Fraction(1, 20))
RANDOM = WTA.of([1, 0], [[["1/2", 1], [-1, "1/3"]], [[1, 0], [2, 1]]],
                {"a": [1, "1/2"], "b": [-1, 1]})  # fmt: skip
BITS = 96


def circuit_with_logarithms():
    """Logits behind the norms of Llama."""
    order = settle(Order(3, format="llama", head="next", dtype="float32"), words=True)
    constants = Constants(Fraction(60), large=1 << 12)
    design = with_constants(order, constants)
    largest = Fraction(2)
    simulation = language_model.build_general(
        predictor(mess3()), 3, design, constants.saturation, LOGARITHM, largest
    )
    return circuit_of(ExportModel(mess3(), order, constants, simulation))


def normalised_model():
    order = settle(Order(3, format="olmo2", head="next"), words=True)
    simulation = normalised.build(predictor(mess3()), 3, Fraction(4000), LOGARITHM)
    return circuit_of(ExportModel(mess3(), order, Constants(Fraction(4000)), simulation))


def test_logits_behind_norms_are_as_approved():
    circuit = circuit_with_logarithms()
    found = {}
    for trial in draw_trials(circuit, 6, 3):
        _, allowed = word_predictions(circuit, trial)
        found[str(trial)] = plain_data([allowed.after[-1], allowed.outputs[len(trial.word)]])
    agree_with_approved(APPROVED, "logits behind norms", found)


def test_normalised_streams_are_as_approved():
    circuit, found = normalised_model(), {}
    for trial in draw_trials(circuit, 10, 3):
        _, allowed = word_predictions(circuit, trial)
        last = len(trial.word)
        with flint.ctx.workprec(BITS):
            parts = [allowed.last_norms(last, [flint.arb(2)]), allowed.factor_share(last)]
            parts += [list(allowed.run.final[last].bounds()), allowed.outputs[last]]
        found[str(trial)] = plain_data(parts)
    agree_with_approved(APPROVED, "normalised", found)
    with flint.ctx.workprec(BITS):
        own = allowed.arithmetic
        parts = [own.leak, own.rounding, own.floor, own.size, own.lost, own.width]
    agree_with_approved(APPROVED, "normalised, parts", plain_data(parts))


@pytest.mark.parametrize(
    "name", ["a mean", "no logarithms", "an entry", "a window", "a head moved"]
)
def test_interventions_in_normalised_streams_are_as_approved(name):
    circuit, word = normalised_model(), mess3().alphabet
    last = circuit.layers - 1
    changes = {
        "a mean": RemoveEdge("embed", "head 1.0", "key"), "no logarithms": AblateBlock(last),
        "an entry": AblateFeature(0, 2, 1, circuit.content), "a head moved": MoveHead(1, 0, 1),
        "a window": Interchange(0, 2, word[1:], 1, (circuit.content,)),
    }  # fmt: skip
    trial = Trial(word, (changes[name],))
    _, allowed = word_predictions(circuit, trial)
    found = [
        list(allowed.run.final[t].bounds()) + list(allowed.outputs[t]) for t in range(len(word) + 1)
    ]
    agree_with_approved(APPROVED, f"normalised, {name}", plain_data(found))


@pytest.mark.parametrize(("name", "automaton"), [("adder", ADDER), ("random", RANDOM)])
def test_tree_decoders_are_as_approved(name, automaton):
    model = model_of(automaton, Order(7, format="transformerlens"), 30)
    circuit = tree_circuit_of(model)
    weights = TreeWeights.of(circuit, state_dict(model.simulation), divided=True)
    found = {}
    for trial in draw_trials(circuit, 6, 3):
        values = circuit.values(trial.word, trial.interventions)
        symbols = circuit.symbols(trial.word)
        allowed = tree_allowance(weights, values, symbols, trial.interventions)
        largest = [[f"{key[0]} {key[1]}", {feature: top(rows) for feature, rows in table.items()}]
                   for key, table in allowed.streams.items() if key[1] > 1]  # fmt: skip
        found[str(trial)] = [plain_data(allowed.outputs[-1]), largest]
    agree_with_approved(APPROVED, f"tree, {name}", found)


def top(rows):
    """Σ of the bounds of a feature, over all positions."""
    return plain_data(sum((x for row in rows for x in row), flint.arb(0)))


def test_digital_blocks_that_may_read_a_half_or_no_whole_number_have_no_bound():
    """Each alone is enough: scores that leak, and a mean of windows."""
    order = settle(Order(4, head="next", plain=True), words=True)
    source = ngram(["abba", "ab"], 2)
    bounds = []
    for saturation, changes in ((60, ()), (Fraction(1, 16), ()),
                                (60, (RemoveEdge("embed", "head 1.0", "key"),))):  # fmt: skip
        simulation = language_model.build_one_hot(
            predictor(source), 4, with_constants(order, Constants()), saturation, digital=True
        )
        constants = Constants(Fraction(saturation), slope=simulation.design.slope)
        circuit = circuit_of(ExportModel(source, order, constants, simulation))
        _, allowed = word_predictions(circuit, Trial(tuple("abba"), changes))
        bounds.append(allowed.after[-1].window.is_finite())
    assert bounds == [True, False, False]
