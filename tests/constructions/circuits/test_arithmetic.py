"""Scaleds with exact squares of their scales: what a norm leaves, and what a mean of several is."""

from fractions import Fraction

import flint
import pytest

from constructions.circuits.arithmetic import (
    BITS,
    ExactArithmetic,
    Scaled,
    mean,
    rounded_root,
    square_norm,
)

ARITHMETIC = ExactArithmetic(Fraction(9))


def vector(*entries):
    return flint.fmpq_mat(1, len(entries), [flint.fmpq(x) for x in entries])


def test_a_norm_leaves_the_direction_and_the_square_of_its_scale():
    found = ARITHMETIC.normalise(vector(3, 4))
    assert found == Scaled(vector(3, 4), Fraction(9, 25))
    assert found.size.contains(3) and found.size.rad() < 1e-12
    assert found.scale.contains(flint.arb(3) / 5) and square_norm(found.vector) == 25


def test_zero_stays_zero():
    nothing = ARITHMETIC.normalise(vector(0, 0))
    assert nothing.square == 0 and not nothing and Scaled(vector(0, 1))
    assert not ARITHMETIC.zero((2, 3)) and ARITHMETIC.zero((2, 3)).vector.ncols() == 3


def test_a_head_that_reads_one_position_brings_its_direction():
    values = [
        Scaled(vector(1, 0)),
        Scaled(vector(0, 2), Fraction(1, 3)),
        Scaled(vector(5, 5)),
    ]
    assert ARITHMETIC.gather(values, [1], Fraction(1)) == Scaled(vector(0, 2), Fraction(9, 4))


def test_the_mean_of_several_weighs_them_by_their_scales():
    values = [Scaled(vector(1, 0), Fraction(4)), Scaled(vector(0, 1), Fraction(1)),
              Scaled(vector(7, 7), Fraction(0))]  # fmt: skip
    assert mean(values).entries() == [flint.fmpq(2, 3), flint.fmpq(1, 3)]
    assert mean(values[:1]) == vector(1, 0)
    assert ARITHMETIC.gather(values, [0, 1], Fraction(1)).square == Fraction(9) / (
        1 + Fraction(1, 4)
    )


@pytest.mark.parametrize("square", [Fraction(2), Fraction(1, 3), Fraction(10**40, 7)])
def test_roots_are_rounded_and_those_of_0_and_1_exact(square):
    root = rounded_root(square)
    off = abs(Fraction(int(root.p), int(root.q)) ** 2 / square - 1)
    assert 0 < off < Fraction(1, 2 ** (BITS - 4))
    assert off > Fraction(1, 2 ** (BITS + 40))
    assert (rounded_root(Fraction(0)), rounded_root(Fraction(1))) == (0, 1)


def test_products_and_states_are_normalised_and_an_entry_is_taken_out_of_a_direction():
    two = Scaled(flint.fmpq_mat(2, 2, [1, 2, 3, 4]), Fraction(5))
    (product,) = ARITHMETIC.block("compose", two, two, ())
    assert product.vector == two.vector * two.vector
    (state,) = ARITHMETIC.block("state", two, two, (Fraction(1), Fraction(1, 2)))
    assert state.vector == flint.fmpq_mat(1, 2, [flint.fmpq(29, 2), 21])
    assert state.square == Fraction(9) / square_norm(state.vector)
    assert ARITHMETIC.without(two, 2) == Scaled(flint.fmpq_mat(2, 2, [1, 2, 0, 4]), Fraction(5))
    assert not ARITHMETIC.without(two, None) and two.vector[1, 0] == 3
