"""Bounds on the sizes of states, held against every word and every tree of small automata."""

from dataclasses import replace
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


@pytest.mark.parametrize(("maps", "n", "steps"), [
    (1, 1, 466033), (2, 1, 233016), (1, 2, 209715), (3, 8, 10922), (2, 1000, 2),
])  # fmt: skip
def test_all_maps_are_applied_to_so_many_letters(maps, n, steps):
    """2^23 over 2 |Σ| n (n + 8)."""
    assert state_sizes.affordable_steps(maps, n) == steps


def by_definition(automaton, length, weights, pick, share):
    """u_t and y_t of the docstring with maxima, or minima, in rationals; entries of both at t letters."""
    n = automaton.n
    maps = list(automaton.transitions.values())
    left = [abs(Fraction(x)) for x in automaton.alpha]
    start, ends = left, [abs(Fraction(x)) if weights else Fraction(1) for x in automaton.beta]
    right = ends
    for t in range(length + 1):
        if t:
            left = [pick(sum(left[i] * abs(a[i][j]) for i in range(n)) for a in maps)
                    for j in range(n)]  # fmt: skip
            right = [pick(sum(abs(a[i][j]) * right[j] for j in range(n)) for a in maps)
                     for i in range(n)]  # fmt: skip
        dots = [
            sum(x * y for x, y in zip(*pair, strict=True))
            for pair in ((left, ends), (start, right))
        ]
        own = ball(dots[0]) if weights else norm(left)
        yield own, ball(dots[1]) * (1 if weights or not share else 1 / flint.arb(n).sqrt())


UNEVEN = WFA.of([1, 3], {"a": [["1/2", "1/4"], ["1/3", "2/3"]], "b": [["1/5", 2], ["1/2", "1/8"]]},
                [2, "1/2"])  # fmt: skip


@pytest.mark.parametrize("weights", [False, True])
def test_sizes_are_the_better_of_the_bounds_from_both_sides(weights):
    found = word_sizes(UNEVEN, LONGEST, weights)
    most = list(by_definition(UNEVEN, LONGEST, weights, max, share=False))
    few = list(by_definition(UNEVEN, LONGEST, weights, min, share=True))
    with flint.ctx.workprec(128):
        for t in range(LONGEST + 1):
            high, low = most[t][0].min(most[t][1]), few[t][0].max(few[t][1])
            assert (
                abs(found.greatest[t] / high - 1) < 1e-12 and abs(found.least[t] / low - 1) < 1e-12
            )


@pytest.mark.parametrize("largest_entry", [False, True])
def test_sizes_of_one_leaf_are_those_of_the_leaves(largest_entry):
    """Entries are at most (1/2, 4/5), and at least (1/5, 1/2); 0 leaves count as 1."""
    found = tree_sizes(LEAVES, 2, largest_entry)
    most, few = (0.8, 0.5) if largest_entry else ((0.25 + 0.64) ** 0.5, (0.04 + 0.25) ** 0.5)
    assert [float(x) for x in found.greatest[:2]] == pytest.approx([most] * 2, rel=1e-12)
    assert [float(x) for x in found.least[:2]] == pytest.approx([few] * 2, rel=1e-12)
    assert len(found.least) == len(found.greatest) == 3


def test_states_are_meant_unless_weights_are_asked_for_and_every_length_has_its_bounds():
    assert word_sizes(UNEVEN, 3) == word_sizes(UNEVEN, 3, False) != word_sizes(UNEVEN, 3, True)
    negative = replace(UNEVEN, beta=(Fraction(1), Fraction(-1)))
    for automaton, weights in ((UNEVEN, True), (negative, True), (ROTATION, False)):
        for length in (0, 3, 4):
            found = word_sizes(automaton, length, weights)
            assert len(found.least) == len(found.greatest) == length + 1
