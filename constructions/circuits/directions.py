"""Vectors of a normalised stream, exactly: a rational direction, and the rational square of its scale.

Value        x = √q v, with v a rational matrix or row and q ≥ 0 rational: what a norm ν y/|y| returns is no
             rational vector, but y is one up to its scale, and the square ν²/|v|² of the scale is rational
Norms        0 where y is 0, as ν y/√(|y|² + h²) is, h > 0 being what ε leaves; elsewhere h = 0 is taken
Sums         of vectors with several scales are no such values. Where a head reads many positions alike, the
             scales are rounded to `BITS` bits before their mean is taken; everything else is exact
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeVar

import flint

from constructions.circuits.circuit import Rows
from constructions.circuits.machine import exact_matrix, fractions
from constructions.core.exact import ball

BITS = 256


def square_norm(matrix: flint.fmpq_mat) -> Fraction:
    """|v|², the sum of the squares of the entries."""
    return sum((x * x for x in fractions(matrix)), Fraction(0))


@dataclass(frozen=True)
class Direction:
    """√`square` times `vector`."""

    vector: flint.fmpq_mat
    square: Fraction = Fraction(1)

    @property
    def scale(self) -> flint.arb:
        """√q in a ball."""
        return ball(self.square).sqrt()

    @property
    def size(self) -> flint.arb:
        """|x| in a ball."""
        return ball(self.square * square_norm(self.vector)).sqrt()

    def __bool__(self) -> bool:
        """Whether it is not 0."""
        return any(self.vector.entries())


Value = TypeVar("Value")


class StreamArithmetic(Protocol[Value]):
    """What the components of a normalised stream do to its values."""

    def embed(self, rows: Rows) -> Value:
        """The window of a token."""
        ...

    def zero(self, shape: tuple[int, int]) -> Value:
        """Nothing."""
        ...

    def gather(self, values: Sequence[Value], read: Sequence[int]) -> Value:
        """What a head writes that reads some positions alike, of those it can see."""
        ...

    def product(self, left: Value, right: Value) -> Value:
        """What a block writes: the product, normalised."""
        ...

    def state(self, alpha: Sequence[Fraction], left: Value, right: Value) -> Value:
        """What the block of the last window writes: αᵀ times the product, normalised."""
        ...

    def without(self, value: Value, entry: int | None) -> Value:
        """The value with an entry, or all of it, set to 0."""
        ...


@dataclass(frozen=True)
class ExactDirections:
    """The exact arithmetic; `square` is ν²."""

    square: Fraction

    def normalise(self, vector: flint.fmpq_mat) -> Direction:
        """ν v/|v|, or 0."""
        square = square_norm(vector)
        return Direction(vector, self.square / square if square else Fraction(0))

    def embed(self, rows: Rows) -> Direction:
        """The matrix of a token as it is: it is near norm 1 by a power of two."""
        return Direction(exact_matrix(rows))

    def zero(self, shape: tuple[int, int]) -> Direction:
        """A matrix of zeros."""
        return Direction(flint.fmpq_mat(*shape))

    def gather(self, values: Sequence[Direction], read: Sequence[int]) -> Direction:
        """The value at one position, or the mean of several, normalised."""
        return self.normalise(mean([values[j] for j in read]))

    def product(self, left: Direction, right: Direction) -> Direction:
        """XW, normalised."""
        return self.normalise(left.vector * right.vector)

    def state(self, alpha: Sequence[Fraction], left: Direction, right: Direction) -> Direction:
        """αᵀXW, normalised."""
        return self.normalise(exact_matrix((tuple(alpha),)) * left.vector * right.vector)

    def without(self, value: Direction, entry: int | None) -> Direction:
        """The value with an entry, or all of it, set to 0."""
        rows, columns = value.vector.nrows(), value.vector.ncols()
        if entry is None:
            return self.zero((rows, columns))
        vector = flint.fmpq_mat(value.vector)
        vector[divmod(entry, columns)] = 0
        return Direction(vector, value.square)


def mean(values: Sequence[Direction]) -> flint.fmpq_mat:
    """A vector in the direction of the mean; of one value, its own."""
    first, *rest = values
    if not rest:
        return first.vector
    total = first.vector * rounded_root(first.square)
    for value in rest:
        total = total + value.vector * rounded_root(value.square)
    return total / flint.fmpq(len(values))


def rounded_root(square: Fraction) -> flint.fmpq:
    """√q, exactly where q is 0 or 1, else rounded to `BITS` bits."""
    if square in (0, 1):
        return flint.fmpq(int(square))
    with flint.ctx.workprec(BITS):
        mantissa, exponent = ball(square).sqrt().mid().man_exp()
        return flint.fmpq(mantissa) * flint.fmpq(2) ** int(exponent)
