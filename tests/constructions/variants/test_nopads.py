"""T + 1 tokens are enough: exact at every length, heads look back or to the first token."""

import pytest

from constructions.automata.families import counting, scalar
from constructions.core.transformer import realise
from constructions.variants import nopads
from verify.exactness.routing import RoutedRational


def test_one_state_and_one_letter_need_no_layer():
    simulation = nopads.build(scalar("1/2"), 1)
    assert not simulation.transformer.layers
    assert len(simulation.encode("a")) == 2


@pytest.mark.parametrize("length", [2, 3, 5, 8, 11])
def test_the_left_head_looks_back_and_stops_at_the_first_token(length):
    simulation = nopads.build(counting(), length)
    arithmetic = RoutedRational(nopads.step(length).denominator)
    model = realise(simulation.transformer, arithmetic)
    tokens = arithmetic.array(simulation.encode("0" * length))
    states = model.states(arithmetic, tokens)
    for number, (layer, x) in enumerate(zip(model.layers, states, strict=False)):
        left, right, third = (list(head.scores(arithmetic, x)) for head in layer.heads)
        assert left == [max(0, t - 2**number) for t in range(length + 1)]
        assert right == third == list(range(length + 1))
