"""Soft attention and MLPs on trees: the recursion, its sizes, the constants, the certificate."""

from fractions import Fraction

import pytest

from constructions import logdepth
from constructions.automata.random_trees import rational_wta
from constructions.automata.trees import shapes, tokens
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits, SoftplusUnits
from constructions.core.exact import ball
from constructions.theorem3 import Places, build
from constructions.variants.theorem3_variants import build_maskless
from verify.bounds.budget import (
    BudgetRecursion,
    TooSoft,
    error_bound,
    sufficient_fineness,
    sufficient_saturation,
)
from verify.bounds.budget_certificate import certificate
from verify.bounds.logdepth import subject as logdepth_subject
from verify.bounds.states import context_bounds, state_bounds
from verify.bounds.tree_budget import maskless_subject, subject

EPS = Fraction(1, 10**6)
WTA2 = rational_wta(2, 2, "abcd")
ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
COIN = WTA.of([1], [[["1/2"]]], {"a": [1]})


def all_states(automaton, leaves):
    for size in range(1, leaves + 1):
        for shape in shapes(size):
            letters = iter("ab" * leaves)
            symbols = [next(letters) if s not in "[]" else s for s in tokens(shape)]
            yield from automaton.states(symbols).values()


@pytest.mark.parametrize("automaton", [ADDER, rational_wta(2, 5, "ab")])
def test_no_state_exceeds_its_bound_and_the_adder_meets_it(automaton):
    found = state_bounds(automaton, 5).largest()
    seen = [max(abs(v[a]) for v in all_states(automaton, 5)) for a in range(2)]
    for bound, value in zip(found, seen, strict=True):
        assert not ball(value) > bound
    if automaton is ADDER:
        assert [float(bound) for bound in found] == [25, 1]


def test_probabilities_have_bounded_contexts_and_counters_linear_ones():
    half = WTA.of([1], [[[1]]], {"a": [1]})
    assert [float(x) for row in context_bounds(state_bounds(half, 9)) for x in row] == [1]
    table = context_bounds(state_bounds(ADDER, 9))
    assert [float(x) for row in table for x in row] == [1, 40, 0, 1]


def subjects():
    return {
        "line": subject(build(WTA2, 7, places=Places.LINE)),
        "circle": subject(build(WTA2, 7)),
        "maskless": maskless_subject(build_maskless(WTA2, 7)),
        "logdepth": logdepth_subject(logdepth.build(WTA2, 7)),
    }


@pytest.mark.parametrize("name", ["line", "circle", "maskless", "logdepth"])
def test_the_bound_falls_with_c_and_the_least_c_is_least(name):
    known = subjects()[name]
    enough = sufficient_saturation(known, EPS)
    assert error_bound(known, 2 * enough) < error_bound(known, enough) <= EPS
    with pytest.raises(TooSoft):
        error_bound(known, 0)
    assert not BudgetRecursion(known).within(enough - 1, EPS)


def test_smaller_steps_are_better_and_too_large_a_step_is_refused():
    known = subjects()["line"]
    enough = sufficient_saturation(known, EPS / 2)
    k = sufficient_fineness(known, enough, EPS, "tanh")
    assert error_bound(known, enough, FourUnits.of("tanh", k)) <= EPS
    assert error_bound(known, enough, FourUnits.of("tanh", k + 20)) < error_bound(
        known, enough, FourUnits.of("tanh", k)
    )
    with pytest.raises(TooSoft, match="off by 1"):
        error_bound(known, enough, SoftplusUnits(Fraction(1)))
    with pytest.raises(TooSoft, match="no C brings"):
        sufficient_saturation(known, Fraction(0))


def test_the_circle_asks_a_c_that_grows_with_the_square_of_the_length():
    known = [subject(build(COIN, length)) for length in (16, 64)]
    line = [subject(build(COIN, length, places=Places.LINE)) for length in (16, 64)]
    small, large = (sufficient_saturation(one, EPS) for one in known)
    assert large > 12 * small
    assert sufficient_saturation(line[1], EPS) < 4 * sufficient_saturation(line[0], EPS)


def test_only_what_the_re_checker_can_read_is_written():
    circle = subject(build(WTA2, 7))
    with pytest.raises(ValueError, match="integer scores"):
        certificate(circle, WTA2, 100, None, EPS)
    line = subject(build(WTA2, 7, places=Places.LINE))
    with pytest.raises(ValueError, match="tanh"):
        certificate(line, WTA2, 100, FourUnits.of("gelu", 8), EPS)
