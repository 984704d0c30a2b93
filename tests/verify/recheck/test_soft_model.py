"""The re-checker counts the sizes of the soft model and bounds its error for all words."""

import pytest
from confirm_support import Case, Questions
from facts_support import certificate, refuses

from verify.facts import soft_model as facts
from verify.recheck.errors import Refused
from verify.recheck.kinds import soft_model as kinds

PRECISION = {
    "alpha": ["0", "1"],
    "transitions": {"0": [["1", "0"], ["1", "1"]], "1": [["1", "0"], ["0", "1"]]},
    "length": 2,
    "saturation": "40",
    "activation": "gelu",
    "radius": "10",
    "tolerance": "1/1000000000",
    "eps": "1/1000",
}
MODELS = {"states": [1, 2], "lengths": [1, 2, 3], "saturations": ["40"], "tolerances": ["1/10"]}
CASES = [
    Case("soft-model.sizes", facts.model_sizes, {"sizes": {"depth": "⌈log₂ T⌉", "units": "4n³"}, **MODELS}),
    Case("soft-model.sizes", facts.model_sizes, {"sizes": {"depth": "log₂ T"}, **MODELS}),
    Case("soft-model.sizes", facts.model_sizes, {"sizes": {"units": "2n⁴+3n²+1"}, **MODELS}),
    Case("model.precision", facts.states_within_precision, PRECISION),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ({"saturation": "3"}, "may miss"),
        ({"eps": "1/100000000000000"}, "may miss"),
        ({"radius": "1"}, "leave the MLP"),
        ({"tolerance": "1/1000000000000000000"}, "tolerance"),
        ({"activation": "relu"}, "not known"),
        ({"length": 0}, "length = 0"),
        ({"transitions": {}}, "transitions"),
    ],
)
def test_a_model_that_may_miss_or_parameters_out_of_range_are_refused(change, because):
    stated = certificate(facts.states_within_precision(**PRECISION))
    with pytest.raises(Refused, match=because):
        kinds.precision({**PRECISION, **change}, stated)


@pytest.mark.parametrize(
    "change",
    [{"states": []}, {"lengths": [0]}, {"lengths": [10**9]}, {"saturations": []},
     {"tolerances": ["0"]}, {"sizes": {}}, {"sizes": {"layers": "1"}}],
)  # fmt: skip
def test_sizes_of_nothing_are_refused(change):
    refuses("soft-model.sizes", {"sizes": {"heads": "2"}, **MODELS, **change}, "expected")


def test_the_sizes_of_three_states_and_five_letters_are_counted():
    assert kinds.counted(3, 5) == {
        "depth": 3, "embedding": 20, "attention": 20, "heads": 2, "units": 4 * 27
    }  # fmt: skip
    assert kinds.counted(2, 1)["depth"] == 0


@pytest.mark.parametrize("name", ["attention", "heads", "units", "depth", "embedding"])
@pytest.mark.parametrize("length", [1, 2])
def test_a_model_of_one_letter_has_its_depth_and_its_embedding_only(name, length):
    asked = {**MODELS, "states": [1], "lengths": [length], "sizes": {name: "99"}}
    answer = kinds.model_sizes(asked, {})
    wrong = length > 1 or name in ("depth", "embedding")
    built = {"attention": 4, "heads": 2, "units": 4, "depth": length - 1, "embedding": 4}[name]
    shown = {"n": 1, "T": length, "size": name, "printed": 99, "built": built}
    assert (answer.holds, answer.witness) == ((False, shown) if wrong else (True, None))
