"""The game and the states of logarithmic depth are confirmed anew; anything else is refused."""

import json

import pytest
from confirm_support import Case, Questions
from facts_support import refused, refuses

from verify.facts import logdepth
from verify.recheck.errors import Refused
from verify.recheck.kinds import confirmations

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


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


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


@pytest.mark.parametrize("wrong", [1, "", "x" * 21, None])
def test_a_coefficient_that_is_no_short_text_is_refused(wrong):
    values = json.loads(json.dumps(logdepth.step(1).values))
    values["units"][0]["output"][0][2] = wrong
    with pytest.raises(Refused, match="is no coefficient"):
        confirmations()["logdepth.step"][1]({"n": 1}, {"values": values})


def test_a_modulus_that_is_no_prime_is_refused():
    refuses("logdepth.large", {"leaves": 12, "prime": 1001, **PAIRS}, "expected a prime")
