"""The size limit: an estimate that is no less than what is stored, a remedy, and an override."""

from dataclasses import replace
from fractions import Fraction

import pytest
from safetensors.torch import load

from constructions.automata.named import automaton_by_name
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.exports import limit
from constructions.exports.build import build
from constructions.exports.built_model import Constants
from constructions.exports.limit import checked_size, decoder_sizes, model_size, weights
from constructions.exports.order import Order, settle

WORDS = [
    {"construction": "decoder"},
    {"construction": "decoder", "plain": True, "levels": 2},
    {"construction": "decoder", "format": "gpt2"},
    {"construction": "decoder", "format": "llama"},
    {"construction": "exact"},
    {"construction": "soft"},
    {"construction": "soft", "feedforward": "exact"},
]
TREES = [
    {"construction": "decoder"},
    {"construction": "tree"},
    {"construction": "tree", "attention": "soft"},
    {"construction": "logdepth"},
    {"construction": "logdepth", "attention": "soft"},
    {"construction": "logdepth", "attention": "soft", "levels": 1},
]


def built(automaton, order):
    """A model with some constants, which do not change its size."""
    mlp = order.feedforward == "mlp"
    soft = Fraction(9) if order.attention == "soft" else None
    large = None if order.target.norm == "none" else 16
    return build(automaton, order, Constants(soft, 4 if mlp else None, order.levels or 1, large))


def stored(model):
    """Count of the numbers in its file."""
    tensors = load(model.order.target.write(model)["model.safetensors"])
    return sum(tensor.numel() for tensor in tensors.values())


@pytest.mark.parametrize("asked", WORDS, ids=str)
@pytest.mark.parametrize(("n", "length"), [(2, 1), (3, 8), (4, 22)])
def test_the_estimate_for_words_is_what_is_stored_up_to_biases(asked, n, length):
    automaton, order = automaton_by_name(f"hmm:{n}:7"), settle(Order(length, **asked), words=True)
    share = weights(n, len(automaton.alphabet), order, words=True) / stored(built(automaton, order))
    assert 1 <= share <= 1.2


@pytest.mark.parametrize("asked", TREES, ids=str)
@pytest.mark.parametrize("n", [1, 5])
def test_the_estimate_for_trees_is_no_less_than_what_is_stored_and_at_most_three_times(asked, n):
    automaton = WTA.of([1] * n, [[[1] * n] * n] * n, {"a": [1] * n, "b": [1] * n})
    order = settle(Order(22, **asked), words=False)
    share = weights(n, 2, order, words=False) / stored(built(automaton, order))
    assert 1 <= share <= 3


def soft(length=64, **more):
    return settle(Order(length, "soft", **more), words=True)


def test_four_units_for_each_of_n_cubed_products_are_counted():
    """n = 32 at T = 64 took 23 GB before they were."""
    assert 24 * 2**30 < model_size(32, 2, soft(), words=True) < 26 * 2**30
    with pytest.raises(InputError) as caught:
        checked_size(32, 2, soft(), words=True)
    line = str(caught.value)
    assert "32 states at length 64, about 24.8 GB of weights, expected at most 1 GB" in line
    assert "large=True builds it anyway" in line


@pytest.mark.parametrize(
    ("order", "n", "remedy"),
    [
        (soft(256), 20, "feedforward=exact fits"),
        (settle(Order(1024), words=True), 16, "dtype=float32 is enough"),
        (settle(Order(1024), words=True), 16, "length=512 fits"),
        (settle(Order(64), words=True), 30, "minimise=True may need fewer states"),
        (settle(Order(64, dtype="float32"), words=True), 30, "GB: minimise=True"),
    ],
)
def test_the_refusal_names_what_would_fit(order, n, remedy):
    with pytest.raises(InputError) as caught:
        checked_size(n, 2, order, words=True)
    assert remedy in str(caught.value)


@pytest.mark.parametrize("remedy", [{"dtype": "float32"}, {"length": 512}])
def test_the_remedies_that_are_said_to_fit_do(remedy):
    order = settle(Order(1024), words=True)
    with pytest.raises(InputError, match="16 states"):
        checked_size(16, 2, order, words=True)
    checked_size(16, 2, replace(order, **remedy), words=True)


def test_the_limit_is_met_exactly_and_may_be_overridden(monkeypatch):
    size = model_size(3, 2, soft(), words=True)
    monkeypatch.setattr(limit, "MOST_BYTES", size)
    checked_size(3, 2, soft(), words=True)
    monkeypatch.setattr(limit, "MOST_BYTES", size - 1)
    with pytest.raises(InputError, match="3 states at length 64"):
        checked_size(3, 2, soft(), words=True)
    checked_size(3, 2, soft(large=True), words=True)


def test_the_longest_model_is_built_and_no_longer_one():
    exact = settle(Order(limit.LONGEST, "exact"), words=True)
    checked_size(2, 2, exact, words=True)
    longer = replace(exact, length=limit.LONGEST + 1)
    with pytest.raises(InputError, match="length: found 16385, expected at most 16384"):
        checked_size(2, 2, longer, words=True)


def test_each_class_has_its_own_widths():
    wide = {
        name: decoder_sizes(3, settle(Order(8, format=name), words=True), words=True)
        for name in ("safetensors", "transformerlens", "gpt2", "llama")
    }
    widths = {name: (size["d_model"], size["d_head"]) for name, size in wide.items()}
    assert widths == {
        "safetensors": (21, 9),
        "transformerlens": (21, 9),
        "gpt2": (24, 24),
        "llama": (19, 10),
    }
    for name, target in wide.items():
        order = settle(Order(8, format=name), words=True)
        model = built(automaton_by_name("hmm:3:7"), order)
        assert {key: model.sizes[key] for key in target} == target, name
