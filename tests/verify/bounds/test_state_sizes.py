"""Bounds on the sizes of states, held against every word and every tree of small automata."""

from fractions import Fraction
from itertools import product

import flint
import pytest

from constructions.automata.families import hmm, scalar
from constructions.automata.trees import relabelled_tree, shapes
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from verify.bounds import state_sizes
from verify.bounds.state_sizes import is_nonnegative, tree_sizes, word_sizes

HMM = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
ROTATION = WFA.of([1, 0], {"a": [["3/5", "4/5"], ["-4/5", "3/5"]]}, [1, 0])
VANISHING = WFA.of([1, 0], {"a": [[0, 1], [0, 0]], "b": [[1, 0], [0, "1/2"]]}, [1, 1])
LEAVES = WTA.of([1, 0], [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
                {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]})  # fmt: skip
LONGEST = 6


def norm(row):
    return sum((ball(Fraction(x) ** 2) for x in row), flint.arb(0)).sqrt()


def sizes(automaton, t, weights):
    """The exact sizes of all words of t letters."""
    words = product(automaton.alphabet, repeat=t)
    if weights:
        return [abs(ball(Fraction(automaton.weight(word)))) for word in words]
    return [norm(automaton.states(word)[-1]) for word in words]


def outside(automaton, weights=False):
    """The lengths at which some word is certainly outside the bounds."""
    bounds = word_sizes(automaton, LONGEST, weights)
    return [
        t for t in range(LONGEST + 1)
        if any(size < bounds.least[t] or size > bounds.greatest[t]
               for size in sizes(automaton, t, weights))
    ]  # fmt: skip


@pytest.mark.parametrize("automaton", [HMM, ROTATION, VANISHING], ids=["hmm", "rotation", "zero"])
@pytest.mark.parametrize("weights", [False, True])
def test_every_word_lies_between_the_bounds(automaton, weights):
    assert outside(automaton, weights) == []


def test_without_room_for_products_the_sums_of_rows_still_bound(monkeypatch):
    near = word_sizes(HMM, LONGEST)
    monkeypatch.setattr(state_sizes, "MOST_WORK", 0)
    assert outside(HMM) == [] and outside(HMM, weights=True) == []
    assert word_sizes(HMM, LONGEST).greatest[LONGEST] > near.greatest[LONGEST]


@pytest.mark.parametrize(("name", "wrong"), [("FEWEST", "MOST"), ("MOST", "FEWEST")])
def test_a_maximum_in_place_of_a_minimum_is_seen(monkeypatch, name, wrong):
    """The mutant takes one extreme for the other in every step."""
    extreme = getattr(state_sizes, wrong)
    own = getattr(state_sizes, name)
    monkeypatch.setattr(state_sizes.Extreme, "of", lambda self, rows: extreme.of_(rows)
                        if self is own else self.of_(rows))  # fmt: skip
    monkeypatch.setattr(state_sizes.Extreme, "of_", lambda self, rows: [
        self.end(state_sizes.reduce(self.pick, column)) for column in zip(*rows, strict=True)
    ], raising=False)  # fmt: skip
    assert outside(HMM) != []


def test_one_state_has_exactly_one_size():
    """Both bounds enclose 3^-20, and at 128 bits they are no further apart than 2^-100 of it."""
    bounds = word_sizes(scalar("1/3"), 20)
    with flint.ctx.workprec(256):
        size = ball(Fraction(1, 3**20))
        assert bounds.least[20] <= size <= bounds.greatest[20]
        assert bounds.greatest[20] - bounds.least[20] < size * flint.arb(2) ** -100


def test_cancelling_weights_have_no_lower_bound_and_the_norms_bound_them_from_above():
    bounds = word_sizes(ROTATION, 40)
    assert not is_nonnegative(ROTATION) and is_nonnegative(HMM)
    assert all(size == 0 for size in bounds.least) and bounds.greatest[40] < 1.001


def test_a_state_that_may_vanish_has_the_least_size_0():
    assert word_sizes(VANISHING, 2).least[2] == 0


@pytest.mark.parametrize("largest_entry", [False, True])
def test_every_tree_lies_between_the_bounds(largest_entry):
    bounds = tree_sizes(LEAVES, 4, largest_entry)
    for m in range(1, 5):
        for letters, shape in product(product("ab", repeat=m), shapes(m)):
            state = LEAVES.state(relabelled_tree(shape, letters))
            size = ball(Fraction(max(state))) if largest_entry else norm(state)
            assert not size < bounds.least[m] and not size > bounds.greatest[m]
    assert bounds.least[4] > 0
