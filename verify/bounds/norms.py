"""Norms of one matrix, enclosed.

Notation      ‖A‖ the spectral norm, ‖A‖_F the Frobenius norm, |A| the matrix of absolute values
Shown         for n ≤ 3 by a formula: the largest eigenvalue of a symmetric 3 × 3 matrix with trace 3q is
              q + 2p cos(θ/3), where 6p² = tr (G - q)² and 2p³ cos θ = det(G - q), 0 ≤ θ ≤ π.
              Otherwise from any U, S, V (a decomposition in floating point): A = U S Vᵀ + E gives
              ‖A‖ ≤ ‖S‖ √((1 + ‖UᵀU - I‖_F)(1 + ‖VᵀV - I‖_F)) + ‖E‖_F, and
              ‖A‖ ≥ ‖A v‖/‖v‖ for every v. The floats only propose U, S and V; the inequality holds
              whatever they are, and is computed in balls.
Rough         ‖A‖² ≤ min(‖A‖_F², ‖A‖₁ ‖A‖_∞, max_i (|A|ᵀ|A| v)_i / v_i) for every v > 0: n² operations
Contractions  ‖A‖ ≤ 1 and ‖A‖ ≥ 1 are decided exactly, by elimination in I - AᵀA
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import flint
import numpy as np
import numpy.typing as npt

from constructions.automata.wfa import Square
from constructions.core.exact import ball, rational_matrix

ENOUGH, ROUGH, SMALL = 96, 64, 8
ITERATIONS = 24
Floats = npt.NDArray[np.float64]


def matrix(rows: Square) -> flint.arb_mat:
    """A matrix of balls around exact entries."""
    return flint.arb_mat([[ball(value) for value in row] for row in rows])


def identity(n: int) -> flint.arb_mat:
    """I_n."""
    return flint.arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def map_entries(rows: flint.arb_mat, function: Callable[[flint.arb], flint.arb]) -> flint.arb_mat:
    """The matrix with `function` applied to every entry."""
    return flint.arb_mat(rows.nrows(), rows.ncols(), [function(x) for x in rows.entries()])


def largest(values: Iterable[flint.arb]) -> flint.arb:
    """A ball that contains the maximum of numbers ≥ 0."""
    top = flint.arb(0)
    for value in values:
        top = top.max(value)
    return top


def square_sum(a: flint.arb_mat) -> flint.arb:
    """‖A‖_F²: one call for small matrices, n² operations for large ones."""
    if a.ncols() <= SMALL:
        return _trace(a).nonnegative_part()
    return sum((x * x for x in a.entries()), flint.arb(0)).nonnegative_part()


def frobenius_norm(a: flint.arb_mat) -> flint.arb:
    """‖A‖_F."""
    return square_sum(a).sqrt()


def simple_bound(a: flint.arb_mat) -> flint.arb:
    """min(‖A‖_F, √(‖A‖₁ ‖A‖_∞)), an upper bound."""
    table = [[abs(x) for x in row] for row in a.tolist()]
    rows = largest(sum(row, flint.arb(0)) for row in table)
    columns = largest(sum(column, flint.arb(0)) for column in zip(*table, strict=True))
    return frobenius_norm(a).min((rows * columns).sqrt()).upper()


def spectral_norm(a: flint.arb_mat) -> flint.arb:
    """‖A‖₂, for n > 3 as close as a decomposition in floating point allows."""
    if a.ncols() == 1:
        return frobenius_norm(a)
    if a.ncols() == 2:
        return _larger_root(*_gram(a)).nonnegative_part().sqrt()
    bits = flint.ctx.prec if a.ncols() == 3 else min(ENOUGH, flint.ctx.prec)
    with flint.ctx.workprec(bits):
        size = frobenius_norm(a)
        if not size > 0:
            return flint.arb(0).union(size)
        if a.ncols() == 3:
            return _largest_of_three(*_gram(a)).nonnegative_part().sqrt()
        scale = flint.arb(2) ** _exponent(size)
        return _norm_by_decomposition(a * (1 / scale)) * scale


def _gram(a: flint.arb_mat) -> tuple[flint.arb_mat, flint.arb]:
    """AᵀA and its trace."""
    gram = a.transpose() * a
    return gram, gram.trace().nonnegative_part()


def _larger_root(gram: flint.arb_mat, size: flint.arb) -> flint.arb:
    """The larger eigenvalue of a symmetric 2 × 2 matrix."""
    spread = gram[0, 0] - gram[1, 1]
    square = spread * spread + 4 * gram[0, 1] * gram[0, 1]
    return (size + square.nonnegative_part().sqrt()) / 2


def _largest_of_three(gram: flint.arb_mat, size: flint.arb) -> flint.arb:
    """The largest eigenvalue of a symmetric 3 × 3 matrix."""
    mean = size / 3
    rest = gram - mean * identity(3)
    spread = frobenius_norm(rest) / flint.arb(6).sqrt()
    cube = 2 * spread * spread * spread
    if not cube > 0:
        return mean + spread.union(2 * spread)
    cosine = rest.det() / cube
    ends = (_third(end) for end in (cosine.lower(), cosine.upper()))
    return mean + 2 * spread * next(ends).union(next(ends))


def _third(cosine: flint.arb) -> flint.arb:
    """cos(θ/3) for cos θ, which increases from 1/2 at cos θ = -1 to 1 at cos θ = 1."""
    within = cosine.max(flint.arb(-1)).min(flint.arb(1))
    return (within.acos() / 3).cos()


def _exponent(size: flint.arb) -> int:
    """A whole e with 2^e near a positive number, however small or large."""
    mantissa, exponent = size.mid().man_exp()
    return int(exponent) + int(mantissa).bit_length()


def floats(a: flint.arb_mat) -> Floats:
    """The midpoints of a matrix in floating point."""
    entries = [float(x) for x in a.mid().entries()]
    return np.array(entries, dtype=np.float64).reshape(a.nrows(), a.ncols())


def _norm_by_decomposition(a: flint.arb_mat) -> flint.arb:
    """The norm of a matrix of moderate size from a proposed singular value decomposition."""
    try:
        u, s, vt = np.linalg.svd(floats(a))
    except np.linalg.LinAlgError:
        size = frobenius_norm(a)
        return (size / flint.arb(a.ncols()).sqrt()).union(size)
    left, right = flint.arb_mat((u * s).tolist()), flint.arb_mat(vt.tolist())
    rest = frobenius_norm(a - left * right)
    skew = _skew(flint.arb_mat(u.tolist())) * _skew(right)
    high = flint.arb(float(s.max())) * skew.sqrt() + rest
    return _stretch(a, vt[0]).union(high.upper())


def _skew(a: flint.arb_mat) -> flint.arb:
    """1 + ‖AAᵀ - I‖_F ≥ ‖A‖²."""
    return 1 + frobenius_norm(a * a.transpose() - identity(a.nrows()))


def _stretch(a: flint.arb_mat, vector: Floats) -> flint.arb:
    """‖A v‖ / ‖v‖ ≤ ‖A‖, rounded down."""
    v = flint.arb_mat(len(vector), 1, vector.tolist())
    size = frobenius_norm(v)
    return (frobenius_norm(a * v) / size).lower() if size > 0 else flint.arb(0)


def rough_bound(a: flint.arb_mat) -> flint.arb:
    """An upper bound on ‖A‖₂ in n² operations; close for matrices without negative entries."""
    absolute = map_entries(a, abs)
    values = floats(absolute)
    vector = np.ones(values.shape[1])
    for _ in range(ITERATIONS):
        vector = values.T @ (values @ vector)
        top = float(vector.max())
        if not np.isfinite(top) or top <= 0:
            return simple_bound(a)
        vector = np.maximum(vector / top, 1e-12)
    v = flint.arb_mat(len(vector), 1, vector.tolist())
    grown = absolute.transpose() * (absolute * v)
    quotients = (g / x for g, x in zip(grown.entries(), v.entries(), strict=True))
    return largest(quotients).sqrt().min(simple_bound(a)).upper()


def largest_norm(matrices: Sequence[flint.arb_mat]) -> flint.arb:
    """max ‖A_i‖₂; the norm is computed where a rough bound leaves the maximum open."""
    matrices = list({id(a): a for a in matrices}.values())
    if matrices[0].ncols() <= SMALL:
        return largest(spectral_norm(a) for a in _contenders(matrices))
    sizes = [_guess(a) for a in matrices]
    order = sorted(range(len(matrices)), key=lambda i: -sizes[i])
    top = spectral_norm(matrices[order[0]])
    for i in order[1:]:
        with flint.ctx.workprec(min(ENOUGH, flint.ctx.prec)):
            bar, a = top.upper(), matrices[i]
            settled = frobenius_norm(a) <= bar or rough_bound(a) <= bar
        if not settled:
            top = top.max(spectral_norm(matrices[i]))
    return top


def _contenders(matrices: Sequence[flint.arb_mat]) -> list[flint.arb_mat]:
    """The matrices that may have the largest norm: ‖A‖^2m ≤ tr (AᵀA)^m ≤ n ‖A‖^2m, m = 1, then 16."""
    n = matrices[0].ncols()
    with flint.ctx.workprec(min(ROUGH, flint.ctx.prec)):
        for size in (_trace, _power_sum):
            sizes = [size(a) for a in matrices]
            bar = largest(sizes) / n
            matrices = [a for a, s in zip(matrices, sizes, strict=True) if not s < bar]
    return list(matrices)


def _trace(a: flint.arb_mat) -> flint.arb:
    """tr AᵀA = ‖A‖_F²."""
    return (a.transpose() * a).trace()


def _power_sum(a: flint.arb_mat) -> flint.arb:
    """tr (AᵀA)^16."""
    gram = a.transpose() * a
    for _ in range(4):
        gram = gram * gram
    return gram.trace().nonnegative_part()


def _guess(a: flint.arb_mat) -> float:
    """The norm in floating point: which matrix to look at first."""
    values = floats(a)
    return float(np.linalg.norm(values, 2)) if np.isfinite(values).all() else float("inf")


def certainly_at_least(matrices: Sequence[flint.arb_mat], bar: flint.arb) -> bool:
    """True if one of the matrices is seen to have a norm of at least `bar`."""
    best = max(matrices, key=_guess)
    values = floats(best)
    if not np.isfinite(values).all():
        return False
    return bool(_stretch(best, np.linalg.svd(values)[2][0]) >= bar)


def deficiency(rows: Square) -> flint.fmpq_mat:
    """I - AᵀA, exactly."""
    n = len(rows)
    exact = rational_matrix(rows)
    one = flint.fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    return one - exact.transpose() * exact


def is_contraction(rows: Square) -> bool:
    """True if ‖A‖₂ ≤ 1, exactly: balls, and I - AᵀA positive semidefinite where they meet 1."""
    size = spectral_norm(matrix(rows))
    if size.overlaps(flint.arb(1)):
        return positive_semidefinite(deficiency(rows))
    return bool(size < 1)


def reaches_one(rows: Square) -> bool:
    """True if ‖A‖₂ ≥ 1, exactly: balls, and I - AᵀA not positive definite where they meet 1."""
    size = spectral_norm(matrix(rows))
    if not size.overlaps(flint.arb(1)):
        return bool(size > 1)
    rest = deficiency(rows)
    return not positive_semidefinite(rest) or rest.rank() < len(rows)


def positive_semidefinite(symmetric: flint.fmpq_mat) -> bool:
    """True if a symmetric rational matrix is positive semidefinite, by elimination."""
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
