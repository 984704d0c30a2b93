"""The re-checker lists the products of letters anew and confirms each constant as the least one."""

import copy

import pytest
from confirm_support import Case, Questions
from facts_support import certificate, refused, refuses

from verify.facts import saturation as facts

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
    Case("saturation.required", facts.required, PARAMETERS),
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
