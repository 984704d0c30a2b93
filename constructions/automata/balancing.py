"""An automaton in coordinates scaled by powers of two, exactly, so that its matrices are small.

Constructs    D⁻¹ A^σ D, αᵀD and D⁻¹B for a diagonal D of powers of two (Osborne; Parlett and Reinsch):
              the same outputs, no rounding, and the least Frobenius norm that single changes of
              an exponent reach
Why           the constants of a decoder, above all the step h of a plain block, whose error grows
              with the fourth power of entries, follow from the sizes of the matrices
Grades        a triangular automaton has nothing to balance: making one side of the diagonal smaller makes
              nothing larger but the readout. There D = 2^(-k level), where states on a cycle have one
              level and every way out of it leads to a higher one
Notation      for a coordinate i, c² and r² are the squares of the entries in its columns and in its
              rows but for the diagonal; the factor 2^k makes them 4^k c² + 4^-k r²
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from constructions.automata.reduction import Reduction
from constructions.automata.wfa import WFA, Square
from constructions.core.matrix import Matrix

SWEEPS = 64
MOST_STATES = 16


def scaled_reduction(made: Reduction, powers: Sequence[int]) -> Reduction:
    """Return a reduction with the same outputs, its coordinates scaled by 2^k, k the given powers."""
    automaton = made.automaton
    scale = [Fraction(2) ** k for k in powers]
    alpha = tuple(a * d for a, d in zip(automaton.alpha, scale, strict=True))
    beta = tuple(b / d for b, d in zip(automaton.beta, scale, strict=True))
    matrices = {symbol: _scaled(automaton.matrix(symbol), scale) for symbol in automaton.alphabet}
    entries = {(i, c): value / scale[i] for (i, c), value in made.outputs.entries.items()}
    return Reduction(WFA(alpha, matrices, beta), Matrix(made.outputs.shape, entries))


def scalings(automaton: WFA, steps: Sequence[int]) -> list[list[int]]:
    """The exponents of some D that make products of many matrices smaller, other than D = I.

    >>> from constructions.automata.wfa import WFA
    >>> scalings(WFA.of([1, 0], {"a": [["1/2", 16], [0, "1/2"]]}, [1, 1]), [3])
    [[0, -3]]
    """
    if automaton.n > MOST_STATES:
        return []
    balanced, grades = exponents(automaton), levels(automaton)
    found = [balanced]
    found += [[b - step * g for b, g in zip(balanced, grades, strict=True)] for step in steps]
    return [powers for k, powers in enumerate(found) if any(powers) and powers not in found[:k]]


def levels(automaton: WFA) -> list[int]:
    """For each state the most cycles that a way to it may leave."""
    n = automaton.n
    edges = [[i == j or bool(square) for j, square in enumerate(row)]
             for i, row in enumerate(_squares(automaton))]  # fmt: skip
    for k in range(n):
        for i in range(n):
            if edges[i][k]:
                edges[i] = [a or b for a, b in zip(edges[i], edges[k], strict=True)]
    order = sorted(range(n), key=lambda j: sum(edges[i][j] for i in range(n)))
    found = [0] * n
    for j in order:
        before = [found[i] + 1 for i in range(n) if edges[i][j] and not edges[j][i]]
        found[j] = max(before, default=0)
    return found


def exponents(automaton: WFA) -> list[int]:
    """The exponents of D; 0 where a coordinate has nothing to balance.

    >>> from constructions.automata.wfa import WFA
    >>> exponents(WFA.of([1, 0], {"a": [["1/2", 16], ["1/16", "1/2"]]}, [1, 1]))
    [4, 0]
    """
    squares = _squares(automaton)
    exponents_by_state = [0] * automaton.n
    for _ in range(SWEEPS):
        changed = False
        for i in range(automaton.n):
            k = _best(squares, i)
            if k:
                _rescale(squares, i, k)
                exponents_by_state[i], changed = exponents_by_state[i] + k, True
        if not changed:
            break
    return exponents_by_state


def _squares(automaton: WFA) -> list[list[Fraction]]:
    """Σ_σ of the squares of each entry."""
    matrices = [automaton.matrix(symbol) for symbol in automaton.alphabet]
    return [[sum((Fraction(m[i][j]) ** 2 for m in matrices), Fraction(0))
             for j in range(automaton.n)] for i in range(automaton.n)]  # fmt: skip


def _best(squares: list[list[Fraction]], i: int) -> int:
    """The k that makes 4^k c² + 4^-k r² least; 0 where one of them is 0."""
    column = sum((row[i] for j, row in enumerate(squares) if j != i), Fraction(0))
    row = sum((value for j, value in enumerate(squares[i]) if j != i), Fraction(0))
    return _power(row / (4 * column)) - _power(column / (4 * row)) if column and row else 0


def _power(ratio: Fraction) -> int:
    """The least k ≥ 0 with 16^k ≥ the ratio: from k on, another factor 2 makes the norm no less.

    4^(k+1) c² + 4^-(k+1) r² < 4^k c² + 4^-k r² means 16^k < r²/(4c²).
    """
    return -(-(ceil(ratio) - 1).bit_length() // 4)


def _rescale(squares: list[list[Fraction]], i: int, k: int) -> None:
    factor = Fraction(4) ** k
    for j in range(len(squares)):
        if j != i:
            squares[j][i] *= factor
            squares[i][j] /= factor


def _scaled(matrix: Square, scale: list[Fraction]) -> Square:
    return tuple(tuple(Fraction(w) * scale[j] / scale[i] for j, w in enumerate(row))
                 for i, row in enumerate(matrix))  # fmt: skip
