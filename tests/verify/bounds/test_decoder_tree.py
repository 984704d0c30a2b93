"""The C that the tree decoder needs."""

from contextlib import suppress
from fractions import Fraction

import pytest

from constructions.arithmetic import Rational
from constructions.automata.random_trees import random_wta
from constructions.automata.trees import tokens, zigzag
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.core.transformer import realise
from constructions.decoder_tree import build
from verify.bounds.budget import TooSoft
from verify.bounds.decoder_tree import required_saturation
from verify.bounds.decoder_tree_rounding import MOST_LEAVES, TreeDecoderErrors

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


@pytest.mark.parametrize("length", [1, 22, 88])
def test_c_is_the_least_whole_number_that_keeps_the_error(length):
    eps = Fraction(1, 10**6)
    found, errors = (
        required_saturation(STOCHASTIC, length, eps),
        TreeDecoderErrors.of(STOCHASTIC, length),
    )
    assert found.error == errors.bound(found.saturation) <= ball(eps)
    with suppress(TooSoft):
        assert errors.bound(found.saturation - 1) > ball(eps)


def test_long_trees_and_errors_of_zero_are_refused():
    with pytest.raises(TooSoft, match="more than 256 leaves"):
        required_saturation(STOCHASTIC, 3 * MOST_LEAVES + 1, Fraction(1, 10))
    with pytest.raises(InputError, match="eps"):
        required_saturation(STOCHASTIC, 7, Fraction(0))


def test_c_grows_with_the_logarithm_of_the_length():
    eps = Fraction(1, 10**6)
    found = [required_saturation(STOCHASTIC, length, eps) for length in (22, 88, 190)]
    assert all(choice.error <= ball(eps) for choice in found)
    assert found[2].saturation < 3 * found[0].saturation
