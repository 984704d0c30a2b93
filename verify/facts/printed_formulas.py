"""Printed formulas as data: matrices of blocks and counts, read from text.

A matrix      `√C (0_{n²×2} 0_{n²×2} I_2)ᵀ`: a factor if any, blocks side by side, `;` between rows
              of blocks, a transpose if any; a block is a letter with its rows and columns, or with
              one size if it is square; ρ alone is 2 × 2
A count       `C(m+d, d)`, `2n⁴+3n²+1`: sums, products, powers and binomials

A formula is only ever read, walked and evaluated: no text is run.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Value = Any  # an int, a Fraction or a SymPy expression
POWERS = {sign: f"**{power}" for power, sign in enumerate("²³⁴⁵⁶⁷⁸⁹", 2)} | {"·": "*"}
BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Pow: operator.pow,
}
MATRIX = re.compile(r"(?:(?P<factor>[^\s(]+) )?\((?P<rows>[^()]+)\)(?P<transposed>ᵀ?)")
BLOCK = re.compile(
    r"(?P<letter>[0A-Za-zα-ω])(?:_\{?(?P<rows>[^{}×]+)(?:×(?P<columns>[^{}×]+))?\}?)?"
)


class Unreadable(ValueError):
    """A formula that this module cannot read."""


def count(text: str, **values: Value) -> Value:
    """The value of a printed count."""
    plain = re.sub(r"(?<=\d)(?=[A-Za-z(])", "*", text)
    for sign, power in POWERS.items():
        plain = plain.replace(sign, power)
    try:
        return _walk(ast.parse(plain.replace("−", "-"), mode="eval").body, values)
    except SyntaxError:
        raise Unreadable(f"{text!r} is no count") from None


def _walk(node: ast.expr, values: Mapping[str, Value]) -> Value:
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.BinOp(left, op, right) if type(op) in BINARY:
            return BINARY[type(op)](_walk(left, values), _walk(right, values))
        case ast.Call(func=ast.Name(id="C"), args=[top, bottom]):
            return binomial(_walk(top, values), _walk(bottom, values))
    raise Unreadable(f"{ast.unparse(node)!r} is not understood")


def binomial(top: Value, bottom: Value) -> Value:
    """C(a, k) = a (a-1) … (a-k+1) / k! for a whole k; a may be a polynomial."""
    if not isinstance(bottom, int) or bottom < 0:
        raise Unreadable(f"the lower number of a binomial is {bottom}, expected a whole one")
    value: Value = 1
    for k in range(bottom):
        value = value * (top - k)
        value = value // (k + 1) if isinstance(value, int) else value / (k + 1)
    return value


@dataclass(frozen=True)
class Formula:
    """A printed matrix: factor, rows of blocks (letter, rows, columns), transposed or not."""

    text: str
    factor: str
    rows: tuple[tuple[tuple[str, str, str], ...], ...]
    transposed: bool

    @property
    def sizes(self) -> list[str]:
        """The counts that occur as numbers of rows or columns of blocks."""
        return [size for row in self.rows for block in row for size in block[1:]]

    def equalities(self, size: Callable[[str], Value]) -> list[tuple[Value, Value]]:
        """Return the pairs that must be equal: heights of blocks side by side, widths of rows of blocks."""
        heights = [[size(height) for _, height, _ in row] for row in self.rows]
        widths = self._widths(size)
        beside = [(row[0], height) for row in heights for height in row[1:]]
        return beside + [(widths[0], width) for width in widths[1:]]

    def shape(self, size: Callable[[str], Value]) -> tuple[Value, Value]:
        """Rows and columns after the transpose, where the blocks fit."""
        height, width = sum(size(row[0][1]) for row in self.rows), self._widths(size)[0]
        return (width, height) if self.transposed else (height, width)

    def _widths(self, size: Callable[[str], Value]) -> list[Value]:
        return [sum(size(width) for _, _, width in row) for row in self.rows]


def matrix(text: str) -> Formula:
    """A printed matrix, read."""
    match = MATRIX.fullmatch(text)
    if match is None:
        raise Unreadable(f"{text!r} is no matrix of blocks")
    rows = tuple(
        tuple(_read_block(part) for part in row.split()) for row in match["rows"].split(";")
    )
    if not all(rows):
        raise Unreadable(f"{text!r} has a row without blocks")
    return Formula(text, match["factor"] or "", rows, bool(match["transposed"]))


def _read_block(text: str) -> tuple[str, str, str]:
    match = BLOCK.fullmatch(text)
    if match is None or (match["rows"] is None and match["letter"] != "ρ"):
        raise Unreadable(f"{text!r} is no block")
    rows = match["rows"] or "2"
    return match["letter"], rows, match["columns"] or rows
