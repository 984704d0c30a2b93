"""The families of Appendix A.2 against their own definitions."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests_support import is_pfa

from constructions.automata import families
from constructions.core.errors import InputError

WORDS = st.text("01", max_size=12)


@given(WORDS)
def test_the_counting_automaton_counts_zeros(word: str) -> None:
    assert families.counting().states(word)[-1] == (word.count("0"), 1)
    assert families.counting().weight(word) == word.count("0")


@given(st.text("0123", max_size=10), st.integers(0, 4))
def test_the_k_counting_automaton_counts_its_first_letters(word: str, k: int) -> None:
    state = families.k_counting(k, 4).states(word)[-1]
    assert state == (*(word.count(str(i)) for i in range(k)), 1)


@given(st.text("012", max_size=10), st.integers(1, 3))
def test_the_printed_initial_vector_never_changes(word: str, k: int) -> None:
    automaton = families.k_counting_as_printed(k, 3)
    assert automaton.states(word)[-1] == automaton.alpha


def test_counting_is_k_counting_for_one_letter() -> None:
    assert families.k_counting(1, 2) == families.counting()


@given(WORDS)
def test_a_dfa_has_the_unit_vector_of_its_state(word: str) -> None:
    parity = families.dfa(2, 0, [1], {"0": [0, 1], "1": [1, 0]})
    odd = word.count("1") % 2
    assert parity.states(word)[-1] == (1 - odd, odd)
    assert parity.weight(word) == odd


def test_an_nfa_counts_accepting_runs() -> None:
    both = families.nfa(2, [0, 1], [0, 1], {"a": [(0, 0), (0, 1), (1, 1)]})
    assert [both.weight("a" * t) for t in range(4)] == [2, 3, 4, 5]


def test_an_hmm_gives_each_word_its_probability() -> None:
    half, third = Fraction(1, 2), Fraction(1, 3)
    model = families.hmm([[half, half], [0, 1]], [[third, 1], [1 - third, 0]], [1, 0], "ab")
    for length in range(1, 5):
        total = sum(model.weight(word) for word in product("ab", repeat=length))
        assert total == 1
    assert model.weight("aa") == third * (half * third + half)


def test_a_pfa_is_recognised_and_a_leaking_one_is_not() -> None:
    quarter = Fraction(1, 4)
    fine = families.pfa([1], {"a": [[quarter]], "b": [[quarter]]}, [Fraction(1, 2)])
    assert is_pfa(fine)
    assert not is_pfa(families.pfa([1], {"a": [[quarter]]}, [Fraction(1, 2)]))


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: families.k_counting(5, 4), "k"),
        (lambda: families.dfa(2, 0, [1], {"a": [0]}), r"moves\[a\]"),
        (lambda: families.nfa(1, [1], [0], {"a": []}), "start"),
        (lambda: families.nfa(1, [0], [0], {"a": [(0, 1)]}), r"edges\[a\]"),
        (lambda: families.hmm([[1]], [[1], [0]], [1], "a"), "observation"),
        (lambda: families.hmm([[1]], [[1, 0]], [1], "a"), r"observation\[a\]"),
    ],
)
def test_an_impossible_request_names_its_field(build: object, field: str) -> None:
    with pytest.raises(InputError, match=field):
        build()  # type: ignore[operator]


def test_a_scalar_automaton_has_powers() -> None:
    assert [families.scalar("1/2").weight("a" * t) for t in range(3)] == [
        1,
        Fraction(1, 2),
        Fraction(1, 4),
    ]


def test_probabilities_may_miss_one_by_the_stated_millionth_and_by_no_more():
    half, millionth, least = Fraction(1, 2), Fraction(1, 10**6), Fraction(1, 10**12)
    for sign in (1, -1):
        near = [half, half + sign * millionth]
        assert families.probabilities(near, "row") == tuple(near)
        assert sum(families.probabilities(near, "row", normalise=True)) == 1
        with pytest.raises(InputError, match=r"row: found a sum of .*, expected a sum of 1"):
            families.probabilities([half, half + sign * (millionth + least)], "row")


HALF = Fraction(1, 2)


def test_hmmlearn_has_a_row_of_emissions_for_each_state() -> None:
    model = families.from_hmmlearn([1, 0], [[HALF, HALF], [0, 1]], [[1, 0], ["1/4", "3/4"]], "ab")
    assert model.alpha == (1, 0)
    assert model.beta == (1, 1)
    assert model.matrix("a") == ((HALF, HALF), (0, Fraction(1, 4)))
    assert model.matrix("b") == ((0, 0), (0, Fraction(3, 4)))
    assert families.from_hmmlearn([1], [[1]], [[HALF, HALF]]).alphabet == ("0", "1")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1], [[1]], 5), "emissionprob: found 5, expected 1 rows, one for each state"),
        (([1], [[1]], [[1], [1]]), "emissionprob: found 2 rows, expected 1 rows"),
        (([1], [[1]], []), "emissionprob: found 0 rows, expected 1 rows"),
        (([1], [[1]], [[1]], "ab"), "emissionprob[0]: found 1 numbers, expected 2, one for each"),
        (([HALF, HALF], [[1, 0], [0, 1]], [[1], [HALF, HALF]]), "emissionprob[1]: found 2 numbers"),
        (([2], [[1]], [[1]]), "startprob: found a sum of 2, expected a sum of 1 (up to 1e-6)"),
        (([1], [[HALF]], [[1]]), "transmat[0]: found a sum of 0.5"),
        (([1], [[1]], [[HALF]]), "emissionprob[0]: found a sum of 0.5"),
        (
            ([1], [[1]], [[2, -1]]),
            "emissionprob[0][1]: found -1, expected a probability, at least 0",
        ),
    ],
)
def test_emissions_that_do_not_fit_get_one_line(arguments, words: str) -> None:
    with pytest.raises(InputError) as caught:
        families.from_hmmlearn(*arguments)
    assert words in str(caught.value)


def test_a_checked_pfa_is_kept_or_made_exact() -> None:
    third, miss = Fraction(1, 3), Fraction(1, 10**7)
    maps = {"a": [[third, 0], [0, third]], "b": [[0, third], [third, 0]]}
    fine = families.pfa([1, 0], maps, [third, third])
    assert (
        families.probabilistic_automaton(fine)
        == fine
        == families.probabilistic_automaton(fine, normalise=True)
    )
    near = families.pfa([1, 0], maps, [third + miss, third])
    assert families.probabilistic_automaton(near) == near
    exact = families.probabilistic_automaton(near, normalise=True)
    assert is_pfa(exact)
    assert not is_pfa(near)
    assert exact.matrix("b")[0] == (0, third / (1 + miss))
    assert exact.beta == ((third + miss) / (1 + miss), third)
    with pytest.raises(InputError, match=r"what leaves state 1: found a sum of 0\.666667"):
        families.probabilistic_automaton(families.pfa([1, 0], maps, [third, 0]))
    with pytest.raises(InputError, match="initial: found a sum of 2"):
        families.probabilistic_automaton(families.pfa([1, 1], maps, [third, third]))


def test_a_pfa_has_no_negative_weight_and_begins_with_probability_one() -> None:
    two = families.pfa([2, -1], {"a": [[0, 0], [0, 0]]}, [1, 1])
    assert not is_pfa(two)
    assert not is_pfa(families.pfa([1, 1], {"a": [[0, 0], [0, 0]]}, [1, 1]))
    assert not is_pfa(families.pfa([1], {"a": [[2]]}, [-1]))
    assert is_pfa(families.pfa([1], {"a": [[0]]}, [1]))


def test_a_missing_move_ends_every_run() -> None:
    chain = families.dfa(3, 1, [2], {"a": [None, 2, None]})
    assert [chain.weight("a" * t) for t in range(3)] == [0, 1, 0]
    with pytest.raises(InputError, match=r"moves\[a\]: found 3 next states, expected 2"):
        families.dfa(2, 0, [1], {"a": [0, 1, 1]})


@pytest.mark.parametrize("q", [-1, 2])
def test_a_state_that_is_not_there_is_named(q: int) -> None:
    for start, accepting, field in (([q], [0], "start"), ([0], [q], "accepting")):
        with pytest.raises(InputError, match=f"{field}: found {q}, expected a state from 0 to 1"):
            families.nfa(2, start, accepting, {"a": []})
    for pair in ((0, q), (q, 0)):
        with pytest.raises(InputError, match=r"edges\[a\]: .* expected states from 0 to 1"):
            families.nfa(2, [0], [0], {"a": [pair]})


@pytest.mark.parametrize("k", [-1, 3])
def test_only_letters_that_are_there_can_be_counted(k: int) -> None:
    with pytest.raises(InputError, match=f"k: found {k}, expected a number of letters from 0 to 2"):
        families.k_counting(k, 2)


def test_the_weight_of_a_word_is_the_sum_of_its_counts() -> None:
    assert families.k_counting(2, 3).weight("0012") == 3
    assert families.k_counting(0, 1).weight("0") == 0
    assert families.k_counting_as_printed(1, 2).alpha == (1, 0)


@pytest.mark.parametrize(("row", "found"), [([], "0 next states"), ([0], "1 next state,")])
def test_too_few_next_states_are_counted_in_words(row: list[int], found: str) -> None:
    with pytest.raises(InputError, match=rf"moves\[a\]: found {found}"):
        families.dfa(2, 0, [1], {"a": row})
