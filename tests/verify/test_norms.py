"""Norms of one matrix: what floats propose is only used where balls confirm it."""

from fractions import Fraction
from random import Random

import flint
import numpy as np
import pytest

from verify.bounds import norms

BITS = 128


def drawn(n: int, seed: int, low: int = -9) -> flint.arb_mat:
    random = Random(seed)
    entries = [flint.fmpq(random.randint(low, 9), random.randint(1, 9)) for _ in range(n * n)]
    return flint.arb_mat(flint.fmpq_mat(n, n, entries))


def by_squaring(a: flint.arb_mat) -> flint.arb:
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
            a = drawn(n, seed)
            found = norms.spectral(a)
            assert found.overlaps(by_squaring(a))
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
            found = norms.spectral(a)
            assert found.overlaps(max(values) * size)
            assert found.rel_accuracy_bits() > norms.ENOUGH / 2 - 8


@pytest.mark.parametrize("wrong", [lambda c: (c.acos() / 3).sin(), lambda c: flint.arb(1)])
def test_a_wrong_third_of_the_angle_is_noticed(wrong, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(norms, "_third", wrong)
    with flint.ctx.workprec(BITS):
        assert not norms.spectral(drawn(3, 1)).overlaps(by_squaring(drawn(3, 1)))


@pytest.mark.parametrize("spoil", [0.0, 1e-3, 0.5, 100.0])
def test_a_wrong_decomposition_widens_the_enclosure_and_does_not_spoil_it(
    spoil: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    svd, random = np.linalg.svd, np.random.default_rng(1)

    def wrong(values, *rest, **more):
        u, s, vt = svd(values, *rest, **more)
        return u + spoil * random.normal(size=u.shape), s * (1 - spoil / 2), vt

    with flint.ctx.workprec(BITS):
        a = drawn(6, 3)
        true = by_squaring(a)
        monkeypatch.setattr(np.linalg, "svd", wrong)
        assert norms.spectral(a).overlaps(true)


@pytest.mark.parametrize(("part", "u", "s"), [("frobenius", 1.0, 0.5), ("_skew", 2.0, 0.5)])
def test_a_bound_without_one_of_its_terms_is_noticed(
    part: str, u: float, s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the rest E, or without ‖UᵀU - I‖, a wrong decomposition gives a wrong bound."""
    left, values, right = np.linalg.svd(norms.floats(drawn(6, 3)))
    monkeypatch.setattr(np.linalg, "svd", lambda _: (u * left, s * values, right))
    with flint.ctx.workprec(BITS):
        a = drawn(6, 3)
        true = by_squaring(a)
        assert norms._decomposed(a).overlaps(true)
        monkeypatch.setattr(norms, part, lambda _: flint.arb(part == "_skew"))
        monkeypatch.setattr(norms, "_stretch", lambda a, v: flint.arb(0))
        assert norms._decomposed(a) < true


@pytest.mark.parametrize("n", [1, 2, 3, 9, 20])
def test_the_rough_bound_is_above_and_close_without_negative_entries(n: int) -> None:
    with flint.ctx.workprec(BITS):
        for low in (-9, 0):
            a = drawn(n, n, low)
            rough, true = norms.rough(a), norms.spectral(a)
            assert rough >= true.lower()
            assert low < 0 or rough <= true * flint.arb("1.000001")


@pytest.mark.parametrize("n", [3, 12])
def test_the_largest_norm_of_many_is_that_of_the_largest(n: int) -> None:
    with flint.ctx.workprec(BITS):
        matrices = [drawn(n, seed) * flint.arb(1 + seed % 3) for seed in range(9)]
        every = norms.largest(norms.spectral(a) for a in matrices)
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
    matrices = [drawn(norms.SMALL + 1, seed) for seed in range(4)]
    with flint.ctx.workprec(BITS):
        sizes = [norms.spectral(a) for a in matrices]
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
