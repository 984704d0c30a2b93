"""How large products of transition maps become, over all words of a length, by balls.

Claimed       (Appendix B.2) M = 2 max ‖A^σ‖₂ bounds the factors at every layer
Shown here    for each k an upper bound N_k on ‖A^w‖₂ over **all** words w of length k, and a word
              that shows how much of it is real
Notation      U_k the entrywise bound on |A^w|, |w| = k

Three bounds, the least of which is taken: submultiplicativity, N_k ≤ N_i N_{k-i}; the entrywise
bound U_k = max_σ U_{k-1} |A^σ|, with ‖A^w‖₂ ≤ min(‖U_k‖_F, √(‖U_k‖₁ ‖U_k‖_∞)); and 1 where every
map is a contraction, which is decided exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import flint
import numpy as np
import numpy.typing as npt

from constructions.wfa import WFA, Square
from verify.bounds.norms import frobenius, largest, matrix, spectral

LARGEST_SPECTRAL = 48
BEAM = 8
Floats = npt.NDArray[np.float64]


def norm(rows: flint.arb_mat) -> flint.arb:
    """‖A‖₂; between ‖A‖_F/√n and ‖A‖_F where A is large."""
    if rows.nrows() <= LARGEST_SPECTRAL:
        return spectral(rows)
    size = frobenius(rows)
    return (size / flint.arb(rows.nrows()).sqrt()).union(size)


def deficiency(rows: Square) -> flint.fmpq_mat:
    """I - AᵀA, exactly."""
    n = len(rows)
    exact = flint.fmpq_mat(n, n, [flint.fmpq(w.numerator, w.denominator) for r in rows for w in r])
    one = flint.fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    return one - exact.transpose() * exact


def is_contraction(rows: Square) -> bool:
    """Whether ‖A‖₂ ≤ 1, exactly: I - AᵀA is positive semidefinite."""
    return positive_semidefinite(deficiency(rows))


def reaches_one(rows: Square) -> bool:
    """Whether ‖A‖₂ ≥ 1, exactly: I - AᵀA is not positive definite."""
    rest = deficiency(rows)
    return not positive_semidefinite(rest) or rest.rank() < len(rows)


def positive_semidefinite(symmetric: flint.fmpq_mat) -> bool:
    """Whether a symmetric rational matrix is positive semidefinite, by elimination."""
    n = symmetric.nrows()
    rows = [[symmetric[i, j] for j in range(n)] for i in range(n)]
    for k in range(n):
        pivot = rows[k][k]
        if pivot < 0 or (pivot == 0 and any(rows[k][j] != 0 for j in range(k + 1, n))):
            return False
        for i in range(k + 1, n if pivot != 0 else 0):
            factor = rows[i][k] / pivot
            if factor != 0:
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return True


@dataclass(frozen=True)
class Products:
    """What is known of ‖A^w‖₂: N_k for each k, and the norms of the single maps."""

    single: Mapping[str, flint.arb]
    contractive: bool
    reaches_one: bool
    bounds: tuple[flint.arb, ...]

    @property
    def largest(self) -> flint.arb:
        """max_σ ‖A^σ‖₂."""
        return largest(self.single.values())

    def up_to(self, length: int) -> flint.arb:
        """An upper bound on max(1, ‖A^w‖₂) over all words with |w| ≤ length."""
        return largest([flint.arb(1), *self.bounds[1 : length + 1]]).upper()


def products(automaton: WFA, longest: int) -> Products:
    """Bounds on the norms of all products of at most `longest` maps."""
    matrices = {symbol: matrix(rows) for symbol, rows in automaton.transitions.items()}
    single = {symbol: norm(rows) for symbol, rows in matrices.items()}
    small = automaton.n <= LARGEST_SPECTRAL
    contractive = small and all(map(is_contraction, automaton.transitions.values()))
    reaches = not contractive or any(map(reaches_one, automaton.transitions.values()))
    known = [flint.arb(1)]
    for k, entrywise in enumerate(_entrywise(list(matrices.values()), longest), start=1):
        candidates = [entrywise, *_splits(known, k)]
        candidates += [largest(single.values()).upper()] if k == 1 else []
        candidates += [flint.arb(1)] if contractive else []
        known.append(_least(candidates))
    return Products(single, contractive, reaches, tuple(known))


def _splits(known: Sequence[flint.arb], k: int) -> Iterator[flint.arb]:
    for i in range(1, k // 2 + 1):
        yield (known[i] * known[k - i]).upper()


def _least(values: Sequence[flint.arb]) -> flint.arb:
    least = values[0]
    for value in values[1:]:
        least = least.min(value)
    return least.upper()


def _entrywise(matrices: Sequence[flint.arb_mat], longest: int) -> Iterator[flint.arb]:
    """‖U_k‖ for k = 1 … longest."""
    absolute = [_map(rows, abs) for rows in matrices]
    bound = _maximum(absolute)
    for k in range(1, longest + 1):
        if k > 1:
            bound = _map(_maximum([bound * rows for rows in absolute]), lambda x: x.upper())
        yield _simple_norm(bound)


def _map(rows: flint.arb_mat, function: Callable[[flint.arb], flint.arb]) -> flint.arb_mat:
    return flint.arb_mat(rows.nrows(), rows.ncols(), [function(x) for x in rows.entries()])


def _maximum(matrices: Sequence[flint.arb_mat]) -> flint.arb_mat:
    entries = [largest(column) for column in zip(*(m.entries() for m in matrices), strict=True)]
    return flint.arb_mat(matrices[0].nrows(), matrices[0].ncols(), entries)


def _simple_norm(bound: flint.arb_mat) -> flint.arb:
    """min(‖U‖_F, √(‖U‖₁ ‖U‖_∞)) of a non-negative matrix."""
    table = bound.tolist()
    rows = largest(sum(row, flint.arb(0)) for row in table)
    columns = largest(sum(column, flint.arb(0)) for column in zip(*table, strict=True))
    return frobenius(bound).min((rows * columns).sqrt()).upper()


@dataclass(frozen=True)
class Witness:
    """A word whose product is large: its norm is certainly at least `lower`."""

    word: tuple[str, ...]
    lower: flint.arb


def witnesses(automaton: WFA, lengths: Sequence[int]) -> list[Witness]:
    """For each length a word with a large product, found by a beam search in floating point."""
    floats = {s: np.array(rows, dtype=float) for s, rows in automaton.transitions.items()}
    beam: list[tuple[tuple[str, ...], Floats]] = [((), np.eye(automaton.n))]
    found: list[Witness] = []
    for before, length in pairwise([0, *lengths]):
        for _ in range(length - before):
            grown = [((*word, s), rows @ a) for word, rows in beam for s, a in floats.items()]
            grown.sort(key=lambda pair: -float(np.linalg.norm(pair[1])))
            beam = _scaled(grown[:BEAM])
        found.append(_certified(automaton, beam[0][0]))
    return found


def _scaled(beam: list[tuple[tuple[str, ...], Floats]]) -> list[tuple[tuple[str, ...], Floats]]:
    """All matrices by one factor, so that long products neither overflow nor vanish."""
    size = float(np.abs(beam[0][1]).max())
    return [(word, rows / size) for word, rows in beam] if size > 0 else beam


def _certified(automaton: WFA, word: tuple[str, ...]) -> Witness:
    product = matrix(automaton.matrix(word[0]))
    for symbol in word[1:]:
        product = product * matrix(automaton.matrix(symbol))
    return Witness(word, norm(product).lower())
