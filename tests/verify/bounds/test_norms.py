"""Norms of matrices whose singular values are known by hand."""

from fractions import Fraction

import flint
import numpy as np
import pytest

from verify.bounds import norms

TURN = [[2, -1, 2], [2, 2, -1], [-1, 2, 2]]  # three times an orthogonal matrix


@pytest.fixture(autouse=True)
def digits():
    with flint.ctx.workprec(128):
        yield


def near(found: flint.arb, wanted, bits: int = 40) -> bool:
    return bool(abs(found - wanted) <= (abs(flint.arb(wanted)) + 1) / flint.arb(2) ** bits)


def diagonal(*values) -> flint.arb_mat:
    n = len(values)
    return flint.arb_mat(n, n, [values[i] if i == j else 0 for i in range(n) for j in range(n)])


def wide(n: int, value=1) -> flint.arb_mat:
    """A matrix of equal entries, of norm n · value."""
    return flint.arb_mat(n, n, [value] * (n * n))


def test_simple_matrices_and_their_entries():
    assert norms.identity(2).tolist() == [[1, 0], [0, 1]]
    assert norms.mapped(flint.arb_mat([[-1, 2]]), abs).tolist() == [[1, 2]]
    assert norms.matrix(((1, Fraction(1, 2)),)).tolist() == [[1, flint.arb("0.5")]]
    assert norms.largest([flint.arb(1), flint.arb(3), flint.arb(2)]) == 3
    assert norms.largest([]) == 0


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 12])
def test_sums_of_squares_and_the_frobenius_norm(n):
    assert norms.square_sum(wide(n, 3)) == 9 * n * n
    assert near(norms.frobenius(wide(n, -3)), 3 * n, 60)


def test_the_simple_bound_is_the_lesser_of_frobenius_and_the_sums():
    """(3 4; 0 0): Frobenius 5, row sum 7, column sum 4; the identity of size 4: 2 against 1."""
    assert near(norms.simple(flint.arb_mat([[3, 4], [0, 0]])), 5)
    assert near(norms.simple(norms.identity(4)), 1)
    assert near(norms.simple(flint.arb_mat([[1, -1], [1, 1]])), 2)
    assert near(norms.simple(flint.arb_mat([[1, 0, 0], [0, -1, 0], [0, 0, 1]])), 1)


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
        found = norms.spectral(flint.arb_mat(rows) * scale) / scale
        assert near(found * found, square, 25)
        assert found.upper() ** 2 >= square - flint.arb(2) ** -90


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_norm_of_zero_is_zero(n):
    assert norms.spectral(wide(n, 0)).is_zero()


@pytest.mark.parametrize(
    ("cosine", "third"), [("1", "1"), ("-1", "0.5"), ("2", "1"), ("-2", "0.5")]
)
def test_a_third_of_an_angle_keeps_within_its_range(cosine, third):
    assert near(norms._third(flint.arb(cosine)), flint.arb(third))
    assert near(norms._third(flint.arb(0)), flint.arb(3).sqrt() / 2)


def test_a_decomposition_that_does_not_converge_leaves_the_frobenius_norm(monkeypatch):
    def fails(*_):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(np.linalg, "svd", fails)
    found = norms.spectral(norms.identity(4))
    assert found.lower() <= 1 and near(found.upper(), 2, 25) and near(found.lower(), 1, 25)


def test_a_stretched_vector_is_a_lower_bound():
    a = diagonal(1, 2, 3, 4)
    assert near(norms._stretch(a, np.array([0.0, 0, 0, 2])), 4)
    assert norms._stretch(a, np.zeros(4)).is_zero()
    assert near(norms._skew(a), 1 + flint.arb(0 + 9 + 64 + 225).sqrt())


@pytest.mark.parametrize("n", [1, 3, 10])
def test_the_rough_bound_of_equal_entries_is_their_norm(n):
    assert near(norms.rough(wide(n, 2)), 2 * n, 30)
    assert norms.rough(wide(n, 0)).is_zero()


def test_the_rough_bound_never_exceeds_the_simple_one_and_copes_with_any_size():
    a = flint.arb_mat([[3, 4], [0, 0]])
    assert near(norms.rough(a), 5, 20) and norms.rough(a) <= norms.simple(a)
    huge = a * flint.arb("1e400")
    assert near(norms.rough(huge) / flint.arb("1e400"), 5)


@pytest.mark.parametrize("n", [2, 9])
def test_the_largest_norm_of_several_matrices(n):
    matrices = [wide(n, value) for value in (1, -3, 2)]
    assert near(norms.largest_norm(matrices), 3 * n, 25)
    assert near(norms.largest_norm([*matrices, matrices[1]]), 3 * n, 25)
    assert near(norms.largest_norm(matrices[:1]), n, 25)
    mixed = [norms.identity(n) * 2, wide(n)]
    assert near(norms.largest_norm(mixed), max(2, n), 25)


def test_contenders_are_those_that_the_sums_do_not_rule_out():
    """tr AᵀA: 4 and 9 of which half is 4.5, so the first is out; then 3^32 against 2.9^32."""
    small, large, close = diagonal(2, 0), diagonal(3, 0), diagonal(flint.arb("2.99"), 0)
    assert norms._contenders([small, large]) == [large]
    assert norms._contenders([small, large, close]) == [large, close]
    assert norms._contenders([diagonal(flint.arb("2.9"), 0), large]) == [large]
    assert norms._power_sum(diagonal(2, 1)) == 2**32 + 1


def test_a_norm_that_is_seen_to_reach_a_bar():
    matrices = [diagonal(1, 2, 3, 4), diagonal(1, 1, 1, 7)]
    assert norms.certainly_at_least(matrices, flint.arb("6.999"))
    assert not norms.certainly_at_least(matrices, flint.arb("7.001"))
    assert not norms.certainly_at_least([diagonal(flint.arb("1e400"), 1)], flint.arb(1))
    assert norms._guess(diagonal(flint.arb("1e400"), 1)) == float("inf")


HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("rows", "at_most", "at_least"),
    [
        (((HALF,),), True, False),
        (((1,),), True, True),
        (((2,),), False, True),
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


def test_the_deficiency_is_one_minus_the_gram_matrix():
    found = norms.deficiency(((1, 2), (0, 3)))
    assert found == flint.fmpq_mat([[0, -2], [-2, -12]])


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
