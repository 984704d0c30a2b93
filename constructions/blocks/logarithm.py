"""Hidden units whose sum is log x on [δ, 1]: they turn weights into logits.

Claimed       nothing by the paper: its models end with states, a language model ends with logits
Constructs    g(x) = c + b x - Σ_m w_m σ(s (1 - x/k_m)), k_m from δ/e to 1 in geometric progression.
              ∫ σ(s(1 - x/k)) dk/k = const - σ(s) log x, so that the sum is a trapezoidal rule in log k
              for an analytic function, and the error falls exponentially with the number of units
Notation      σ activation, s sharpness, k_m knots, w_m weights, η bound on |g - log| over [δ, 1]
Certificate   with e(u) = g(eᵘ) - u, on each of many short intervals [a - r, a + r] of u:
              |e| ≤ Σ_{j<6} |e_j(a)| rʲ + max |e_6| r⁶ with e_j = e^(j)/j!, by power series of balls.
              The weights are rationals, found by least squares in 300 bits: the same everywhere
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, log

import flint

from constructions.core.activations import smooth_activation
from constructions.core.activations.record import Series, SmoothActivation
from constructions.core.errors import InputError
from constructions.core.exact import ball, ceiling

BITS = 300  # of the least squares; the weights are then rounded to `DIGITS` bits
DIGITS = 64
MOST_UNITS = 256
SHAPES = ((Fraction(2), 1), (Fraction(3, 2), 1), (Fraction(2), 2))  # s, and e-folds below δ
INTERVALS = 4  # for each unit, in the certificate
ORDER = 6


@dataclass(frozen=True)
class Logarithm:
    """Units for log x on [δ, 1], all constants rational, and a certified bound on their error.

    Examples:
        >>> units = fit_logarithm("silu", Fraction(1, 100), Fraction(1, 10**4))
        >>> units.error <= Fraction(1, 10**4), len(units.knots) < 20
        (True, True)

    """

    activation: str
    sharpness: Fraction
    least: Fraction
    knots: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]
    offset: Fraction
    slope: Fraction
    error: Fraction

    def __call__(self, x: Series) -> Series:
        """g(x), for a ball or a power series with ball coefficients."""
        sigma, s = smooth_activation(self.activation), ball(self.sharpness)
        total = ball(self.offset) + ball(self.slope) * x
        for knot, weight in zip(self.knots, self.weights, strict=True):
            total = total - ball(weight) * sigma.series(s - (s / ball(knot)) * x)
        return total


@lru_cache(maxsize=64)
def fit_logarithm(activation: str, least: Fraction, eta: Fraction) -> Logarithm:
    """The fewest units, of those tried, that certainly keep |g - log| ≤ η on [δ, 1]."""
    if not 0 < least < 1:
        raise InputError("least", str(least), "a number between 0 and 1")
    if eta <= 0:
        raise InputError("eta", str(eta), "an error > 0")
    sigma, folds = smooth_activation(activation), -log(least)
    count = 4 + ceil(folds * max(0.5, log(1 / eta) / 5))  # near what SiLU needs, for a short search
    while count <= MOST_UNITS:
        for sharpness, below in SHAPES:
            units = _least_squares(sigma, least, sharpness, below, count)
            if units is not None and (error := certified_error(units, eta)) is not None:
                return _with_error(units, error)
        count += max(1, count // 8)
    found = f"{eta} on [{float(least):.1e}, 1]"
    raise InputError("eta", found, f"an error that {MOST_UNITS} units reach")


def _with_error(units: Logarithm, error: Fraction) -> Logarithm:
    fields = vars(units) | {"error": error}
    return Logarithm(**fields)


def _least_squares(
    sigma: SmoothActivation, least: Fraction, sharpness: Fraction, below: int, count: int
) -> Logarithm | None:
    """Units that fit log x at Chebyshev's points of log x, three for each unit."""
    with flint.ctx.workprec(BITS):
        start = ball(least).log()
        step = (below - start) / (count - 1)
        knots = [_round((start - below + step * i).exp()) for i in range(count)]
        points = [_chebyshev(start, i, 3 * count) for i in range(3 * count)]
        s = ball(sharpness)
        rows = [
            [*(-sigma.series(s - s / ball(k) * x) for k in knots), flint.arb(1), x] for x in points
        ]
        table, logs = flint.arb_mat(rows), flint.arb_mat([[x.log()] for x in points])
        turned = table.transpose()
        try:
            solution = (turned * table).solve(turned * logs).entries()
        except ZeroDivisionError:
            return None
        *weights, offset, slope = (_round(value) for value in solution)
    return Logarithm(
        sigma.name, sharpness, least, tuple(knots), tuple(weights), offset, slope, Fraction(0)
    )


def _chebyshev(start: flint.arb, i: int, count: int) -> flint.arb:
    """A point of [δ, 1] whose logarithm is a Chebyshev point of [log δ, 0]."""
    cosine = flint.arb.cos_pi_fmpq(flint.fmpq(2 * i + 1, 2 * count))
    return (start * (1 - cosine) / 2).exp()


def _round(value: flint.arb) -> Fraction:
    """A rational of `DIGITS` bits near a ball's midpoint."""
    mantissa, exponent = value.mid().man_exp()
    whole, power = int(mantissa), int(exponent)
    excess = max(0, abs(whole).bit_length() - DIGITS)
    return Fraction(whole >> excess) * Fraction(2) ** (power + excess)


def certified_error(units: Logarithm, eta: Fraction) -> Fraction | None:
    """An upper bound on |g - log| over [δ, 1]; None where it is not certainly at most η."""
    limit, worst = ball(eta), flint.arb(0)
    with flint.ctx.workprec(DIGITS + 64):
        for centre, radius in _intervals(units):
            bound = _on_interval(units, centre, radius)
            if not bound <= limit:
                return None
            worst = bound.max(worst)
        return ceiling(worst)


def _intervals(units: Logarithm) -> Iterator[tuple[flint.arb, flint.arb]]:
    """Centres and half lengths of intervals that cover [log δ, 0]."""
    start = ball(units.least).log().lower()
    count = INTERVALS * len(units.knots)
    radius = -start / (2 * count)
    for i in range(count):
        yield start + radius * (2 * i + 1), radius


def _on_interval(units: Logarithm, centre: flint.arb, radius: flint.arb) -> flint.arb:
    """A bound on |e| for log x within a radius of a centre."""
    near, wide = _error_series(units, centre), _error_series(units, centre + radius * _UNIT)
    terms = [abs(near[j]) * radius**j for j in range(ORDER)]
    return sum(terms, abs(wide[ORDER]) * radius**ORDER).upper()


_UNIT = flint.arb(0, 1)  # [-1, 1]


def _error_series(units: Logarithm, where: flint.arb) -> Series:
    """e(u) = g(eᵘ) - u as a power series about a point, or about all points of a ball."""
    u = flint.arb_series([where, 1], prec=ORDER + 1)
    return units(u.exp()) - u
