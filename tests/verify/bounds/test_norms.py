"""Norms of matrices whose singular values are known by hand."""

from fractions import Fraction
from random import Random

import flint
import numpy as np
import pytest
from balls_support import precision_fixture

from constructions.automata.named import automaton_by_name
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


def test_simple_matrices_and_their_entries():
    assert norms.identity(2).tolist() == [[1, 0], [0, 1]]
    assert norms.map_entries(flint.arb_mat([[-1, 2]]), abs).tolist() == [[1, 2]]
    assert norms.matrix(((1, Fraction(1, 2)),)).tolist() == [[1, flint.arb("0.5")]]
    assert norms.largest([flint.arb(1), flint.arb(3), flint.arb(2)]) == 3
    assert norms.largest([]) == 0


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 12])
def test_sums_of_squares_and_the_frobenius_norm(n):
    assert norms.square_sum(wide_matrix(n, 3)) == 9 * n * n
    assert is_near(norms.frobenius_norm(wide_matrix(n, -3)), 3 * n, 60)


def test_the_simple_bound_is_the_lesser_of_frobenius_and_the_sums():
    """(3 4; 0 0): Frobenius 5, row sum 7, column sum 4; the identity of size 4: 2 against 1."""
    assert is_near(norms.simple_bound(flint.arb_mat([[3, 4], [0, 0]])), 5)
    assert is_near(norms.simple_bound(norms.identity(4)), 1)
    assert is_near(norms.simple_bound(flint.arb_mat([[1, -1], [1, 1]])), 2)
    assert is_near(norms.simple_bound(flint.arb_mat([[1, 0, 0], [0, -1, 0], [0, 0, 1]])), 1)


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


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_norm_of_zero_is_zero(n):
    assert norms.spectral_norm(wide_matrix(n, 0)).is_zero()


@pytest.mark.parametrize(
    ("cosine", "third"), [("1", "1"), ("-1", "0.5"), ("2", "1"), ("-2", "0.5")]
)
def test_a_third_of_an_angle_keeps_within_its_range(cosine, third):
    assert is_near(norms._third(flint.arb(cosine)), flint.arb(third))
    assert is_near(norms._third(flint.arb(0)), flint.arb(3).sqrt() / 2)


def test_a_decomposition_that_does_not_converge_leaves_the_frobenius_norm(monkeypatch):
    def fails(*_):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(np.linalg, "svd", fails)
    found = norms.spectral_norm(norms.identity(4))
    assert found.lower() <= 1 and is_near(found.upper(), 2, 25) and is_near(found.lower(), 1, 25)


def test_a_stretched_vector_is_a_lower_bound():
    a = diagonal(1, 2, 3, 4)
    assert is_near(norms._stretch(a, np.array([0.0, 0, 0, 2])), 4)
    assert norms._stretch(a, np.zeros(4)).is_zero()
    assert is_near(norms._skew(a), 1 + flint.arb(0 + 9 + 64 + 225).sqrt())


@pytest.mark.parametrize("n", [1, 3, 10])
def test_the_rough_bound_of_equal_entries_is_their_norm(n):
    assert is_near(norms.rough_bound(wide_matrix(n, 2)), 2 * n, 30)
    assert norms.rough_bound(wide_matrix(n, 0)).is_zero()


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


@pytest.mark.parametrize("wrong", [lambda c: (c.acos() / 3).sin(), lambda c: flint.arb(1)])
def test_a_wrong_third_of_the_angle_is_noticed(wrong, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(norms, "_third", wrong)
    with flint.ctx.workprec(BITS):
        assert not norms.spectral_norm(random_matrix(3, 1)).overlaps(
            norm_by_squaring(random_matrix(3, 1))
        )


@pytest.mark.parametrize("spoil", [0.0, 1e-3, 0.5, 100.0])
def test_a_wrong_decomposition_widens_the_enclosure_and_does_not_spoil_it(
    spoil: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    svd, random = np.linalg.svd, np.random.default_rng(1)

    def wrong(values, *rest, **more):
        u, s, vt = svd(values, *rest, **more)
        return u + spoil * random.normal(size=u.shape), s * (1 - spoil / 2), vt

    with flint.ctx.workprec(BITS):
        a = random_matrix(6, 3)
        true = norm_by_squaring(a)
        monkeypatch.setattr(np.linalg, "svd", wrong)
        assert norms.spectral_norm(a).overlaps(true)


@pytest.mark.parametrize(("part", "u", "s"), [("frobenius_norm", 1.0, 0.5), ("_skew", 2.0, 0.5)])
def test_a_bound_without_one_of_its_terms_is_noticed(
    part: str, u: float, s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the rest E, or without ‖UᵀU - I‖, a wrong decomposition gives a wrong bound."""
    left, values, right = np.linalg.svd(norms.floats(random_matrix(6, 3)))
    monkeypatch.setattr(np.linalg, "svd", lambda _: (u * left, s * values, right))
    with flint.ctx.workprec(BITS):
        a = random_matrix(6, 3)
        true = norm_by_squaring(a)
        assert norms._norm_by_decomposition(a).overlaps(true)
        monkeypatch.setattr(norms, part, lambda _: flint.arb(part == "_skew"))
        monkeypatch.setattr(norms, "_stretch", lambda a, v: flint.arb(0))
        assert norms._norm_by_decomposition(a) < true


@pytest.mark.parametrize("n", [1, 2, 3, 9, 20])
def test_the_rough_bound_is_above_and_close_without_negative_entries(n: int) -> None:
    with flint.ctx.workprec(BITS):
        for low in (-9, 0):
            a = random_matrix(n, n, low)
            rough, true = norms.rough_bound(a), norms.spectral_norm(a)
            assert rough >= true.lower()
            assert low < 0 or rough <= true * flint.arb("1.000001")


@pytest.mark.parametrize("n", [3, 12])
def test_the_largest_norm_of_many_is_that_of_the_largest(n: int) -> None:
    with flint.ctx.workprec(BITS):
        matrices = [random_matrix(n, seed) * flint.arb(1 + seed % 3) for seed in range(9)]
        every = norms.largest(norms.spectral_norm(a) for a in matrices)
        assert norms.largest_norm(matrices).overlaps(every)
        assert norms.certainly_at_least(matrices, every.lower() * flint.arb("0.99"))
        assert not norms.certainly_at_least(matrices, every.upper() * flint.arb("1.01"))


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


@pytest.mark.parametrize("power", [-3000, -41, -1, 0, 1, 7, 2000])
@pytest.mark.parametrize("factor", [1, 3, 5, 1023])
def test_the_exponent_of_a_number_is_that_of_a_power_of_two_near_it(power, factor):
    size = flint.arb(factor) * flint.arb(2) ** power
    near = flint.arb(2) ** norms._exponent(size)
    assert size <= near <= 2 * size


def test_the_largest_norm_is_found_wherever_a_first_guess_puts_it(monkeypatch):
    """The guess only says where to begin: with any guess the largest of all norms comes out."""
    matrices = [random_matrix(norms.SMALL + 1, seed) for seed in range(4)]
    with flint.ctx.workprec(BITS):
        sizes = [norms.spectral_norm(a) for a in matrices]
        for turn in range(4):
            guesses = {id(a): (k + turn) % 4 for k, a in enumerate(matrices)}
            monkeypatch.setattr(norms, "_guess", lambda a, known=guesses: known[id(a)])
            found = norms.largest_norm(matrices)
            assert all(not size > found for size in sizes)
            assert any(size.overlaps(found) for size in sizes)


def test_the_sum_of_powers_separates_norms_that_the_sum_of_squares_does_not():
    """tr (AᵀA)^16 adds the 32nd powers of the singular values: 2^32 + 1, against 3^32 / 2^16 twice."""
    with flint.ctx.workprec(BITS):
        tall, even = flint.arb_mat([[2, 0], [0, 1]]), flint.arb_mat([[0, 1], [-1, 0]])
        assert norms._power_sum(tall) == 2**32 + 1
        assert norms._power_sum(even * flint.arb("1.5")) < norms._power_sum(tall) / 2
        assert norms._contenders([tall, even * flint.arb("1.5")]) == [tall]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_spectral_norms_agree_with_numpy(n):
    random = np.random.default_rng(n)
    for _ in range(5):
        entries = random.integers(-9, 10, (n, n))
        rows = tuple(tuple(Fraction(int(x)) for x in line) for line in entries)
        with flint.ctx.workprec(128):
            found = norms.spectral_norm(norms.matrix(rows))
        assert abs(float(found.mid()) - np.linalg.norm(entries, 2)) < 1e-3
        assert found.upper() >= flint.arb(float(np.linalg.norm(entries, 2)) * (1 - 1e-12))


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


def test_the_largest_norm_is_the_largest_of_the_norms():
    with flint.ctx.workprec(128):
        matrices = [
            norms.matrix(rows) for rows in automaton_by_name("random:3:5").transitions.values()
        ]
        matrices += [a * a for a in matrices] + [norms.identity(3)]
        every = norms.largest(norms.spectral_norm(a) for a in matrices)
        assert norms.largest_norm(matrices).overlaps(every)


def test_a_proposed_decomposition_bounds_by_its_values_its_skew_and_the_rest(monkeypatch):
    """U = 2, S = (3, 1, 1, 1), V a permutation: USVᵀ misses A = 5 V by E, ‖E‖_F² = 1 + 3 · 9."""
    turned = np.eye(4)[[1, 2, 3, 0]]
    monkeypatch.setattr(
        np.linalg, "svd", lambda _: (2 * np.eye(4), np.array([3.0, 1, 1, 1]), turned)
    )
    found = norms._norm_by_decomposition(flint.arb_mat((5 * turned).tolist()))
    high = 3 * (1 + flint.arb(4 * 9).sqrt()).sqrt() + flint.arb(1 + 3 * 9).sqrt()
    assert is_near(found.upper(), high, 25) and is_near(found.lower(), 5, 25)


def test_three_eigenvalues_that_balls_do_not_tell_apart_are_all_enclosed():
    """Around 5: one in every entry gives the eigenvalue 8, and no other matrix less than 4 at the top."""
    gram = flint.arb_mat(3, 3, [flint.arb(5 * (i == j), 1) for i in range(3) for j in range(3)])
    found = norms._largest_of_three(gram, gram.trace())
    assert found.contains(8) and found.contains(4) and not found.contains(3)
    assert found.upper() < 6 + 2 * flint.arb(9).sqrt() / flint.arb(6).sqrt() + flint.arb("1.7")


def test_a_matrix_that_may_be_zero_has_a_norm_from_zero_on():
    hazy = flint.arb_mat(4, 4, [flint.arb(0, "0.001")] * 16)
    found = norms.spectral_norm(hazy)
    assert found.contains(0) and found.contains(flint.arb("0.004")) and found < flint.arb("0.005")


def working_digits(monkeypatch, name, ask):
    """The binary digits with which a part of a computation works, where more are at hand, or fewer."""
    seen, part = [], getattr(norms, name)
    monkeypatch.setattr(norms, name, lambda *given: seen.append(flint.ctx.prec) or part(*given))
    for bits in (300, 53):
        with flint.ctx.workprec(bits):
            ask()
    monkeypatch.undo()
    return seen[0], seen[-1]


@pytest.mark.parametrize(("name", "n", "bits"), [
    ("_largest_of_three", 3, 96), ("_norm_by_decomposition", 4, 96), ("_larger_root", 2, 300),
])  # fmt: skip
def test_norms_of_more_than_two_states_take_so_many_digits(name, n, bits, monkeypatch):
    ask = lambda: norms.spectral_norm(random_matrix(n, 1))  # noqa: E731
    assert working_digits(monkeypatch, name, ask) == (bits, 53)


def test_the_largest_of_many_norms_is_looked_for_with_few_digits(monkeypatch):
    small = lambda: norms.largest_norm([random_matrix(3, seed) for seed in range(2)])  # noqa: E731
    large = lambda: norms.largest_norm([random_matrix(9, seed) for seed in range(2)])  # noqa: E731
    assert working_digits(monkeypatch, "_power_sum", small) == (64, 53)
    assert working_digits(monkeypatch, "rough_bound", large) == (96, 53)


def test_a_norm_that_a_rough_bound_settles_is_not_computed(monkeypatch):
    asked, spectral = [], norms.spectral_norm
    monkeypatch.setattr(norms, "spectral_norm", lambda a: asked.append(a) or spectral(a))
    matrices = [wide_matrix(9, value) for value in (1, -3, 2)]
    assert is_near(norms.largest_norm(matrices), 27, 25)
    assert len(asked) == 1 and asked[0] is matrices[1]


def test_the_first_guess_is_the_norm_in_floats():
    """(3 4; 0 0) has the norm 5; its largest column sum is 4."""
    assert norms._guess(flint.arb_mat([[3, 4], [0, 0]])) == pytest.approx(5)


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


def test_the_rough_bound_of_a_matrix_with_an_empty_column_is_its_norm():
    assert is_near(norms.rough_bound(flint.arb_mat([[1, 0], [2, 0]])), flint.arb(5).sqrt(), 30)


@pytest.mark.parametrize(("n", "calls"), [(1, 1), (7, 1), (8, 1), (9, 0), (12, 0)])
def test_squares_of_small_matrices_are_summed_in_one_call(n, calls, monkeypatch):
    asked, trace = [], norms._trace
    monkeypatch.setattr(norms, "_trace", lambda a: asked.append(a) or trace(a))
    assert norms.square_sum(wide_matrix(n, 3)) == 9 * n * n and len(asked) == calls


@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_states_have_as_many_digits_as_there_are(n):
    with flint.ctx.workprec(300):
        assert norms.spectral_norm(norms.identity(n) * (1 / flint.arb(3))).rel_accuracy_bits() > 290


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


@pytest.mark.parametrize(("n", "calls"), [(7, 1), (8, 1), (9, 0)])
def test_of_small_matrices_contenders_are_chosen_first(n, calls, monkeypatch):
    asked, contenders = [], norms._contenders
    monkeypatch.setattr(norms, "_contenders", lambda a: asked.append(a) or contenders(a))
    assert is_near(norms.largest_norm([wide_matrix(n, 2), wide_matrix(n, 3)]), 3 * n, 25)
    assert len(asked) == calls


def test_the_rough_bound_of_one_row_is_its_length():
    assert is_near(norms.rough_bound(flint.arb_mat([[1, 2, 2]])), 3, 30)
