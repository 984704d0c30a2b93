"""The re-checker lists the products of letters anew and confirms each constant as the least one."""

import copy
from fractions import Fraction

import pytest
from confirm_support import Case, Questions
from facts_support import certificate, confirmed, refused, refuses

from verify.facts import saturation as facts
from verify.recheck.errors import Refused
from verify.recheck.kinds import saturation as kinds

AUTOMATA = {
    "weight 2": {"alpha": ["1"], "transitions": {"a": [["2"]]}},
    "counting": {
        "alpha": ["0", "1"],
        "transitions": {"0": [["1", "0"], ["1", "1"]], "1": [["1", "0"], ["0", "1"]]},
    },
}
PARAMETERS = {"automata": AUTOMATA, "lengths": [2, 4], "eps": "1/1000"}
CASES = [
    Case("saturation.closed-form", facts.closed_form, PARAMETERS),
    Case("saturation.required", facts.least_saturation, PARAMETERS),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@pytest.mark.parametrize("step", [-1, 1])
def test_a_constant_one_off_is_refused(step):
    stated = certificate(facts.closed_form(**PARAMETERS))
    wrong = copy.deepcopy(stated)
    wrong["values"]["constants"]["counting"][1] += step
    assert refused("saturation.closed-form", PARAMETERS, **wrong)
    stated = certificate(facts.least_saturation(**PARAMETERS))
    wrong = copy.deepcopy(stated)
    wrong["values"]["curves"][0]["y"][1] = str(int(wrong["values"]["curves"][0]["y"][1]) + step)
    assert refused("saturation.required", PARAMETERS, **wrong)


def test_a_constant_that_is_far_too_large_is_refused_before_anything_is_computed(monkeypatch):
    asked = {**PARAMETERS, "automata": {"counting": AUTOMATA["counting"]}, "lengths": [4]}
    monkeypatch.setattr(kinds.interval, "exp", lambda *_: pytest.fail("computed"))
    with pytest.raises(Refused, match="expected a number from 0 to"):
        kinds.closed_form(asked, {"values": {"constants": {"counting": [10**9]}}})


def test_the_least_constant_is_decided_by_both_ends_of_the_interval(monkeypatch):
    """What may be enough for the constant before is not shown to fail."""
    found = facts.least_saturation(**PARAMETERS)
    right = kinds.Known.states
    assert confirmed("saturation.required", found, PARAMETERS)
    monkeypatch.setattr(kinds.Known, "states", lambda *asked: (Fraction(0), right(*asked)[1]))
    with pytest.raises(Refused, match="may not be the least"):
        confirmed("saturation.required", found, PARAMETERS)


def test_a_closed_form_that_the_intervals_do_not_decide_is_refused(monkeypatch):
    stated = certificate(facts.closed_form(**PARAMETERS))
    monkeypatch.setattr(kinds.interval, "exp", lambda *_: (Fraction(0), Fraction(10**99)))
    monkeypatch.setattr(kinds.Known, "states", lambda *_: (Fraction(0), Fraction(0)))
    with pytest.raises(Refused, match="not decided"):
        kinds.closed_form(PARAMETERS, stated)


def test_a_word_is_text():
    stated = certificate(facts.least_saturation(**PARAMETERS))
    words = stated["values"]["failing"]["counting"]
    stated["values"]["failing"]["counting"] = [list(word) for word in words]
    assert refused("saturation.required", PARAMETERS, **stated)


def test_a_word_that_does_not_fail_and_a_missing_automaton_are_refused():
    stated = certificate(facts.least_saturation(**PARAMETERS))
    wrong = copy.deepcopy(stated)
    wrong["values"]["failing"]["counting"][1] = "1111"
    assert refused("saturation.required", PARAMETERS, **wrong)
    wrong = copy.deepcopy(stated)
    del wrong["values"]["curves"][0]
    assert refused("saturation.required", PARAMETERS, **wrong)


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ({"automata": {}}, "automata"),
        ({"automata": {"a": []}}, "expected α and transitions"),
        ({"automata": {"a": ["alpha", "transitions"]}}, "expected α and transitions"),
        ({"lengths": []}, "lengths"),
        ({"lengths": [2, 2]}, "increasing"),
        ({"lengths": [16]}, "length"),
        ({"eps": "0"}, "eps"),
        ({"eps": "2"}, "eps"),
    ],
)
def test_parameters_out_of_range_are_refused(change, because):
    refuses("saturation.required", {**PARAMETERS, **change}, because)
