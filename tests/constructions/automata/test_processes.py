"""Stochastic processes by name: their weights are probabilities, and they are what they are called."""

from fractions import Fraction
from itertools import product

import pytest

from constructions.automata import processes
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError

NAMES = ("mess3", "mess3:1/20:17/20", "rrxor", "even", "golden", "ghmm")


@pytest.mark.parametrize("name", NAMES)
def test_weights_of_words_are_probabilities(name):
    process = automaton_by_name(name)
    assert processes.is_process(process)
    for length in range(6):
        weights = [process.weight(word) for word in process.words(length)]
        assert min(weights) >= 0 and sum(weights) == 1


@pytest.mark.parametrize("name", NAMES)
def test_the_processes_are_stationary_but_for_the_generalised_one(name):
    process = automaton_by_name(name)
    ones = [sum(process.weight((*first, "1")) for first in process.words(t)) for t in range(4)
            ] if "1" in process.alphabet else [Fraction(1)]  # fmt: skip
    assert len(set(ones)) == 1


def test_a_weight_that_is_changed_makes_no_process():
    changed = {s: [list(row) for row in processes.golden_mean().matrix(s)] for s in "01"}
    changed["0"][0][1] += Fraction(1, 100)
    assert not processes.is_process(WFA.of([1, 0], changed, [1, 1]))


def test_every_third_symbol_of_rrxor_is_the_exclusive_or_of_the_two_before():
    words = [word for word in processes.rrxor().words(6) if processes.rrxor().weight(word) > 0]
    phases = [
        all((int(w[i]) ^ int(w[i + 1])) == int(w[i + 2]) for i in range(phase, 4, 3))
        for w, phase in product(words, range(3))
    ]
    assert all(any(phases[3 * k : 3 * k + 3]) for k in range(len(words)))


def test_the_even_process_has_no_odd_block_and_the_golden_mean_no_two_zeros():
    for length in range(2, 9, 2):
        assert processes.even_process().weight("0" + "1" * (length - 1) + "0") == 0
        assert processes.even_process().weight("0" + "1" * length + "0") > 0
    assert all(processes.golden_mean().weight(f"{a}00") == 0 for a in "01")


def test_the_generalised_process_has_negative_weights_and_positive_probabilities():
    process = processes.generalised()
    assert min(min(row) for row in process.matrix("a")) < 0
    for word in process.words(6):
        assert process.weight((*word, "a")) * 4 >= process.weight(word) > 0


@pytest.mark.parametrize("text", ["mess3:1/2:1/2", "mess3:0:1/2", "mess3:1/4:1", "mess3:x:1/2"])
def test_parameters_out_of_range_are_refused(text):
    with pytest.raises(InputError):
        automaton_by_name(text)


def test_an_ngram_has_the_frequencies_of_its_words():
    words = ["abba", "ab", "b", "abab"]
    model = processes.ngram(words, 3)
    assert processes.is_process(model)
    assert model.weight(["b"]) == Fraction(1, 4)
    assert model.weight(["a", "b"]) == Fraction(3, 4)
    assert model.weight(["a", "b", "b"]) == Fraction(3, 4) * Fraction(1, 4)


def test_an_ngram_begins_anew_after_the_end_of_a_word():
    model = processes.ngram(["ab"], 2)
    assert model.weight(["a", "b", "<eos>", "a"]) == 1
    with pytest.raises(InputError, match="order"):
        processes.ngram(["ab"], 0)
    with pytest.raises(InputError, match="words"):
        processes.ngram([], 2)


def test_the_end_begins_a_new_word_also_where_a_word_holds_it():
    model = processes.ngram([("a", "!", "b"), ("b",)], 2, "!")
    assert model.weight(["a", "!", "a"]) == model.weight(["a", "!", "b"]) == Fraction(1, 4)
