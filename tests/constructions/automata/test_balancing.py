"""Scaling by powers of two: the same outputs, exactly, from smaller matrices."""

from fractions import Fraction
from random import Random

import pytest

from constructions.automata import balancing
from constructions.automata.balancing import (
    _squares,
    exponents,
    levels,
    scaled_reduction,
    scalings,
)
from constructions.automata.families import counting, hmm
from constructions.automata.named import automaton_by_name
from constructions.automata.reduction import Reduction
from constructions.automata.wfa import WFA
from constructions.core.matrix import Matrix

WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
LOPSIDED = WFA.of([1, 0], {"a": [["1/6", 1024], ["1/8192", "3/8"]], "b": [["1/3", 4], ["1/8", 0]]},
                  [1, "1/3"])  # fmt: skip


def outputs(made, word):
    rows = Matrix.dense([list(made.automaton.states(word)[-1])]) @ made.outputs
    return rows.rows()[0]


def size(automaton):
    return sum(value for row in _squares(automaton) for value in row)


@pytest.mark.parametrize(
    "automaton", [LOPSIDED, WEATHER, counting(), automaton_by_name("random:3:3")]
)
def test_outputs_and_weights_are_the_same_and_the_matrices_no_larger(automaton):
    plain = Reduction(automaton, Matrix.identity(automaton.n))
    made = scaled_reduction(plain, exponents(automaton))
    for word in ("", *automaton.words(1), *automaton.words(3)):
        assert outputs(made, word) == list(automaton.states(word)[-1])
        assert made.automaton.weight(word) == automaton.weight(word)
    assert size(made.automaton) <= size(automaton)


def test_a_lopsided_automaton_becomes_smaller_by_powers_of_two_alone():
    made = scaled_reduction(Reduction(LOPSIDED, Matrix.identity(2)), exponents(LOPSIDED))
    assert size(made.automaton) < size(LOPSIDED) / 1000
    for row in made.outputs.entries.values():
        assert Fraction(row).numerator == 1 or Fraction(row).denominator == 1
        assert (max(Fraction(row).numerator, Fraction(row).denominator)).bit_count() == 1


def test_a_coordinate_that_nothing_leads_back_to_is_left_alone():
    assert exponents(counting()) == [0, 0]


def squared_norm(matrix, scale):
    """Σ of the squares of the entries of D⁻¹ A D away from the diagonal."""
    pairs = [(i, j) for i in range(len(scale)) for j in range(len(scale)) if i != j]
    return sum((matrix[i][j] * Fraction(2) ** (scale[j] - scale[i])) ** 2 for i, j in pairs)


def test_two_states_by_hand():
    """16 and 1/16 meet in the middle: D = diag(2⁴, 1) makes both of them 1."""
    lopsided = WFA.of([1, 0], {"a": [["1/2", 16], ["1/16", "1/2"]]}, [1, 1])
    assert exponents(lopsided) == [4, 0]
    assert scaled_reduction(Reduction(lopsided, Matrix.identity(2)), [4, 0]).automaton.matrix("a") == (
        (Fraction(1, 2), 1), (1, Fraction(1, 2)),
    )  # fmt: skip
    turned = WFA.of([0, 1], {"a": [["1/2", "1/16"], [16, "1/2"]]}, [1, 1])
    assert exponents(turned) == [-4, 0]
    assert exponents(WFA.of([1, 1], {"a": [[1, 4], [0, 1]]}, [1, 1])) == [0, 0]
    assert exponents(WFA.of([1], {"a": [[7]]}, [1])) == [0]


def test_symbols_are_balanced_together():
    """Squares add up: 9 + 16 = 25 from above, 1/25 from below: 5 and 1/5, so that 2 · 2.5 = 5."""
    both = WFA.of([1, 0], {"a": [[0, 3], ["1/5", 0]], "b": [[0, 4], [0, 0]]}, [1, 1])
    assert exponents(both) == [2, 0]


@pytest.mark.parametrize("seed", range(6))
def test_no_power_of_two_on_one_coordinate_makes_the_norm_smaller(seed):
    """Weights between 2^-20 and 2^20: one sweep over the coordinates is not enough for them."""
    random = Random(seed)
    rows = [[Fraction(2) ** random.randint(-20, 20) for _ in range(4)] for _ in range(4)]
    found = exponents(WFA.of([1] * 4, {"a": rows}, [1] * 4))
    least = squared_norm(rows, found)
    for i in range(4):
        for step in (1, -1):
            other = [k + step * (j == i) for j, k in enumerate(found)]
            assert squared_norm(rows, other) >= least


def chain(n):
    """n states in a row, the way back a thousand times as light as the way there."""
    rows = [[Fraction(1024) if j == i + 1 else Fraction(1, 1024) if j == i - 1 else 0
             for j in range(n)] for i in range(n)]  # fmt: skip
    return WFA.of([1] * n, {"a": rows}, [1] * n)


def test_scalings_are_looked_for_up_to_sixteen_states():
    assert scalings(chain(16), [1]) == [exponents(chain(16))]
    assert scalings(chain(17), [1]) == []


def test_sweeps_come_to_an_end(monkeypatch):
    """Each sweep over a long chain moves some of its coordinates; no more sweeps than allowed are made."""
    found = []
    for sweeps in (0, 1, 2):
        monkeypatch.setattr(balancing, "SWEEPS", sweeps)
        found.append(exponents(chain(4)))
    assert found[0] == [0] * 4
    assert found[0] != found[1] != found[2]


def test_grades_are_taken_away_from_the_balanced_exponents():
    """Two cycles one after the other: level 0 and level 1, so that step k makes the second smaller by 2^k."""
    rows = [[0, 1, 3, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    both = WFA.of([1, 0, 0, 0], {"a": rows}, [1] * 4)
    assert levels(both) == [0, 0, 1, 1]
    balanced = exponents(both)
    found = scalings(both, [2, 5, 2])
    expected = [balanced] * any(balanced)
    expected += [[*balanced[:2], *(b - step for b in balanced[2:])] for step in (2, 5)]
    assert found == expected
