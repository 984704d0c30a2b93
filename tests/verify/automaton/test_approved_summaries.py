"""What an export says of itself, as it was approved: each kind of guarantee, and what loses less."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from approved_support import agree_with_approved
from export_support import ADDER, model_of

from constructions.automata.families import counting
from constructions.exports.built_model import ErrorScale, Guarantee
from constructions.exports.order import Order
from verify.automaton.export import Export

APPROVED = Path(__file__).with_suffix(".json")
NORM = "in the Euclidean norm"
SCALE = ErrorScale("1/2", "certified", "3", ("It is as large as this.", "And no larger."))
GUARANTEES = {
    "kept with rounding": Guarantee(NORM, "9.93e-7", "9.95e-7"),
    "lost to rounding": Guarantee(NORM, "9.93e-7", "2.00e-3", scale=SCALE),
    "lost, and measured": Guarantee(NORM, "9.93e-7", "2.00e-3", "1.1e-9", "nine words"),
    "no constant of ours": Guarantee(NORM, None),
    "exact arithmetic alone": Guarantee(NORM, "9.93e-7"),
    "measured, small": Guarantee(NORM, "9.93e-7", None, "1.1e-9", "nine words"),
    "measured, large": Guarantee(NORM, None, None, "1.1e-3", "nine words"),
    "certified larger than measured": Guarantee(NORM, "4.00e-2", None, "1.1e-9", "nine words"),
}
ORDERS = {
    "gated": (counting(), Order(4)),
    "gated in float32": (counting(), Order(4, dtype="float32")),
    "plain": (counting(), Order(4, plain=True)),
    "plain in float32": (counting(), Order(4, plain=True, dtype="float32")),
    "plain with most levels": (counting(), Order(4, plain=True, levels=4, dtype="float32")),
    "gpt2": (counting(), Order(4, format="gpt2", levels=2)),
    "llama": (counting(), Order(4, format="llama")),
    "soft": (counting(), Order(4, attention="soft")),
    "soft, exact products": (counting(), Order(4, attention="soft", feedforward="exact")),
    "hard": (counting(), Order(4, attention="hard")),
    "given C": (counting(), Order(4, attention="soft", feedforward="exact", saturation=30)),
    "tree decoder": (ADDER, Order(4)),
    "tree": (ADDER, Order(4, "tree", attention="soft")),
}


def summary(model, guarantee):
    return Export(Path("model"), model, guarantee).summary().splitlines()


@pytest.mark.parametrize("name", GUARANTEES)
def test_a_guarantee_is_told_as_approved(name):
    model = model_of(counting(), Order(4))
    agree_with_approved(APPROVED, f"guarantee: {name}", summary(model, GUARANTEES[name]))


@pytest.mark.parametrize("name", ORDERS)
def test_what_loses_less_to_rounding_is_named_as_approved(name):
    automaton, order = ORDERS[name]
    model = model_of(automaton, order)
    agree_with_approved(
        APPROVED, f"order: {name}", summary(model, GUARANTEES["lost, and measured"])
    )


@pytest.mark.parametrize("form", ["olmo2", "gpt2", "llama", "safetensors"])
@pytest.mark.parametrize("least", [None, Fraction(1, 16)])
def test_what_a_language_model_loses_less_with_is_named_as_approved(form, least):
    """Where weights are claimed from some size on, a normalised stream is the way out."""
    model = model_of(counting(), Order(4))
    order = replace(model.order, format=form, head="next")
    asked = replace(model, order=order, constants=replace(model.constants, least_weight=least))
    lines = summary(asked, GUARANTEES["lost to rounding"])
    agree_with_approved(APPROVED, f"language model: {form}, {least}", lines)


def test_an_error_equal_to_the_one_asked_for_is_no_warning():
    model = model_of(counting(), Order(4, eps="1/8"))
    kept, lost = (summary(model, Guarantee(NORM, "0", error)) for error in ("0.125", "0.1251"))
    assert not any("WARNING" in line for line in kept) and any("WARNING" in line for line in lost)
