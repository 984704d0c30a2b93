"""A third head carries the positions: exact in rationals and floats, positions given once."""

from fractions import Fraction

from constructions import theorem1
from constructions.arithmetic import Rational
from constructions.automata.families import counting
from constructions.core.exact import cos_pi, sin_pi
from constructions.core.transformer import realise
from constructions.variants import carried_positions


def test_codes_double_their_angle_in_each_layer():
    simulation = carried_positions.build(counting(), 8)
    arithmetic = Rational()
    model = realise(simulation.transformer, arithmetic)
    start = arithmetic.array(simulation.encode("01010101"))
    column = theorem1.layout(2)["position"][0]
    for layer, tokens in enumerate(model.states(arithmetic, start)):
        angle = 3 * simulation.step * 2**layer
        row = simulation.row(3)
        assert tokens[row, column] == cos_pi(angle)
        assert tokens[row, column + 1] == sin_pi(angle)


def test_nothing_is_supplied_anew():
    assert len(carried_positions.build(counting(), 4).transformer.positions) == 0


def test_heads_look_one_two_and_four_positions_back():
    """In layer l a position is an angle 2^(l-1) s, and 2^(l-1) positions are 4^(l-1) s."""
    assert [carried_positions.shift(layer, Fraction(1, 8)) for layer in (1, 2, 3)] == [
        Fraction(-1, 8), Fraction(-1, 2), -2,
    ]  # fmt: skip


def test_sizes_are_those_of_theorem_1_but_for_the_code():
    for length, layers in ((1, 0), (2, 1), (5, 3)):
        model = carried_positions.build(counting(), length).transformer
        assert len(model.layers) == layers
        assert model.readout.shape == (10, 2)
        for layer in model.layers:
            assert [head.name for head in layer.heads] == ["left", "right", "position"]
            assert layer.feedforward.left.shape == layer.feedforward.right.shape == (10, 6)
