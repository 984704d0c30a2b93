"""The recursions with whole numbers, step by step."""

from fractions import Fraction

import flint
import pytest

from constructions.automata.wfa import WFA
from verify.bounds import recursion


def test_one_step_is_linear_quadratic_and_the_error_of_the_mlp():
    assert recursion.step(5, 3) == 24
    assert recursion.step(5, 3, 100) == 124


def test_the_printed_recursion_iterates_its_own_bound():
    assert recursion.printed_errors(5, 3, 2) == [24, 5 * 24 + 24**2]
    assert recursion.printed_errors(5, 3, 2, 1) == [25, 5 * 25 + 25**2 + 1]
    assert recursion.printed_errors(5, 3, 0) == []


def test_stepwise_takes_the_measured_error_of_the_layer_before():
    assert recursion.stepwise_errors(5, 3, [7, 11]) == [24, 5 * 7 + 49]
    assert recursion.stepwise_errors(5, 3, [7, 11], 2) == [26, 5 * 7 + 51]
    assert recursion.stepwise_errors(5, None, []) == []


def test_redefined_adds_what_attention_makes_of_the_error():
    assert recursion.redefined_errors(5, [3, 4], [7, 11]) == [24, 5 * 11 + 121]
    assert recursion.redefined_errors(5, [3, 4], [7, 11], 1) == [25, 5 * 11 + 122]
    assert recursion.redefined_errors(5, [], []) == []


def test_corrected_counts_norms_and_attention_of_every_layer():
    assert recursion.corrected_errors([2, 3], [1, 4]) == [5, 6 * 9 + 81]
    assert recursion.corrected_errors([2, 3], [1, 4], 1) == [6, 6 * 10 + 101]
    assert recursion.corrected_errors([], []) == []


@pytest.mark.parametrize("ask", [lambda: recursion.corrected_errors([1], [1, 2]),
                                 lambda: recursion.redefined_errors(5, [3], [7, 11])])  # fmt: skip
def test_layers_without_a_partner_are_an_error(ask):
    with pytest.raises(ValueError, match="argument 2"):
        ask()


def test_the_factor_is_twice_the_largest_norm_and_the_readout_counts_all_states():
    automaton = WFA.of([3, -4], {"a": [[2, 0], [0, 1]], "b": [[0, 0], [7, 0]]}, [1, 1])
    with flint.ctx.workprec(128):
        assert abs(recursion.printed_factor(automaton) - 14) < flint.arb(2) ** -50
        assert abs(recursion.readout_factor(automaton, 8) - 15) < flint.arb(2) ** -50
        assert recursion.readout_factor(WFA.of([0], {"a": [[Fraction(1)]]}, [1]), 8).is_zero()


def test_the_first_step_of_all_recursions_is_the_same():
    factor, attention = Fraction(4), Fraction(1, 10)
    first = factor * attention + attention**2 + Fraction(1, 7)
    assert recursion.printed_errors(factor, attention, 2, Fraction(1, 7))[0] == first
    assert recursion.stepwise_errors(factor, attention, [first], Fraction(1, 7)) == [first]
    assert recursion.corrected_errors([Fraction(2)], [attention], Fraction(1, 7)) == [first]


def test_the_corrected_recursion_counts_every_attention_error():
    lost = recursion.corrected_errors([1, 1], [Fraction(1, 10), 0])
    kept = recursion.corrected_errors([1, 1], [Fraction(1, 10), Fraction(1, 10)])
    assert lost[1] < kept[1]
