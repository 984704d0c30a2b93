"""One row of a sweep by hand: layers of known errors, and the words and constants that are chosen."""

import os
from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constructions.automata.families import counting, scalar
from constructions.automata.named import automaton_by_name
from constructions.automata.strategies import weights
from constructions.automata.wfa import WFA
from verify.bounds import leak, sweep
from verify.bounds.sweep import SweepRow, chosen_words, decay_rate, grid, row


def balls(*values):
    return tuple(map(flint.arb, values))


def row_of(*errors) -> SweepRow:
    run = SimpleNamespace(layers=[SimpleNamespace(error=flint.arb(e)) for e in errors])
    return SweepRow(run, (), (), (), ())


def test_a_row_is_within_where_every_layer_certainly_is():
    seen = row_of(1, 2, 0)
    assert seen.errors == balls(1, 2, 0)
    assert seen.within(balls(1, 2, 0)) and not seen.within(balls(1, "1.5", 0))
    assert not seen.within((flint.arb(1), flint.arb(2, 1), flint.arb(0)))
    assert row_of().within(())


def test_one_letter_has_no_layer_and_no_bound():
    seen = sweep.row(scalar(2), [("a",)], 1, Fraction(5))
    assert seen.errors == seen.printed == seen.stepwise == seen.redefined == seen.corrected == ()


def test_all_words_are_taken_up_to_the_limit():
    words, every = sweep.chosen_words(counting(), 3, 8)
    assert every and len(words) == len(set(words)) == 8 and ("0", "1", "0") in words
    assert sweep.chosen_words(counting(), 3, 7)[1] is False
    assert sweep.chosen_words(counting(), 8)[1] and not sweep.chosen_words(counting(), 9)[1]


def test_the_rate_is_the_fall_of_the_logarithm_over_that_of_c():
    def at(c, error):
        first = SimpleNamespace(error=flint.arb(7))  # the last layer counts
        run = SimpleNamespace(saturation=Fraction(c), layers=[first, SimpleNamespace(error=error)])
        return SweepRow(run, (), (), (), ())

    e = flint.arb(1).exp()
    rates = sweep.decay_rate([at(10, e), at(14, 1 / e), at(15, 1 / (e * e * e))])
    assert abs(rates[0] - flint.arb("0.5")) < 1e-12 and abs(rates[1] - 2) < 1e-12
    assert len(rates) == 2


def test_a_ratio_needs_a_bound_that_is_certainly_positive():
    assert sweep.ratio(flint.arb(6), flint.arb(4)) == flint.arb("1.5")
    assert sweep.ratio(flint.arb(6), flint.arb(0)) is None
    assert sweep.ratio(flint.arb(6), flint.arb(1, 2)) is None
    assert sweep.ratio(flint.arb(1), flint.arb("0.5")) == 2


EXAMPLES = 10_000 if os.environ.get("ASSAY_FULL") == "1" else 60


WEIGHTS = tuple(Fraction(w) for w in ("0", "1", "-1", "2", "-2", "1/2", "3", "-3"))


def test_the_corrected_recursion_has_no_counterexample_where_the_printed_one_has():
    for weight in WEIGHTS:
        for length in (2, 3, 4, 8):
            seen = row(scalar(weight), [("a",) * length], length, Fraction(length * length))
            assert seen.within(seen.corrected)


def test_a_single_layer_with_norms_at_least_one_keeps_the_printed_bound():
    for weight in (1, -1, 2, 3):
        seen = row(scalar(weight), ["aa"], 2, Fraction(8))
        assert seen.within(seen.printed)


def test_the_ratio_to_the_printed_bound_does_not_depend_on_c():
    for length, expected in ((4, 2), (8, 12), (16, 1024)):
        seen = row(scalar(2), [("a",) * length], length, Fraction(25 * length**2))
        with flint.ctx.workprec(128):
            assert abs(seen.errors[-1] / seen.printed[-1] - expected) < flint.arb("0.001")


@st.composite
def cases(draw):
    """(automaton, word, T, C) with n ≤ 3, one or two letters, T ≤ 9, weights up to 4."""
    n = draw(st.integers(1, 3))
    entry = weights(4, 4)
    rows = st.lists(st.lists(entry, min_size=n, max_size=n), min_size=n, max_size=n)
    letters = {symbol: draw(rows) for symbol in "ab"[: draw(st.integers(1, 2))]}
    length = draw(st.integers(2, 9))
    word = tuple(draw(st.lists(st.sampled_from(sorted(letters)), max_size=length)))
    saturation = draw(st.fractions(min_value=Fraction(1, 8), max_value=2000, max_denominator=8))
    return WFA.of([1] * n, letters, [1] * n), word, length, saturation


@pytest.mark.timeout(3600)
@settings(
    max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(cases())
def test_no_automaton_violates_the_corrected_bound(case):
    automaton, word, length, saturation = case
    seen = row(automaton, [word], length, saturation)
    assert not any(e > b for e, b in zip(seen.errors, seen.corrected, strict=True))


def test_words_are_all_words_where_they_are_few():
    words, every = chosen_words(counting(), 4)
    assert every
    assert len(words) == 16
    words, every = chosen_words(counting(), 16)
    assert not every
    assert ("0",) * 16 in words
    assert len(set(words)) == len(words)


def test_the_grid_goes_from_first_to_last():
    assert grid(Fraction(400), Fraction(1600), 4) == [400, 800, 1200, 1600]
    assert grid(Fraction(3), Fraction(9), 1) == [3]


def test_the_decay_rate_is_the_gap():
    rows = [row(scalar(2), ["a" * 8], 8, Fraction(c)) for c in (2000, 3000)]
    with flint.ctx.workprec(128):
        assert abs(decay_rate(rows)[0] / leak.gap(8) - 1) < flint.arb(10) ** -9


def test_a_layer_without_a_bound_is_not_taken_to_be_within():
    seen = row(automaton_by_name("counting"), ["0101"], 4, Fraction(20))
    with flint.ctx.workprec(seen.run.bits):
        assert seen.within(seen.corrected)
        with pytest.raises(ValueError, match="shorter"):
            seen.within(seen.corrected[:-1])
