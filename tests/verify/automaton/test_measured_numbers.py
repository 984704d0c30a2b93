"""Numbers that are measured, compared and written, each worked out by hand."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest

pytest.importorskip("torch")

import torch
from export_support import ADDER, model_of

from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.exports.order import Order
from verify.automaton import (
    measure,
    numbers,
    pictures,
    precision_runs,
    sampling,
    soft,
    word_hypotheses,
)
from verify.automaton.report_data import Status
from verify.automaton.significance import (
    StateSizes,
    _emptiness,
    advice,
    is_empty,
    relative_sentence,
)
from verify.bounds.state_sizes import SizeBounds

INFINITE = float("inf")


def balls(*values):
    return tuple(flint.arb(value) for value in values)


def test_errors_after_each_prefix_are_absolute_and_relative():
    truth = [list(balls(3, 4)), list(balls(0, 0)), list(balls(0, 0)), list(balls(1, 0))]
    apart, shares = precision_runs.state_errors(
        [[3.0, 9.0], [0.0, 0.0], [0.0, 2.0], [float("nan"), 0.0]], truth
    )
    assert [float(x) for x in apart] == [5, 0, 2, INFINITE]
    assert [float(x) for x in shares] == [1, 0, INFINITE, INFINITE]


def test_the_largest_errors_so_far_are_those_of_all_words():
    pairs = [
        (list(balls(1, 5, 2)), list(balls(0, 0, 7))),
        (list(balls(3, 2, 9)), list(balls(1, 0, 0))),
    ]
    absolute, relative = precision_runs.largest_so_far(pairs)
    assert [float(x) for x in absolute] == [3, 5, 9] and [float(x) for x in relative] == [1, 1, 7]


def test_a_decoders_error_is_the_largest_of_all_prefixes_up_to_its_length(monkeypatch):
    errors = list(balls(1, 5, 2)), list(balls(9, 0, 7))
    monkeypatch.setattr(precision_runs, "state_errors", lambda *_: errors)
    decision = SimpleNamespace(constants=None, reduction=None)
    model = SimpleNamespace(simulation=None)
    monkeypatch.setattr(precision_runs, "build", lambda *_: model)
    states = lambda words: [torch.zeros(3, 2)]  # noqa: E731
    monkeypatch.setattr(
        precision_runs, "DecoderModule", lambda *_, **__: SimpleNamespace(states=states)
    )
    runs = object.__new__(precision_runs.PrecisionRuns)
    runs.words, runs.truth = [("0", "1")], [[[], [], []]]
    runs.decoders = SimpleNamespace(
        automaton=counting(), order=lambda *_: None, decision=lambda *_: decision
    )
    found = dict(runs._decoder_errors("safetensors", 2))
    assert {dtype: [float(x) for x in seen] for dtype, seen in found.items()} == {
        "float64": [5, 9], "float32": [5, 9]}  # fmt: skip
    assert list(runs._decoder_errors("llama", 2)) == []
    runs.decoders.decision = lambda *_: None
    assert list(runs._decoder_errors("safetensors", 2)) == []
    monkeypatch.setattr(precision_runs, "MOST_WORK", precision_runs.decoder_work(2, 2) - 1)
    runs.decoders.decision = lambda *_: decision
    assert list(runs._decoder_errors("safetensors", 2)) == []


def test_what_was_measured_is_said_with_the_longest_length():
    runs = object.__new__(precision_runs.PrecisionRuns)
    runs.words, runs.built = (
        [("0",)] * 3,
        {("decoder", "float32", 4): None, ("gpt2", "float64", 8): None},
    )
    assert "Measured on 3 words" in runs.description and "up to T = 8" in runs.description
    runs.built = {}
    assert "no decoder: too large" in runs.description
    runs.exact = {"float32": (list(balls(1, 2)), list(balls(3, 4)))}
    assert [float(x) for x in runs.errors("exact", "float32", 1)] == [2, 4]
    assert runs.errors("decoder", "float32", 1) is None


@pytest.mark.parametrize(
    ("value", "at_most", "at_least"),
    [("0.12345", "0.124", "0.123"), ("0", "0", "0"), ("999999", "1.00e+6", "999000"),
     ("0.0001", "0.000101", "9.99e-5"), ("0.00009999", "0.000100", "9.99e-5"), ("12", "12.0", "12.0")],
)  # fmt: skip
def test_three_digits_are_never_on_the_wrong_side(value, at_most, at_least):
    """One ten-thousandth is no binary number: its ball has numbers on both sides of it."""
    found = numbers.at_most(flint.arb(value)), numbers.at_least(flint.arb(value))
    assert found == (at_most, at_least)


def test_numbers_and_nouns_are_written_as_readers_do():
    assert numbers.count(1, "layer") == "1 layer" and numbers.count(2, "layer") == "2 layers"
    assert [numbers.shown(Fraction(x)) for x in ("1/1000", "1/10000", "1/20000", "7")] == [
        "1/1000", "1e-4", "1/20000", "7"]  # fmt: skip
    assert numbers.shown(Fraction(123456, 7654321)) == "about 0.016129"
    assert numbers.shown(Fraction(12345, 765432)) == "4115/255144"
    assert numbers.between(flint.arb("9.001", "0.0001")) == "9.01"
    assert numbers.between(flint.arb("1", "0.5")) == "at most 1.51"


def test_the_truth_is_taken_of_states_of_weights_or_of_subtrees():
    half = WFA.of([1, 2], {"a": [["1/2", 0], [0, 3]]}, [1, 10])
    assert sampling.truth(half, ("a",), False) == {0: [1, 2], 1: [Fraction(1, 2), 6]}
    assert sampling.truth(half, ("a",), True) == {0: [21], 1: [Fraction(121, 2)]}
    assert sampling.truth(ADDER, tuple("[ab]"), False) == {1: [6, 1], 2: [1, 1], 3: [5, 1]}


@pytest.mark.parametrize(
    ("order", "automaton", "word", "rows", "error"),
    [(Order(2), counting(), ("0",), [[0.0, 1.0], [4.0, 5.0]], 5),
     (Order(2, attention="hard"), counting(), ("0",), [[0.0, 4.0], [1.0, 5.0]], 5),
     (Order(4, "tree", attention="hard"), ADDER, ("a",), [[0.0, 0.0], [4.0, 3.0]], 3)],
)  # fmt: skip
def test_the_error_of_outputs_is_in_the_norm_of_the_certificate(
    order, automaton, word, rows, error
):
    """Decoders: the largest state; models for words: all states together; for trees: an entry."""
    measured = sampling.Measurement(model_of(automaton, order), False)
    assert float(measured.error(word, torch.tensor(rows))) == pytest.approx(error)
    rows[-1][0] = float("nan")
    assert not measured.error(word, torch.tensor(rows)).is_finite()


def test_a_sample_is_told_with_its_input():
    sample = sampling.Sample(flint.arb("0.0123"), "letters in turn", ("0", "1"))
    assert sample.text == "1.3e-2" and replace(sample, error=flint.arb(0)).text == "0"
    assert replace(sample, error=flint.arb("inf")).text == "inf"
    words, trees = model_of(counting(), Order(2)), model_of(ADDER, Order(4))
    assert sample.description(words) == "words of 2 letters, the worst is letters in turn"
    assert sample.description(trees) == "trees of 2 tokens, the worst is letters in turn"
    long = replace(words, order=replace(words.order, length=300))
    assert {len(word) for word in sampling.inputs(long).values()} == {256}


def test_distances_are_frobenius_norms_also_beyond_the_squares_of_floats():
    assert measure.norm(torch.tensor([[3.0, 4.0]], dtype=torch.float64)) == 5
    assert measure.norm(torch.tensor([[3e200, 4e200]], dtype=torch.float64)) == pytest.approx(5e200)
    assert (
        measure.norm(torch.zeros(2, 2)) == 0 and measure.norm(torch.tensor([INFINITE])) == INFINITE
    )
    assert measure._distance(torch.tensor([float("nan")]), torch.tensor([1.0])) == INFINITE
    assert measure.exact_states(counting(), ("0", "1")).tolist() == [[0, 1], [1, 1], [1, 1]]


def sizes(greatest, least, seen=None):
    return StateSizes(
        SizeBounds(balls(*least), balls(*greatest)), seen and balls(*seen), "letters", "state"
    )


def test_an_error_says_nothing_from_where_every_state_is_no_larger():
    small = sizes((8, 4, 1), (0, 0, 0))
    assert (small.empty_from(flint.arb(1)), small.empty_from(flint.arb("0.5"))) == (2, None)
    assert small.empty_from(flint.arb(4), together=True) == 2  # 4² + 1² > 4²
    assert small.empty_from(flint.arb("4.2"), together=True) == 1
    seen = sizes((8, 4, 4), (0, 0, 0), (8, 1, 2))
    assert (seen.doubtful_from(flint.arb(2)), seen.doubtful_from(flint.arb(1))) == (1, None)
    assert small.doubtful_from(flint.arb(9)) is None and small.least(1) == (None, "not known")


@pytest.mark.parametrize(
    ("kind", "error", "words"),
    [(sizes((8, 4, 1), (0, 0, 0)), "1", "From t = 2 letters on the answer 0 would meet the error E too, "),
     (sizes((8, 4, 4), (0, 0, 0), (8, 1, 2)), "2",
      "From t = 1 letters on the answer 0 would meet the error E too on some"),
     (sizes((8, 8), (4, 2)), "1", "Relative to the size of the state the error is at most 0.5"),
     (sizes((8, 8), (4, 2)), "2", ""), (sizes((8, 8), (0, 0)), "0", ""), (sizes((8, 8), (4, 2)), "0", "")],
)  # fmt: skip
def test_what_an_error_does_not_say_is_said(kind, error, words):
    found = _emptiness(kind, flint.arb(error), "E", False)
    assert found.startswith(words) if words else found == ""


def test_advice_is_given_where_some_state_is_no_larger_than_the_error():
    own = sizes((8, 8), (4, 2))
    assert [is_empty(own, flint.arb(x)) for x in ("0", "1.9", "2")] == [False, False, True]
    nothing, small = flint.arb("1.9"), flint.arb(2)
    assert advice(counting(), own, nothing) == "" and "--construction exact" in advice(
        counting(), own, small
    )
    assert "kept nevertheless" in advice(counting(), own, small, True)
    negative = WFA.of([1], {"a": [[-1]]}, [1])
    assert advice(negative, own, small) == advice(ADDER, own, small) == ""


@pytest.mark.parametrize(
    ("error", "words"), [("0.5", "at most 0.5"), ("1", "No relative error is certified")]
)
def test_a_relative_error_is_one_below_one(error, words):
    assert words in relative_sentence(flint.arb(error), Fraction(1), "in exact arithmetic")


def test_curves_are_drawn_from_a_quarter_to_one_and_a_half_of_a_constant():
    (curve,) = pictures._curve("soft", Fraction(16), lambda c: flint.arb(1) / int(c))
    assert curve.constants == tuple(str(2 * k) for k in range(2, 13))
    assert curve.errors[:4] == ("0.250", "0.167", "0.125", "0.101")
    infinite = flint.arb("inf")
    (few,) = pictures._curve("soft", Fraction(16), lambda c: infinite if c < 22 else flint.arb(2))
    assert few.constants == ("22", "24")
    assert pictures._curve("soft", Fraction(16), lambda c: flint.arb(0)) == ()


def test_a_soft_model_that_was_not_found_says_why(monkeypatch):
    def fail(*_):
        raise soft.TooSoft("no C up to 8")

    assert soft.too_large(ADDER, 7) == ""
    monkeypatch.setattr(soft, "required", fail)
    found = soft.Softened(ADDER, 7, Fraction(1, 100), "gelu")
    assert (found.hypothesis().status, found.hypothesis().witness) == (
        Status.UNDECIDED, "not found: no C up to 8")  # fmt: skip
    rows = list(found.quantities(None))
    assert [row.value for row in rows] == ["not found: no C up to 8"] * 2
    layers = 2 + soft.theorem3.greatest_height(7)
    monkeypatch.setattr(soft, "MOST_WORK", layers * 8)
    assert soft.too_large(ADDER, 7) == ""
    monkeypatch.setattr(soft, "MOST_WORK", layers * 8 - 1)
    assert soft.too_large(ADDER, 7) == f"not computed: 2 states, {layers} layers"


@pytest.mark.parametrize(
    ("bounds", "contractive", "status"),
    [((1, 2, 2, 9), False, Status.MET), ((1, 2, 3, 9), False, Status.UNDECIDED),
     ((1, 2, 3, 9), True, Status.MET)],
)  # fmt: skip
def test_products_are_compared_with_single_maps_layer_by_layer(bounds, contractive, status):
    """At T = 4 the factors of layer 2 have two letters."""
    found = SimpleNamespace(
        bounds=balls(*bounds), largest=flint.arb(2), contractive=contractive, exact=True
    )
    assert word_hypotheses._products(4, found, []).status is status
    word = SimpleNamespace(lower=flint.arb("2.5"), word=("a", "a"))
    refuted = word_hypotheses._products(
        4, found, [SimpleNamespace(lower=flint.arb(2), word=("a",)), word]
    )
    assert (
        refuted.status is Status.NOT_MET
        and "layer 2" in refuted.witness
        and "a^2" in refuted.witness
    )
