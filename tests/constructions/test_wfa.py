"""Weighted automata: two oracles agree, and bad input is named."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.errors import InputError
from constructions.families import counting
from constructions.strategies import weights
from constructions.wfa import WFA, written_number

entries = weights(2, 6)


@st.composite
def automata(draw):
    n = draw(st.integers(1, 3))
    vector = st.lists(entries, min_size=n, max_size=n)
    matrix = st.lists(vector, min_size=n, max_size=n)
    return WFA.of(draw(vector), {"a": draw(matrix), "b": draw(matrix)}, draw(vector))


@given(automata(), st.text("ab", max_size=4))
def test_matrix_products_and_sums_over_paths_agree(automaton, word):
    assert automaton.weight(word) == automaton.weight_by_paths(word)


@given(automata(), st.text("ab", max_size=5))
def test_a_word_of_length_t_has_t_plus_one_states(automaton, word):
    states = automaton.states(word)
    assert len(states) == len(word) + 1
    assert states[0] == automaton.alpha


def test_the_empty_word_has_weight_alpha_beta():
    assert WFA.of([2], {"a": [[0]]}, ["1/3"]).weight("") == Fraction(2, 3)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("9" * 4000, True),
        ("-1" + "0" * 4000, False),
        ("0." + "1" * 3999, True),
        ("0." + "1" * 4000, False),
    ],
    ids=["p", "-p too long", "q", "q too long"],
)
def test_numerators_and_denominators_have_at_most_4000_digits(text, fits):
    if fits:
        assert written_number(text, "weight") == Fraction(text)
    else:
        with pytest.raises(InputError, match="at most 4000 digits"):
            written_number(text, "weight")


def test_zero_matrices_and_negative_weights_work():
    automaton = WFA.of([1, -1], {"z": [[0, 0], [0, 0]], "m": [[-1, 0], [0, "-1/2"]]}, [1, 1])
    assert automaton.weight("z") == 0
    assert automaton.weight("m") == Fraction(-1, 2)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (([], {"a": [[1]]}, []), "alpha"),
        (([1], {}, [1]), "transitions"),
        (([1], {"a": [[1, 2]]}, [1]), "transitions[a][0]"),
        (([1], {"a": [[1], [2]]}, [1]), "transitions[a]"),
        (([1, 2], {"a": [[1, 0], [1]]}, [1, 1]), "transitions[a][1]"),
        (([1], {"a": [[1]]}, [1, 2]), "beta"),
        (([float("nan")], {"a": [[1]]}, [1]), "alpha[0]"),
        (([1], {"a": [[float("inf")]]}, [1]), "transitions[a][0][0]"),
        (([1], {"a": [["x"]]}, [1]), "transitions[a][0][0]"),
        (([1], {"a": [[None]]}, [1]), "transitions[a][0][0]"),
        (([1], {"": [[1]]}, [1]), "symbol"),
        (([1], {"a": "x"}, [1]), "transitions[a]"),
        (("1", {"a": [[1]]}, [1]), "alpha"),
    ],
)
def test_bad_input_names_the_field(arguments, field):
    with pytest.raises(InputError) as error:
        WFA.of(*arguments)
    assert error.value.field == field
    assert "\n" not in str(error.value)
    assert "expected" in str(error.value)


def test_an_unknown_symbol_is_named():
    with pytest.raises(InputError, match="found 2, expected a symbol of the alphabet 0, 1"):
        counting().states("012")


def test_a_hidden_markov_model_stays_as_it_is_given_unless_asked():
    """Sums may miss 1 by 10^-6: smaller misses are kept, or made exactly 1 where asked; more is refused."""
    near, far = "0.4999995", "0.499998"
    kept = WFA.from_hmm([1, 0], [["1/2", near], [0, 1]], [[1, 0], [0, 1]])
    assert kept.matrix("0")[0] == (Fraction(1, 2), Fraction(near))
    exact = WFA.from_hmm([1, 0], [["1/2", near], [0, 1]], [[1, 0], [0, 1]], normalise=True)
    assert sum(exact.matrix("0")[0]) == 1
    with pytest.raises(InputError, match="transmat"):
        WFA.from_hmm([1, 0], [["1/2", far], [0, 1]], [[1, 0], [0, 1]])


@pytest.mark.parametrize("off", ["0.0000011", "-0.0000011", "0.0000015"])
def test_a_sum_that_is_off_by_more_than_a_millionth_is_refused(off):
    third = Fraction(1, 3) + Fraction(off)
    with pytest.raises(InputError):
        WFA.from_hmm([1], [[1]], [[Fraction(2, 3), third]])
