"""Second and fourth derivatives of smooth activations, enclosed by rationals.

The derivatives of sigmoid, tanh, softplus, SiLU and GELU are polynomials of s = sigmoid(x), of x
and of the normal density, so that bounds for exp, π and roots are enough.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from verify.recheck.kernel import interval

Interval = tuple[Fraction, Fraction]
BITS = 256


def _add(one: Interval, other: Interval) -> Interval:
    return one[0] + other[0], one[1] + other[1]


def _times(a: Interval, b: Interval) -> Interval:
    ends = [x * y for x in a for y in b]
    return interval.down(min(ends), BITS), interval.up(max(ends), BITS)


def _scaled(factor: int, a: Interval) -> Interval:
    """The multiple of an interval by a factor that is not negative."""
    return factor * a[0], factor * a[1]


def _polynomial(coefficients: tuple[int, ...], x: Interval) -> Interval:
    """Σ c_k x^k by Horner's rule."""
    total: Interval = (Fraction(0), Fraction(0))
    for c in reversed(coefficients):
        total = _add(_times(total, x), (Fraction(c), Fraction(c)))
    return total


def sigmoid(x: Interval) -> Interval:
    """1/(1 + exp(-x)), which increases."""
    low, high = interval.exp(-x[0], BITS)[1], interval.exp(-x[1], BITS)[0]
    return interval.down(1 / (1 + low), BITS), interval.up(1 / (1 + high), BITS)


# s^(k) of the sigmoid as polynomials of s, from s' = s - s²
SIGMOID = {
    1: (0, 1, -1),
    2: (0, 1, -3, 2),
    3: (0, 1, -7, 12, -6),
    4: (0, 1, -15, 50, -60, 24),
}


def _sigmoid(x: Interval, order: int) -> Interval:
    return _polynomial(SIGMOID[order], sigmoid(x))


def _tanh(x: Interval, order: int) -> Interval:
    """tanh x = 2 sigmoid(2x) - 1."""
    return _scaled(2 ** (order + 1), _sigmoid(_scaled(2, x), order))


def _softplus(x: Interval, order: int) -> Interval:
    """softplus' is the sigmoid."""
    return _sigmoid(x, order - 1)


def _silu(x: Interval, order: int) -> Interval:
    """(x s)^(k) = x s^(k) + k s^(k-1)."""
    return _add(_times(x, _sigmoid(x, order)), _scaled(order, _sigmoid(x, order - 1)))


# (x Φ)'' = φ (2 - x²), and φ' = -x φ
GELU = {2: (2, 0, -1), 4: (-4, 0, 7, 0, -1)}


def _gelu(x: Interval, order: int) -> Interval:
    least, most = max(x[0], -x[1], Fraction(0)), _size(x)
    power = interval.exp(-(most**2) / 2, BITS)[0], interval.exp(-(least**2) / 2, BITS)[1]
    low, high = (interval.sqrt(2 * end, BITS)[k] for k, end in enumerate(interval.pi(BITS)))
    return _times((power[0] / high, power[1] / low), _polynomial(GELU[order], x))


DERIVATIVES: dict[str, Callable[[Interval, int], Interval]] = {
    "sigmoid": _sigmoid,
    "tanh": _tanh,
    "softplus": _softplus,
    "silu": _silu,
    "gelu": _gelu,
}


def product_error(
    name: str,
    point: Fraction,
    step: Fraction,
    scale: Fraction,
    radius: Fraction,
    widened: int = 1,
    other: Fraction | None = None,
) -> Fraction:
    """Distance of the four units of a product from xy on |x| ≤ p, |y| ≤ q, by Taylor's theorem.

    |s| K h⁴ ((x+y)⁴ + (x-y)⁴)/12 + |4h² σ''(b) s - 1| |xy|, K ≥ |σ''''| within h(p+q) of b, or within a
    multiple of that; with 0 it is less than every such bound. p is the radius, and so is q unless given.
    """
    p, q = radius, radius if other is None else other
    reach = step * (p + q) * widened
    fourth = _size(DERIVATIVES[name]((point - reach, point + reach), 4))
    powers = 2 * p**4 + 12 * p**2 * q**2 + 2 * q**4
    return abs(scale) * fourth * step**4 * powers / 12 + _miss(name, point, step, scale) * p * q


@cache
def _miss(name: str, point: Fraction, step: Fraction, scale: Fraction) -> Fraction:
    """|4h² σ''(b) s - 1|."""
    exact = 4 * step * step * scale
    curved = DERIVATIVES[name]((point, point), 2)
    return _size(_add(_times((exact, exact), curved), (Fraction(-1),) * 2))


def _size(a: Interval) -> Fraction:
    """The largest absolute value in an interval."""
    return max(-a[0], a[1])
