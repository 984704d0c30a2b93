"""The re-checker's own arithmetic encloses what flint computes with more digits."""

from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.bounds.norms import spectral_norm
from verify.experiments import statistics as engine
from verify.recheck.errors import Refused
from verify.recheck.kernel import interval
from verify.recheck.kernel import statistics as kernel
from verify.recheck.kernel.soft import spectral
from verify.recheck.kernel.tree import automaton
from verify.recheck.kinds.budget import Recursion, largest_states
from verify.recheck.kinds.tree_heads import eliminated

few = settings(max_examples=40, deadline=None)


def ball(value):
    return flint.arb(flint.fmpq(*Fraction(value).as_integer_ratio()))


def encloses(ends, value, width):
    """The two ends are not beyond the ball, and no farther apart than `width`."""
    low, high = ends
    assert low <= high and high - low <= width
    assert not value < ball(low) and not value > ball(high)


@few
@given(st.lists(st.integers(-(10**9), 10**9), min_size=9, max_size=9), st.integers(0, 20))
def test_norms_of_three_rows(entries, radius):
    low, high = spectral([(2**20 * x - radius, 2**20 * x + radius) for x in entries])
    with flint.ctx.workprec(200):
        norm = 2**20 * spectral_norm(flint.arb_mat(3, 3, entries))
        assert flint.arb(low) <= norm.upper() and norm.lower() <= flint.arb(high)
    assert high - low <= 12 * radius + 8 + high // 2**30


@pytest.mark.parametrize(
    "matrix", [np.eye(3), np.diag([5, 5, 1]), np.ones((3, 3)), np.zeros((3, 3))]
)
def test_norms_with_equal_roots(matrix):
    low, high = spectral([(int(x) << 60, int(x) << 60) for x in matrix.flat])
    norm = round(float(np.linalg.norm(matrix, 2))) << 60
    assert low <= norm <= high and high - low < 1 << 32


@few
@given(
    st.fractions(Fraction(1, 10**30), 10**30)
    | st.tuples(st.sampled_from([-1, 1]), st.integers(2, 120)).map(
        lambda near: 1 + Fraction(near[0], 3 ** near[1])
    ),
    st.sampled_from([80, 128]),
)
def test_logarithms(x, bits):
    with flint.ctx.workprec(300):
        encloses(interval.log(x, bits), ball(x).log(), Fraction(1, 1 << (bits - 20)))


@few
@given(st.fractions(0, 9, max_denominator=9), st.integers(2, 50), st.integers(2, 50),
       st.fractions(Fraction(1, 9), 9, max_denominator=9))  # fmt: skip
def test_p_values(apart, first, second, variance):
    """Welch's test by the incomplete beta function of flint, and by the program's own engine."""
    one, other = (apart, variance), (Fraction(0), Fraction(2))
    try:
        found = kernel.p_value(one, other, (first, second))
    except Refused as error:  # means too near for the series
        assert "too many terms" in str(error) and apart < 1
        return
    v, w = one[1] / first, other[1] / second
    freedom = (v + w) ** 2 / (v * v / (first - 1) + w * w / (second - 1))
    x = freedom / (freedom + one[0] ** 2 / (v + w))
    with flint.ctx.workprec(400):
        value = ball(x).beta_lower(ball(freedom / 2), flint.arb(1) / 2, True)
        encloses(found, value, Fraction(1, 10**9))
    groups = engine.Group(*one, first), engine.Group(*other, second)
    assert abs(engine.welch(*groups) - ball(found[0])) < 1e-9


@given(st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=5))
def test_ranks_of_matrices(rows):
    found = eliminated([list(map(Fraction, row)) for row in rows])
    assert found == flint.fmpz_mat(rows).rank()


def test_what_attention_gives_away_grows_with_the_error_of_scores():
    """λ = (R - 1) e^(-C) without errors; a move of half the gap or more is refused."""
    body = {"tokens": 7, "saturation": 3, "sizes": [11, 13], "embedded": [2, 3],
            "renewed": [], "smooth": {"bits": 1, "scale": 1}}  # fmt: skip
    recursion, one = Recursion(body), [(0, 0, Fraction(1))]
    lost = [
        recursion.leak(one, [(1, 0, Fraction(1))], [Fraction(0), Fraction(k, 100)])
        for k in (0, 1, 9)
    ]
    with flint.ctx.workprec(400):
        assert 1 <= ball(lost[0]) / (6 * flint.arb(-3).exp()) < 1 + flint.arb(2) ** -40
    assert lost[0] < lost[1] < lost[2]
    with pytest.raises(Refused, match="half their gap"):
        recursion.leak(one, [(1, 0, Fraction(1))], [Fraction(0), Fraction(1, 4)])


def test_the_largest_states_grow_with_the_leaves_up_to_what_their_sums_allow():
    """T_1jk = 2, T_2jk = 3 if j = k; leaves (1, 2) and (3, 1), of which (3, 2) is the largest."""
    machine = automaton([[[2, 2], [2, 2]], [[3, 0], [0, 3]]], {"a": [1, 2], "b": [3, 1]})
    # entries 2 (3 + 2)² = 50 and 3 (9 + 4) = 39; sums of a state at most 5 · 4 · 4 = 80
    assert [largest_states(machine, k) for k in (1, 2, 3)] == [[3, 2], [50, 39], [890, 684]]
