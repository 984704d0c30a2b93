"""The decoder's error bound: derived, certified against runs in balls, and no part can be left out."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import flint
import pytest

from constructions import decoder
from constructions.arithmetic import Balls
from constructions.decoder import Design, Normalisation
from constructions.errors import InputError
from constructions.exact import ball
from constructions.families import counting, hmm
from verify.bounds import decoder as bounds
from verify.bounds.decoder import Setting
from verify.bounds.named import named
from verify.bounds.saturation import required_saturation as circle_saturation

WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
LAYER, RMS = Normalisation.LAYER, Normalisation.RMS
SETTINGS = {
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
AUTOMATA = {"hmm": WEATHER, "counting": counting(), "random": named("random:2:3")}


def squared(value):
    return value * value


def measured(automaton, length, setting, words):
    """The largest Euclidean error of a state, enclosed."""
    top = flint.arb(0)
    with Balls(256) as balls:
        model = decoder.build(automaton, length, setting.design, setting.saturation)
        for word in words:
            pairs = zip(model.states(word, balls), automaton.states(word), strict=True)
            for found, exact in pairs:
                parts = (squared(x - ball(Fraction(y))) for x, y in zip(found, exact, strict=True))
                top = top.max(sum(parts, flint.arb(0)).nonnegative_part().sqrt())
    return top


def some_words(automaton, length):
    return list(product(automaton.alphabet, repeat=length))[:: 5 if length > 4 else 1]


@pytest.mark.parametrize("name", AUTOMATA)
@pytest.mark.parametrize("setting", SETTINGS)
def test_runs_in_balls_stay_below_the_bound(name, setting):
    automaton = AUTOMATA[name]
    for length in (2, 3, 5):
        known = bounds.known(automaton, length)
        error = measured(automaton, length, SETTINGS[setting], some_words(automaton, length))
        assert error <= bounds.state_error(known, SETTINGS[setting])


@pytest.mark.parametrize(("setting", "part"), [
    ("gated, small C", "leak"),
    ("gelu", "product_error"),
    ("gelu_new", "product_error"),
    ("tanh", "odd_error"),
    ("gated, LayerNorm", "shrinking"),
    ("gated, RMSNorm", "shrinking"),
])  # fmt: skip
def test_a_bound_that_leaves_a_part_out_is_too_small(setting, part, monkeypatch):
    if part == "odd_error":
        monkeypatch.setattr(Setting, "product_error", lambda *_: flint.arb(0))
    monkeypatch.setattr(Setting, part, lambda *_: flint.arb(0))
    for automaton in (WEATHER, counting()):
        known = bounds.known(automaton, 5)
        with flint.ctx.workprec(256):
            short = bounds.state_error(known, replace(SETTINGS[setting], saturation=Fraction(60))
                                       if part != "leak" else SETTINGS[setting])  # fmt: skip
        error = measured(automaton, 5, SETTINGS[setting], some_words(automaton, 5))
        assert error > short


def test_the_bound_of_two_levels_is_too_small_for_one():
    two = Setting(Design("gelu", 14, levels=2), Fraction(40))
    one = Setting(Design("gelu", 14), Fraction(40))
    automaton = AUTOMATA["random"]
    known = bounds.known(automaton, 5)
    error = measured(automaton, 5, one, some_words(automaton, 5))
    assert error > bounds.state_error(known, two)
    assert bounds.state_error(known, two) < bounds.state_error(known, one) / 100


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
                    assert total / (1 + total) <= bounds.leak(constant)


def test_the_leak_without_its_factor_two_would_be_too_small():
    c = ball(Fraction(8))
    both = 2 * (-c).exp() / (1 + 2 * (-c).exp())
    assert both > bounds.leak(Fraction(8)) / 2


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
                assert total / (1 + total) <= bounds.rotary_leak(constant, length)


@pytest.mark.parametrize("eps", [Fraction(1, 100), Fraction(1, 10**6), Fraction(1, 10**12)])
def test_the_constants_keep_what_they_promise_for_every_design(eps):
    known = bounds.known(WEATHER, 6)
    designs = [Design(), Design("gelu", 1), Design("gelu", 1, LAYER, 1, Fraction(1, 10**5)),
               Design("silu", None, RMS, 1), Design("gelu", 1, levels=2)]  # fmt: skip
    for design in designs:
        choice = bounds.required(known, eps, design)
        assert choice.error <= ball(eps)
        assert choice.setting.design.gated == design.gated
        assert choice.setting.design.norm is design.norm
        assert measured(WEATHER, 6, choice.setting, [tuple("abbaba")]) <= choice.error


def test_the_closed_form_suffices_and_the_search_never_needs_more():
    for automaton in AUTOMATA.values():
        for length in (2, 8, 33):
            known = bounds.known(automaton, length)
            for eps in (Fraction(1, 10), Fraction(1, 10**9)):
                choice = bounds.required(known, eps, Design())
                closed = Fraction(int(choice.closed_form.upper().ceil().unique_fmpz()))
                assert bounds.state_error(known, Setting(Design(), closed)) <= ball(eps)
                assert choice.setting.saturation <= closed + Fraction(1, bounds.GRID)


def test_c_grows_with_log_t_while_the_circles_grows_with_its_square():
    eps = Fraction(1, 10**6)
    known = [bounds.known(WEATHER, t) for t in (8, 16, 32)]
    ours = [bounds.required(each, eps, Design()).setting.saturation for each in known]
    circle = [circle_saturation(WEATHER, t, eps).constant for t in (8, 16, 32)]
    assert ours[2] - ours[0] < 2
    assert circle[1] > 3 * circle[0] and circle[2] > 3 * circle[1]


def test_an_error_of_zero_is_refused():
    with pytest.raises(InputError, match="eps"):
        bounds.required(bounds.known(WEATHER, 2), Fraction(0), Design())
