"""Derivatives of activations as the re-checker encloses them, beside power series with balls."""

from fractions import Fraction
from math import factorial

import flint
import pytest

from verify.recheck.kernel.activation import DERIVATIVES, product_error, sigmoid

POINTS = [Fraction(p, 4) for p in (-9, -4, -1, 0, 1, 3, 8)]


@pytest.fixture(autouse=True)
def digits():
    with flint.ctx.workprec(600):
        yield


def ball(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def series(name: str, x: Fraction) -> flint.arb_series:
    """The activation around x, up to the fourth power."""
    t = flint.arb_series([ball(x), 1], prec=6)
    one = flint.arb_series([1], prec=6)
    logistic = one / (one + (-t).exp())
    if name == "gelu":
        return t * (one + (t / flint.arb(2).sqrt()).erf()) / 2
    twice = one / (one + (-2 * t).exp())
    known = {
        "sigmoid": logistic, "tanh": 2 * twice - one, "softplus": (one + t.exp()).log(),
        "silu": t * logistic,
    }  # fmt: skip
    return known[name]


def derivative(name: str, x: Fraction, order: int) -> flint.arb:
    return series(name, x)[order] * factorial(order)


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("name", DERIVATIVES)
def test_a_derivative_at_a_point_lies_within_narrow_bounds(name, order):
    for x in POINTS:
        low, high = DERIVATIVES[name]((x, x), order)
        value = derivative(name, x, order)
        assert ball(low) <= value.upper() and ball(high) >= value.lower(), (name, x)
        assert 0 <= high - low <= Fraction(1, 1 << 200)


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("name", DERIVATIVES)
def test_a_derivative_over_an_interval_covers_all_its_points(name, order):
    for start, stop in ((-2, -1), (-1, 1), (0, 2)):
        low, high = DERIVATIVES[name]((Fraction(start), Fraction(stop)), order)
        for k in range(9):
            value = derivative(name, start + Fraction(k * (stop - start), 8), order)
            assert ball(low) <= value.upper() and ball(high) >= value.lower()


def test_the_sigmoid_increases_from_end_to_end():
    low, high = sigmoid((Fraction(-1), Fraction(2)))
    assert sigmoid((Fraction(-1),) * 2)[0] == low and sigmoid((Fraction(2),) * 2)[1] == high


@pytest.mark.parametrize("other", [None, Fraction(3)])
@pytest.mark.parametrize("name", DERIVATIVES)
def test_the_error_of_a_product_covers_what_four_units_do(name, other):
    """σ(b+h(x+y)) + σ(b-h(x+y)) - σ(b+h(x-y)) - σ(b-h(x-y)) over 4h²σ'', beside xy."""
    point, step, radius = Fraction(1, 2), Fraction(1, 16), Fraction(1)
    largest = int(other or radius)
    middle = derivative(name, point, 2)
    exact = (1 / (4 * ball(step) ** 2 * middle)).mid()
    scale = Fraction(int(flint.arb(exact * 2**60).floor().unique_fmpz()), 2**60)
    bound = product_error(name, point, step, scale, radius, other=other)
    worst = flint.arb(0)
    for x in (-1, 0, 1):
        for y in (-largest, largest):
            ends = [(1, x + y), (1, -x - y), (-1, x - y), (-1, y - x)]
            total = sum((s * derivative(name, point + step * u, 0) for s, u in ends), flint.arb(0))
            worst = max(worst, abs(total * ball(scale) - x * y), key=lambda e: float(e.mid()))
    assert worst.upper() <= ball(bound)
    assert ball(bound) <= 64 * worst + ball(Fraction(1, 10**9)), "the bound says something"


def test_bounds_on_an_interval_are_not_wider_than_its_terms_make_them():
    """s'' = s (1 - s)(1 - 2s) on [0, 1/4], where s, 1 - s and 1 - 2s have one sign each."""
    low, high = DERIVATIVES["sigmoid"]((Fraction(0), Fraction(1, 4)), 2)
    assert -Fraction(1, 5) < low < 0 < high < Fraction(1, 5)
    ends = DERIVATIVES["gelu"]((Fraction(1), Fraction(2)), 2)
    assert Fraction(-3, 4) < ends[0] < 0 < ends[1] < Fraction(3, 4)
