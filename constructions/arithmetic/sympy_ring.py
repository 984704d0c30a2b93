"""Polynomials and real cosines by SymPy alone: the arithmetic of symbolic proofs.

States are elements of `sympy.polys.rings`, polynomials over QQ with a symbol for each weight.
Positions are elements of SymPy's number field QQ<cos(π/D)>, in which cos(kπ/D) = T_k(cos(π/D)).
Which score is largest is decided in that field: equality by normal form, a sign by Sturm's count of
the roots of a polynomial in an isolating interval of cos(π/D).

An `Exact` number is used as data only: its angles are read off and its value is built anew here. The
sign needs the code below because SymPy has none for real fields: `AlgebraicField.is_positive` looks
at a leading coefficient.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from constructions.arithmetic.objects import ObjectArithmetic, Objects, map_entries
from constructions.core.exact import Exact
from constructions.core.matrix import Entry, Matrix, Tensor

RATIONAL = (1, 2, 3)  # cos π, cos(π/2) and cos(π/3) are rational


class CosineField:
    """The real field QQ<cos(π/D)>: cosines of multiples of π/D, and signs.

    Examples:
        >>> field = CosineField(4)
        >>> field.sign(field.cos(Fraction(1, 4)) - field.cos(Fraction(3, 4)))
        1
        >>> 2 * field.cos(Fraction(1, 4)) ** 2 == field.number(1)
        True

    """

    def __init__(self, denominator: int) -> None:
        import sympy

        self.denominator = denominator
        generator = sympy.cos(sympy.pi / denominator)
        self._rational = denominator in RATIONAL
        if self._rational:
            self.domain: Any = sympy.QQ
            self._cosine = sympy.QQ.from_sympy(generator)
        else:
            self.domain = sympy.QQ.algebraic_field(generator)
            self._cosine = self.domain.unit
            self._interval = self._isolate(sympy)
        self._cosines: dict[int, Any] = {}
        self._signs: dict[tuple[Any, ...], int] = {}

    def _isolate(self, sympy: Any) -> tuple[Any, Any]:
        """Store the minimal polynomial; return an interval that isolates its largest root.

        The conjugates of cos(π/D) are cosines of other multiples of π/D, all of them smaller.
        """
        expression = self.domain.ext.minpoly
        self._minimal = sympy.Poly(expression.as_expr(expression.gen), expression.gen)
        return max(interval for interval, _ in self._minimal.intervals())  # type: ignore[no-any-return]

    def number(self, value: int | Fraction) -> Any:
        """A rational number as an element."""
        from sympy import QQ

        return self.domain.convert(QQ(value.numerator, value.denominator), QQ)

    def cos(self, angle: Fraction) -> Any:
        """The cosine of π · angle, for a multiple of 1/D."""
        multiple = angle * self.denominator
        if multiple.denominator != 1:
            raise ArithmeticError(
                f"cos(π·{angle}) is not a cosine of a multiple of π/{self.denominator}"
            )
        k = int(multiple) % (2 * self.denominator)
        return self._chebyshev(min(k, 2 * self.denominator - k))

    def sin(self, angle: Fraction) -> Any:
        """The sine of π · angle."""
        return self.cos(angle - Fraction(1, 2))

    def _chebyshev(self, k: int) -> Any:
        """T_k(cos(π/D)), by SymPy's Chebyshev polynomial."""
        if k not in self._cosines:
            value = self.domain.zero
            for coefficient in _chebyshev_coefficients(k):
                value = value * self._cosine + self.number(coefficient)
            self._cosines[k] = value
        return self._cosines[k]

    def exact(self, value: Exact) -> Any:
        """An exact number, built anew from its angles; roots are not in the field."""
        total = self.domain.zero
        for (radicand, p, q), scale in value.terms.items():
            if radicand != 1:
                raise ArithmeticError(f"√{radicand} is not in the field of cosines")
            total += self.cos(Fraction(p, q)) * self.number(Fraction(int(scale.p), int(scale.q)))
        return total

    def sign(self, value: Any) -> int:
        """1, 0 or -1: the sign of a real number of the field."""
        if not value:
            return 0
        if self._rational:
            return 1 if value > 0 else -1
        key = tuple(value.to_list())
        if key not in self._signs:
            self._signs[key] = self._sturm(value)
        return self._signs[key]

    def _sturm(self, value: Any) -> int:
        """Refine the interval of cos(π/D) until the element's polynomial has no root in it."""
        import sympy

        polynomial = sympy.Poly(list(value.to_list()), self._minimal.gen, domain="QQ")
        low, high = self._interval
        while polynomial.count_roots(low, high):
            low, high = self._minimal.refine_root(low, high, eps=(high - low) / 16)
        return 1 if polynomial.eval(low) > 0 else -1


@cache
def _chebyshev_coefficients(k: int) -> tuple[int, ...]:
    """The coefficients of T_k, the highest first."""
    import sympy

    symbol = sympy.Symbol("z")
    return tuple(int(c) for c in sympy.Poly(sympy.chebyshevt(k, symbol), symbol).all_coeffs())


def _is_number(value: Any) -> bool:
    """True if a value is an element of the field, and neither a polynomial nor a structural zero."""
    from sympy.polys.rings import PolyElement

    return not isinstance(value, (int, PolyElement))


class SymPyRing(ObjectArithmetic):
    """Polynomials over QQ in the given symbols; positions in QQ<cos(π/D)>."""

    def __init__(self, names: Sequence[str], cosines: CosineField) -> None:
        from sympy import QQ
        from sympy.polys.rings import ring

        self.ring, *_ = ring(list(names), QQ)
        self.generators = dict(zip(names, self.ring.gens, strict=True))
        self.cosines = cosines
        self.comparisons = 0

    def element(self, value: Entry) -> Any:
        """A rational as a constant polynomial, an exact cosine in the field; others as they are."""
        if isinstance(value, Exact):
            return self.cosines.exact(value)
        if isinstance(value, (int, Fraction)):
            return self.ring.ground_new(self.ring.domain(value.numerator, value.denominator))
        return value

    def number(self, value: Any) -> Any:
        """An element of the field: what a score or a position can be. A weight's symbol is refused."""
        from sympy.polys.rings import PolyElement

        if isinstance(value, int):
            return self.cosines.number(value)
        if not isinstance(value, PolyElement):
            return value
        if not value.is_ground:
            raise ArithmeticError(f"{value} depends on a weight, expected a number")
        return self.cosines.domain.convert(value.coeff(1), self.ring.domain)

    def scores(self, queries: Objects, keys: Objects) -> Objects:
        """Q Kᵀ in the field."""
        return super().scores(map_entries(self.number, queries), map_entries(self.number, keys))

    def apply(self, x: Objects, weight: Matrix) -> Objects:
        """X W; coordinates that meet an irrational weight are numbers."""
        irrational = {at: v for at, v in weight.entries.items() if _is_number(v)}
        rows = sorted({i for i, _ in irrational})
        if not rows:
            return super().apply(x, weight)
        x = x.copy()
        x[:, rows] = map_entries(self.number, x[:, rows])
        entries = {at: self.number(v) if at[0] in rows else v for at, v in weight.entries.items()}
        return super().apply(x, Matrix(weight.shape, entries))

    def contract(self, tensor: Tensor, left: Objects, right: Objects) -> Objects:
        """T ×₁ X_left ×₂ X_right; where a position is a factor, the other factor is a number."""
        return super().contract(tensor, *self._meeting(tensor, left, right))

    def _meeting(self, tensor: Tensor, left: Objects, right: Objects) -> tuple[Objects, Objects]:
        """Both sides, with constant polynomials turned into numbers where they meet numbers."""
        left, right = left.copy(), right.copy()
        for a, b, _ in tensor.entries:
            sides = ((left, a), (right, b))
            if any(_is_number(value) for side, k in sides for value in side[:, k]):
                for side, k in sides:
                    side[:, k] = map_entries(self.number, side[:, k])
        return left, right

    def maximisers(self, row: Sequence[Any]) -> list[int]:
        """The indices of the largest scores, decided in the field."""
        scores = [self.number(score) for score in row]
        best = [0]
        for j in range(1, len(scores)):
            self.comparisons += 1
            sign = self.cosines.sign(scores[j] - scores[best[0]])
            if sign >= 0:
                best = [j] if sign else [*best, j]
        return best
