"""Next-symbol distributions, against sums over all words that begin with a prefix."""

from fractions import Fraction
from random import Random

import pytest

from constructions.automata.families import pfa
from constructions.automata.named import automaton_by_name
from constructions.automata.prediction import EOS, Predictor, _short, continuations, predictor
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError

LETTERS = {"a": [["1/4", "1/4"], [0, "1/3"]], "b": [[0, "1/4"], ["1/3", 0]]}
STOPPING = pfa(["1/2", "1/2"], LETTERS, ["1/4", "1/3"])


@pytest.mark.parametrize("name", ["mess3", "rrxor", "ghmm", "hmm:3:5"])
def test_the_distribution_after_a_word_is_a_quotient_of_weights(name):
    automaton = automaton_by_name(name)
    source = predictor(automaton)
    assert not source.ends
    for word in automaton.words(3):
        if (weight := automaton.weight(word)) > 0:
            expected = {s: automaton.weight((*word, s)) / weight for s in automaton.alphabet}
            assert source.distribution(word) == expected == source.distributions(word)[3]


def test_a_word_of_an_automaton_that_stops_is_followed_by_its_end():
    source = predictor(STOPPING)
    assert source.ends and source.symbols == ("a", "b", EOS)
    for word in STOPPING.words(2):
        found = source.distribution(word)
        assert sum(found.values()) == 1
        assert found[EOS] * source.probability(word) == STOPPING.weight(word)


def test_after_the_end_a_new_word_begins():
    source = predictor(STOPPING)
    assert source.distribution(("a", EOS)) == source.distribution(())


def test_weights_of_all_words_from_a_state_are_limits_of_sums():
    ahead = continuations(WFA.of([1], {"a": [["1/2"]], "b": [["1/4"]]}, [3]))
    assert ahead == (Fraction(12),)
    with pytest.raises(InputError, match="add up"):
        continuations(WFA.of([1], {"a": [[1]]}, [1]))


def test_a_word_that_cannot_be_has_no_next_symbol():
    with pytest.raises(InputError, match="0 0, of weight 0"):
        predictor(automaton_by_name("golden")).distribution("00")
    with pytest.raises(InputError, match="0 0, of weight 0"):
        predictor(automaton_by_name("golden")).beliefs("001")


def test_beliefs_are_states_over_their_weight():
    for state, belief in zip(
        automaton_by_name("mess3").states("ABCA"),
        predictor(automaton_by_name("mess3")).beliefs("ABCA"),
        strict=True,
    ):
        assert sum(belief) == 1
        assert [b * sum(state) for b in belief] == list(state)


def test_samples_have_the_frequencies_of_the_source():
    source, random = predictor(automaton_by_name("golden")), Random(5)
    word = source.sample(4000, random)
    zeros = word.count("0")
    assert "00" not in "".join(word)
    assert abs(zeros - 4000 / 3) < 5 * (4000 * 2 / 9) ** 0.5
    assert source.sample(50, Random(1)) == source.sample(50, Random(1))


def test_an_automaton_that_predicts_a_negative_probability_is_refused():
    odd = WFA.of([1, 1], {"a": [[1, 0], [0, -1]], "b": [[0, 0], [0, 2]]}, [1, 0])
    with pytest.raises(InputError):
        predictor(WFA.of([1], {"a": [["1/2"]]}, [-1])).distribution("")
    assert predictor(odd).distribution("") == {"a": 1, "b": 0}


def test_a_letter_called_like_the_end_is_refused():
    with pytest.raises(InputError, match="end of a word"):
        predictor(WFA.of([1], {EOS: [["1/2"]]}, ["1/2"]))


def test_words_whose_weights_grow_without_end_are_refused():
    growing = WFA.of([1, 1], {"a": [[2, 0], [0, "1/4"]]}, [1, 3])
    with pytest.raises(InputError, match="add up"):
        predictor(growing)


def test_weights_of_all_words_may_add_up_to_less_than_one_and_some_states_to_nothing():
    """From the first state 1/4 + 1/16 + … = 1/3, from the second one no word has a weight."""
    small = WFA.of([1, 0], {"a": [["1/4", "1/2"], [0, "1/2"]]}, ["1/4", 0])
    assert continuations(small) == (Fraction(1, 3), 0)
    assert predictor(small).distribution("") == {"a": Fraction(1, 4), EOS: Fraction(3, 4)}


@pytest.mark.parametrize(
    ("automaton", "total"),
    [
        (WFA.of([0], {"a": [["1/2"]]}, [1]), "0"),
        (WFA.of([-1], {"a": [["1/2"]]}, [3]), "-6"),
        (WFA.of([-(10**5000)], {"a": [["1/2"]]}, [3]), "a very long Fraction"),
    ],
)
def test_words_without_a_positive_weight_are_no_source(automaton, total):
    with pytest.raises(InputError, match=f"a total weight of {total}, expected words of positive"):
        predictor(automaton)


def test_a_drawn_state_is_kept_to_256_bits_behind_the_point():
    assert _short(Fraction(1, 3)) == Fraction((2**256 - 1) // 3, 2**256)
    assert _short(Fraction(-5, 2)) == Fraction(-5, 2)


def test_what_is_impossible_is_named_with_its_weight():
    source = predictor(automaton_by_name("golden"))
    with pytest.raises(InputError, match="word: found 0 0, of weight 0, expected a prefix of pos"):
        source.distributions("001")
    odd = Predictor(WFA.of([1, 1], {"a": [[1, 0], [0, 3]], "b": [[0, 0], [0, -2]]}, [1, 1]), False)
    with pytest.raises(InputError, match="word: found the empty word, of weight -2, expected"):
        odd.distribution("")
