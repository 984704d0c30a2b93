"""One step of the automaton a layer: T layers give all states, fewer do not."""

from balls_support import fraction_rows

from constructions.arithmetic import Rational
from constructions.automata.families import counting
from constructions.variants import unrolled


def test_fewer_layers_miss_the_last_states():
    few = unrolled.build(counting(), 3, layers=2).states("000", Rational())
    assert fraction_rows(few)[2] == [2, 1]
    assert fraction_rows(few)[3] != [3, 1]


def test_the_default_is_a_layer_for_each_letter():
    for length in (1, 3, 4):
        assert len(unrolled.build(counting(), length).transformer.layers) == length
    assert len(unrolled.build(counting(), 3, layers=1).transformer.layers) == 1
