"""The ReLU networks of `Relu.v` are the program's."""

from fractions import Fraction

import pytest
from multiplication_support import relu_square

from constructions.blocks.multiplication import relu_floor
from verify.coq.sources import COQ, text


@pytest.mark.parametrize("pieces", [1, 2, 5])
def test_the_chords_of_the_proof_are_the_program_s(pieces):
    block = relu_square(pieces)
    assert dict(block.hidden.entries) == {(0, k): 1 for k in range(pieces)}
    assert list(block.bias) == [-Fraction(k, pieces) for k in range(pieces)]
    assert [block.output.entries[k, 0] for k in range(pieces)] == [
        Fraction(2 if k else 1, pieces) for k in range(pieces)
    ]
    assert list(block.offset) == [-Fraction(1, 8 * pieces**2)]


def test_the_floor_of_the_proof_is_the_program_s():
    assert "/ (8 * (INR N + 1) ^ 2) <= Rabs (net x - x ^ 2)" in text(COQ, "Relu.v")
    assert [relu_floor(units) for units in (1, 9)] == [Fraction(1, 32), Fraction(1, 800)]
