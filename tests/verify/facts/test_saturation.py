"""The constants C that suffice, and that their halves do not."""

import flint

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


def test_equal_tokens_need_no_constant_so_that_no_word_fails():
    one = {"weight 1": {"alpha": ["1"], "transitions": {"a": [["1"]]}}}
    assert saturation.least_saturation(one, [2], "1/1000").holds is None
