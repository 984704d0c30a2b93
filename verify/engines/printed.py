"""Printed formulas as data: matrices of blocks and counts, read from text and evaluated.

A matrix      `√C (0_{n²×2} 0_{n²×2} I_2)ᵀ`: a factor if any, blocks side by side, `;` between rows
              of blocks, a transpose if any; 0_{a×b} and 0_a are zeros, I_a is an identity, any
              other letter is a matrix that the caller knows; ρ alone is 2 × 2
A count       `C(m+d, d)`, `2n⁴+3n²+1`: sums, products, powers and binomials

A formula is only ever read, walked and evaluated: no text is run. What a check says of the print it
says of the value, so that another formula, or another construction beside it, is seen.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from constructions.matrix import Entry, Matrix
from verify.engines import blocks
from verify.engines.blocks import Block

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


class Misfit(ValueError):
    """Blocks, or a row and a matrix, that do not fit together."""


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

    def shapes(self, n: Value) -> list[list[Block]]:
        """The shapes of the blocks, before any transpose."""
        return [[(count(a, n=n), count(b, n=n)) for _, a, b in row] for row in self.rows]

    def fits(self) -> list[int] | None:
        """The n ≥ 1 for which the blocks fit together; None for every n."""
        return blocks.fits_for(blocks.needed(self.shapes(blocks.N)))

    def shape(self) -> Block:
        """Rows and columns as polynomials in n, after the transpose."""
        rows, columns = blocks.shape(self.shapes(blocks.N))
        return (columns, rows) if self.transposed else (rows, columns)

    def at(self, n: int, factors: Mapping[str, Entry], known: Mapping[str, Matrix]) -> Matrix:
        """The matrix for one n; `Misfit` where the blocks do not fit."""
        entries: dict[tuple[int, int], Entry] = {}
        widths, top = set(), 0
        for row, shapes in zip(self.rows, self.shapes(n), strict=True):
            heights = [rows for rows, _ in shapes]
            if len(set(heights)) > 1:
                raise Misfit(f"n = {n}: blocks of heights {heights} side by side")
            left = 0
            for (letter, _, _), shape in zip(row, shapes, strict=True):
                part = _block(letter, shape, known)
                entries |= {(top + i, left + j): v for (i, j), v in part.entries.items()}
                left += shape[1]
            widths.add(left)
            top += heights[0]
        if len(widths) > 1:
            raise Misfit(f"n = {n}: rows of blocks of widths {sorted(widths)}")
        whole = Matrix((top, widths.pop()), entries).scaled(factors.get(self.factor, 1))
        return whole.transpose if self.transposed else whole


def _block(letter: str, shape: tuple[int, int], known: Mapping[str, Matrix]) -> Matrix:
    part = {"0": Matrix.zeros(*shape), "I": Matrix.identity(shape[0])}.get(letter) or known[letter]
    if part.shape != shape:
        raise Misfit(f"block {letter} has shape {part.shape}, printed {shape}")
    return part


def matrix(text: str) -> Formula:
    """A printed matrix, read."""
    found = MATRIX.fullmatch(text)
    if found is None:
        raise Unreadable(f"{text!r} is no matrix of blocks")
    rows = tuple(
        tuple(_read_block(part) for part in row.split()) for row in found["rows"].split(";")
    )
    return Formula(text, found["factor"] or "", rows, bool(found["transposed"]))


def _read_block(text: str) -> tuple[str, str, str]:
    found = BLOCK.fullmatch(text)
    if found is None or (found["rows"] is None and found["letter"] != "ρ"):
        raise Unreadable(f"{text!r} is no block")
    rows = found["rows"] or "2"
    return found["letter"], rows, found["columns"] or rows


def through(row: Matrix, weight: Matrix) -> Matrix:
    """Rows times a matrix, y = x W; `Misfit` where the shapes do not fit."""
    if row.shape[1] != weight.shape[0]:
        raise Misfit(
            f"a row of {row.shape[1]} coordinates meets a matrix of {weight.shape[0]} rows"
        )
    return row @ weight
