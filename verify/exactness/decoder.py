"""Generic proofs for the decoder with a gated block and hard attention: exact for every WFA.

Every weight of the automaton is a separate symbol, and so is the gate: σ is not interpreted. All
that is used is σ(u) - σ(-u) = u, that is σ(u) = u/2 + ε(u) with an even ε, and σ(1) ≠ 0. So an
identity shown here holds for ReGLU, SwiGLU and GEGLU at once.

    prove_words(T)      combinations of words: all n at once, given `prove_block`
    prove_block(n)      one layer on fresh symbols: X + Y + XY, scratch 0, the rest untouched
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from constructions import decoder
from constructions.arithmetic import Polynomial
from constructions.arithmetic.free import Combination, FreeAlgebra
from constructions.arithmetic.objects import ObjectArithmetic, Objects, map_entries
from constructions.automata.wfa import WFA
from constructions.core.activations import GateInverse
from constructions.core.matrix import Matrix
from constructions.core.transformer import Attention, Mask, realise_layer
from verify.exactness.generic import Mismatch
from verify.exactness.generic import prove_words as proved_words

Build = Callable[[WFA, int], decoder.DecoderSimulation]
AT_ONE = "ε(1)"


class ActivatedSum:
    """plain + Σ coefficient · ε(y): sums of multiples of σ(y), σ(y) = y/2 + ε(y), ε even."""

    def __init__(self, plain: Any, even: Mapping[str, Any]) -> None:
        self.plain, self.even = plain, even

    def __add__(self, other: Any) -> ActivatedSum:
        if not isinstance(other, ActivatedSum):
            return ActivatedSum(self.plain + other, self.even)
        even = dict(self.even)
        for key, value in other.even.items():
            even[key] = even[key] + value if key in even else value
        return ActivatedSum(self.plain + other.plain, even)

    __radd__ = __add__

    def __rmul__(self, left: Any) -> ActivatedSum:
        return ActivatedSum(left * self.plain, {key: left * v for key, v in self.even.items()})

    def __mul__(self, right: Any) -> Any:
        if isinstance(right, GateInverse):
            return self._undone(right)
        return ActivatedSum(self.plain * right, {key: v * right for key, v in self.even.items()})

    def _undone(self, right: GateInverse) -> Any:
        """x σ(1) times scale/σ(1), x σ(1) = x/2 + x ε(1); anything else would need to know σ."""
        if set(self.even) != {AT_ONE} or self.even[AT_ONE] != 2 * self.plain:
            raise ArithmeticError("1/σ(1) meets something else than a multiple of σ(1)")
        return self.even[AT_ONE] * int(right.scale.numerator) * self.part(right.scale)

    @staticmethod
    def part(scale: Fraction) -> Any:
        """1/q for a scale p/q, where polynomials take it."""
        return 1 if scale.denominator == 1 else flint.fmpq(1, scale.denominator)

    def settled_value(self) -> Any:
        """The plain part, if all that depends on σ has cancelled."""
        left = [key for key, value in self.even.items() if not _is_zero(value)]
        if left:
            raise ArithmeticError(f"a value depends on σ: {left[0]}")
        return self.plain


def _is_zero(value: Any) -> bool:
    return bool(value == 0)


class UninterpretedActivation(ObjectArithmetic):
    """Hard attention decided exactly, activations uninterpreted."""

    @abstractmethod
    def number(self, value: Any) -> Fraction:
        """A constant as a number; anything else is no score."""

    @abstractmethod
    def sign(self, value: Any) -> int:
        """1 or -1 for an element that is not 0, the opposite for the opposite element."""

    def maximisers(self, row: Sequence[Any]) -> list[int]:
        """The indices of the largest scores."""
        return super().maximisers([self.number(score) for score in row])

    def activate(self, name: str, x: Objects) -> Objects:
        """y/2 + ε(±y)."""
        return map_entries(self._activated, x)

    def _activated(self, y: Any) -> Any:
        if y == 0:
            return ActivatedSum(0, {"ε(0)": self.element(1)})
        absolute = y * self.sign(y)
        key = AT_ONE if absolute == self.element(1) else str(absolute)
        return ActivatedSum(y * self.element(Fraction(1, 2)), {key: self.element(1)})

    def apply(self, x: Objects, weight: Matrix) -> Objects:
        """X W, in which all that depends on σ must cancel."""
        return map_entries(_settled_value, super().apply(x, weight))


def _settled_value(value: Any) -> Any:
    return value.settled_value() if isinstance(value, ActivatedSum) else value


class GatedPolynomial(Polynomial, UninterpretedActivation):
    """Polynomials with rational coefficients."""

    def sign(self, value: Any) -> int:
        """The sign of the leading coefficient."""
        return 1 if value.leading_coefficient() > 0 else -1


class GatedWords(UninterpretedActivation, FreeAlgebra):
    """Combinations of words."""

    def number(self, value: Any) -> Fraction:
        """A multiple of the identity as a number."""
        terms = Combination.of(value).terms
        if set(terms) - {""}:
            raise ArithmeticError("a score depends on the automaton")
        return terms.get("", Fraction(0))

    def sign(self, value: Any) -> int:
        """The sign of the first coefficient."""
        (_, first), *_ = value
        return -1 if first < 0 else 1


def prove_words(length: int, build: Build = decoder.build) -> Mismatch | None:
    """Check for all n at once the product of letters that each token carries."""
    return proved_words(length, build, GatedWords(), Combination.letter)


class GivenSource(GatedPolynomial):
    """Polynomials with the routing given: every row reads row 0."""

    def mix(self, scores: Objects, values: Objects, attention: Attention, mask: Mask) -> Objects:
        """The values of row 0."""
        return np.stack([values[0]] * len(values))


def prove_block(
    n: int, builder: type[decoder.DecoderBuilder] = decoder.DecoderBuilder
) -> Mismatch | None:
    """One layer on fresh symbols: row 1, reading row 0, becomes X + Y + XY; nothing else moves."""
    made = builder(n, 2)
    layout = made.layout
    names = [f"s{row}_{c}" for row in range(2) for c in range(layout.size)]
    arithmetic = GivenSource(names)
    rows = [[arithmetic.generators[f"s{row}_{c}"] for c in range(layout.size)] for row in range(2)]
    for row in rows:
        row[layout.at("one")] = arithmetic.element(1)
        for c in layout["scratch"]:
            row[c] = 0
    try:
        result = realise_layer(_layer_without_scores(made), arithmetic)(
            arithmetic, arithmetic.array(rows)
        )[1]
    except ArithmeticError as error:
        return Mismatch(1, -1, str(error))
    expected = _expected_rows(n, layout, rows)
    for c, (found, wanted) in enumerate(zip(result, expected, strict=True)):
        if found != wanted:
            return Mismatch(1, c, f"coordinate {layout.name_of(c)} is another polynomial")
    return None


def _layer_without_scores(made: decoder.DecoderBuilder) -> Any:
    layer = made.layer(1)
    empty = Matrix.zeros(made.layout.size, 0)
    return replace(layer, heads=(replace(layer.heads[0], query=empty, key=empty, bias=None),))


def _expected_rows(n: int, layout: Any, rows: list[list[Any]]) -> list[Any]:
    """X + Y + XY in the window, the rest as it was."""
    left, right = ([row[c] for c in layout["window"]] for row in rows)
    expected = list(rows[1])
    for i in range(n):
        for j in range(n):
            both = sum((left[i * n + k] * right[k * n + j] for k in range(n)), start=0)
            expected[layout["window"][i * n + j]] = both + left[i * n + j] + right[i * n + j]
    return expected
