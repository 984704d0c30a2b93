"""Residual connections carry the positions: exact in rationals, one coordinate more."""

import pytest

from constructions.automata.families import counting
from constructions.variants import residual


def test_the_blocks_write_nothing_into_positions_and_constant():
    for n in (1, 2, 3):
        kept = {*residual.layout(n)["position"], *residual.layout(n)["one"]}
        assert not kept & {column for _, column in residual.block(n).output.entries}


@pytest.mark.parametrize(("length", "layers"), [(1, 0), (2, 1), (5, 3)])
def test_there_are_as_many_layers_as_the_logarithm_asks_for(length, layers):
    found = residual.build(counting(), length).transformer.layers
    assert len(found) == layers
    assert all([head.name for head in layer.heads] == ["left", "right"] for layer in found)
