"""Laws of n-gram models: one unit is on for every history, and files and processes come back."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.automata.ngram import Ngram, from_text, from_words
from constructions.automata.prediction import predictor
from constructions.automata.processes import ngram
from constructions.core.embedding import BOS
from constructions.core.errors import InputError
from constructions.files.reader import parse_json, source_from_json, to_json
from constructions.language_model import deterministic, table_of
from constructions.ngram_model import NgramModel

WORDS = st.lists(st.text("abc", max_size=6), min_size=1, max_size=5).filter(any)


@st.composite
def tables(draw):
    """Suffix-closed tables, not all of which come from words."""
    order = draw(st.integers(1, 4))
    words = draw(WORDS)
    table = from_words(words, order)
    longest = [u for u in table.counts if len(u) == order - 1 and order > 1]
    dropped = draw(st.sets(st.sampled_from(longest))) if longest else set()
    kept = {u: row for u, row in table.counts.items() if u not in dropped}
    return Ngram.of(order, table.alphabet, kept)


@settings(max_examples=60)
@given(tables())
def test_exactly_one_unit_is_on_for_every_history(table):
    """Over all histories, exactly: the sum of a unit's terms reaches its number of letters once."""
    model = NgramModel(table, 8, "gpt2")
    place = {s: i for i, s in enumerate((*table.alphabet, BOS, "?"))}
    for history in product(place, repeat=table.order - 1):
        letters = [place[s] for s in reversed(history)]
        on = []
        for context, (terms, count) in zip(model.contexts, model.conditions, strict=True):
            total = sum(sign for back, at, sign in terms if letters[back] == at)
            assert total <= count
            on += [context] if total == count else []
        suffixes = [history[i:] for i in range(len(history) + 1)]
        assert on == [next(u for u in suffixes if u in table.counts)]


@settings(max_examples=40)
@given(tables())
def test_a_table_comes_back_from_its_file(table):
    assert source_from_json(parse_json(to_json(table))) == table


@settings(max_examples=40)
@given(WORDS, st.integers(1, 4), st.text("abc", max_size=5))
def test_the_distribution_counts_successors_of_the_longest_known_suffix(words, order, prefix):
    follows = Counter[str]()
    for size in range(order - 1, -1, -1):
        history = [BOS] * order + list(prefix)
        suffix = history[len(history) - size :]
        for word in words:
            padded = [BOS] * order + list(word) + ["<eos>"]
            for i in range(order, len(padded)):
                if padded[i - size : i] == suffix:
                    follows[padded[i]] += 1
        if follows:
            break
    if set(prefix) <= set("".join(words)):
        found = from_words(words, order).distribution(prefix)
        assert found == {s: Fraction(follows[s], follows.total()) for s in found}


@settings(max_examples=40)
@given(WORDS, st.integers(2, 4))
def test_the_table_of_an_automaton_is_its_process(words, order):
    """On every word that has a positive probability, ends of words included."""
    source = predictor(ngram(words, order))
    table = table_of(deterministic(source))
    assert table is not None
    for length in range(4):
        for word in product(source.symbols, repeat=length):
            if source.automaton.weight(word):
                assert table.chances_after[table.context(word)] == source.distribution(word)


def test_a_process_without_a_short_memory_has_no_table():
    from constructions.automata.families import pfa

    third = "1/3"
    counts = pfa(
        [1, 0], {"a": [[0, third], [third, 0]], "b": [[third, 0], [0, third]]}, [third, third]
    )
    assert table_of(deterministic(predictor(counts))) is None


@pytest.mark.parametrize(
    ("order", "alphabet", "counts", "said"),
    [
        (0, "a", {(): {"a": 1}}, "order: found 0, expected a whole number from 1 to 6"),
        (2, "aa", {(): {"a": 1}}, "alphabet: found aa"),
        (2, "a", {("a",): {"a": 1}}, "no context"),
        (3, "ab", {(): {"a": 1}, ("a", "b"): {"a": 1}}, "no context b"),
        (2, "a", {(): {"b": 1}}, "counts[]: found b"),
        (2, "a", {(): {"a": 0}}, "counts[][a]: found 0, expected a number > 0"),
        (2, "a", {(): {}}, "the count of at least one symbol"),
        (2, "a", {(): {"a": 1}, ("x",): {"a": 1}}, "at most 1 symbols of the alphabet"),
    ],
)
def test_an_invalid_table_is_refused_by_its_field(order, alphabet, counts, said):
    with pytest.raises(InputError) as caught:
        Ngram.of(order, alphabet, counts)
    assert said in str(caught.value)


def test_blanks_of_a_text_are_a_symbol_and_an_empty_text_is_refused():
    assert from_text("to  be\n\nor", 2).alphabet == ("b", "e", "o", "r", "t", "▁")
    with pytest.raises(InputError, match="words: found no symbols"):
        from_text("\n \n", 2)
