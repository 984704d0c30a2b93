"""The re-checker lists the products of letters anew and confirms each constant as the least one."""

import copy

import pytest
from facts_support import certificate, confirmed, refused, refuses

from verify.facts import saturation as facts

AUTOMATA = {
    "weight 2": {"alpha": ["1"], "transitions": {"a": [["2"]]}},
    "counting": {
        "alpha": ["0", "1"],
        "transitions": {"0": [["1", "0"], ["1", "1"]], "1": [["1", "0"], ["0", "1"]]},
    },
}
PARAMETERS = {"automata": AUTOMATA, "lengths": [2, 4], "eps": "1/1000"}
CASES = [("saturation.closed-form", facts.closed_form), ("saturation.required", facts.required)]


@pytest.mark.parametrize(("name", "fact"), CASES)
def test_the_confirmation_comes_to_what_the_fact_found(name, fact):
    assert confirmed(name, fact(**PARAMETERS), PARAMETERS)


@pytest.mark.parametrize(("name", "fact"), CASES)
def test_a_flipped_outcome_and_a_witness_are_refused(name, fact):
    stated = certificate(fact(**PARAMETERS))
    assert refused(name, PARAMETERS, **{**stated, "holds": False})
    assert refused(name, PARAMETERS, **{**stated, "witness": {"C": 1}})


@pytest.mark.parametrize("step", [-1, 1])
def test_a_constant_one_off_is_refused(step):
    stated = certificate(facts.closed_form(**PARAMETERS))
    wrong = copy.deepcopy(stated)
    wrong["values"]["constants"]["counting"][1] += step
    assert refused("saturation.closed-form", PARAMETERS, **wrong)
    stated = certificate(facts.required(**PARAMETERS))
    wrong = copy.deepcopy(stated)
    wrong["values"]["curves"][0]["y"][1] = str(int(wrong["values"]["curves"][0]["y"][1]) + step)
    assert refused("saturation.required", PARAMETERS, **wrong)


def test_a_word_that_does_not_fail_and_a_missing_automaton_are_refused():
    stated = certificate(facts.required(**PARAMETERS))
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
        ({"lengths": []}, "lengths"),
        ({"lengths": [2, 2]}, "increasing"),
        ({"lengths": [16]}, "length"),
        ({"eps": "0"}, "eps"),
        ({"eps": "2"}, "eps"),
    ],
)
def test_parameters_out_of_range_are_refused(change, because):
    refuses("saturation.required", {**PARAMETERS, **change}, because)
