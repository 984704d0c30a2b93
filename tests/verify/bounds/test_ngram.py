"""The certificate of an n-gram model against the classes it is for, written out in NumPy."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from one_layer import variation

from constructions.automata.ngram import Ngram, from_words
from constructions.ngram_model import NgramModel
from verify.bounds.floating import ONCE
from verify.bounds.ngram import ngram_variation

WORDS = st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=5)
KINDS = st.sampled_from(["gpt2", "llama"])


@settings(max_examples=60, deadline=None)
@given(WORDS, st.integers(1, 5), KINDS, st.sampled_from([4, 17, 64]), st.data())
def test_no_word_exceeds_the_certificate(words, order, kind, length, data):
    """Letters that occur or not, ends and unknown letters, in float64 and float32."""
    model = NgramModel(from_words(words, order), length, kind)
    symbols = [*model.source.symbols, "?"]
    word = data.draw(st.lists(st.sampled_from(symbols), max_size=length))
    exact = float(ngram_variation(model))
    assert exact < 1e-12 and variation(model, word, np.float64) <= exact + 1e-12
    assert variation(model, word) <= float(ngram_variation(model, ONCE["float32"])) < 0.01


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_rare_symbols_and_long_words_are_covered(kind):
    rare = {"a": Fraction(1), "b": Fraction(1, 10**9)}
    table = Ngram.of(3, "ab", {(): rare, ("a",): rare, ("b",): {"a": 1, "<eos>": 10**6},
                               ("b", "a"): {"b": 1}})  # fmt: skip
    model = NgramModel(table, 1024, kind)
    word = ["a", "b", "a", "a", "b", "<eos>", "?"] * 146
    assert variation(model, word) <= float(ngram_variation(model, ONCE["float32"])) < 1e-3


def test_a_finer_format_has_a_smaller_bound_and_a_coarse_one_none():
    model = NgramModel(from_words(["abba", "ab"], 3), 32, "gpt2")
    bounds = [
        float(ngram_variation(model, ONCE[form])) for form in ("float64", "float32", "bfloat16")
    ]
    assert float(ngram_variation(model)) < bounds[0] < bounds[1] < bounds[2] == 1
