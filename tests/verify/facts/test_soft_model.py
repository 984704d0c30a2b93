"""The model with softmax attention and MLPs: its sizes, and how near its states are."""

from dataclasses import replace
from fractions import Fraction

from constructions.blocks.multiplication import slim_multiplier
from verify.facts import soft_model

SIZES = {
    "depth": "⌈log₂ T⌉",
    "embedding": "2n²+2",
    "attention": "2n²+2",
    "heads": "2",
    "units": "4n³",
}
CASE = {
    "alpha": ["0", "1"],
    "transitions": {"0": [["1", "0"], ["1", "1"]], "1": [["1", "0"], ["0", "1"]]},
    "length": 2,
    "activation": "tanh",
    "radius": "10",
    "tolerance": "1/1000000000",
    "eps": "1/1000",
}


def test_the_sizes_are_as_printed_from_one_state_and_one_letter_on():
    assert soft_model.model_sizes(SIZES, [1, 2], [1, 2, 3], ["40"], ["1/100"]).holds


def test_the_sizes_depend_on_neither_the_constant_nor_the_error():
    assert soft_model.model_sizes(SIZES, [1], [4], ["40", "4000"], ["1/10", "1/10000000000"]).holds


def test_another_size_is_named_with_what_was_built():
    found = soft_model.model_sizes({"units": "2n⁴+3n²+1"}, [1], [2], ["40"], ["1/100"])
    assert found.witness == {"n": 1, "T": 2, "size": "units", "printed": 6, "built": 4}
    odd = soft_model.model_sizes({"depth": "log₂ T"}, [1], [2, 3], ["40"], ["1/100"])
    assert odd.witness == {"n": 1, "T": 3, "size": "depth", "printed": None, "built": 2}


def test_all_words_are_within_the_precision():
    found = soft_model.states_within_precision(**CASE, saturation="40")
    assert found.holds and found.values["units"] == 32


def test_a_small_constant_is_not_enough_and_the_word_is_named():
    assert soft_model.states_within_precision(**CASE, saturation="3").witness == {
        "word": "00",
        "C": "3",
    }


def test_a_network_with_a_wrong_scale_is_not_within_the_precision(monkeypatch):
    def off(n, activation, radius, eps):
        made = slim_multiplier(n, activation, radius, eps)
        output = made.block.output.scaled(Fraction(11, 10))
        return replace(made, block=replace(made.block, output=output))

    monkeypatch.setattr(soft_model, "slim_multiplier", off)
    assert soft_model.states_within_precision(**CASE, saturation="40").holds is False
