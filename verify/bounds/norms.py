"""Spectral norms, enclosed, and the growth of products of transition matrices.

Notation      ‖A‖ the spectral norm; N_k = max ‖A^u‖ and R_k = max ‖A^u - I‖ over words u of k
              letters; μ(k) = max(1, N_1, …, N_k), ρ(k) = max(R_1, …, R_k)
Shown         with B = AᵀA and m = 2^j, tr(B^m)/n ≤ ‖A‖^(2m) ≤ tr(B^m): squaring j times encloses
              the norm within a factor n^(1/2m), for which few digits are enough, and n ≤ 2 has a
              formula; N_{i+k} ≤ N_i N_k and R_{i+k} ≤ R_i N_k + R_k carry the bounds to words that
              are too many to list
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from constructions.exact import Exact
from constructions.wfa import WFA, Square

SQUARINGS = 16
FEW, ENOUGH, ROUGH = 4, 128, 64
LISTED = 512


def enclosed(value: Any) -> flint.arb:
    """A ball around an exact number."""
    return Exact.of(value).ball()


def matrix(rows: Square) -> flint.arb_mat:
    """A matrix of balls around exact entries."""
    return flint.arb_mat([[enclosed(value) for value in row] for row in rows])


def identity(n: int) -> flint.arb_mat:
    """I_n."""
    return flint.arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def largest(values: Iterable[flint.arb]) -> flint.arb:
    """A ball that contains the maximum of numbers ≥ 0."""
    top = flint.arb(0)
    for value in values:
        top = top.max(value)
    return top


def square_sum(a: flint.arb_mat) -> flint.arb:
    """‖A‖_F²."""
    return (a.transpose() * a).trace().nonnegative_part()


def frobenius(a: flint.arb_mat) -> flint.arb:
    """‖A‖_F."""
    return square_sum(a).sqrt()


def spectral(a: flint.arb_mat, squarings: int = SQUARINGS) -> flint.arb:
    """‖A‖₂, for n > 2 enclosed within a factor n^(2^-squarings)."""
    if a.ncols() == 1:
        return frobenius(a)
    if a.ncols() == 2:
        return _larger_root(*_gram(a)).nonnegative_part().sqrt()
    with flint.ctx.workprec(min(ENOUGH, flint.ctx.prec)):
        return _largest_root(*_gram(a), squarings).nonnegative_part().sqrt()


def _gram(a: flint.arb_mat) -> tuple[flint.arb_mat, flint.arb]:
    """AᵀA and its trace."""
    gram = a.transpose() * a
    return gram, gram.trace().nonnegative_part()


def _larger_root(gram: flint.arb_mat, size: flint.arb) -> flint.arb:
    """The larger eigenvalue of a symmetric 2 × 2 matrix."""
    spread = gram[0, 0] - gram[1, 1]
    square = spread * spread + 4 * gram[0, 1] * gram[0, 1]
    return (size + square.nonnegative_part().sqrt()) / 2


def _largest_root(gram: flint.arb_mat, size: flint.arb, squarings: int) -> flint.arb:
    """The largest eigenvalue of a positive matrix: Π s_k^(2^-k), s_k the traces on the way."""
    if not size > 0:
        return flint.arb(0).union(size)
    sizes = [size]
    for _ in range(squarings):
        gram = gram * (1 / sizes[-1])
        gram = gram * gram
        sizes.append(gram.trace())
    low, high = sizes[-1] / gram.ncols(), sizes[-1]
    for size in reversed(sizes[:-1]):
        low, high = size * low.sqrt(), size * high.sqrt()
    return low.union(high)


def largest_norm(matrices: Sequence[flint.arb_mat]) -> flint.arb:
    """max ‖A_i‖₂; matrices that a rough norm excludes, or that come twice, are left out."""
    n = matrices[0].ncols()
    matrices = list({id(a): a for a in matrices}.values())
    with flint.ctx.workprec(min(ROUGH, flint.ctx.prec)):
        left = _contenders(matrices, [square_sum(a) for a in matrices], n)
        if n > 2:
            left = _contenders(left, [spectral(a, FEW) for a in left], 1)
    return largest(spectral(a) for a in left)


def _contenders(
    matrices: Sequence[flint.arb_mat], sizes: Sequence[flint.arb], slack: int
) -> list[flint.arb_mat]:
    """The matrices whose size is not certainly below the largest one, divided by `slack`."""
    bar = largest(sizes) / slack
    return [a for a, size in zip(matrices, sizes, strict=True) if not size < bar]


@dataclass(frozen=True)
class Growth:
    """μ(k) and ρ(k) for k = 0, 1, …; `listed`: up to that length all words were multiplied."""

    norms: tuple[flint.arb, ...]
    distances: tuple[flint.arb, ...]
    listed: int

    def diameter(self, k: int) -> flint.arb:
        """A bound on ‖A^u - A^v‖ over words of at most k letters: through 0 or through I."""
        return 2 * self.norms[k].min(self.distances[k])


def growth(automaton: WFA, longest: int, limit: int = LISTED) -> Growth:
    """μ and ρ up to words of `longest` letters, for all words."""
    one = identity(automaton.n)
    norms, distances = [flint.arb(1)], [flint.arb(0)]
    words = Products(automaton, limit)
    listed = 0
    for k in range(1, longest + 1):
        products = words.advance() if listed == k - 1 else None
        if products is None:
            norms.append(_split(norms, k))
            distances.append((norms[k] + 1).min(_split_distance(norms, distances, k)))
        else:
            listed = k
            norms.append(largest_norm(products))
            distances.append(largest_norm([product - one for product in products]))
    return Growth(_running(norms), _running(distances), listed)


def _split(norms: Sequence[flint.arb], k: int) -> flint.arb:
    best = norms[1] * norms[k - 1]
    for i in range(2, k // 2 + 1):
        best = best.min(norms[i] * norms[k - i])
    return best


def _split_distance(
    norms: Sequence[flint.arb], distances: Sequence[flint.arb], k: int
) -> flint.arb:
    half = k // 2
    return distances[half] * norms[k - half] + distances[k - half]


def _running(values: Sequence[flint.arb]) -> tuple[flint.arb, ...]:
    return tuple(largest(values[: k + 1]) for k in range(len(values)))


class Products:
    """The distinct products of k letters, k = 1, 2, …, while they are at most `limit`."""

    def __init__(self, automaton: WFA, limit: int) -> None:
        self.limit = limit
        self.rational = all(
            isinstance(value, (int, Fraction))
            for rows in automaton.transitions.values()
            for row in rows
            for value in row
        )
        make = _rational if self.rational else matrix
        self.letters = [make(rows) for rows in automaton.transitions.values()]
        self.current = [make(tuple(_unit(automaton.n, i) for i in range(automaton.n)))]

    def advance(self) -> list[flint.arb_mat] | None:
        """The products of one letter more, or None when they are too many."""
        found: dict[Any, Any] = {}
        for product in self.current:
            for letter in self.letters:
                longer = product * letter
                found[self._key(longer, len(found))] = longer
            if len(found) > self.limit:
                return None
        self.current = list(found.values())
        return [flint.arb_mat(product) for product in self.current]

    def _key(self, product: Any, count: int) -> Any:
        return tuple(product.entries()) if self.rational else count


def _unit(n: int, i: int) -> tuple[int, ...]:
    return tuple(int(i == j) for j in range(n))


def _rational(rows: Square) -> flint.fmpq_mat:
    return flint.fmpq_mat(
        [[flint.fmpq(value.numerator, value.denominator) for value in row] for row in rows]
    )
