"""The families of Appendix A.2 against their own definitions."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions import families
from constructions.errors import InputError

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
    assert families.is_pfa(fine)
    assert not families.is_pfa(families.pfa([1], {"a": [[quarter]]}, [Fraction(1, 2)]))


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
