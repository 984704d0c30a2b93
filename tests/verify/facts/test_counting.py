"""Counting automata and the one layer that counts: the proofs hold, mutants fail."""

from dataclasses import replace

import sympy

from constructions.automata.families import k_counting, k_counting_as_printed
from constructions.core.transformer import Mask
from verify.exactness import one_layer
from verify.facts import counting


def test_a_word_has_the_state_that_counts_its_letters():
    assert counting.state_after_word(2, 3, "00011", [3, 2, 1]).holds is True
    assert counting.state_after_word(2, 3, "00011", [2, 3, 1]).holds is False
    assert counting.state_after_word(1, 1, "", [0, 1]).holds is True


def test_with_the_printed_initial_vector_no_symbol_is_counted(monkeypatch):
    assert counting.symbols_add_one([1, 2], 3).holds is True
    assert one_layer.counts_always(k_counting(2, 3), 2)
    monkeypatch.setattr(counting, "k_counting", k_counting_as_printed)
    assert counting.symbols_add_one([2], 3).witness == {"wrong": [2]}


def test_one_layer_counts_and_without_its_mask_it_does_not(monkeypatch):
    assert counting.exact_layer(4).holds is True
    unmasked = replace(one_layer.masked_head(), mask=Mask.NONE)
    monkeypatch.setattr(one_layer, "masked_head", lambda: unmasked)
    assert counting.exact_layer(3).witness["word"] == "0"


def test_the_induction_fails_for_a_layer_that_is_off_by_one():
    assert one_layer.induction() == (True, True)
    assert one_layer.induction(lambda t, a: sympy.Matrix([[(t + 2) * a, 1]])) == (True, False)
    assert one_layer.induction(lambda t, a: sympy.Matrix([[(t + 1) * a, 0]])) == (False, False)


def test_sizes_are_those_of_theorem_1():
    assert counting.model_is_large_enough(2, 16, 16, 4).holds is True
    assert counting.model_is_large_enough(2, 16, 9, 4).holds is False
    assert counting.model_is_large_enough(2, 16, 16, 3).holds is False
