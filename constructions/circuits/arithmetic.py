"""The arithmetic of a circuit's machine: exact values, and the interface that bounds on errors share.

Value         x = √q v, with v a rational matrix and q ≥ 0 rational. In an additive stream q is 1. A norm
              ν y/|y| returns no rational vector, but one up to its scale, whose square ν²/|v|² is rational
Norms         0 where y is 0, as ν y/√(|y|² + h²) is, h > 0 being what ε leaves; elsewhere h = 0 is taken
Sums          of vectors with several scales are no such values. Where a head reads many positions alike, the
              scales are rounded to `BITS` bits before their mean is taken; everything else is exact
Blocks        product: (SY, -S) with S in the scratch and Y = window - S · and: the conjunctions
              Σ_k [(I+S)_ik + (I+Y)_kj ≥ 3/2] in place of I + window, and -S · compose: XW, normalised, with
              X what the head has read · state: αᵀXW, normalised
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeVar

import flint

from constructions.circuits.parts import Rows
from constructions.circuits.wiring import AND, PRODUCT, STATE
from constructions.core.errors import InputError
from constructions.core.exact import ball

BITS = 256
THRESHOLD = flint.fmpq(3, 2)
Alpha = tuple[Fraction, ...]
Shape = tuple[int, int]


def exact_matrix(rows: Sequence[Sequence[Fraction]]) -> flint.fmpq_mat:
    """Return rows of fractions as a matrix."""
    return flint.fmpq_mat(
        [[flint.fmpq(x.numerator, x.denominator) for x in map(Fraction, row)] for row in rows]
    )


def fractions(matrix: flint.fmpq_mat) -> tuple[Fraction, ...]:
    """Return the entries of a matrix, row by row."""
    return tuple(Fraction(int(x.p), int(x.q)) for x in matrix.entries())


def square_norm(matrix: flint.fmpq_mat) -> Fraction:
    """Return |v|², the sum of the squares of the entries."""
    return sum((x * x for x in fractions(matrix)), Fraction(0))


@dataclass(frozen=True)
class Scaled:
    """√`square` times `vector`, exactly."""

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
        """Return True unless all entries are 0."""
        return any(self.vector.entries())


Value = TypeVar("Value")


class Arithmetic(Protocol[Value]):
    """Operations of the machine on values."""

    def embed(self, rows: Rows) -> Value:
        """Return the window of a token."""
        ...

    def zero(self, shape: Shape) -> Value:
        """Return the value 0."""
        ...

    def total(self, added: Sequence[Value], removed: Sequence[Value], shape: Shape) -> Value:
        """Return the sum of some values less others."""
        ...

    def gather(
        self,
        values: Sequence[Value],
        read: Sequence[int],
        share: Fraction,
        tokens: Callable[[int], Sequence[Sequence[Value]]],
    ) -> Value:
        """Return a share of the mean of the values at some positions, as a head writes it.

        `tokens` gives all features that the head's inputs see at a position, for a norm.
        """
        ...

    def block(
        self,
        kind: str,
        read: Value,
        window: Value,
        alpha: Alpha,
        tokens: Callable[[], Sequence[Sequence[Value]]],
    ) -> tuple[Value, ...]:
        """Return what a block of some kind writes, by feature."""
        ...

    def without(self, value: Value, entry: int | None) -> Value:
        """Return the value with one entry, or all of it, set to 0."""
        ...


@dataclass(frozen=True)
class ExactArithmetic:
    """Exact values; `written` is ν² of a normalised stream, None for an additive one."""

    written: Fraction | None = None

    def normalise(self, vector: flint.fmpq_mat) -> Scaled:
        """Return ν v/|v|, or 0; without norms v itself."""
        if self.written is None:
            return Scaled(vector)
        square = square_norm(vector)
        return Scaled(vector, self.written / square if square else Fraction(0))

    def embed(self, rows: Rows) -> Scaled:
        """Return the matrix of a token as it is."""
        return Scaled(exact_matrix(rows))

    def zero(self, shape: Shape) -> Scaled:
        """Return a matrix of zeros."""
        return Scaled(flint.fmpq_mat(*shape))

    def total(self, added: Sequence[Scaled], removed: Sequence[Scaled], shape: Shape) -> Scaled:
        """Return the sum; in a normalised stream at most one value is known, else None."""
        if self.written is not None:
            only = single(added, removed)
            return self.zero(shape) if only is None else only
        vector = sum((each.vector for each in added), flint.fmpq_mat(*shape))
        return Scaled(sum((-each.vector for each in removed), vector))

    def gather(
        self,
        values: Sequence[Scaled],
        read: Sequence[int],
        share: Fraction,
        tokens: object = None,
    ) -> Scaled:
        """Return the mean of the values that a head reads, times its share, or normalised."""
        vector = mean([values[j] for j in read])
        if share != 1:
            vector = vector * flint.fmpq(share.numerator, share.denominator)
        return self.normalise(vector)

    def block(
        self, kind: str, read: Scaled, window: Scaled, alpha: Alpha, tokens: object = None
    ) -> tuple[Scaled, ...]:
        """Return (what is added to the window, to the scratch), or the normalised product."""
        left, right = read.vector, window.vector
        if kind == PRODUCT:
            return Scaled(left * (right - left)), Scaled(-left)
        if kind == AND:
            return Scaled(conjunction(left, right - left) - right), Scaled(-left)
        if kind == STATE:
            left = exact_matrix((alpha,)) * left
        return (self.normalise(left * right),)

    def without(self, value: Scaled, entry: int | None) -> Scaled:
        """Return the value with one entry, or all of it, set to 0."""
        rows, columns = value.vector.nrows(), value.vector.ncols()
        if entry is None:
            return self.zero((rows, columns))
        vector = flint.fmpq_mat(value.vector)
        vector[divmod(entry, columns)] = 0
        return Scaled(vector, value.square)


def single(added: Sequence[Value], removed: Sequence[Value]) -> Value | None:
    """Return the only value of a sum in a normalised stream; None for an empty sum.

    What a replaced window leaves of a removed writer has several scales: no exact prediction is known.
    """
    if removed or len(added) > 1:
        found = "a feature replaced while an edge that carries it is removed"
        raise InputError("interventions", found, "only one of the two")
    return added[0] if added else None


def conjunction(left: flint.fmpq_mat, right: flint.fmpq_mat) -> flint.fmpq_mat:
    """Return Σ_k [(I + X)_ik + (I + Y)_kj ≥ 3/2] - I, for X and Y."""
    n = left.nrows()
    unit = identity(n)
    x, y = left + unit, right + unit
    rows = [
        [sum(int(x[i, k] + y[k, j] >= THRESHOLD) for k in range(n)) - int(i == j) for j in range(n)]
        for i in range(n)
    ]
    return flint.fmpq_mat(rows)


def identity(n: int) -> flint.fmpq_mat:
    """Return I."""
    return flint.fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def mean(values: Sequence[Scaled]) -> flint.fmpq_mat:
    """Return a vector in the direction of the mean of some values."""
    first, *rest = values
    if not rest:
        return first.vector
    total = first.vector * rounded_root(first.square)
    for value in rest:
        total = total + value.vector * rounded_root(value.square)
    return total / flint.fmpq(len(values))


def rounded_root(square: Fraction) -> flint.fmpq:
    """Return √q, exactly where q is 0 or 1, else rounded to `BITS` bits."""
    if square in (0, 1):
        return flint.fmpq(int(square))
    with flint.ctx.workprec(BITS):
        mantissa, exponent = ball(square).sqrt().mid().man_exp()
        return flint.fmpq(mantissa) * flint.fmpq(2) ** int(exponent)
