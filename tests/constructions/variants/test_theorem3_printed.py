"""The printed formulas, to the letter: what they give on the smallest trees."""

from math import pi, sin

import flint
import pytest

from constructions.automata.wta import WTA
from constructions.core.exact import Undecided
from constructions.variants.theorem3_printed import (
    DepthReading,
    PrintedHead,
    StepReading,
    gate,
    left_targets,
    markers,
    next_markers,
    open_before,
    parse_layers,
    step_value,
    summed_depths,
)

PAIRS = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})


def test_the_printed_sum_is_not_the_depth_of_ab():
    assert markers("[ab]") == [1, 0, 0, -1]
    assert next_markers("[ab]") == [0, 0, -1, 0]
    assert summed_depths("[ab]") == [0, 0, -1, -1]
    assert open_before("[ab]") == [0, 1, 1, 1]


def test_the_left_head_looks_one_on_or_one_back_by_the_direction_of_r():
    assert [left_targets(i, 4) for i in (1, 2, 3, 4)] == [[2], [3], [4], [4]]
    assert left_targets(3, 4, turn=-1) == [2]


def test_the_printed_step_is_upside_down_and_the_repaired_one_is_not():
    with flint.ctx.workprec(64):
        assert step_value(1, 3, 4, 0, StepReading.LITERAL) < 0.5
        assert step_value(1, 3, 4, 8, StepReading.REPAIRED) > 0.75
        assert step_value(1, 2, 4, 8, StepReading.REPAIRED) < 0.25
        assert step_value(1, 3, 4, 2, StepReading.SCALED) < 0.5
        assert step_value(1, 3, 4, 0, StepReading.EXACT) == 1


def test_the_printed_right_head_misses_the_right_child_of_ab():
    assert PrintedHead().right("[ab]") == {1: 2}
    assert PrintedHead(DepthReading.BEFORE, StepReading.LITERAL).right("[ab]") == {1: 4}
    assert PrintedHead(DepthReading.BEFORE, StepReading.EXACT).right("[[ab]c]") == {1: 6, 2: 4}


def test_a_tie_is_undecided_not_guessed():
    class Flat(PrintedHead):
        def nearness(self, i, j, length):
            return flint.arb(1)

    with pytest.raises(
        Undecided,
        match=r"largest score of query 1 among keys \[2, 3, 4\] not determined at 4096 bits",
    ):
        Flat(DepthReading.BEFORE, StepReading.EXACT).target(1, "[ab]")


def test_the_gate_keeps_letters_and_takes_products_at_brackets():
    assert gate(PAIRS, 0, (2,), (3,), (7,), (2, 3)) == (7,)
    assert gate(PAIRS, 1, (2,), (3,), (0,), (2, 3)) == (6,)
    assert gate(PAIRS, -1, (2,), (3,), (0,), (2, 3)) == (6,)


def test_printed_layers_are_right_with_right_heads_and_wrong_with_printed_ones():
    assert parse_layers(PAIRS, "[ab]", {1: 3}, 1)[0] == (6,)
    assert parse_layers(PAIRS, "[ab]", PrintedHead().right("[ab]"), 1)[0] == (4,)


def test_the_score_is_a_cosine_of_the_distance_to_two_on_and_twice_the_step():
    exact = PrintedHead(DepthReading.BEFORE, StepReading.EXACT)
    with flint.ctx.workprec(64):
        assert exact.nearness(1, 3, 4) == 3  # at the target: cos 0 + 2
        assert exact.nearness(1, 1, 4).contains(0)  # two before it: cos π/2, no step
        assert exact.nearness(1, 5, 4).contains(2)  # two beyond it: cos π/2 + 2


def test_all_positions_with_the_largest_score_are_left_targets():
    """From s = i + turn the scores are cos π(s - j)/T: with s = 5 and T = 3 they are -1/2, -1, -1/2."""
    assert left_targets(3, 3, turn=2) == [1, 3]
    assert left_targets(3, 4, turn=2) == [4]
    assert left_targets(1, 2, turn=2) == [2]


def test_steps_are_the_sums_of_sines_as_each_reading_has_them():
    """T = 4, i = 1, j = 2 and terms l = 0, 1: odd = 1 and 3, by hand in floats."""
    literal = sum(sin(odd * -1 - pi * 5 * odd / 16) / odd for odd in (1, 3))
    scaled = sum(sin(pi * odd * (-4 - 5) / 16) / odd for odd in (1, 3))
    repaired = 4 / pi * sum(sin(pi * odd * (2 - 3) / 10) / odd for odd in (1, 3))
    for step, total in (
        (StepReading.LITERAL, literal), (StepReading.SCALED, scaled), (StepReading.REPAIRED, repaired),
    ):  # fmt: skip
        assert float(step_value(1, 2, 4, 1, step)) == pytest.approx((1 + total) / 2, abs=1e-12)
    assert [step_value(1, j, 4, 1, StepReading.EXACT) for j in (1, 2, 3, 4)] == [0, 0, 1, 1]
