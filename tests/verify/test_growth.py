"""How products grow: every listed and every skipped word is below the bounds."""

from fractions import Fraction
from itertools import product

import flint
import pytest

from constructions.families import counting
from constructions.wfa import WFA
from verify.bounds import growth, norms
from verify.bounds.named import named


def wide(n: int) -> WFA:
    """A substochastic automaton with n states whose entries have unlike denominators."""
    rows = {
        s: [[Fraction(1 + (i * k + j) % 5, 7 * n + i) for j in range(n)] for i in range(n)]
        for k, s in enumerate("ab", 1)
    }
    return WFA.of([1] * n, rows, [1] * n)


@pytest.mark.parametrize("automaton", [wide(3), wide(20), named("random:3:5")], ids=lambda a: a.n)
def test_every_word_is_below_both_bounds(automaton: WFA) -> None:
    with flint.ctx.workprec(128):
        grown, found = growth.growth(automaton, 12, limit=8), growth.products(automaton, 12)
        one = norms.identity(automaton.n)
        for length in (1, 2, 3, 4):
            for word in product(automaton.alphabet, repeat=length):
                a = one
                for symbol in word:
                    a = a * norms.matrix(automaton.matrix(symbol))
                size = norms.spectral(a)
                assert not size > grown.norms[length]
                assert not size > found.bounds[length]
                assert not norms.spectral(a - one) > grown.distances[length]


def test_a_doubling_that_halves_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "SHORT_STEPS", 1)
    simple = growth.simple
    monkeypatch.setattr(growth, "simple", lambda a: simple(a) / 2)
    with pytest.raises(AssertionError):
        test_every_word_is_below_both_bounds(wide(20))


@pytest.mark.parametrize("steps", [1, 2, 8])
def test_doubled_bounds_hold_for_long_words(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "SHORT_STEPS", steps)
    automaton = wide(20)
    with flint.ctx.workprec(128):
        found = growth.products(automaton, 16)
        a = norms.identity(20)
        for length in range(1, 17):
            a = a * norms.matrix(automaton.matrix("ab"[length % 2]))
            assert not norms.spectral(a) > found.bounds[length]


def test_few_products_are_compared_exactly_and_long_entries_become_balls() -> None:
    with flint.ctx.workprec(128):
        words = growth.Listed(counting(), 512)
        for length in range(1, 40):
            assert len(words.advance()) == length + 1
        assert words.exact
        words = growth.Listed(wide(9), 512)
        sizes = [len(words.advance()) for _ in range(9)]
        assert sizes == [2**k for k in range(1, 10)]
        assert not words.exact
        assert words.advance() is None


def test_fewer_words_are_listed_where_one_product_takes_longer() -> None:
    assert growth.listable(2) == growth.listable(40) == growth.LISTED
    assert growth.listable(70) < 100


@pytest.mark.parametrize("limit", [0, 1])
def test_a_limit_below_the_number_of_letters_leaves_the_letters_themselves(limit: int) -> None:
    """Very many states: not even two letters can be multiplied, and the bounds hold still."""
    automaton = wide(3)
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
    assert not found.lower > flint.arb(flint.fmpq(exact.numerator, exact.denominator))
