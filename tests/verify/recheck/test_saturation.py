"""The re-checker lists the products of letters anew and confirms each constant as the least one."""

import copy
from fractions import Fraction

import pytest
from confirm_support import Case, Questions
from facts_support import certificate, refused, refuses

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
        (
            {"automata": {"a": {"alpha": [], "transitions": {"a": [["2"]]}}}},
            "alpha: expected a list of 1 to 2",
        ),
        (
            {"automata": {"a": {"alpha": ["1"] * 3, "transitions": {"a": [["2"]]}}}},
            "alpha: expected a list of 1 to 2",
        ),
        (
            {"automata": {"a": {"alpha": ["1"] * 2, "transitions": {"a": [["2"]]}}}},
            "states: stated 2, found 1",
        ),
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


THIRD, HALF, TWO, THREE = Fraction(1, 3), Fraction(1, 2), Fraction(2), Fraction(3)


def one_known(**changes):
    """A length with two layers, all of whose enclosures are wide."""
    fields = {
        "alpha": (Fraction(1),), "letters": {"a": (Fraction(2),)}, "length": 3, "size": 4,
        "norms": [(Fraction(2), Fraction(3)), (Fraction(5), Fraction(7))],
        "diameters": [(HALF, Fraction(1)), (THIRD, TWO)], "readout": (TWO, THREE),
    }  # fmt: skip
    return kinds.Known(**{**fields, **changes})


@pytest.mark.parametrize(("eps", "share"), [(Fraction(1, 100), 200), (Fraction(4), 1)])
def test_the_closed_form_has_the_gain_of_all_layers_and_the_readout(eps, share):
    """G = 3 · 5 (3 · 2 · 1/2 + 1/3) = 50 from below, times 2M - 1 = 7 and max(1, F/ε)."""
    assert one_known()._inside(0, eps) == 7 * 50 * share
    assert one_known()._inside(1, TWO) == 7 * 21 * (9 + 2) * Fraction(3, 2)


def test_norms_and_distances_of_words_grow_with_their_lengths():
    """One state with weights 2 and -1/2: |w| is largest for 2^k, |w - 1| for 2^k or -1/2 · 2^(k-1)."""
    norms, distances = kinds.growth([(Fraction(2),), (Fraction(-1, 2),)], 3)
    assert norms == [(1, 1), (2, 2), (4, 4), (8, 8)]
    assert distances == [(0, 0), (Fraction(3, 2),) * 2, (3, 3), (7, 7)]
    norms, distances = kinds.growth([(THIRD,)], 2)
    assert norms == [(1, 1)] * 3
    for (low, high), exact in zip(distances[1:], (Fraction(2, 3), Fraction(8, 9)), strict=True):
        assert low < exact < high < low + Fraction(2, 2**160)
        assert low == kinds.interval.down(exact, 160)


def test_at_most_1024_products_of_letters_are_listed():
    letters = [(Fraction(prime),) for prime in (2, 3, 5, 7)]
    assert len(kinds.growth(letters, 3)[0]) == 4
    many = [(Fraction(k),) for k in range(1, 1026)]
    assert len(kinds.growth(many[:1024], 1)[0]) == 2
    with pytest.raises(Refused, match="more than 1024 products of letters"):
        kinds.growth(many, 1)


@pytest.mark.parametrize("part", ["curves", "failing"])
def test_there_are_as_many_constants_and_words_as_lengths(part):
    values = copy.deepcopy(certificate(facts.least_saturation(**PARAMETERS))["values"])
    points = values["curves"][1]["y"] if part == "curves" else values["failing"]["counting"]
    points.pop()
    with pytest.raises(ValueError, match="shorter"):
        kinds.required(PARAMETERS, {"values": values})
