"""The C that the tree decoder needs, and the bilinear form of its layers."""

from contextlib import suppress
from fractions import Fraction

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.arithmetic import Balls, Rational
from constructions.automata.random_trees import random_wta
from constructions.automata.strategies import tree_automata, trees
from constructions.automata.trees import ends, tokens, zigzag
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.core.transformer import realise, run
from constructions.decoder_tree import build
from verify.bounds.budget import BudgetRecursion, TooSoft
from verify.bounds.decoder_tree import MOST_LEAVES, required_saturation, subject

STOCHASTIC = WTA.of(
    [1, 0],
    [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
    {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]},
)


def test_scores_of_the_match_head_reach_three_quarters_of_the_cube_of_the_length():
    length, arithmetic, top = 28, Rational(), 0
    model = build(random_wta(1, 3), length, "relu")
    x = arithmetic.array(model.encode(tokens(zigzag(["a"] * 10))))
    for layer in realise(model.transformer, arithmetic).layers[:3]:
        for head in layer.heads:
            if head.name == "match":
                scores = head.scores(arithmetic, x)
                top = max(abs(scores[i][j]) for i in range(1, len(scores)) for j in range(i + 1))
        x = layer(arithmetic, x)
    assert 74 * length**3 < 100 * top <= 100 * length**3


@settings(max_examples=10, deadline=None)
@given(automaton=tree_automata(states=2, symbols=2), data=st.data())
def test_the_bilinear_layers_compute_what_the_decoder_does(automaton, data):
    string = tokens(data.draw(trees(automaton.alphabet, leaves=5)))
    model, arithmetic = build(automaton, len(string) + 1, "relu"), Rational()
    x = arithmetic.array(model.encode(string))
    passes = (
        realise(transformer, arithmetic).states(arithmetic, x)
        for transformer in (model.transformer, subject(model).transformer)
    )
    assert all((one == other).all() for one, other in zip(*passes, strict=True))


def soft_error(automaton, string, length, saturation):
    """The largest error of a state of one tree with softmax, enclosed."""
    exact = automaton.states(string)
    with Balls(256) as balls:
        model = build(automaton, length, "relu", saturation)
        outputs = run(model.transformer, balls, model.encode(string))
        errors = [
            sum(((x - balls.element(y)) ** 2 for x, y in zip(outputs[end], exact[begin], strict=True)),
                flint.arb(0)).sqrt()
            for begin, end in ends(string).items()
        ]  # fmt: skip
        return max(errors, key=float)


@settings(max_examples=15, deadline=None)
@given(
    automaton=tree_automata(states=2, symbols=2),
    eps=st.sampled_from([Fraction(1, 10), Fraction(1, 10**6)]),
    data=st.data(),
)
def test_no_tree_exceeds_the_error_that_c_keeps(automaton, eps, data):
    saturation, bound = required_saturation(automaton, 13, eps)
    assert bound <= ball(eps)
    string = tokens(data.draw(trees(automaton.alphabet, leaves=5)))
    assert not soft_error(automaton, string, 13, saturation) > bound


@pytest.mark.parametrize("length", [1, 22, 88])
def test_c_is_the_least_whole_number_that_keeps_the_error_of_both_entries(length):
    eps, root = Fraction(1, 10**6), Fraction(14143, 10000)  # above √2
    saturation, bound = required_saturation(STOCHASTIC, length, eps)
    recursion = BudgetRecursion(subject(build(STOCHASTIC, length, "relu")))
    assert recursion.within(saturation, eps / Fraction(14142, 10000)) and bound <= ball(eps)
    with suppress(TooSoft):
        assert root * recursion.bound(saturation - 1) > eps


def test_long_trees_and_errors_of_zero_are_refused():
    with pytest.raises(TooSoft, match="more than 256 leaves"):
        required_saturation(STOCHASTIC, 3 * MOST_LEAVES + 1, Fraction(1, 10))
    with pytest.raises(InputError, match="eps"):
        required_saturation(STOCHASTIC, 7, Fraction(0))


def test_c_grows_with_the_logarithm_of_the_length():
    eps = Fraction(1, 10**6)
    found = [required_saturation(STOCHASTIC, length, eps) for length in (22, 88, 190)]
    assert all(bound <= ball(eps) for _, bound in found)
    assert found[2][0] < 3 * found[0][0]
