"""Weights as exact data: sparse matrices and third-order tensors.

An entry is a number (int, Fraction, `Exact`) or a ring element of a generic proof; what is not
stored is zero. Rows act on row vectors from the left, y = x W, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from constructions.core.layout import Layout

Entry = Any


@dataclass(frozen=True)
class Matrix:
    """A sparse matrix of exact entries."""

    shape: tuple[int, int]
    entries: Mapping[tuple[int, int], Entry]

    def __post_init__(self) -> None:
        rows, columns = self.shape
        for i, j in self.entries:
            if not (0 <= i < rows and 0 <= j < columns):
                raise IndexError(f"entry ({i}, {j}) is outside of shape {self.shape}")

    @classmethod
    def zeros(cls, rows: int, columns: int) -> Matrix:
        """The zero matrix."""
        return cls((rows, columns), {})

    @classmethod
    def identity(cls, size: int) -> Matrix:
        """The identity matrix I_size."""
        return cls((size, size), {(i, i): 1 for i in range(size)})

    @classmethod
    def dense(cls, rows: Sequence[Sequence[Entry]]) -> Matrix:
        """A matrix from its rows; zeros are dropped."""
        entries = {
            (i, j): value for i, row in enumerate(rows) for j, value in enumerate(row) if value != 0
        }
        return cls((len(rows), len(rows[0]) if rows else 0), entries)

    @classmethod
    def blocks(
        cls, rows: Layout | int, columns: Layout | int, parts: Mapping[tuple[str, str], Matrix]
    ) -> Matrix:
        """A matrix from named blocks; an int is the size of one block, called ``""``."""
        entries: dict[tuple[int, int], Entry] = {}
        for (row_name, column_name), part in parts.items():
            top, left = _block(rows, row_name), _block(columns, column_name)
            if part.shape != (len(top), len(left)):
                raise ValueError(
                    f"block ({row_name}, {column_name}) has shape {part.shape}, "
                    f"expected {(len(top), len(left))}"
                )
            for (i, j), value in part.entries.items():
                entries[top[i], left[j]] = value
        return cls((_size(rows), _size(columns)), entries)

    @property
    def transpose(self) -> Matrix:
        """The transposed matrix."""
        rows, columns = self.shape
        return Matrix((columns, rows), {(j, i): value for (i, j), value in self.entries.items()})

    def map(self, function: Callable[[Entry], Entry]) -> Matrix:
        """The matrix with `function` applied to every stored entry."""
        return Matrix(self.shape, {at: function(value) for at, value in self.entries.items()})

    def scaled(self, factor: Entry) -> Matrix:
        """factor · M."""
        return self.map(lambda value: factor * value)

    def __matmul__(self, other: Matrix) -> Matrix:
        if self.shape[1] != other.shape[0]:
            raise ValueError(f"shapes {self.shape} and {other.shape} do not fit")
        by_row: dict[int, list[tuple[int, Entry]]] = {}
        for (k, j), value in other.entries.items():
            by_row.setdefault(k, []).append((j, value))
        entries: dict[tuple[int, int], Entry] = {}
        for (i, k), value in self.entries.items():
            for j, factor in by_row.get(k, ()):
                entries[i, j] = entries.get((i, j), 0) + value * factor
        return Matrix((self.shape[0], other.shape[1]), entries)

    @classmethod
    def of_columns(cls, rows: int, forms: Sequence[Mapping[int, Entry]]) -> Matrix:
        """The matrix with these columns, each a linear form; the inverse of `columns`."""
        entries = {(i, j): value for j, form in enumerate(forms) for i, value in form.items()}
        return cls((rows, len(forms)), entries)

    def columns(self) -> list[dict[int, Entry]]:
        """The columns as linear forms: each maps the rows of its stored entries to these."""
        forms: list[dict[int, Entry]] = [{} for _ in range(self.shape[1])]
        for (row, column), value in self.entries.items():
            forms[column][row] = value
        return forms

    def rows(self) -> list[list[Entry]]:
        """The matrix written out, zeros included."""
        table: list[list[Entry]] = [[0] * self.shape[1] for _ in range(self.shape[0])]
        for (i, j), value in self.entries.items():
            table[i][j] = value
        return table


@dataclass(frozen=True)
class Tensor:
    """A sparse third-order tensor: z_c = Σ T(a, b, c) x_a y_b."""

    shape: tuple[int, int, int]
    entries: Mapping[tuple[int, int, int], Entry]

    def __post_init__(self) -> None:
        for index in self.entries:
            if not all(0 <= i < size for i, size in zip(index, self.shape, strict=True)):
                raise IndexError(f"entry {index} is outside of shape {self.shape}")

    def map(self, function: Callable[[Entry], Entry]) -> Tensor:
        """The tensor with `function` applied to every stored entry."""
        return Tensor(self.shape, {at: function(value) for at, value in self.entries.items()})


def _block(side: Layout | int, name: str) -> range:
    return side[name] if isinstance(side, Layout) else range(side)


def _size(side: Layout | int) -> int:
    return side.size if isinstance(side, Layout) else side
