"""Exact arithmetics: rationals, polynomials and SymPy expressions.

Positions stay `Exact` numbers in all of them, so that every attention score is exact and its
maximum is decided rigorously; only the coordinates that carry states differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint

from constructions.arithmetic.balls import Balls
from constructions.arithmetic.objects import ObjectArithmetic, Objects, map_entries
from constructions.core.activations import activation_by_name
from constructions.core.exact import Exact, fraction, rational
from constructions.core.matrix import Entry


class Rational(ObjectArithmetic):
    """Exact rationals; irrational weights stay `Exact`."""

    def element(self, value: Entry) -> Any:
        """A rational as `fmpq`; an exact number that is not rational as it is."""
        if isinstance(value, Exact):
            plain = value.rational()
            return value if plain is None else Exact.of(plain)
        if isinstance(value, (int, Fraction)):
            return rational(value)
        return value

    def maximisers(self, row: Sequence[Any]) -> list[int]:
        """The indices of the largest scores, decided exactly."""
        if any(isinstance(score, Exact) for score in row):
            return super().maximisers(row)
        top = max(row)
        return [j for j, score in enumerate(row) if score == top]

    def activate(self, name: str, x: Objects) -> Objects:
        """ReLU or the square; no other activation keeps rationals rational."""
        sigma = activation_by_name(name).rational
        return super().activate(name, x) if sigma is None else map_entries(sigma, x)


class RationalStates(Rational):
    """Exact rationals for the states, balls for the positions; use it in a `with` block.

    Every maximum is decided rigorously by the balls (or `Undecided` is raised), so the states are those
    of `Rational`, in a fraction of the time: exact cosines are enclosed once and never multiplied.
    """

    def __init__(self, bits: int = 128) -> None:
        self._balls = Balls(bits)

    def __enter__(self) -> RationalStates:
        self._balls.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._balls.__exit__(*error)

    def element(self, value: Entry) -> Any:
        """A rational as `fmpq`; any other exact number as a ball."""
        number = super().element(value)
        if not isinstance(number, Exact):
            return number
        rational = number.rational()
        return number.ball() if rational is None else flint.fmpq(*rational.as_integer_ratio())

    def maximisers(self, row: Sequence[Any]) -> list[int]:
        """The index of the largest score, decided by balls where there are any."""
        if any(isinstance(score, flint.arb) for score in row):
            return self._balls.maximisers([flint.arb(score) for score in row])
        return super().maximisers(row)


class Polynomial(ObjectArithmetic):
    """Polynomials with rational coefficients in the given generators."""

    def __init__(self, names: Sequence[str]) -> None:
        self.context = flint.fmpq_mpoly_ctx.get(tuple(names), flint.Ordering.lex)
        self.generators = dict(zip(names, self.context.gens(), strict=True))

    def element(self, value: Entry) -> Any:
        """A rational as a constant polynomial; a polynomial as it is."""
        if isinstance(value, (int, Fraction)):
            return self.context.constant(rational(value))
        return value

    def number(self, value: Any) -> Fraction:
        """A constant polynomial as a number; a score can be nothing else."""
        if isinstance(value, int):
            return Fraction(value)
        if not value.is_constant():
            raise ArithmeticError(f"{value} depends on a symbol, expected a number in a score")
        constant = value.leading_coefficient() if value else flint.fmpq(0)
        return fraction(constant)
