"""Laws of polynomials and of sums of words: their values at numbers, and at matrices."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from verify.recheck.kernel.polynomial import Poly, Words

AT = {"x": 3, "y": -5}
MATRICES = {"x": np.array([[1, 2], [0, -1]]), "y": np.array([[3, 0], [1, 1]])}


def sums(kind):
    words = st.lists(st.sampled_from("xy"), max_size=3).map(tuple)
    return st.dictionaries(words, st.integers(-4, 4), max_size=4).map(
        lambda terms: sum((c * kind({w: 1}) if kind is Words else product(w) * c
                           for w, c in terms.items()), kind({}))
    )  # fmt: skip


def product(word):
    found = Poly.of(1)
    for name in word:
        found = found * Poly.symbol(name)
    return found


def at_numbers(poly):
    return sum(c * np.prod([AT[name] for name in word]) for word, c in poly.terms.items())


def at_matrices(words):
    found = np.zeros((2, 2), dtype=int)
    for word, c in words.terms.items():
        found = found + c * np.linalg.multi_dot(
            [np.eye(2), np.eye(2), *(MATRICES[x] for x in word)]
        )
    return found


@given(sums(Poly), sums(Poly), st.integers(0, 3))
def test_values_of_polynomials_are_added_and_multiplied(a, b, k):
    assert at_numbers(a + b) == at_numbers(a) + at_numbers(b)
    assert at_numbers(a * b) == at_numbers(a) * at_numbers(b)
    assert at_numbers(2 - a) == 2 - at_numbers(a) and at_numbers(a**k) == at_numbers(a) ** k
    assert a * b == b * a and a - a == 0 and not a - a


@given(sums(Words), sums(Words))
def test_sums_of_words_are_multiplied_as_matrices(a, b):
    assert (at_matrices(a * b) == at_matrices(a) @ at_matrices(b)).all()
    assert (at_matrices(a - b) == at_matrices(a) - at_matrices(b)).all()


@given(sums(Words))
def test_no_coefficient_is_zero_and_equal_sums_have_one_hash(a):
    assert all(a.terms.values()) and a == Words(dict(a.terms)) and hash(a) == hash(Words(a.terms))


def test_letters_do_not_commute_and_names_do():
    x, y = map(Words.symbol, "xy")
    assert x * y != y * x and Poly.symbol("x") * Poly.symbol("y") == Poly({("x", "y"): 1})
