"""The decoder's error bound against its derivation, term by term and with numbers chosen by hand.

Runs reach between a 4000th and 2/5 of the bound, so no measurement notices a term that is half as large as
it should be; therefore the terms are written down here a second time, from the derivation in the module.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import factorial

import flint
import pytest
from balls_support import check_agreement, precision_fixture

from constructions.arithmetic import Balls
from constructions.automata.families import counting, hmm, scalar
from constructions.automata.named import automaton_by_name
from constructions.blocks.refined import richardson_weights
from constructions.blocks.smoothing import FourUnits
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.decoder import Design, Normalisation, build
from verify.bounds import decoder
from verify.bounds.decoder import Setting, WordBounds
from verify.bounds.decoder_rounding import exact_error
from verify.bounds.decoder_settings import closed_form, required_setting
from verify.bounds.saturation import required_saturation as circle_saturation

working = precision_fixture(decoder.BITS)


LAYER, RMS = Normalisation.LAYER, Normalisation.RMS
PLAIN = Setting(Design("silu"), Fraction(3))
NORMED = Setting(Design("silu", None, LAYER, 100, Fraction(1, 50)), Fraction(3))
ROOT = Setting(Design("gelu", None, RMS, 100), Fraction(3))


def quotient(p: int, q: int = 1) -> flint.arb:
    return ball(Fraction(p, q))


def bounds_of(*pairs: tuple[int, int]) -> WordBounds:
    """n = 2, T = 5, N_l and M_l as given, ‖α‖ = 7."""
    norms, distances = zip(*pairs, strict=True) if pairs else ((), ())
    reach = quotient(norms[-1] ** 2 if norms else 1)
    sizes = tuple(map(quotient, norms)), tuple(map(quotient, distances))
    return WordBounds(2, 5, *sizes, quotient(7), reach, 2)


# what holds for all words


# leaks and norms


# units


def test_a_gated_block_multiplies_and_erases_exactly():
    assert PLAIN.product_error(quotient(5), quotient(7)).is_zero()
    assert PLAIN.odd_error(quotient(5), quotient(7)).is_zero()


@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("name", ["gelu", "tanh"])
def test_levels_leave_the_remainder_of_their_order(name, levels):
    """|s| Σ_k |w_k| 4^-k 4K (2^k h(p+q))^(2m+2)/(2m+2)! and what s misses."""
    units, p, q, order = FourUnits.of(name, 4), quotient(1, 3), quotient(1, 2), 2 * levels + 2
    sigma, reach = units.activation, (p + q) / 16
    wide = 2 ** (levels - 1) * reach
    nearby = (ball(sigma.point) - wide).union(ball(sigma.point) + wide)
    weights = [abs(ball(w)) / 4**k * (2**k * reach) ** order
               for k, w in enumerate(richardson_weights(levels))]  # fmt: skip
    rest = 4 * abs(sigma.derivative(nearby, order)) * sum(weights, quotient(0)) / factorial(order)
    found = decoder.levels_error(units, levels, p, q)
    check_agreement(found.upper(), (abs(ball(units.scale)) * rest).upper(), 24)
    setting = Setting(Design(name, 4, levels=levels), Fraction(3))
    assert setting.product_error(p, q).upper() == found.upper()


# the recursion


def test_one_letter_is_read_without_error_unless_there_is_a_norm():
    assert exact_error(bounds_of(), PLAIN).is_zero()
    check_agreement(exact_error(bounds_of(), ROOT), 7 * ROOT.shrinkage(quotient(8), 2))


# choices


@pytest.mark.parametrize("rotary", [False, True])
def test_c_is_the_least_on_its_grid_that_keeps_the_error(rotary):
    told, eps = decoder.word_bounds(scalar(2), 4), Fraction(1, 1000)
    choice = required_setting(told, eps, Design("relu"), rotary)
    found = choice.setting
    assert found.rotary is rotary and found.design == Design("relu")
    assert (found.saturation * 16).denominator == 1
    assert choice.error <= ball(eps)
    check_agreement(choice.error, exact_error(told, found))
    less = replace(found, saturation=found.saturation - Fraction(1, 16))
    assert exact_error(told, less) > ball(eps)
    check_agreement(choice.closed_form, closed_form(told, eps))


def test_c_the_step_and_k_share_the_error_in_equal_parts():
    told, eps = decoder.word_bounds(scalar(2), 4), Fraction(1, 1000)
    design = Design("tanh", 1, LAYER, 1, Fraction(1, 50))
    choice = required_setting(told, eps, design)
    found, third = choice.setting, ball(eps / 3)
    assert choice.error <= ball(eps) and found.design.epsilon == Fraction(1, 50)
    check_agreement(choice.closed_form, closed_form(told, eps / 3))
    free = Setting(Design("relu"), found.saturation)
    assert exact_error(told, free) <= third
    less = replace(free, saturation=free.saturation - Fraction(1, 16))
    assert not exact_error(told, less) <= third

    def fine(bits: int) -> Setting:
        return replace(found, design=Design("tanh", bits))

    assert exact_error(told, fine(found.design.fineness)) <= 2 * third
    assert not exact_error(told, fine(found.design.fineness - 1)) <= 2 * third
    smaller = replace(found, design=replace(found.design, large=found.design.large // 2))
    assert not exact_error(told, smaller) <= ball(eps)


def test_a_gated_design_with_a_norm_has_two_parts_and_levels_are_kept():
    told, eps = decoder.word_bounds(scalar(2), 4), Fraction(1, 1000)
    choice = required_setting(told, eps, Design("silu", None, RMS, 1))
    check_agreement(choice.closed_form, closed_form(told, eps / 2))
    assert choice.setting.design.activation == "silu" and choice.setting.design.gated
    smaller = replace(choice.setting, design=replace(choice.setting.design,
                                                     large=choice.setting.design.large // 2))  # fmt: skip
    assert not exact_error(told, smaller) <= ball(eps)
    assert required_setting(told, eps, Design("gelu", 1, levels=2)).setting.design.levels == 2


def test_an_error_that_is_not_positive_is_refused():
    for eps in (Fraction(0), Fraction(-1)):
        with pytest.raises(InputError, match="eps"):
            required_setting(bounds_of((2, 1)), eps, Design())


WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")


NAMED = {
    "gated": Setting(Design(), Fraction(6)),
    "gated, small C": Setting(Design(), Fraction(2)),
    "gelu": Setting(Design("gelu", 4), Fraction(20)),
    "silu": Setting(Design("silu", 6), Fraction(9)),
    "tanh": Setting(Design("tanh", 8), Fraction(12)),
    "gelu_new": Setting(Design("gelu_new", 6), Fraction(20)),
    "gelu_new, LayerNorm": Setting(
        Design("gelu_new", 6, LAYER, 256, Fraction(1, 10**5)), Fraction(12)
    ),
    "gelu, two levels": Setting(Design("gelu", 5, levels=2), Fraction(40)),
    "silu, three levels": Setting(Design("silu", 7, levels=3), Fraction(40)),
    "gelu, LayerNorm": Setting(Design("gelu", 6, LAYER, 256, Fraction(1, 10**5)), Fraction(12)),
    "gated, LayerNorm": Setting(Design("silu", None, LAYER, 64), Fraction(20)),
    "gated, RMSNorm": Setting(Design("gelu", None, RMS, 128, Fraction(1, 10**6)), Fraction(20)),
}


AUTOMATA = {"hmm": WEATHER, "counting": counting(), "random": automaton_by_name("random:2:3")}


def square(value):
    return value * value


def measured_error(automaton, length, setting, words):
    """The largest Euclidean error of a state, enclosed."""
    top = flint.arb(0)
    with Balls(256) as balls:
        model = build(automaton, length, setting.design, setting.saturation)
        for word in words:
            pairs = zip(model.states(word, balls), automaton.states(word), strict=True)
            for found, exact in pairs:
                parts = (square(x - ball(Fraction(y))) for x, y in zip(found, exact, strict=True))
                top = top.max(sum(parts, flint.arb(0)).nonnegative_part().sqrt())
    return top


def some_words(automaton, length):
    return list(product(automaton.alphabet, repeat=length))[:: 5 if length > 4 else 1]


@pytest.mark.parametrize("name", AUTOMATA)
@pytest.mark.parametrize("setting", NAMED)
def test_runs_in_balls_stay_below_the_bound(name, setting):
    automaton = AUTOMATA[name]
    for length in (2, 3, 5):
        known = decoder.word_bounds(automaton, length)
        error = measured_error(automaton, length, NAMED[setting], some_words(automaton, length))
        assert error <= exact_error(known, NAMED[setting])


def test_the_bound_of_two_levels_is_too_small_for_one():
    two = Setting(Design("gelu", 14, levels=2), Fraction(40))
    one = Setting(Design("gelu", 14), Fraction(40))
    automaton = AUTOMATA["random"]
    known = decoder.word_bounds(automaton, 5)
    error = measured_error(automaton, 5, one, some_words(automaton, 5))
    assert error > exact_error(known, two)
    assert exact_error(known, two) < exact_error(known, one) / 100


def test_the_leak_of_a_real_row_is_below_its_bound_whatever_the_length():
    for length in (4, 16, 64):
        for constant in (Fraction(1, 2), Fraction(2), Fraction(8)):
            c = ball(constant)
            for t in range(length + 1):
                for shift in (1, 2, length // 2):
                    target = max(t - shift, 0)
                    scores = [2 * j * (t - shift) - j * j for j in range(t + 1)]
                    top = scores[target]
                    rest = [((k - top) * c).exp() for j, k in enumerate(scores) if j != target]
                    total = sum(rest, flint.arb(0))
                    assert total / (1 + total) <= decoder.leak(constant)


def test_the_leak_without_its_factor_two_would_be_too_small():
    c = ball(Fraction(8))
    both = 2 * (-c).exp() / (1 + 2 * (-c).exp())
    assert both > decoder.leak(Fraction(8)) / 2


def test_a_rotary_row_leaks_less_than_its_bound():
    for length in (3, 8, 20):
        constant, turn = Fraction(40), flint.fmpq(1, length + 1)
        for t in range(length + 1):
            for shift in (1, 2, 4):
                scores = [flint.arb.cos_pi_fmpq((t - shift - j) * turn) for j in range(t + 1)]
                target = max(t - shift, 0)
                rest = [((k - scores[target]) * ball(constant)).exp()
                        for j, k in enumerate(scores) if j != target]  # fmt: skip
                total = sum(rest, flint.arb(0))
                assert total / (1 + total) <= decoder.rotary_leak(constant, length)


@pytest.mark.parametrize("eps", [Fraction(1, 100), Fraction(1, 10**6), Fraction(1, 10**12)])
def test_the_constants_keep_what_they_promise_for_every_design(eps):
    known = decoder.word_bounds(WEATHER, 6)
    designs = [Design(), Design("gelu", 1), Design("gelu", 1, LAYER, 1, Fraction(1, 10**5)),
               Design("silu", None, RMS, 1), Design("gelu", 1, levels=2)]  # fmt: skip
    for design in designs:
        choice = required_setting(known, eps, design)
        assert choice.error <= ball(eps)
        assert choice.setting.design.gated == design.gated
        assert choice.setting.design.norm is design.norm
        assert measured_error(WEATHER, 6, choice.setting, [tuple("abbaba")]) <= choice.error


def test_the_closed_form_suffices_and_the_search_never_needs_more():
    for automaton in AUTOMATA.values():
        for length in (2, 8, 33):
            known = decoder.word_bounds(automaton, length)
            for eps in (Fraction(1, 10), Fraction(1, 10**9)):
                choice = required_setting(known, eps, Design())
                closed = Fraction(int(choice.closed_form.upper().ceil().unique_fmpz()))
                assert exact_error(known, Setting(Design(), closed)) <= ball(eps)
                assert choice.setting.saturation <= closed + Fraction(1, decoder.GRID)


def test_c_grows_with_log_t_while_the_circles_grows_with_its_square():
    eps = Fraction(1, 10**6)
    known = [decoder.word_bounds(WEATHER, t) for t in (8, 16, 32)]
    ours = [required_setting(each, eps, Design()).setting.saturation for each in known]
    circle = [circle_saturation(WEATHER, t, eps).constant for t in (8, 16, 32)]
    assert ours[2] - ours[0] < 2
    assert circle[1] > 3 * circle[0] and circle[2] > 3 * circle[1]


def test_an_error_of_zero_is_refused():
    with pytest.raises(InputError, match="eps"):
        required_setting(decoder.word_bounds(WEATHER, 2), Fraction(0), Design())
