"""Trials, what they may be off by, and disguised models, as they were approved."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from approved_support import agree_with_approved, plain_data

from constructions.automata.named import automaton_by_name
from constructions.automata.processes import mess3, ngram
from constructions.exports.circuit import circuit_of
from constructions.exports.order import Order
from verify.automaton.export import make
from verify.circuits.benchmark import model_files
from verify.circuits.catalogue import benchmark_v1
from verify.circuits.check import predicted_output, word_predictions
from verify.circuits.disguise import DISGUISES
from verify.circuits.trials import draw_trials

APPROVED = Path(__file__).with_suffix(".json")
HMM = automaton_by_name("hmm:3:7")
MODELS = {
    "gated": (HMM, Order(6)),
    "plain, gpt2": (HMM, Order(4, format="gpt2", dtype="float32", eps="1e-2")),
    "llama": (HMM, Order(4, format="llama", dtype="float32", eps="1e-2")),
    "logarithms": (mess3(), Order(4, head="next")),
    "digital": (ngram(["abba", "ab"], 2), Order(4, head="next", plain=True)),
}
TRIALS = 14


@pytest.mark.parametrize("name", MODELS)
def test_what_a_trial_may_be_off_by_is_as_approved(name):
    automaton, order = MODELS[name]
    circuit = circuit_of(make(automaton, order)[0])
    found = []
    for trial in draw_trials(circuit, TRIALS, 3):
        trace, allowed = word_predictions(circuit, trial)
        last = len(trial.word)
        outputs = [predicted_output(trace, last, k) for k in range(len(trace.outputs[last]))]
        errors = [allowed.middle[-1], allowed.after, allowed.outputs[last]]
        found.append([str(trial), [f"{value:.12g}" for value in outputs], plain_data(errors)])
    agree_with_approved(APPROVED, f"trials: {name}", found)


COMPARED = ("circuit.json", "config.json", "model.safetensors", "train.jsonl", "truth.json")


def digest(name, body):
    """The digest of a file; JSON by what it says, however it is written."""
    if name.endswith(".json"):
        body = json.dumps(json.loads(body), sort_keys=True).encode()
    return hashlib.sha256(body).hexdigest()


@pytest.mark.parametrize(
    ("form", "disguise"), [*(("llama", name) for name in DISGUISES), ("gpt2", "superposition")]
)
def test_a_disguised_model_is_as_approved(form, disguise):
    entry = next(e for e in benchmark_v1() if e.order.format == form and "DFA" in e.family)
    files, row = model_files(replace(entry, disguise=disguise))
    found = {name: digest(name, files[name]) for name in COMPARED} | {"facts": row.facts}
    agree_with_approved(APPROVED, f"disguise: {disguise}, {form}", found)
