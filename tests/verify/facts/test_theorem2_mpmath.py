"""Theorem 2's model in mpmath: how many digits it has, and which errors they show."""

from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf
from tests_support import arguments_of_calls

from constructions.automata.wfa import WFA
from verify.bounds import leak
from verify.facts import theorem2_mpmath

TWO = WFA.of([1], {"a": [[2]]}, [1])


@pytest.mark.parametrize("saturation", [4, 400])
def test_the_digits_are_those_of_the_bits_that_a_leak_needs(saturation, monkeypatch):
    call = lambda: theorem2_mpmath.layer_errors(TWO, "aaaa", 4, Fraction(saturation))  # noqa: E731
    found = arguments_of_calls(monkeypatch, theorem2_mpmath, "Multiprecision", call)
    [(digits,)] = found
    assert 10**digits <= 2 ** leak.bits_for(Fraction(saturation), 4) < 10 ** (digits + 1)
    assert theorem2_mpmath.layer_errors(TWO, "aaaa", 4, Fraction(saturation), 30)
    assert found[1:] == [(30,)]


def errors(monkeypatch, soft, exact):
    """The errors of some layers, measured with ten digits."""
    layers = iter([soft, exact])
    arrays = lambda *_: iter([np.array(rows, dtype=object) for rows in next(layers)])  # noqa: E731
    monkeypatch.setattr(theorem2_mpmath, "_tokens_by_layer", arrays)
    return theorem2_mpmath.layer_errors(TWO, "aa", 2, Fraction(4), 10)


@pytest.mark.parametrize(("size", "off", "seen"), [
    (1, "1.1e-5", True), (1, "0.9e-5", False), (3, "3.1e-5", True), (3, "2.9e-5", False),
])  # fmt: skip
def test_an_error_is_seen_where_five_digits_of_the_largest_entry_show_it(
    size, off, seen, monkeypatch
):
    exact = [[mpf(size), mpf(-size) / 2]]
    soft = [[mpf(size), mpf(-size) / 2 - mpf(off)]]
    with mp.workdps(10):
        [found] = errors(monkeypatch, [soft], [exact])
    assert (found is not None) is seen and (not seen or abs(found / mpf(off) - 1) < 1e-3)


def test_models_with_different_numbers_of_layers_are_not_compared(monkeypatch):
    one = [[mpf(1)]]
    with pytest.raises(ValueError, match="zip"):
        errors(monkeypatch, [one, one], [one])
