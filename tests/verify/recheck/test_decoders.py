"""The decoder's confirmations agree with its facts and refuse what is out of range."""

import copy
from dataclasses import dataclass
from fractions import Fraction

import pytest
from confirm_support import Case, Questions
from record_support import LIST, alone

from verify.facts import decoders as facts
from verify.recheck.confirmations import confirmations, trust_reasons
from verify.recheck.errors import Refused
from verify.recheck.kinds import decoders

CASES = [
    Case("decoder.words", facts.words_at_positions, {"most": 6}),
    Case("decoder.states", facts.outputs_are_states, {"states": [1, 2], "lengths": [3]}),
    Case("decoder.layer", facts.layer_multiplies, {"states": [1]}),
    Case(
        "decoder.trees",
        facts.tree_decoder,
        {"leaves": 3, "states": 1, "seed": 1},
        harmless=(("seed", 0),),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_all_are_true():
    assert all(case.found.holds for case in CASES)


NEEDED = next(item for item in LIST if item["fact"] == "decoder.needed")


def test_curves_as_they_are_published_are_confirmed():
    alone(NEEDED)


@pytest.mark.parametrize(
    ("curve", "change"),
    [
        (0, {"label": "ours"}),
        (0, {"x": ["1"]}),
        (0, {"more": 1}),
        (0, {"y": ["65.690", "286.600", "1298.625", "5972.323", "27611.073", "30000.000"]}),
        (0, {"y": ["65.690"] * 6}),
        (0, {"y": ["0.000"] * 6}),
        (1, {"y": ["0.000"] * 6}),
        (1, {"y": ["18.563", "21.125", "24.313", "28.125", "32.625", "64.001"]}),
        (1, {"y": ["18.563", "21.125", "24.313", "28.125", "32.625", "1e9"]}),
        (1, {"y": ["18.5630", "21.125", "24.313", "28.125", "32.625", "37.813"]}),
        (1, {"y": []}),
        (1, {"y": ["0.001"] * 6}),
        (1, {"y": ["18.563", "21.125", "24.313", "28.125", "32.625", "37.750"]}),
        (1, {"y": ["18.563", "21.125", "24.313", "28.125", "32.625", "37.875"]}),
        (1, {"y": ["18.563", "21.125", "24.313", "28.125", "32.625", "37.812"]}),
        (1, {"y": ["18.563", "21.125", "24.313", "28.125", "32.625", 37]}),
        (0, {"y": ["131.380", "573.200", "2597.250", "11944.646", "55222.146", "255364.908"]}),
        pytest.param(
            0,
            {"y": ["65690.000", "286600.000", "1298625.000", "5972323.000", "27611073.000",
                   "127682454.000"]},
            marks=pytest.mark.slow,
        ),
        (0, {"y": ["65.590", "286.600", "1298.625", "5972.323", "27611.073", "127682.454"]}),
        (0, {"y": ["65.790", "286.600", "1298.625", "5972.323", "27611.073", "127682.454"]}),
    ],
)  # fmt: skip
def test_curves_that_contradict_what_they_show_are_refused(curve, change):
    forged = copy.deepcopy(NEEDED)
    forged["values"]["curves"][curve].update(change)
    with pytest.raises(Refused):
        alone(forged)


@dataclass
class Undecided:
    """A recursion that says of the stated C that it serves, and of a smaller one nothing."""

    serves: Fraction
    length: int = 4

    def states(self, saturation):
        return (Fraction(0), Fraction(1, 2) if saturation == self.serves else Fraction(2))


@pytest.mark.parametrize("least", [decoders._least_on_circle, decoders._least_of_decoder])
def test_a_smaller_constant_on_which_the_recursion_says_nothing_may_serve(least):
    with pytest.raises(Refused, match="a C below 5 keeps"):
        least(Undecided(Fraction(5)), Fraction(5), Fraction(1))
    with pytest.raises(Refused, match="does not keep"):
        least(Undecided(Fraction(4)), Fraction(5), Fraction(1))


def test_what_only_the_program_can_run_is_counted_as_trusted():
    names = {name for name in trust_reasons() if name.startswith("decoder.")}
    assert names == {"decoder.trees"}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("decoder.words", {"most": 0}),
        ("decoder.words", {"most": 10**9}),
        ("decoder.states", {"states": [], "lengths": [1]}),
        ("decoder.states", {"states": [0], "lengths": [1]}),
        ("decoder.states", {"states": [1], "lengths": [10**9]}),
        ("decoder.layer", {"states": []}),
    ],
)
def test_sizes_that_say_nothing_or_take_long_are_refused(name, parameters):
    with pytest.raises(Refused):
        confirmations()[name][1](parameters, {})


def test_positions_hold_the_words_of_their_letters():
    """After layers with steps 1, 2 and 4 position 5 of 5 holds all letters, and the identity less."""
    held = decoders.stream(5)
    assert held == [{}, *({tuple(range(1, t + 1)): 1, (): -1} for t in range(1, 6))]
    assert decoders.stream(1) == [{}, {(1,): 1, (): -1}]
