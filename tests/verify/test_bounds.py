"""Bounds: leak, norms, the recursions, their derivation, and the C that is required."""

import os
from fractions import Fraction
from itertools import pairwise, product

import flint
import mpmath
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests_support import is_pfa

from constructions.errors import InputError
from constructions.families import counting, scalar
from constructions.strategies import weights
from constructions.wfa import WFA
from verify.bounds import growth, leak, norms, outward, recursion, saturation
from verify.bounds.named import FAMILIES, SWEPT, named
from verify.bounds.saturation import amplification, required_saturation, uniform
from verify.bounds.sweep import chosen_words, decay_rate, grid, row
from verify.engines.circulant import state_error

EXAMPLES = 10_000 if os.environ.get("ASSAY_FULL") == "1" else 60


def ball(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


# leak


@pytest.mark.parametrize("span", [1, 2, 4, 16])
@pytest.mark.parametrize("saturation", [Fraction(1, 2), Fraction(40), Fraction(1000)])
def test_the_leak_is_what_many_digits_measure_and_below_its_ceiling(span, saturation):
    context = mpmath.MPContext()
    context.dps = 60
    constant = context.mpf(saturation.numerator) / saturation.denominator
    powers = [context.exp(constant * context.cospi(context.mpf(m) / span)) for m in range(2 * span)]
    measured = context.fsum(powers[1:]) / context.fsum(powers)
    with flint.ctx.workprec(200):
        found = leak.leak(saturation, span)
        assert abs(found / flint.arb(str(measured)) - 1) < flint.arb(10) ** -40
        assert found <= leak.ceiling(saturation, span) * (1 + flint.arb(10) ** -50)
        assert abs(sum(leak.weights(saturation, span), flint.arb(0)) - 1) < flint.arb(10) ** -50


def test_a_wrong_gap_is_seen_by_the_decay_of_the_leak():
    with flint.ctx.workprec(400):
        one, two = leak.leak(Fraction(4000), 16), leak.leak(Fraction(8000), 16)
        rate = (one.log() - two.log()) / 4000
        assert abs(rate / leak.gap(16) - 1) < flint.arb(10) ** -10
        assert abs(rate / leak.gap(8) - 1) > flint.arb("0.5")


def test_working_bits_follow_c():
    bits = [leak.bits_for(Fraction(c), 4) for c in (1, 100, 3200)]
    assert bits == sorted(bits)
    assert bits[-1] > 1350


# norms


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_spectral_norms_agree_with_numpy(n):
    random = np.random.default_rng(n)
    for _ in range(5):
        entries = random.integers(-9, 10, (n, n))
        rows = tuple(tuple(Fraction(int(x)) for x in line) for line in entries)
        with flint.ctx.workprec(128):
            found = norms.spectral(norms.matrix(rows))
        assert abs(float(found.mid()) - np.linalg.norm(entries, 2)) < 1e-3
        assert found.upper() >= flint.arb(float(np.linalg.norm(entries, 2)) * (1 - 1e-12))


def test_the_spectral_norm_of_zero_is_exactly_zero_and_tiny_matrices_keep_their_size():
    with flint.ctx.workprec(128):
        for n in (1, 2, 3):
            zero = flint.arb_mat(n, n, [0] * (n * n))
            assert norms.spectral(zero).is_zero()
            tiny = norms.spectral(norms.identity(n) * flint.arb("1e-700"))
            assert tiny.contains(flint.arb("1e-700")) or abs(tiny / flint.arb("1e-700") - 1) < 0.001


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_norm_of_a_ball_around_zero_is_finite_and_contains_zero(n):
    with flint.ctx.workprec(128):
        found = norms.spectral(flint.arb_mat(n, n, [flint.arb(0, "1e-30")] * (n * n)))
        assert found.is_finite()
        assert found.contains(flint.arb(0))


def test_the_largest_norm_is_the_largest_of_the_norms():
    with flint.ctx.workprec(128):
        matrices = [norms.matrix(rows) for rows in named("random:3:5").transitions.values()]
        matrices += [a * a for a in matrices] + [norms.identity(3)]
        every = norms.largest(norms.spectral(a) for a in matrices)
        assert norms.largest_norm(matrices).overlaps(every)


@pytest.mark.parametrize("name", ["scalar:2", "counting", "random:2:1", "rotation:1/8"])
def test_growth_bounds_the_norm_of_every_word(name):
    automaton = named(name)
    with flint.ctx.workprec(128):
        found = growth.growth(automaton, 6, limit=4)
        one = norms.identity(automaton.n)
        for word in product(automaton.alphabet, repeat=5):
            a = one
            for k, symbol in enumerate(word, start=1):
                a = a * norms.matrix(automaton.matrix(symbol))
                assert not norms.spectral(a) > found.norms[k]
                assert not norms.spectral(a - one) > found.distances[k]


def test_growth_lists_words_while_they_are_few():
    with flint.ctx.workprec(128):
        assert growth.growth(counting(), 32).listed == 32
        assert growth.growth(named("random:2:1"), 32, limit=16).listed == 4


# recursion


def test_the_first_step_of_all_recursions_is_the_same():
    factor, attention = Fraction(4), Fraction(1, 10)
    first = factor * attention + attention**2 + Fraction(1, 7)
    assert recursion.printed(factor, attention, 2, Fraction(1, 7))[0] == first
    assert recursion.stepwise(factor, attention, [first], Fraction(1, 7)) == [first]
    assert recursion.corrected([Fraction(2)], [attention], Fraction(1, 7)) == [first]


def test_the_corrected_recursion_counts_every_attention_error():
    lost = recursion.corrected([1, 1], [Fraction(1, 10), 0])
    kept = recursion.corrected([1, 1], [Fraction(1, 10), Fraction(1, 10)])
    assert lost[1] < kept[1]


# counterexamples and violations


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


# the C that is required


@pytest.mark.parametrize("name", SWEPT)
def test_the_required_c_keeps_eps_and_half_of_it_does_not(name):
    automaton, length, eps = named(name), 4, Fraction(1, 1000)
    words, every = chosen_words(automaton, length, 81)
    assert every
    needed = required_saturation(automaton, length, eps)
    assert needed.error < ball(eps)
    assert state_error(automaton, words, length, needed.constant) <= needed.error
    half = state_error(automaton, words, length, needed.constant / 2)
    assert half > ball(eps) or half.is_zero()


@pytest.mark.parametrize("name", SWEPT)
@pytest.mark.parametrize("length", [2, 8, 16])
def test_the_closed_form_is_enough(name, length):
    eps = Fraction(1, 10**6)
    needed = required_saturation(named(name), length, eps)
    with flint.ctx.workprec(192):
        known = uniform(named(name), length)
        assert known.states(needed.closed_form) < ball(eps)
    assert needed.constant <= needed.closed_form


def test_the_amplification_is_the_sum_of_the_docstring():
    with flint.ctx.workprec(64):
        found = amplification([flint.arb(2), flint.arb(5)], [flint.arb(1), flint.arb(7)])
        assert found == 1 * 6 * 15 + 7 * 15


def test_c_grows_like_t_squared():
    needed = [
        float(required_saturation(named("scalar:-1"), t, Fraction(1, 1000)).constant)
        for t in (8, 16, 32)
    ]
    assert all(3.5 < b / a < 5 for a, b in pairwise(needed))


def test_a_larger_mlp_error_asks_for_more_and_too_large_a_one_for_the_impossible():
    eps = Fraction(1, 100)
    free = required_saturation(counting(), 4, eps)
    taxed = required_saturation(counting(), 4, eps, mlp=Fraction(1, 10**5))
    assert taxed.constant > free.constant
    with pytest.raises(InputError, match="mlp"):
        required_saturation(counting(), 4, eps, mlp=Fraction(1))
    with pytest.raises(InputError, match="eps"):
        required_saturation(counting(), 4, Fraction(0))


def test_one_letter_needs_no_attention_at_all():
    assert required_saturation(scalar(5), 1, Fraction(1, 10)).error.is_zero()


# families and words


@pytest.mark.parametrize("name", SWEPT)
def test_every_family_is_built_and_depends_on_its_name_only(name):
    assert named(name).alphabet == named(name).alphabet
    assert named(name).n >= 1


def test_random_families_are_what_they_claim():
    assert is_pfa(named("pfa:3:4"))
    for word in ("a", "ab", "ba"):
        assert 0 < named("hmm:2:9").weight(word) < 1
    nilpotent = named("nilpotent:3")
    assert all(nilpotent.weight(word) == 0 for word in product("ab", repeat=3))


def test_a_rotation_keeps_lengths_exactly():
    automaton = named("rotation:1/8")
    (x, y), *_ = reversed(automaton.states("a" * 8))
    assert x == 1
    assert y == 0


@pytest.mark.parametrize(
    "text", ["", "scala", "scalar", "scalar:1:2", "scalar:one", "rotation:1/0", "hmm:0:1", "hmm:99:1",
             "hmm:2:-1", "permutation:x", "k-counting:3:2"],
)  # fmt: skip
def test_an_unknown_family_is_a_clear_error(text):
    with pytest.raises(InputError):
        named(text)


def test_every_family_has_a_maker():
    assert set(FAMILIES) == {name.partition(":")[0] for name in SWEPT}


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


# decimals beside a ball


@pytest.mark.parametrize("text", ["1.41421356237e-200", "123456.789", "0.5", "-3.25", "1e30"])
def test_decimals_stand_on_the_right_side_of_a_ball(text):
    with flint.ctx.workprec(900):
        value = flint.arb(text)
        low, high = (Fraction(side(value)) for side in (outward.below, outward.above))
        assert ball(low) <= value <= ball(high)
        assert abs(high - low) <= abs(high) / 10**5


def test_zero_stays_zero():
    assert outward.below(flint.arb(0)) == outward.above(flint.arb(0)) == "0"


@pytest.mark.parametrize(("length", "longest"), [(1, 1), (2, 1), (4, 2), (5, 4), (8, 4)])
def test_products_are_bounded_up_to_the_length_that_the_last_layer_multiplies(
    length, longest, monkeypatch
):
    asked, growth = [], saturation.growth
    monkeypatch.setattr(saturation, "growth", lambda a, k: asked.append(k) or growth(a, k))
    assert len(uniform(named("counting"), length).norms) == (length - 1).bit_length()
    assert asked == [longest]
