"""One step on errors, on trees large enough for every move: tokens stay below the bounds of their class."""

from fractions import Fraction
from random import Random

import pytest
import torch
from decoder_tree_support import hard_trees, pairs, sizes_of_subtrees, streams

from constructions.arithmetic import Rational
from constructions.arithmetic.torch import Torch, measurement_mode
from constructions.automata.random_trees import random_wta, rational_wta
from constructions.automata.trees import most_leaves
from constructions.automata.wta import WTA
from constructions.decoder_tree import depth
from verify.bounds.budget import TooSoft
from verify.bounds.decoder_tree_rounding import RoundedNodes
from verify.bounds.floating import ONCE
from verify.bounds.reachable import reachable_bounds

DTYPES = {"float64": torch.float64, "float32": torch.float32}
# M is -1 on both sides of an inactive node: reads of I lose most there.
SIGNS = WTA.of([1], [[["-1"]]], {"a": [1], "b": [-1]})


def recursion(automaton, name, length):
    reach = reachable_bounds(automaton, most_leaves(length))
    return RoundedNodes(reach, length, depth(length), ONCE[name])


def comparisons(automaton, name, length, saturation, strings, activation="silu"):
    """(string, layer, what, error, bound) for all tokens of all layers."""
    bounds = list(recursion(automaton, name, length).errors_by_layer(Fraction(saturation)))
    for string in strings:
        sizes = sizes_of_subtrees(string)
        hard = list(streams(automaton, string, Rational(), None, length))
        with measurement_mode():
            computed = Torch(DTYPES[name])
            soft = list(streams(automaton, string, computed, saturation, length, activation))
        for layer, errors in enumerate(bounds, 3):
            for place, rows in enumerate(zip(hard[layer - 3], soft[layer - 3], strict=True)):
                for what, error, bound in pairs(*rows, sizes, place, errors):
                    yield string, layer, what, error, bound


@pytest.mark.parametrize(("name", "saturation"), [("float64", 10), ("float32", 40)])
@pytest.mark.parametrize("automaton", [SIGNS, rational_wta(2, 2, "ab")], ids=["signs", "n = 2"])
def test_no_token_of_a_large_tree_exceeds_the_bound_of_its_class(automaton, name, saturation):
    """Where leaks count and rounding does not, and the other way round."""
    strings = list(hard_trees(8, automaton.alphabet, Random(1)))[:6]
    for string, layer, what, error, bound in comparisons(automaton, name, 22, saturation, strings):
        assert error <= bound, (string, layer, what)


def test_some_errors_are_nearly_as_large_as_their_bounds():
    """Those of inactive nodes after the first step: both children read what the bound says."""
    seen = comparisons(SIGNS, "float64", 22, 10, [tuple("[[aa][aa]]"), tuple("[[ab][ba]]")])
    ratios = dict.fromkeys("fgcbM", 0.0)
    for _, layer, what, error, bound in seen:
        if layer == 4 and what in ratios and bound > 1e-12:
            ratios[what] = max(ratios[what], float(error / bound))
    assert max(ratios.values()) > 0.3


def test_a_bound_of_a_class_that_cannot_arise_is_not_asked_for():
    """After two steps of trees with four leaves nothing is inactive, and all are known after three."""
    layers = list(recursion(SIGNS, "float64", 10).errors_by_layer(Fraction(12)))
    assert [errors.idle is None for errors in layers] == [False, True, True]
    assert [sorted(errors.known) for errors in layers] == [
        [0, 1, 2],
        [0, 1, 2, 3, 4],
        [0, 1, 2, 3, 4],
    ]
    assert [bool(errors.active) for errors in layers] == [True, True, False]


def random_automaton(random):
    n, weights = random.choice((1, 1, 2, 2, 3)), ("0", "1", "-1", "1/2", "-1/2", "-3/2")
    kind = random.randrange(4)
    if kind == 0:
        return rational_wta(n, random.randrange(10**6), "ab")
    if kind == 1:
        return random_wta(n, random.randrange(10**6), denominator=random.choice((1, 2, 3)))
    if kind == 2:
        row = lambda: [random.choice(weights) for _ in range(n)]  # noqa: E731
        return WTA.of(
            [1] * n, [[row() for _ in range(n)] for _ in range(n)], {"a": row(), "b": row()}
        )
    size, weight = random.choice(("1e-40", "1e10", "1e-300")), random.choice(("1e5", "1e-5", "3"))
    return WTA.of([1] * n, [[[weight] * n] * n] * n, {"a": [size] * n, "b": ["-" + size] * n})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_no_token_of_a_random_tree_and_automaton_exceeds_the_bound_of_its_class(seed):
    """200 certificates over all lengths, both formats, soft and hard rows, and weights at the edges."""
    random, certified = Random(seed), 0
    while certified < 25:
        automaton, length = random_automaton(random), random.choice((1, 4, 7, 10, 16, 22, 28, 40))
        name, saturation = random.choice(list(DTYPES)), random.choice((8, 10, 12, 16, 30, 60))
        strings = list(hard_trees(most_leaves(length), automaton.alphabet, random))
        strings = random.sample(strings, min(4, len(strings)))
        try:
            recursion(automaton, name, length).bound(Fraction(saturation))
        except TooSoft:
            continue
        certified += 1
        for string, layer, what, error, bound in comparisons(
            automaton, name, length, saturation, strings, random.choice(("silu", "relu"))
        ):
            assert error <= bound, (seed, certified, string, layer, what)
