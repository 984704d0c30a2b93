"""Weights and configurations of exported models, as they were approved, for every format."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

import numpy as np
from approved_support import agree_with_approved
from export_support import ADDER, model_of, normalised_model
from safetensors.numpy import load

from constructions.automata.families import hmm
from constructions.exports import gpt2, llama, olmo2, transformerlens
from constructions.exports.order import Order

APPROVED = Path(__file__).with_suffix(".json")
WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
THREE = hmm([["1/2", "1/4", "1/4"], ["1/3", 0, "2/3"], [0, "1/5", "4/5"]],
            [["1/3", "1/2", "1/7"], ["2/3", "1/2", "6/7"]], ["1/2", "1/3", "1/6"], "ab")  # fmt: skip
STATES = {
    "llama": (WEATHER, Order(3, format="llama")),
    "gpt2": (WEATHER, Order(3, format="gpt2")),
    "transformerlens": (WEATHER, Order(3, format="transformerlens")),
    "transformerlens, tree": (ADDER, Order(4, format="transformerlens")),
}
FORMATS = {"gpt2": gpt2, "llama": llama, "olmo2": olmo2, "transformerlens": transformerlens}


def summary(weight):
    """Shape, number of entries below 0, Σ |w| and Σ k |w|: an entry of another size or place is seen."""
    sizes = np.abs(weight.astype(np.float64)).ravel()
    sums = (sizes.sum(), sizes @ np.arange(1, len(sizes) + 1))
    return [list(weight.shape), int((weight < 0).sum()), *(f"{value:.11e}" for value in sums)]


def texts(data):
    """Floats as texts, whose last digits may differ."""
    if isinstance(data, dict):
        return {key: texts(value) for key, value in data.items()}
    return f"{data:.11e}" if isinstance(data, float) else data


def parts(model):
    """Configuration and weights by their names."""
    files = FORMATS[model.order.format].FORMAT.write(model)
    yield "configuration", texts(json.loads(files["config.json"]))
    weights = load(files["model.safetensors"])
    yield "weights", {name: summary(weight) for name, weight in weights.items()}
    if "generation_config.json" in files:
        yield "generation", json.loads(files["generation_config.json"])


@pytest.mark.parametrize("name", STATES)
def test_a_model_of_states_is_as_approved(name):
    for part, found in parts(model_of(*STATES[name])):
        agree_with_approved(APPROVED, f"{name}: {part}", found)


def test_a_normalised_model_of_the_next_symbol_is_as_approved():
    for part, found in parts(normalised_model(3)):
        agree_with_approved(APPROVED, f"olmo2: {part}", found)


@pytest.mark.parametrize("name", ["llama", "gpt2", "transformerlens"])
def test_a_model_of_three_states_is_as_approved(name):
    """With two states n² is 2n and nⁿ: a size that is another one is not seen there."""
    found = dict(parts(model_of(THREE, Order(2, format=name))))
    kept = {part: found[part] for part in ("configuration", "weights")}
    agree_with_approved(APPROVED, f"{name}, three states", kept)
