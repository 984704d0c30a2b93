"""Disguises and words of the benchmark, where a number decides: sizes of noise, axes of weights, words."""

import json
from fractions import Fraction
from itertools import pairwise
from random import Random
from types import SimpleNamespace as Part

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from export_support import ADDER, model_of

from constructions.automata.families import counting
from constructions.automata.processes import mess3
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from constructions.exports.order import Order
from constructions.exports.stock import state_dict
from constructions.exports.tree_circuit import tree_circuit_of
from verify.circuits import benchmark, disguise
from verify.circuits.benchmark import write_benchmark
from verify.circuits.disguise import READS, WRITES, Distraction, Model, StreamMap


def distraction(width, layers=3, extra=1):
    model = Model({"hidden_size": width}, {}, Part(format="llama", layers=layers))
    return Distraction(model, Random(0), extra)


def test_noise_has_three_coordinates_or_four_so_that_the_width_is_even():
    assert [distraction(width).count for width in (8, 9, 10, 11)] == [4, 3, 4, 3]
    assert distraction(8, 3, 2).layers == [0, 1, None, 2] and distraction(8, 1).layers == [0, None]


def test_noise_grows_by_two_heads_and_a_unit_in_every_layer_up_to_its_limit(monkeypatch):
    """From 1/4 on: by b/16 twice, then by b²/16; three coordinates of that size."""
    sizes = [Fraction(1, 4)]
    for _ in range(3):
        after_heads = sizes[-1] + sizes[-1] / 16 + sizes[-1] / 16
        sizes.append(after_heads + after_heads**2 / 16)
    for layers, (_, bound) in enumerate(pairwise(sizes), 1):
        monkeypatch.setattr(disguise, "MOST_NOISE", 3 * bound**2)
        distraction(9).check_size(layers)
        with pytest.raises(InputError, match=f"distractors: found {layers + 1} layers"):
            distraction(9).check_size(layers + 1)
        with pytest.raises(InputError, match=f"found {layers} layers"):
            distraction(8).check_size(layers)  # four coordinates
    monkeypatch.undo()
    assert disguise.MOST_NOISE == 2


def test_weights_of_trees_meet_the_stream_on_the_axis_that_has_its_width():
    model = model_of(ADDER, Order(7))
    width = Model({}, {}, tree_circuit_of(model)).width
    axes = READS["safetensors"] | WRITES["safetensors"]
    met = set()
    for key, weight in state_dict(model.simulation).items():
        axis = disguise._axis(key, axes)
        if axis is not None:
            others = [size for k, size in enumerate(weight.shape) if k != axis]
            assert weight.shape[axis] == width and width not in others, key
            met.add(key.rpartition(".")[2])
    assert met == set(axes)


def test_what_reads_the_stream_is_mapped_back_and_what_writes_to_it_forward():
    """x = (p, q) becomes (q, p, p + q); p and q are read again from the first two."""
    into = Matrix((2, 3), {(1, 0): 1, (0, 1): 1, (0, 2): 1, (1, 2): 1})
    back = Matrix((3, 2), {(0, 1): 1, (1, 0): 1})
    change = StreamMap(into, back)
    weight = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert disguise._transform(weight, change, 0, None).tolist() == [[3, 4], [1, 2], [0, 0]]
    assert disguise._transform(weight, change, 1, None).tolist() == [[2, 1, 0], [4, 3, 0]]
    assert disguise._transform(weight, change, None, 1).tolist() == [[2, 1, 3], [4, 3, 7]]
    assert disguise._transform(weight, change, None, 0).tolist() == [[3, 4], [1, 2], [4, 6]]
    assert disguise._transform(weight, change, None, None) is weight


# The benchmark


def test_documents_have_one_field_a_line_and_records_one_line_each():
    assert (
        benchmark.document({"a": ["ü"], "b": 1}) == '{\n "a": [\n  "ü"\n ],\n "b": 1\n}\n'.encode()
    )
    assert benchmark.lines([{"a": "ü"}, {"b": [1, 2]}]) == '{"a": "ü"}\n{"b": [1, 2]}\n'.encode()
    assert benchmark.lines([]) == b""


def test_two_thirds_of_the_words_are_for_training_and_at_least_one():
    found = [benchmark.words_to_train(count) for count in (1, 2, 3, 4, 95, 96)]
    assert found == [1, 1, 2, 2, 63, 64]


def test_a_mirrored_tree_has_left_and_right_exchanged_everywhere():
    assert benchmark.mirrored(("a", ("b", ("c", "d")))) == ((("d", "c"), "b"), "a")


class Counting(Random):
    """Counts the numbers that are drawn between two ends."""

    drawn = 0

    def randint(self, low, high):
        """The upper end."""
        self.drawn += 1
        return high


ONE = WFA.of([1], {"a": [[1]]}, [1])
LEAF = WTA.of([1], [[[1]]], {"a": [1]})


@pytest.mark.parametrize(("automaton", "words"), [(ONE, [("a",) * 4]), (LEAF, [tuple("[aa]")])])
def test_words_are_drawn_eight_times_as_often_as_they_are_wanted(automaton, words):
    """Every second one is as long as it can be: its length is not drawn."""
    random, entry = Counting(), Part(order=Part(length=4), language=False)
    assert benchmark.words_of(automaton, entry, random) == words
    splits = 8 * 96 if automaton is LEAF else 0  # of two leaves, one drawn number each
    assert random.drawn == 8 * 96 // 2 + splits


def test_the_logarithm_of_a_probability_has_17_digits():
    """A letter or the end, each letter with a chance of 1/4: log(1/4) = -1.38629436111989061883…"""
    source = WFA.of([1], {"a": [["1/4"]], "b": [["1/4"]]}, ["1/2"])
    found = benchmark.answers(source, Part(language=True))(("a",))
    assert found == {"word": ["a"], "symbols": ["a", "b", "<eos>"],
                     "distributions": [["1/4", "1/4", "1/2"]] * 2,
                     "log_probability": "-1.3862943611198906"}  # fmt: skip


def test_a_folder_that_is_there_is_not_written_into_unless_that_is_asked_for(tmp_path):
    out = tmp_path / "benchmark"
    assert write_benchmark("v1", out, chosen=[]) == []
    with pytest.raises(InputError):
        write_benchmark("v1", out, chosen=[])
    write_benchmark("v1", out, force=True, chosen=[])
    text = (out / "benchmark.json").read_text("utf-8")
    assert text == json.dumps(json.loads(text), indent=1) + "\n"
    assert json.loads(text)["models"] == [] and (out / "references.json").read_text() == "{\n\n}\n"
    readme = (out / "README.md").read_text("utf-8")
    assert "\n0 small transformers" in readme and "up to 64 and 32 words" in readme


def test_trees_that_need_every_step_come_as_they_are_and_mirrored():
    entry = Part(seed=3, order=Part(length=13))
    assert benchmark.hard_strings(counting(), entry) == benchmark.hard_strings(mess3(), entry) == []
    first, second = benchmark.hard_strings(LEAF, entry)
    assert (
        len(first) == len(second) == 10 and first != second
    )  # four leaves need as many steps as five
    swap = {"[": "]", "]": "["}
    assert second == tuple(swap.get(symbol, symbol) for symbol in reversed(first))
