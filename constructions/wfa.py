"""Weighted finite automata (Section 2.2), with the semantics straight from the definition.

Defines       A = ⟨α, {A^σ}, β⟩ with f(x) = αᵀ A^{x_1} … A^{x_t} β and the states αᵀ A^{x_1…x_t}
Notation      n states, Σ alphabet, α initial and β final weights, A^σ transition matrices
Unlike print  weights are exact rationals (or elements of any ring, in a generic proof); the
              states of a word of length T are T + 1, from α on

Two oracles, neither of which shares code with a construction: `weight` multiplies vectors and
matrices, `weight_by_paths` sums over all paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from constructions.errors import InputError

Number = Any
Vector = tuple[Number, ...]
Square = tuple[Vector, ...]
MOST_DIGITS = 4000  # of p and of q: Python itself writes no more than 4300
LONGEST_NUMBER = 2 * MOST_DIGITS + 2  # so that what was read can be written as p/q and read again
LARGEST_EXPONENT = MOST_DIGITS


@dataclass(frozen=True)
class WFA:
    """A weighted finite automaton ⟨α, {A^σ}, β⟩."""

    alpha: Vector
    transitions: Mapping[str, Square]
    beta: Vector

    @classmethod
    def of(cls, alpha: Any, transitions: Any, beta: Any) -> WFA:
        """An automaton from plain numbers, checked field by field.

        >>> WFA.of([0, 1], {"a": [[1, 0], ["1/2", 1]]}, [1, 0]).weight("aa")
        Fraction(1, 1)
        """
        initial, final = vector(alpha, "alpha"), vector(beta, "beta")
        if len(final) != len(initial):
            raise InputError("beta", f"{len(final)} numbers", f"{len(initial)}, as many as alpha")
        if not isinstance(transitions, Mapping) or not transitions:
            raise InputError("transitions", transitions, "at least one symbol with its matrix")
        matrices = {
            symbol_name(symbol): square(rows, f"transitions[{symbol}]", len(initial))
            for symbol, rows in transitions.items()
        }
        return cls(initial, matrices, final)

    @property
    def n(self) -> int:
        """The number of states."""
        return len(self.alpha)

    @property
    def alphabet(self) -> tuple[str, ...]:
        """Σ, in the order given."""
        return tuple(self.transitions)

    def matrix(self, symbol: str) -> Square:
        """A^σ; an unknown symbol is an error that lists the alphabet."""
        try:
            return self.transitions[symbol]
        except (KeyError, TypeError):
            known = ", ".join(self.alphabet[:8]) + (", …" if len(self.alphabet) > 8 else "")
            raise InputError("word", symbol, f"a symbol of the alphabet {known}") from None

    def states(self, word: Sequence[str]) -> list[Vector]:
        """αᵀ, αᵀA^{x_1}, …, αᵀA^{x_1…x_T}: T + 1 states."""
        states = [self.alpha]
        for symbol in word:
            rows = self.matrix(symbol)
            states.append(tuple(_dot(states[-1], column) for column in zip(*rows, strict=True)))
        return states

    def weight(self, word: Sequence[str]) -> Number:
        """f(x) = αᵀ A^{x_1} … A^{x_t} β."""
        return _dot(self.states(word)[-1], self.beta)

    def weight_by_paths(self, word: Sequence[str]) -> Number:
        """f(x) as the sum over all n^(t+1) paths of the product of their weights."""
        matrices = [self.matrix(symbol) for symbol in word]
        return sum(
            (self._path(path, matrices) for path in product(range(self.n), repeat=len(word) + 1)),
            start=0 * self.alpha[0],
        )

    def _path(self, path: Sequence[int], matrices: Sequence[Square]) -> Number:
        weight = self.alpha[path[0]]
        for matrix, i, j in zip(matrices, path, path[1:], strict=False):
            weight = weight * matrix[i][j]
        return weight * self.beta[path[-1]]

    def words(self, length: int) -> Iterator[tuple[str, ...]]:
        """All words of that length."""
        return product(self.alphabet, repeat=length)


def number(value: Any, field: str) -> Fraction:
    """An exact rational from an int, a Fraction, a decimal or a string "p/q"."""
    if isinstance(value, bool) or not isinstance(value, (int, Fraction, str, float)):
        raise InputError(field, value, "a number or a string 'p/q'")
    if isinstance(value, (str, float)):
        return written_number(str(value), field)
    return Fraction(value)


def written_number(text: str, field: str) -> Fraction:
    """A decimal or "p/q" as an exact rational, refused if it would take much memory."""
    if len(text) > LONGEST_NUMBER:
        raise InputError(field, f"a number of {len(text)} characters", f"at most {LONGEST_NUMBER}")
    if not text.isascii():  # Fraction would take digits of every script
        raise InputError(field, text, "a number in the digits 0 to 9")
    exponent = text.lower().partition("e")[2].strip().lstrip("+-").replace("_", "")
    if exponent.isdigit() and (len(exponent) > 5 or int(exponent) > LARGEST_EXPONENT):
        raise InputError(field, text, f"an exponent between ±{LARGEST_EXPONENT}")
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(field, text, "a finite number or a string 'p/q'") from None
    if max(abs(value.numerator), value.denominator) >= 10**MOST_DIGITS:
        raise InputError(field, text, f"p and q of at most {MOST_DIGITS} digits")
    return value


def vector(values: Any, field: str) -> tuple[Fraction, ...]:
    """A non-empty row of exact rationals."""
    if isinstance(values, (str, Mapping)) or not hasattr(values, "__len__") or not len(values):
        raise InputError(field, values, "a non-empty list of numbers")
    return tuple(number(value, f"{field}[{i}]") for i, value in enumerate(values))


def square(rows: Any, field: str, size: int) -> tuple[tuple[Fraction, ...], ...]:
    """An n × n matrix of exact rationals."""
    if isinstance(rows, (str, Mapping)) or not hasattr(rows, "__len__"):
        raise InputError(field, rows, f"a list of {size} rows")
    if len(rows) != size:
        raise InputError(field, f"{len(rows)} rows", f"{size}, as many as alpha has numbers")
    matrix = tuple(vector(row, f"{field}[{i}]") for i, row in enumerate(rows))
    for i, row in enumerate(matrix):
        if len(row) != size:
            raise InputError(f"{field}[{i}]", f"{len(row)} numbers", f"{size}, a square matrix")
    return matrix


def symbol_name(symbol: Any) -> str:
    """A symbol of an alphabet: a non-empty string."""
    if not isinstance(symbol, str) or not symbol:
        raise InputError("symbol", symbol, "a non-empty string")
    if any(0xD800 <= ord(character) <= 0xDFFF for character in symbol):
        raise InputError("symbol", symbol, "text without lone surrogates")
    return symbol


def _dot(left: Sequence[Number], right: Sequence[Number]) -> Number:
    total = left[0] * right[0]
    for a, b in zip(left[1:], right[1:], strict=True):
        total = total + a * b
    return total
