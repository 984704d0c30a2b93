"""Errors beside exact values, feature by feature: of forms, of softmax, and of polynomials of degree 2.

Table        bounds on the errors of all features, at all positions
Softmax      m positions have the largest exact score, others are C g lower: weights are within e^{±2D} of
             1/m, the others at most λ = e^{2D - C g}/m. The mean of values v is off by Σ λ |v - v̄|, by
             (e^{2D} - 1) times the mean of |v - v̄| among the m, and by the values' own errors
Polynomial   |w| e(y) for a linear term, |w| (|y| e(z) + |z| e(y) + e(y) e(z)) for a product. A block's
             polynomials are found by running the exact machine's block on variables
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import flint

from constructions.circuits.tree_blocks import BLOCKS, Node
from constructions.circuits.tree_circuit import Form
from constructions.circuits.tree_components import sizes
from constructions.circuits.tree_machine import Values

Table = dict[str, list[list[flint.arb]]]  # by feature: a row for each position
Monomial = tuple[tuple[str, int], ...]
Polynomial = dict[Monomial, flint.arb]


def absolute(rows: Sequence[Sequence[Any]]) -> flint.arb_mat:
    """The absolute values of some rows of exact numbers."""
    return flint.arb_mat([[abs(exact_ball(x)) for x in row] for row in rows])


def exact_ball(value: Any) -> flint.arb:
    """A number as a ball."""
    if isinstance(value, Fraction):
        value = flint.fmpq(value.numerator, value.denominator)
    return flint.arb(value)


@dataclass(frozen=True)
class Sight:
    """What a reader sees: exact values, their errors, and bounds on the coordinates."""

    values: Values
    errors: Table
    magnitude: flint.arb_mat
    complete: bool = True  # it sees the whole stream


@cache
def block_polynomials(
    n: int, tensor: tuple[Any, ...], kind: str, one: int
) -> dict[tuple[str, int], Polynomial]:
    """What a block adds to every entry, as polynomials in what it sees; the constant is 1 or 0."""
    names = [(name, i) for name, size in sizes(n).items() for i in range(size)]
    context = flint.fmpq_mpoly_ctx.get([f"x{k}" for k in range(len(names))], "lex")
    variables = dict(zip(names, context.gens(), strict=True))
    seen = {name: [variables[name, i] for i in range(size)] for name, size in sizes(n).items()}
    seen["one"] = [context.constant(one)]
    added = {name: _Sums(context.constant(0)) for name in seen}
    BLOCKS[kind](Node(n, tensor, seen, added, 0))
    listed: dict[tuple[str, int], Polynomial] = {}
    for name, entries in added.items():
        for (_, i), polynomial in entries.items():
            listed[name, i] = {
                tuple(names[k] for k, power in enumerate(powers) for _ in range(int(power))):
                    flint.arb(coefficient)
                for powers, coefficient in polynomial.to_dict().items() if coefficient
            }  # fmt: skip
    return listed


class _Sums(dict[tuple[int, int], Any]):
    """Entries that are 0 until something is added."""

    def __init__(self, zero: Any) -> None:
        super().__init__()
        self.zero = zero

    def __missing__(self, key: tuple[int, int]) -> Any:
        return self.zero


@dataclass(frozen=True)
class Mixing:
    """Softmax beside hard attention: what leaks to other positions, and 2D, by position."""

    positions: Sequence[tuple[int, ...]]
    leaks: list[dict[int, flint.arb]]
    moves: list[flint.arb]

    @property
    def bound(self) -> flint.arb_mat:
        """Bounds on the weights."""
        count = len(self.positions)
        rows = [[flint.arb(0)] * count for _ in range(count)]
        for t, positions in enumerate(self.positions):
            for j in positions:
                rows[t][j] = self.moves[t].exp() / len(positions)
            for j, leak in self.leaks[t].items():
                rows[t][j] = leak
        return flint.arb_mat(rows)

    def error(self, t: int, exact: list[flint.arb], off: list[flint.arb]) -> flint.arb:
        """How far the mean of some values is from the exact one."""
        positions = self.positions[t]
        mean = sum((exact[j] for j in positions), flint.arb(0)) / len(positions)
        total = (
            sum((off[j] for j in positions), flint.arb(0)) / len(positions) * self.moves[t].exp()
        )
        for j, leak in self.leaks[t].items():
            total += leak * (abs(exact[j] - mean) + off[j])
        if len(positions) > 1:
            sizes = sum((abs(exact[j] - mean) for j in positions), flint.arb(0)) / len(positions)
            total += (self.moves[t].exp() - 1) * sizes
        return total


def evaluate(form: Form, sight: Sight, count: int) -> tuple[list[flint.arb], list[flint.arb]]:
    """A form at every position: exact values and errors."""
    exact, off = [flint.fmpq(0)] * count, [flint.arb(0)] * count
    for name, i, coefficient in form:
        weight = flint.fmpq(coefficient.numerator, coefficient.denominator)
        matrix, errors = sight.values[name], sight.errors[name]
        exact = [x + weight * matrix[t, i] for t, x in enumerate(exact)]
        off = [x + abs(flint.arb(weight)) * errors[t][i] for t, x in enumerate(off)]
    return [flint.arb(x) for x in exact], off


def polynomial_error(terms: Polynomial, sight: Sight, t: int) -> flint.arb:
    """How far a polynomial of degree 2 is off."""
    total = flint.arb(0)
    for monomial, coefficient in terms.items():
        size = abs(coefficient)
        if len(monomial) == 1:
            ((name, i),) = monomial
            total += size * sight.errors[name][t][i]
        elif len(monomial) == 2:
            (a, i), (b, j) = monomial
            x, y = abs(flint.arb(sight.values[a][t, i])), abs(flint.arb(sight.values[b][t, j]))
            dx, dy = sight.errors[a][t][i], sight.errors[b][t][j]
            total += size * (x * dy + y * dx + dx * dy)
    return total


def plus(table: Table, other: Mapping[str, list[list[flint.arb]]]) -> Table:
    """The sum of errors; what the second one does not have stays."""
    return {
        name: [[x + y for x, y in zip(*pair, strict=True)]
               for pair in zip(rows, other[name], strict=True)] if name in other else rows
        for name, rows in table.items()
    }  # fmt: skip
