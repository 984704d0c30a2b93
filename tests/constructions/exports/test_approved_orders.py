"""What becomes of an order, and how large its model is estimated, as it was approved.

Every option alone and every pair of options is asked for: most refusals are of two that do not go together.
"""

from dataclasses import asdict
from pathlib import Path

import pytest
from approved_support import agree_with_approved

from constructions.core.errors import InputError
from constructions.exports.formats import NAMES
from constructions.exports.limit import MOST_BYTES, checked_size, readable, weights
from constructions.exports.order import Order, settle

APPROVED = Path(__file__).with_suffix(".json")
KINDS = {"words": True, "trees": False}
OPTIONS = [
    *(("construction", name) for name in ("decoder", "exact", "soft", "tree", "logdepth")),
    *(("format", name) for name in NAMES[1:]),
    *(("dtype", name) for name in ("float32", "bfloat16")),
    *(("attention", name) for name in ("hard", "soft")),
    *(("feedforward", name) for name in ("exact", "mlp", "gated")),
    *(("activation", name) for name in ("gelu", "relu", "tanh")),
    *(("levels", number) for number in (1, 2)),
    *(("window", number) for number in (1, 2, 6)),
    *((name, "1/9") for name in ("eps", "saturation", "relative")),
    *((name, True) for name in ("plain", "minimise")),
    ("head", "next"),
    ("length", 2000),
]


def outcome(asked, words):
    """What is settled besides what was asked for, or the refusal."""
    try:
        order = settle(Order(**{"length": 8, **asked}), words)
    except InputError as error:
        return str(error)
    plain = asdict(Order(8))
    found = {key: value for key, value in asdict(order).items() if value != plain[key]}
    return ", ".join(f"{key} {value}" for key, value in found.items() if key not in asked)


@pytest.mark.parametrize("kind", KINDS)
def test_options_are_settled_or_refused_as_approved(kind):
    """For each outcome the pairs that have it, by the first option."""
    found = {}
    for number, (first, value) in enumerate(OPTIONS):
        found.setdefault(outcome({first: value}, KINDS[kind]), []).append(f"{first} {value}")
        for second, other in OPTIONS[number + 1 :]:
            if first != second:
                text = outcome({first: value, second: other}, KINDS[kind])
                found.setdefault(text, []).append(f"{first} {value}, {second} {other}")
    agree_with_approved(APPROVED, f"settled, {kind}", found)


MODELS = {
    "words": [
        *({"format": name} for name in NAMES if name != "olmo2"),
        {"format": "olmo2", "head": "next"},
        {"format": "olmo2", "head": "next", "window": 4},
        {"plain": True, "levels": 2},
        {"construction": "exact"},
        {"construction": "soft"},
        {"construction": "soft", "feedforward": "exact"},
    ],
    "trees": [
        {},
        {"construction": "tree"},
        {"construction": "logdepth"},
        {"construction": "tree", "attention": "soft"},
        {"construction": "tree", "attention": "soft", "levels": 1},
        {"construction": "logdepth", "attention": "soft"},
        {"construction": "logdepth", "attention": "soft", "levels": 1},
    ],
}


@pytest.mark.parametrize("kind", MODELS)
def test_estimated_sizes_are_as_approved(kind):
    words = KINDS[kind]
    for asked in MODELS[kind]:
        found = {
            f"{n} states, length {length}": weights(
                n, 5, settle(Order(length, **asked), words), words
            )
            for n in (1, 2, 7)
            for length in (1, 22, 100)
        }
        name = ", ".join(f"{key} {value}" for key, value in asked.items()) or "decoder"
        agree_with_approved(APPROVED, f"weights, {kind}: {name}", found)


@pytest.mark.parametrize("kind", MODELS)
def test_refusals_of_large_models_are_as_approved(kind):
    """At 8, 40 and 120 states; two types of numbers, two lengths, with or without a smaller automaton."""
    words, found = KINDS[kind], {}
    for asked in MODELS[kind]:
        for n, length in ((8, 1000), (40, 100), (120, 64)):
            for dtype in ("float64", "float32"):
                if asked.get("format") in (None, "safetensors", "llama") and (
                    words or length <= 100
                ):
                    order = settle(Order(length, dtype=dtype, **asked), words)
                    found[f"{n}, {length}, {dtype}, {asked}"] = refusal(n, order, words)
    agree_with_approved(APPROVED, f"refusals, {kind}", found)


def refusal(n, order, words):
    try:
        checked_size(n, 3, order, words)
    except InputError as error:
        return str(error)
    return "none"


def test_sizes_are_written_in_the_unit_that_fits():
    assert readable(MOST_BYTES) == "1 GB"
    assert readable(MOST_BYTES - 1) == "1.02e+03 MB"
    assert readable(5 << 19) == "2.5 MB"
    assert readable(7 << 29) == "3.5 GB"
