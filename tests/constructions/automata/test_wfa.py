"""Weighted automata: two oracles agree, and bad input is named."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.automata.families import counting
from constructions.automata.strategies import weights
from constructions.automata.wfa import WFA, letters, symbol_name
from constructions.core.errors import InputError
from constructions.core.numbers import number, number_from_text, square, vector

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
        assert number_from_text(text, "weight") == Fraction(text)
    else:
        with pytest.raises(InputError, match="at most 4000 digits"):
            number_from_text(text, "weight")


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


def test_hmm_rows_are_normalised_only_on_request():
    """Sums may differ from 1 by 10^-6, and `normalise` makes them exact; larger differences are refused."""
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


def test_words_are_strings_of_single_characters_or_lists():
    assert letters("ab", ["a", "b"]) == ("a", "b") == letters(["a", "b"], ["a", "b"])
    with pytest.raises(InputError, match="a list of symbols: ab has several characters"):
        letters("ab", ["a", "ab"])
    assert letters(["ab"], ["a", "ab"]) == ("ab",)
    with pytest.raises(InputError, match="word: found 3, expected a string or a list of symbols"):
        letters(3, ["a"])


def test_whole_numbers_are_the_symbols_that_they_are_written_as():
    digits = WFA.of([1], {"0": [["1/2"]], "12": [["1/3"]]}, [1])
    assert letters([0, 12, "0"], digits.alphabet) == ("0", "12", "0")
    assert letters(np.array([12, 0]), digits.alphabet) == ("12", "0")
    assert digits.weight([0, 12]) == Fraction(1, 6) == digits.weight(["0", "12"])
    for word in ([1], [True], [-12], [0.0]):
        with pytest.raises(InputError, match="word: found"):
            digits.weight(word)


def test_all_words_of_a_length_are_listed():
    assert list(counting().words(0)) == [()]
    assert ["".join(word) for word in counting().words(2)] == ["00", "01", "10", "11"]


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (0.1, Fraction(1, 10)),
        ("2/6", Fraction(1, 3)),
        ("1e-3", Fraction(1, 1000)),
        (Decimal("0.25"), Fraction(1, 4)),
        (np.float32(0.5), Fraction(1, 2)),
        (np.int64(7), Fraction(7)),
        (np.array(0.5), Fraction(1, 2)),
    ],
)
def test_numbers_of_every_kind_are_exact(value, exact):
    assert number(value, "x") == exact


@pytest.mark.parametrize("value", [True, None, [], np.array([1.0]), "½", "1/0", "nan", 1j])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(InputError, match=r"^x: found "):
        number(value, "x")


def test_arrays_of_torch_are_read_in_every_format():
    torch = pytest.importorskip("torch")
    assert number(torch.tensor(0.5), "x") == Fraction(1, 2)
    for dtype in (torch.float64, torch.bfloat16, torch.int64):
        given = torch.tensor([1, 2], dtype=dtype)
        assert WFA.of(given, {"a": torch.eye(2, dtype=dtype)}, given).alpha == (1, 2)


def test_a_deterministic_automaton_begins_in_its_start():
    even = WFA.from_dfa(2, 1, [1], {"a": [1, 0]})
    assert [even.weight("a" * t) for t in range(3)] == [1, 0, 1]


@pytest.mark.parametrize("symbol", ["", 3, None, chr(0xD800), chr(0xDFFF), f"a{chr(0xDC00)}"])
def test_symbols_are_text(symbol):
    with pytest.raises(InputError, match=r"^symbol: found "):
        symbol_name(symbol)
    for fine in ("a", "ab", chr(0xD7FF), chr(0xE000)):
        assert symbol_name(fine) == fine


def test_shapes_are_named_where_they_do_not_fit():
    for rows, words in (
        (5, "m: found 5, expected a list of 2 rows"),
        ("ab", "m: found ab, expected a list of 2 rows"),
        ([[1, 2]], "m: found 1 rows, expected 2, as many as alpha has numbers"),
        ([[1, 2], [1]], "m[1]: found 1 numbers, expected 2, a square matrix"),
    ):
        with pytest.raises(InputError) as caught:
            square(rows, "m", 2)
        assert words in str(caught.value)
    for values in ("12", {"a": 1}, 5, []):
        with pytest.raises(InputError, match=r"v: found .*, expected a non-empty list of numbers"):
            vector(values, "v")
    with pytest.raises(InputError, match="beta: found 1 numbers, expected 2, as many as alpha"):
        WFA.of([1, 2], {"a": [[1, 0], [0, 1]]}, [1])
