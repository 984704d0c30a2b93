"""Do printed blocks fit together? Shapes as polynomials in n, decided for every n ≥ 1.

A printed matrix is a table of blocks, each with its number of rows and of columns as a SymPy
expression in n. Blocks side by side need equal rows, block rows need equal columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import sympy

N = sympy.Symbol("n", integer=True, positive=True)
SQUARE = N**2
Size: TypeAlias = Any  # a SymPy expression in n, or an int
Block = tuple[Size, Size]


def fits_for(equalities: Sequence[tuple[Size, Size]]) -> list[int] | None:
    """The n ≥ 1 for which all pairs are equal; None for every n."""
    differences = [sympy.expand(sympy.S(left) - right) for left, right in equalities]
    differences = [difference for difference in differences if difference != 0]
    if not differences:
        return None
    common = sympy.gcd_list(differences)
    roots = sympy.Poly(common, N).ground_roots() if common.has(N) else {}
    return sorted(int(root) for root in roots if root.is_integer and root >= 1)


def needed(table: Sequence[Sequence[Block]]) -> list[tuple[Size, Size]]:
    """The equalities that a table of blocks needs."""
    wanted: list[tuple[Size, Size]] = []
    for row in table:
        wanted += [(row[0][0], block[0]) for block in row[1:]]
    widths = [sum((sympy.S(block[1]) for block in row), start=sympy.S.Zero) for row in table]
    wanted += [(widths[0], width) for width in widths[1:]]
    return wanted


def shape(table: Sequence[Sequence[Block]]) -> tuple[sympy.Expr, sympy.Expr]:
    """Rows and columns of a table whose blocks fit."""
    rows = sum((sympy.S(row[0][0]) for row in table), start=sympy.S.Zero)
    columns = sum((sympy.S(block[1]) for block in table[0]), start=sympy.S.Zero)
    return sympy.expand(rows), sympy.expand(columns)


def at(table: Sequence[Sequence[Block]], n: int) -> list[list[list[int]]]:
    """The shapes of the blocks for one n, as plain data."""
    return [[[int(sympy.S(size).subs(N, n)) for size in block] for block in row] for row in table]
