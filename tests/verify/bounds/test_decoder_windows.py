"""The decoder's error by letters: below the uniform one, above every run, and by hand."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import flint
import pytest

from constructions import decoder as construction
from constructions.arithmetic import Balls
from constructions.automata.families import counting, hmm
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from constructions.core.exact import ball
from constructions.decoder import Design
from verify.bounds.decoder import Setting, word_bounds
from verify.bounds.decoder_rounding import exact_error, state_error
from verify.bounds.decoder_windows import LayerLoss, WindowSizes, prefix_errors
from verify.bounds.floating import ONCE

WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
AUTOMATA = {"counting": counting(), "weather": WEATHER, "random": automaton_by_name("random:2:3")}


def arbs(*values):
    return tuple(flint.arb(str(value)) for value in values)


def test_two_layers_by_hand():
    """N = 1, 2, 3 and s = 1, 1, 2; layer 1 has h = 1/4, d = 1/8, c = 1/2, layer 2 nothing; e(1) = z = 0."""
    sizes = WindowSizes(arbs(1, 2, 3), arbs(1, 1, 2))
    first = LayerLoss(*arbs("0.25", "0.125", "0.5"))
    zero = flint.arb(0)
    one = prefix_errors(sizes, 2, zero, [first], [zero])
    row = {1: 0.125 + 0.25 * (2 + 0.125) + 0.5, 2: 0.125 + 0.25 * (2 + 0.125) + 0.5}
    assert {k: float(error) for k, error in one.items()} == row
    error = {1: 0.125 + 2 * 0.25 + 0.125 * 0.25 + 0.5, 2: 2 * 0.125 + 2 * 0.25 + 0.125 * 0.25 + 0.5}
    two = prefix_errors(sizes, 4, zero, [first, LayerLoss(zero, zero, zero)], [zero, zero])
    three = 1 * error[2] + row[1] * (3 + error[2])
    four = 2 * error[2] + row[2] * (3 + error[2])
    assert [float(two[k]) for k in (3, 4)] == pytest.approx([three, four])


def test_what_begins_wrongly_reaches_every_prefix():
    sizes, zero = WindowSizes(arbs(1, 1), arbs(1, 1)), flint.arb(0)
    nothing = LayerLoss(zero, zero, zero)
    half = flint.arb("0.5")
    assert prefix_errors(sizes, 2, zero, [nothing], [zero]) == {1: zero, 2: zero}
    assert prefix_errors(sizes, 2, zero, [nothing], [half])[1] == half
    assert prefix_errors(sizes, 1, half, [], []) == {1: half}


def measured(automaton, length, saturation):
    top = flint.arb(0)
    model = construction.build(automaton, length, Design("relu"), saturation)
    with Balls(256) as balls:
        for word in product(automaton.alphabet, repeat=length):
            states = model.states(word, balls)
            for found, state in zip(states, automaton.states(word), strict=True):
                apart = [x - ball(y) for x, y in zip(found, state, strict=True)]
                top = top.max(sum((x * x for x in apart), flint.arb(0)).nonnegative_part().sqrt())
    return top


@pytest.mark.parametrize("saturation", [3, 12])
@pytest.mark.parametrize("length", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("name", AUTOMATA)
def test_no_word_exceeds_the_bound(name, length, saturation):
    automaton, setting = AUTOMATA[name], Setting(Design("relu"), Fraction(saturation))
    bound = exact_error(word_bounds(automaton, length), setting)
    assert not measured(automaton, length, saturation) > bound


@pytest.mark.parametrize("name", AUTOMATA)
def test_the_bound_by_letters_is_at_most_the_uniform_one(name):
    facts, setting = word_bounds(AUTOMATA[name], 64), Setting(Design("relu"), Fraction(20))
    uniform = replace(facts, windows=None)
    assert exact_error(facts, setting) <= exact_error(uniform, setting)
    assert state_error(facts, setting, ONCE["float32"]) <= state_error(
        uniform, setting, ONCE["float32"]
    )


def test_where_products_shrink_the_error_hardly_grows_with_the_length():
    setting = Setting(Design("relu"), Fraction(20))
    short, long = (exact_error(word_bounds(WEATHER, t), setting) for t in (16, 256))
    assert long < 3 * short
    without = (replace(word_bounds(WEATHER, t), windows=None) for t in (16, 256))
    few, many = (exact_error(facts, setting) for facts in without)
    assert many > 10 * few


def test_long_windows_and_no_initial_weight_have_the_uniform_bound():
    assert word_bounds(WFA.of([1], {"a": [["1/2"]]}, [1]), 2048).windows is None
    assert word_bounds(WFA.of([0], {"a": [["1/2"]]}, [1]), 8).windows is None
