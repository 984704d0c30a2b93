"""Scaling by powers of two: the same outputs, exactly, from smaller matrices."""

from fractions import Fraction

import pytest

from constructions.balancing import _squares, balanced, exponents
from constructions.families import counting, hmm
from constructions.matrix import Matrix
from constructions.reduction import Reduction
from constructions.wfa import WFA
from verify.bounds.named import named

WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
LOPSIDED = WFA.of([1, 0], {"a": [["1/6", 1024], ["1/8192", "3/8"]], "b": [["1/3", 4], ["1/8", 0]]},
                  [1, "1/3"])  # fmt: skip


def outputs(made, word):
    rows = Matrix.dense([list(made.automaton.states(word)[-1])]) @ made.outputs
    return rows.rows()[0]


def size(automaton):
    return sum(value for row in _squares(automaton) for value in row)


@pytest.mark.parametrize("automaton", [LOPSIDED, WEATHER, counting(), named("random:3:3")])
def test_outputs_and_weights_are_the_same_and_the_matrices_no_larger(automaton):
    plain = Reduction(automaton, Matrix.identity(automaton.n))
    made = balanced(plain)
    for word in ("", *automaton.words(1), *automaton.words(3)):
        assert outputs(made, word) == list(automaton.states(word)[-1])
        assert made.automaton.weight(word) == automaton.weight(word)
    assert size(made.automaton) <= size(automaton)


def test_a_lopsided_automaton_becomes_smaller_by_powers_of_two_alone():
    made = balanced(Reduction(LOPSIDED, Matrix.identity(2)))
    assert size(made.automaton) < size(LOPSIDED) / 1000
    for row in made.outputs.entries.values():
        assert Fraction(row).numerator == 1 or Fraction(row).denominator == 1
        assert (max(Fraction(row).numerator, Fraction(row).denominator)).bit_count() == 1


def test_a_coordinate_that_nothing_leads_back_to_is_left_alone():
    assert exponents(counting()) == [0, 0]
