"""The game and the states of logarithmic depth are confirmed anew; anything else is refused."""

import json

import pytest
from confirm_support import Case, Questions
from facts_support import confirmed, refused

from verify.facts import logdepth
from verify.recheck.confirmations import confirmations, trust_reasons
from verify.recheck.errors import Refused
from verify.recheck.kinds import logdepth as kinds

PAIRS = {
    "tensor": [[[1, 1], [-1, 1]], [[0, 1], [1, -1]]],
    "letters": {"a": [1, 2], "b": [-1, 1], "c": [2, 1], "d": [1, -1]},
}
CASES = [
    Case(
        "logdepth.states",
        logdepth.states_on_all_shapes,
        {"variant": "opening", "positions": "integers", "leaves": 4, **PAIRS},
    ),
    Case(
        "logdepth.states",
        logdepth.states_on_all_shapes,
        {"variant": "closing", "positions": "integers", "leaves": 3, **PAIRS},
    ),
    Case(
        "logdepth.states",
        logdepth.states_on_all_shapes,
        {"variant": "opening", "positions": "circle", "leaves": 2, **PAIRS},
    ),
    Case("logdepth.step", logdepth.step_is_polynomial, {"n": 1}),
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
    values = json.loads(json.dumps(logdepth.step_is_polynomial(1).values))
    assert not refused("logdepth.step", {"n": 1}, values=values)
    for number in range(len(values["units"])):
        fewer = [unit for k, unit in enumerate(values["units"]) if k != number]
        assert refused("logdepth.step", {"n": 1}, values={"units": fewer})


@pytest.mark.parametrize(
    "wrong",
    [1, "", None, "state_0", "near_state_0", "-pebbled_0", "t_0_0", "t_1_0_0", "t_0_0_1", "t_00_0_0",
     "-0", "01", "1234", "１", "2/3"],
)  # fmt: skip
def test_a_coefficient_that_is_no_integer_and_no_entry_of_the_tensor_is_refused(wrong):
    values = json.loads(json.dumps(logdepth.step_is_polynomial(1).values))
    values["units"][0]["output"][0][2] = wrong
    with pytest.raises(Refused, match="is no coefficient"):
        confirmations()["logdepth.step"][1]({"n": 1}, {"values": values})


@pytest.mark.parametrize("wrong", [["state", 1], ["matrix", 1], ["none", 0], ["one", 7], [1, 0]])
def test_a_coordinate_that_the_layer_does_not_have_is_refused(wrong):
    values = json.loads(json.dumps(logdepth.step_is_polynomial(1).values))
    values["units"][0]["left"][0][:2] = wrong
    assert refused("logdepth.step", {"n": 1}, values=values)


def test_a_layer_whose_weights_are_its_inputs_is_refused():
    """Units that read nothing but the constant, weighted by the coordinates themselves."""
    values = json.loads(json.dumps(logdepth.step_is_polynomial(2).values))
    for unit in values["units"]:
        for side in ("left", "right"):
            name, at, weight = unit[side][0]
            if len(unit[side]) == 1 and weight == "1" and name != "one":
                unit[side] = [["one", 0, f"{name}_{at}"]]
    assert values != logdepth.step_is_polynomial(2).values
    with pytest.raises(Refused, match="is no coefficient"):
        confirmations()["logdepth.step"][1]({"n": 2}, {"values": values})


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_step_has_as_many_units_as_its_formula_says(n):
    units = json.loads(json.dumps(logdepth.step_is_polynomial(n).values))["units"]
    assert len(units) == n**3 + 2 * n**2 + 3 * n + 17
    double = [*units, {side: [["one", 0, "0"]] for side in ("left", "right", "output")}]
    with pytest.raises(Refused, match="number of units"):
        confirmations()["logdepth.step"][1]({"n": n}, {"values": {"units": double}})


def test_that_the_model_has_these_states_is_counted_as_trusted():
    """The re-checker computes the automaton's states; it does not run the model."""
    assert trust_reasons()["logdepth.states"] == "program"


def test_the_step_of_two_states_is_confirmed_entry_by_entry():
    found = logdepth.step_is_polynomial(2)
    assert confirmed("logdepth.step", found, {"n": 2})
    values = json.loads(json.dumps(found.values))
    outputs = [entry for unit in values["units"] for entry in unit["output"]]
    for name, at in (("state", 1), ("matrix", 3), ("depth_squared", 0)):
        entry = next(entry for entry in outputs if entry[:2] == [name, at])
        right, entry[2] = entry[2], "2"
        with pytest.raises(Refused, match=rf"{name}\[{at}\] is not what the step says"):
            kinds.step({"n": 2}, {"values": values})
        entry[2] = right


def test_a_machine_whose_rows_are_all_of_another_length_is_refused():
    with pytest.raises(Refused, match="expected 1 weights a row"):
        kinds.Machine([[[1, 1], [1, 1]]], {letter: [1, 1] for letter in "abcd"})


def test_sizes_are_counted_up_to_the_most_states():
    """n² + n + 12 coordinates; with (n - 1)(n - 2) more they are as many up to two states."""
    asked = {"heads": 4, "products": "n³+2n²+3n+17", "embedding": "2n²-2n+14"}
    assert kinds.sizes({**asked, "most": 2}, {}).values == {"models": 6}
    assert kinds.sizes({**asked, "most": 3}, {}).witness == {
        "n": 3, "T": 1, "measured": [24, 4, 71], "stated": [26, 4, 71]
    }  # fmt: skip
    one = {"heads": 4, "products": "23", "embedding": "14"}
    assert kinds.sizes({**one, "most": 1}, {}).values == {"models": 3}


def test_letters_of_a_shape_go_round():
    """3m + k² + ⌊k/2⌋: 0, 1, 5, 10, 18, 27 for the first shape, and 3 more for the second."""
    assert "".join(kinds.labels(0, 6)) == "abbccd"
    assert "".join(kinds.labels(1, 6)) == "daabbc"
