"""The tree decoder in exact arithmetic: every token of every layer stays below the bound of its class."""

from fractions import Fraction

import flint
import pytest
from decoder_tree_support import all_trees, norm, pairs, sizes_of_subtrees, streams

from constructions.arithmetic import Balls, Rational
from constructions.automata.random_trees import random_wta, rational_wta
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from constructions.core.transformer import realise
from constructions.decoder_tree import build
from verify.bounds.budget import TooSoft
from verify.bounds.decoder_tree_leaks import window_leak
from verify.bounds.decoder_tree_rounding import TreeDecoderErrors
from verify.bounds.norms import largest

LENGTH = 16
COIN = WTA.of([1], [[["1/2"]]], {"a": [1], "b": [1]})
AUTOMATA = {"coin": COIN, "mixed": random_wta(2, 5, denominator=2), "n = 2": rational_wta(2, 2, "ab"),
            "n = 3": rational_wta(3, 3, "ab")}  # fmt: skip


def recursion(automaton, length=LENGTH):
    return TreeDecoderErrors.of(automaton, length)


def errors_by_layer(automaton, saturation, length=LENGTH):
    """The errors of the recursion after layers 3, 4, …"""
    return recursion(automaton, length).errors_by_layer(Fraction(saturation))


@pytest.mark.parametrize("name", AUTOMATA)
@pytest.mark.parametrize("saturation", [9, 12, 25])
def test_no_token_exceeds_the_bound_of_its_class_in_any_layer(name, saturation):
    automaton, compared = AUTOMATA[name], set()
    bounds = list(errors_by_layer(automaton, saturation))
    for string in all_trees(5):
        sizes = sizes_of_subtrees(string)
        hard = list(streams(automaton, string, Rational(), None, LENGTH))
        with Balls(640) as balls:
            soft = list(streams(automaton, string, balls, saturation, LENGTH))
            for layer, errors in enumerate(bounds):
                for place, rows in enumerate(zip(hard[layer], soft[layer], strict=True)):
                    for what, error, bound in pairs(*rows, sizes, place, errors):
                        assert error <= bound, (string, layer + 3, place, what)
                        compared.add(what)
    assert compared == {"f", "g", "c", "left", "b", "M"}


def measured(automaton, saturation, most=5):
    top = flint.arb(0)
    with Balls(256) as balls:
        model = build(automaton, LENGTH, "relu", saturation)
        for string in all_trees(most):
            found = model.states(string, balls)
            for i, state in automaton.states(string).items():
                top = top.max(norm([x - ball(y) for x, y in zip(found[i], state, strict=True)]))
    return top


@pytest.mark.parametrize("name", AUTOMATA)
def test_the_bound_is_within_a_thousand_times_of_a_run(name):
    bound, found = recursion(AUTOMATA[name]).bound(Fraction(20)), measured(AUTOMATA[name], 20)
    assert found < bound < 1000 * found


def test_heads_share_their_weights_as_the_leaks_say():
    """In layer 3, the largest weight that the match head and the near head give to other tokens."""
    automaton, saturation = AUTOMATA["n = 2"], 3
    found = recursion(automaton)
    limits = {"near": window_leak(flint.arb(saturation)), "match": found.match_leak(Fraction(3))}
    seen = dict.fromkeys(limits, flint.arb(0))
    for string in all_trees(5):
        hard = list(_weights(automaton, string, Rational(), None))
        with Balls(128) as balls:
            for name, rows in _weights(automaton, string, balls, saturation):
                targets = dict(hard)[name]
                for row, target in zip(rows, targets, strict=True):
                    lost = sum((w for w, t in zip(row, target, strict=True) if not t), flint.arb(0))
                    seen[name] = seen[name].max(lost)
    assert all(limits[name] / 4 < seen[name] <= limits[name] for name in limits)


def _weights(automaton, string, arithmetic, saturation):
    """The weights of the heads of layer 3, row by row."""
    model = build(automaton, LENGTH, "relu", saturation)
    x = arithmetic.array(model.encode(string))
    layers = realise(model.transformer, arithmetic).layers
    for layer in layers[:2]:
        x = layer(arithmetic, x)
    for head in layers[2].heads:
        scores = head.scores(arithmetic, x)
        rows = [[scores[i][j] for j in range(i + 1)] for i in range(len(scores))]
        if saturation is None:
            yield head.name, [[s == max(row) for s in row] for row in rows]
        else:
            powers = [[s.exp() for s in row] for row in rows]
            yield head.name, [[p / sum(row, flint.arb(0)) for p in row] for row in powers]


def test_a_pointer_that_may_be_off_by_half_a_token_is_too_soft():
    with pytest.raises(TooSoft, match="half a token"):
        recursion(AUTOMATA["n = 3"], 40).bound(Fraction(2))


def test_one_leaf_is_certified_at_once():
    for length in (1, 2, 3):
        found = recursion(COIN, length)
        assert found.bound(Fraction(12)) < 1e-9
        assert largest(next(found.errors_by_layer(Fraction(12))).states.values()) < 1e-9
