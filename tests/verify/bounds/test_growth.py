"""Products of transition maps whose norms are known by hand."""

from fractions import Fraction
from itertools import product

import flint
import numpy as np
import pytest
from balls_support import ball, precision_fixture

from constructions.automata.families import counting, scalar
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from constructions.core.exact import cos_pi, sin_pi
from verify.bounds import growth, norms
from verify.bounds.growth import ProductList

working = precision_fixture(128)


def automaton_of(**letters) -> WFA:
    n = len(next(iter(letters.values())))
    return WFA.of([1] * n, letters, [1] * n)


def float_values(values) -> list[float]:
    return [round(float(x), 9) for x in values]


def test_products_of_a_number_are_its_powers_listed_or_not():
    found = growth.growth(scalar(3), 4)
    assert float_values(found.norms) == [1, 3, 9, 27, 81] and found.listed == 4
    assert float_values(found.distances) == [0, 2, 8, 26, 80]
    assert float_values([found.diameter(k) for k in (0, 1, 2)]) == [0, 4, 16]
    small = growth.growth(scalar(Fraction(1, 2)), 3)
    assert float_values(small.norms) == [1, 1, 1, 1] and float_values(small.distances) == [
        0,
        0.5,
        0.75,
        0.875,
    ]
    assert float_values([growth.growth(scalar(-1), 2).diameter(2)]) == [2]


def test_beyond_what_is_listed_the_bounds_are_multiplied():
    """Letters of norms 2 and 3: N_2 = 9 by splitting, R_2 ≤ R_1 N_1 + R_1 = 2 · 3 + 2."""
    found = growth.growth(automaton_of(a=[[2]], b=[[3]]), 4, limit=1)
    assert found.listed == 1
    assert float_values(found.norms) == [1, 3, 9, 27, 81]
    assert float_values(found.distances) == [0, 2, 8, 26, 80]


def test_distances_never_exceed_the_norm_and_one():
    found = growth.growth(automaton_of(a=[[-1]], b=[[1]]), 4, limit=1)
    assert float_values(found.distances) == [0, 2, 2, 2, 2]


def test_products_that_repeat_are_kept_once_and_too_many_are_given_up():
    words = ProductList(counting(), 3)
    assert [len(words.advance()) for _ in range(2)] == [2, 3] and words.advance() is None
    signs = ProductList(automaton_of(a=[[1]], b=[[-1]]), 2)
    assert [len(signs.advance()) for _ in range(5)] == [2] * 5


def test_irrational_products_are_balls_and_counted_in_full():
    turn = (
        (cos_pi(Fraction(1, 4)), sin_pi(Fraction(1, 4))),
        (-sin_pi(Fraction(1, 4)), cos_pi(Fraction(1, 4))),
    )
    automaton = WFA((Fraction(1), Fraction(0)), {"a": turn, "b": turn}, (Fraction(1), Fraction(0)))
    words = ProductList(automaton, 4)
    assert not words.exact and [len(words.advance()) for _ in range(2)] == [2, 4]
    assert words.advance() is None
    assert float_values(growth.growth(automaton, 2).norms) == [1, 1, 1]


def test_products_take_the_least_of_their_bounds():
    found = growth.products(automaton_of(a=[[3, 0], [0, 1]], b=[[0, 2], [0, 0]]), 3)
    assert float_values(found.single.values()) == [3, 2] and float_values([found.largest]) == [3]
    assert float_values(found.bounds)[:2] == [1, 3] and found.bounds[2] >= 9
    assert not found.contractive and found.reaches_one
    assert found.up_to(0) == 1 and float_values([found.up_to(1)]) == [3]


@pytest.mark.parametrize(
    ("weight", "contractive", "reaches"),
    [("1/2", True, False), ("1", True, True), ("-1", True, True), ("2", False, True)],
)
def test_contractions_keep_all_products_within_one(weight, contractive, reaches):
    found = growth.products(scalar(Fraction(weight)), 3)
    assert (found.contractive, found.reaches_one) == (contractive, reaches)
    assert float_values([found.up_to(3)]) == [8 if weight == "2" else 1]


def test_the_word_with_the_largest_product_is_found():
    automaton = automaton_of(a=[[0, 3], [0, 0]], b=[[0, 0], [4, 0]], c=[[1, 0], [0, 1]])
    one, four = growth.witnesses(automaton, [1, 4])
    assert one.word == ("b",) and float_values([one.lower]) == [4]
    assert four.word in (("a", "b", "a", "b"), ("b", "a", "b", "a")) and float_values(
        [four.lower]
    ) == [144]


def test_floats_are_the_maps_by_their_largest_weight():
    found = growth.scaled_maps(automaton_of(a=[[Fraction(1, 2)]], b=[[-4]]))
    assert {symbol: rows.tolist() for symbol, rows in found.items()} == {
        "a": [[0.125]],
        "b": [[-1.0]],
    }


def wide_automaton(n: int) -> WFA:
    """A substochastic automaton with n states whose entries have unlike denominators."""
    rows = {
        s: [[Fraction(1 + (i * k + j) % 5, 7 * n + i) for j in range(n)] for i in range(n)]
        for k, s in enumerate("ab", 1)
    }
    return WFA.of([1] * n, rows, [1] * n)


@pytest.mark.parametrize(
    "automaton",
    [wide_automaton(3), wide_automaton(20), automaton_by_name("random:3:5")],
    ids=lambda a: a.n,
)
def test_every_word_is_below_both_bounds(automaton: WFA) -> None:
    with flint.ctx.workprec(128):
        grown, found = growth.growth(automaton, 12, limit=8), growth.products(automaton, 12)
        one = norms.identity(automaton.n)
        for length in (1, 2, 3, 4):
            for word in product(automaton.alphabet, repeat=length):
                a = one
                for symbol in word:
                    a = a * norms.matrix(automaton.matrix(symbol))
                size = norms.spectral_norm(a)
                assert not size > grown.norms[length]
                assert not size > found.bounds[length]
                assert not norms.spectral_norm(a - one) > grown.distances[length]


def test_few_products_are_compared_exactly_and_long_entries_become_balls() -> None:
    with flint.ctx.workprec(128):
        words = growth.ProductList(counting(), 512)
        for length in range(1, 40):
            assert len(words.advance()) == length + 1
        assert words.exact
        words = growth.ProductList(wide_automaton(9), 512)
        sizes = [len(words.advance()) for _ in range(9)]
        assert sizes == [2**k for k in range(1, 10)]
        assert not words.exact
        assert words.advance() is None


@pytest.mark.parametrize("limit", [0, 1])
def test_a_limit_below_the_number_of_letters_leaves_the_letters_themselves(limit: int) -> None:
    """Very many states: not even two letters can be multiplied, and the bounds hold still."""
    automaton = wide_automaton(3)
    with flint.ctx.workprec(128):
        rough, fine = (growth.growth(automaton, 4, limit=most) for most in (limit, 64))
        assert rough.listed == 1 and fine.listed == 4
        for k in range(5):
            assert not rough.norms[k] < fine.norms[k]
            assert not rough.distances[k] < fine.distances[k]


@pytest.mark.parametrize("size", ["1e-400", "1", "1e400"])
def test_words_with_large_products_are_found_beyond_the_range_of_floats(size: str) -> None:
    """The letter with the larger map, whatever the scale of both."""
    maps = {"a": [[Fraction(size)]], "b": [[3 * Fraction(size)]]}
    (found,) = growth.witnesses(WFA.of([1], maps, [1]), [3])
    assert found.word == ("b", "b", "b")
    exact = (3 * Fraction(size)) ** 3
    assert not found.lower > ball(exact)


@pytest.mark.parametrize("name", ["hmm:3:2", "random:2:3", "random:3:4"])
def test_norms_of_absolute_values_and_distances_from_a_half_are_not_exceeded(name):
    automaton = automaton_by_name(name)
    found, grown = growth.products(automaton, 5), growth.growth(automaton, 5, limit=16)
    maps = [np.array([[float(x) for x in row] for row in rows])
            for rows in automaton.transitions.values()]  # fmt: skip
    listed, half = [np.eye(automaton.n)], np.eye(automaton.n) / 2
    for k in range(1, 6):
        listed = [a @ b for a in listed for b in maps]
        most = max(np.linalg.norm(abs(a), 2) for a in listed)
        assert found.absolute[k] >= flint.arb(most * (1 - 1e-12))
        assert found.absolute[k] <= flint.arb(automaton.n).sqrt() * found.bounds[k] * 1.001
        apart = max(np.linalg.norm(a - half, 2) for a in listed)
        assert grown.halves[k] >= flint.arb(apart * (1 - 1e-12))
        assert grown.lengths[k] >= flint.arb(
            max(np.linalg.norm(a, 2) for a in listed) * (1 - 1e-12)
        )


@pytest.mark.parametrize("name", ["random:2:1", "random:2:7", "hmm:3:7"])
def test_norms_of_listed_products_are_those_of_short_words_and_multiplied_beyond(name):
    """Listed up to 9 letters: the bounds are the norms, and those of 18 at most their squares."""
    automaton = automaton_by_name(name)
    known, found = growth.products(automaton, 18), growth.listed_products(automaton, 18)
    maps = [np.array([[float(x) for x in row] for row in rows])
            for rows in automaton.transitions.values()]  # fmt: skip
    listed = [np.eye(automaton.n)]
    for k in range(1, 10):
        listed = [a @ b for a in listed for b in maps]
        for bounds, sizes in ((found.bounds, listed), (found.absolute, [*map(abs, listed)])):
            most = max(np.linalg.norm(a, 2) for a in sizes)
            assert float(bounds[k]) == pytest.approx(most, rel=1e-9)
    assert found.bounds[18] <= found.bounds[9] * found.bounds[9] * (1 + 1e-12)
    assert all(a <= b for a, b in zip(found.bounds, known.bounds, strict=True))


def test_products_of_contractions_are_at_most_one_exactly():
    turn = automaton_of(a=[[Fraction(3, 5), Fraction(4, 5)], [Fraction(-4, 5), Fraction(3, 5)]])
    assert all(bound == 1 for bound in growth.products(turn, 4).bounds)
