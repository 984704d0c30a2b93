"""The constants C that suffice, and that their halves do not."""

from fractions import Fraction

import flint
from tests_support import arguments_of_calls

from verify.bounds import saturation as bounds
from verify.facts import saturation

TWO = {"weight 2": {"alpha": ["1"], "transitions": {"a": [["2"]]}}}
COUNTING = {
    "alpha": ["0", "1"],
    "transitions": {"0": [["1", "0"], ["1", "1"]], "1": [["1", "0"], ["0", "1"]]},
}


def test_the_closed_form_keeps_the_tolerance():
    found = saturation.closed_form({**TWO, "counting": COUNTING}, [2, 4], "1/1000")
    assert found.holds
    assert found.values["constants"]["weight 2"] == [12, 52]


def test_a_closed_form_that_forgets_the_amplification_is_not_enough(monkeypatch):
    monkeypatch.setattr(bounds, "amplification", lambda norms, diameters: flint.arb(1) / 1000)
    assert saturation.closed_form(TWO, [4], "1/1000").witness["T"] == 4


def test_half_of_the_required_constant_fails_for_a_word():
    found = saturation.least_saturation(TWO, [2, 4], "1/1000")
    assert found.holds
    assert found.values["curves"][0]["y"] == ["11", "45"]
    assert found.values["failing"]["weight 2"] == ["aa", "aaaa"]


def test_a_constant_three_times_too_large_is_not_called_required(monkeypatch):
    least = saturation._least_constant
    monkeypatch.setattr(saturation, "_least_constant", lambda *a: 3 * least(*a))
    assert saturation.least_saturation(TWO, [4], "1/1000").holds is None


def test_equal_tokens_need_no_constant_so_that_no_word_fails():
    one = {"weight 1": {"alpha": ["1"], "transitions": {"a": [["1"]]}}}
    assert saturation.least_saturation(one, [2], "1/1000").holds is None


def test_the_failing_word_is_the_first_that_half_of_the_constant_misses():
    """Weights 1, 2 and 3: bb is missed at C = 7/2, which bounds all words at C = 7; ab only at less."""
    three = {"alpha": ["1"], "transitions": {"a": [["1"]], "b": [["2"]], "c": [["3"]]}}
    found = saturation.least_saturation({"weights 1 to 3": three}, [2], "1/10").values
    assert found["curves"][0]["y"] == ["7"] and found["failing"] == {"weights 1 to 3": ["bb"]}
    automaton, eps = saturation.given_automaton(three), Fraction(1, 10)
    assert saturation._word_beyond(automaton, 2, Fraction(7, 3), eps) == "ab"


def test_constants_are_looked_for_up_to_65536(monkeypatch):
    call = lambda: saturation.least_saturation(TWO, [2], "1/1000")  # noqa: E731
    [(_, largest, name)] = arguments_of_calls(monkeypatch, saturation, "least_number", call)
    assert (largest, name) == (65536, "C")
