"""The game and the states of logarithmic depth are confirmed anew; anything else is refused."""

import json

import pytest
from confirm_support import Case
from facts_support import refused, refuses

from verify.facts import logdepth

PAIRS = {
    "tensor": [[[1, 1], [-1, 1]], [[0, 1], [1, -1]]],
    "letters": {"a": [1, 2], "b": [-1, 1], "c": [2, 1], "d": [1, -1]},
}
CASES = [
    Case(
        "logdepth.states",
        logdepth.states,
        {"variant": "opening", "positions": "integers", "leaves": 4, **PAIRS},
    ),
    Case(
        "logdepth.states",
        logdepth.states,
        {"variant": "closing", "positions": "integers", "leaves": 3, **PAIRS},
    ),
    Case(
        "logdepth.states",
        logdepth.states,
        {"variant": "opening", "positions": "circle", "leaves": 2, **PAIRS},
    ),
    Case("logdepth.large", logdepth.large, {"leaves": 12, "prime": 1009, **PAIRS}),
    Case("logdepth.step", logdepth.step, {"n": 1}),
    Case("logdepth.margins", logdepth.margins, {"least": 1}),
    Case("logdepth.margins", logdepth.margins, {"least": 2}),
    Case(
        "logdepth.sizes",
        logdepth.model_sizes,
        {"most": 3, "embedding": "n²+n+12", "heads": 4, "products": "n³+2n²+3n+17"},
    ),
    Case(
        "logdepth.sizes",
        logdepth.model_sizes,
        {"most": 3, "embedding": "n²+n+12", "heads": 3, "products": "n³+2n²+3n+17"},
    ),
]

each = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each
def test_the_confirmation_comes_to_what_the_fact_found(case):
    assert case.agrees()


@each
def test_a_changed_outcome_value_or_witness_is_refused(case):
    assert case.accepted_changes() == []


@each
def test_parameters_more_or_less_and_lists_of_something_else_are_refused(case):
    assert case.accepted_parameters() == []


@each
def test_numbers_out_of_range_and_numbers_as_text_are_refused(case):
    case.refuses_numbers()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("logdepth.states", {"variant": "none"}),
        ("logdepth.states", {"positions": "none"}),
    ],
)
def test_names_that_are_not_known_are_refused(name, change):
    case = next(case for case in CASES if case.name == name)
    assert refused(name, {**case.parameters, **change}, **case.stated)


def test_a_product_that_is_left_out_of_the_step_is_refused():
    values = json.loads(json.dumps(logdepth.step(1).values))
    assert not refused("logdepth.step", {"n": 1}, values=values)
    for number in range(len(values["units"])):
        fewer = [unit for k, unit in enumerate(values["units"]) if k != number]
        assert refused("logdepth.step", {"n": 1}, values={"units": fewer})


def test_a_modulus_that_is_no_prime_is_refused():
    refuses("logdepth.large", {"leaves": 12, "prime": 1001, **PAIRS}, "expected a prime")
