"""Norms of matrices whose singular values are known by hand."""

from fractions import Fraction
from random import Random

import flint
import numpy as np
import pytest
from balls_support import precision_fixture

from verify.bounds import norms

working = precision_fixture(128)


TURN = [[2, -1, 2], [2, 2, -1], [-1, 2, 2]]  # three times an orthogonal matrix


def is_near(found: flint.arb, wanted, bits: int = 40) -> bool:
    return bool(abs(found - wanted) <= (abs(flint.arb(wanted)) + 1) / flint.arb(2) ** bits)


def diagonal(*values) -> flint.arb_mat:
    n = len(values)
    return flint.arb_mat(n, n, [values[i] if i == j else 0 for i in range(n) for j in range(n)])


def wide_matrix(n: int, value=1) -> flint.arb_mat:
    """A matrix of equal entries, of norm n · value."""
    return flint.arb_mat(n, n, [value] * (n * n))


@pytest.mark.parametrize(
    ("rows", "square"),
    [
        ([[-7]], 49),
        ([[3, 4], [0, 5]], 45),
        ([[0, 2], [0, 0]], 4),
        ([[3, 0], [0, -3]], 9),
        (TURN, 9),
        ([[2, 0, 0], [0, 3, 0], [0, 0, -5]], 25),
        ([[0, 0, 4], [0, 0, 0], [0, 0, 0]], 16),
        ([[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]], 16),
        ([[0, 6, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]], 36),
    ],
)
def test_the_spectral_norm_is_the_largest_singular_value(rows, square):
    for scale in (1, flint.arb(2) ** 300, flint.arb(2) ** -300):
        found = norms.spectral_norm(flint.arb_mat(rows) * scale) / scale
        assert is_near(found * found, square, 25)
        assert found.upper() ** 2 >= square - flint.arb(2) ** -90


def test_the_rough_bound_never_exceeds_the_simple_one_and_copes_with_any_size():
    a = flint.arb_mat([[3, 4], [0, 0]])
    assert is_near(norms.rough_bound(a), 5, 20) and norms.rough_bound(a) <= norms.simple_bound(a)
    huge = a * flint.arb("1e400")
    assert is_near(norms.rough_bound(huge) / flint.arb("1e400"), 5)


@pytest.mark.parametrize("n", [2, 9])
def test_the_largest_norm_of_several_matrices(n):
    matrices = [wide_matrix(n, value) for value in (1, -3, 2)]
    assert is_near(norms.largest_norm(matrices), 3 * n, 25)
    assert is_near(norms.largest_norm([*matrices, matrices[1]]), 3 * n, 25)
    assert is_near(norms.largest_norm(matrices[:1]), n, 25)
    mixed = [norms.identity(n) * 2, wide_matrix(n)]
    assert is_near(norms.largest_norm(mixed), max(2, n), 25)


HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("rows", "at_most", "at_least"),
    [
        (((HALF,),), True, False),
        (((1,),), True, True),
        (((2,),), False, True),
        (((Fraction(3, 2),),), False, True),
        (((0,),), True, False),
        (((0, 1), (1, 0)), True, True),
        (((Fraction(3, 5), Fraction(4, 5)), (Fraction(-4, 5), Fraction(3, 5))), True, True),
        (((HALF, HALF), (HALF, HALF)), True, True),
        (((HALF, 0), (0, HALF)), True, False),
        (((1, Fraction(1, 10**40)), (0, 1)), False, True),
    ],
)
def test_contractions_are_decided_exactly(rows, at_most, at_least):
    assert norms.is_contraction(rows) is at_most
    assert norms.reaches_one(rows) is at_least


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ([[0]], True),
        ([[-1]], False),
        ([[2, 1], [1, 1]], True),
        ([[1, 1], [1, 1]], True),
        ([[1, 2], [2, 1]], False),
        ([[0, 1], [1, 5]], False),
        ([[0, 0], [0, 3]], True),
        ([[1, 1, 1], [1, 1, 1], [1, 1, 0]], False),
        ([[4, 2, 0], [2, 2, 1], [0, 1, 1]], True),
        ([[4, 2, 0], [2, 2, 2], [0, 2, 1]], False),
        ([[0, 0, 0], [0, 0, 1], [0, 1, 9]], False),
    ],
)
def test_positive_semidefinite_matrices_are_told_apart(rows, wanted):
    assert norms.positive_semidefinite(flint.fmpq_mat(rows)) is wanted


BITS = 128


def random_matrix(n: int, seed: int, low: int = -9) -> flint.arb_mat:
    random = Random(seed)
    entries = [flint.fmpq(random.randint(low, 9), random.randint(1, 9)) for _ in range(n * n)]
    return flint.arb_mat(flint.fmpq_mat(n, n, entries))


def norm_by_squaring(a: flint.arb_mat) -> flint.arb:
    """‖A‖ from tr (AᵀA)^m with m = 2^14, without floating point."""
    gram, power = a.transpose() * a, flint.arb(0)
    for k in range(14):
        size = gram.trace()
        power += size.log() / 2**k
        gram = gram * (1 / size)
        gram = gram * gram
    low, high = (gram.trace() / a.ncols()).log(), gram.trace().log()
    return ((power + low.union(high) / 2**14) / 2).exp()


@pytest.mark.parametrize("n", [3, 5, 12, 30])
def test_the_enclosure_is_narrow_and_agrees_with_squaring(n: int) -> None:
    with flint.ctx.workprec(BITS):
        for seed in range(3):
            a = random_matrix(n, seed)
            found = norms.spectral_norm(a)
            assert found.overlaps(norm_by_squaring(a))
            assert found.rel_accuracy_bits() > 30


DIAGONALS = ((1, 1, 1), (1, 1, 0), (1, 0, 0), (3, 2, 1), (2, 2, 1), (2, 1, 1), (3, 3, 2))


@pytest.mark.parametrize("values", DIAGONALS)
@pytest.mark.parametrize("scale", ["1", "1e-700", "1e700"])
def test_three_states_have_a_formula_that_holds_for_double_values_too(values, scale) -> None:
    """Singular values that coincide leave at least half of the digits, turned or not."""
    with flint.ctx.workprec(BITS):
        turn = flint.arb_mat([[2, -1, 2], [2, 2, -1], [-1, 2, 2]]) * (1 / flint.arb(3))
        size = flint.arb(scale)
        diagonal = flint.arb_mat(3, 3, [0] * 9)
        for i, value in enumerate(values):
            diagonal[i, i] = value * size
        for a in (diagonal, turn * diagonal, turn * diagonal * turn.transpose()):
            found = norms.spectral_norm(a)
            assert found.overlaps(max(values) * size)
            assert found.rel_accuracy_bits() > norms.ENOUGH / 2 - 8


@pytest.mark.parametrize("n", [1, 2, 3, 9, 20])
def test_the_rough_bound_is_above_and_close_without_negative_entries(n: int) -> None:
    with flint.ctx.workprec(BITS):
        for low in (-9, 0):
            a = random_matrix(n, n, low)
            rough, true = norms.rough_bound(a), norms.spectral_norm(a)
            assert rough >= true.lower()
            assert low < 0 or rough <= true * flint.arb("1.000001")


def test_what_the_balls_leave_open_is_decided_exactly() -> None:
    turn = ((Fraction(3, 5), Fraction(4, 5), 0), (Fraction(-4, 5), Fraction(3, 5), 0))
    exact = (*turn, (0, 0, Fraction(1, 3)))
    bit = Fraction(1, 10**30)
    smaller = tuple(tuple(w * (1 - bit) for w in row) for row in exact)
    with flint.ctx.workprec(BITS):
        assert norms.is_contraction(exact)
        assert norms.reaches_one(exact)
        assert not norms.is_contraction((*turn, (0, 0, 1 + bit)))
        assert norms.is_contraction(smaller)
        assert not norms.reaches_one(smaller)


def test_the_spectral_norm_of_zero_is_exactly_zero_and_tiny_matrices_keep_their_size():
    with flint.ctx.workprec(128):
        for n in (1, 2, 3):
            zero = flint.arb_mat(n, n, [0] * (n * n))
            assert norms.spectral_norm(zero).is_zero()
            tiny = norms.spectral_norm(norms.identity(n) * flint.arb("1e-700"))
            assert tiny.contains(flint.arb("1e-700")) or abs(tiny / flint.arb("1e-700") - 1) < 0.001


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_norm_of_a_ball_around_zero_is_finite_and_contains_zero(n):
    with flint.ctx.workprec(128):
        found = norms.spectral_norm(flint.arb_mat(n, n, [flint.arb(0, "1e-30")] * (n * n)))
        assert found.is_finite()
        assert found.contains(flint.arb(0))


def test_a_matrix_that_may_be_zero_has_a_norm_from_zero_on():
    hazy = flint.arb_mat(4, 4, [flint.arb(0, "0.001")] * 16)
    found = norms.spectral_norm(hazy)
    assert found.contains(0) and found.contains(flint.arb("0.004")) and found < flint.arb("0.005")


@pytest.mark.parametrize("scale", [1, 16, Fraction(1, 16)])
def test_the_rough_bound_is_that_of_a_vector_after_24_steps(scale):
    """max (AᵀAv)_i/v_i; A has singular values so near to one another that the steps do not end."""
    rows = [[Fraction(64, 64), Fraction(3, 64)], [Fraction(0), Fraction(63, 64)]]
    gram = [[rows[0][i] * rows[0][j] + rows[1][i] * rows[1][j] for j in range(2)] for i in range(2)]
    v = [1.0, 1.0]
    for _ in range(24):
        v = [float(sum(g * x for g, x in zip(line, v, strict=True))) for line in gram]
        v = [x / max(v) for x in v]
    wanted = max(float(sum(g * x for g, x in zip(line, v, strict=True))) / y
                 for line, y in zip(gram, v, strict=True)) ** 0.5  # fmt: skip
    scaled = norms.matrix(tuple(tuple(x * Fraction(scale) for x in row) for row in rows))
    assert float(norms.rough_bound(scaled)) == pytest.approx(wanted * float(scale), rel=1e-12)
    assert wanted < float(norms.simple_bound(norms.matrix(tuple(map(tuple, rows))))) - 1e-4


@pytest.mark.parametrize("size", ["1e-700", "1e700"])
def test_sizes_beyond_the_range_of_floats_are_decomposed(size):
    """Four times the matrix of ones, of norm 4."""
    found = norms.spectral_norm(wide_matrix(4, flint.arb(size)))
    assert is_near(found / flint.arb(size), 4, 25)


@pytest.mark.parametrize(
    "rows", [[[1, 2, 3]], [[1, 0, 0], [0, 2, 0]], [[1, 2, 2], [2, 4, 4], [0, 0, 0], [0, 0, 3]]]
)
def test_matrices_of_three_columns_have_a_norm_whatever_their_rows(rows):
    found = norms.spectral_norm(flint.arb_mat(rows))
    assert abs(float(found) - np.linalg.norm(np.array(rows, dtype=float), 2)) < 1e-9
