"""The floor of ReLU networks in `Relu.v` is the program's."""

from fractions import Fraction

from constructions.blocks.multiplication import relu_floor
from verify.coq.sources import COQ, text


def test_the_floor_of_the_proof_is_the_program_s():
    assert "/ (8 * (INR N + 1) ^ 2) <= Rabs (net x - x ^ 2)" in text(COQ, "Relu.v")
    assert [relu_floor(units) for units in (1, 9)] == [Fraction(1, 32), Fraction(1, 800)]
