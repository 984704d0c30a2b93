"""Lower bounds on the error of N hidden units against a polynomial, for the fact units.reach.

A network with one input is a linear combination of N units σ(wx + b) and a constant. What a unit
does to finitely many points falls into finitely many patterns; all choices of N patterns are
listed, and for each the error that it forces is computed from the polynomial. The least of these is
a bound for every choice of weights.

    constant pieces   two points that no unit tells apart: error ≥ |f(p) - f(q)|/2
    linear pieces     an interval on which no unit bends: error ≥ |f(l) - 2f(m) + f(r)|/4
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise

Scalar = Callable[[Fraction], Fraction]
Polynomial = Mapping[tuple[int, ...], int]  # exponents ↦ coefficient
Pattern = tuple[Fraction | bool, ...]
HALF = Fraction(1, 2)


def step(x: Fraction) -> Fraction:
    """1 from 0 on, 0 before."""
    return Fraction(int(x >= 0))


def relu(x: Fraction) -> Fraction:
    """max(x, 0)."""
    return max(x, Fraction(0))


def value_on_diagonal(polynomial: Polynomial, x: Fraction) -> Fraction:
    """f(x, …, x)."""
    return sum((c * x ** sum(powers) for powers, c in polynomial.items()), Fraction(0))


def grid(pieces: int) -> list[Fraction]:
    """0, 1/k, …, 1."""
    return [Fraction(k, pieces) for k in range(pieces + 1)]


def _turning_points(points: Sequence[Fraction]) -> Iterator[Fraction]:
    """Places for -b/w: at each point, and in each half of each interval; and before all of them."""
    yield points[0] - 1
    yield from points
    for low, high in pairwise(points):
        yield from (low + (high - low) * part for part in (Fraction(1, 4), HALF, Fraction(3, 4)))


def _unit_patterns(
    points: Sequence[Fraction], seen: Callable[[Scalar], Pattern], sigma: Scalar
) -> set[Pattern]:
    """Return the patterns of a unit on the points, for all signs and places."""
    return {
        seen(lambda x, w=sign, c=place: sigma(w * (x - c)))  # type: ignore[misc]
        for sign in (1, -1)
        for place in _turning_points(points)
    }


def _least_forced_error(
    choices: set[Pattern], units: int, forced: Callable[[Sequence[Pattern]], Fraction]
) -> Fraction:
    return min(forced(choice) for choice in combinations_with_replacement(sorted(choices), units))


def floor_of_constant_pieces(units: int, polynomial: Polynomial, sigma: Scalar = step) -> Fraction:
    """No network of N units is nearer to f on [0, 1]; 0 where σ tells too many points apart."""
    points = grid(units + 1)
    values = [value_on_diagonal(polynomial, x) for x in points]

    def forced(choice: Sequence[Pattern]) -> Fraction:
        seen = list(zip(*choice, strict=True))
        blind = [abs(values[i] - values[j]) / 2
                 for i, j in combinations(range(len(points)), 2) if seen[i] == seen[j]]  # fmt: skip
        return max(blind, default=Fraction(0))

    choices = _unit_patterns(points, lambda unit: tuple(unit(x) for x in points), sigma)
    return _least_forced_error(choices, units, forced)


def bend_pattern(unit: Scalar, points: Sequence[Fraction]) -> Pattern:
    """Return for each interval whether the unit's second difference is not 0."""
    return tuple(_second_difference(unit, low, high) != 0 for low, high in pairwise(points))


def _second_difference(function: Scalar, low: Fraction, high: Fraction) -> Fraction:
    return function(low) - 2 * function((low + high) / 2) + function(high)


def floor_of_linear_pieces(units: int, polynomial: Polynomial, sigma: Scalar = relu) -> Fraction:
    """No network of N units is nearer to f on [0, 1]; 0 where every interval can be bent."""
    points = grid(units + 1)
    needed = [abs(_second_difference(lambda x: value_on_diagonal(polynomial, x), low, high)) / 4
              for low, high in pairwise(points)]  # fmt: skip

    def forced(choice: Sequence[Pattern]) -> Fraction:
        bent = [any(column) for column in zip(*choice, strict=True)]
        return max((n for n, b in zip(needed, bent, strict=True) if not b), default=Fraction(0))

    return _least_forced_error(
        _unit_patterns(points, lambda unit: bend_pattern(unit, points), sigma), units, forced
    )


def exceeds_degree(sigma: Scalar, degree: int) -> bool:
    """Return whether σ is no polynomial of that degree: some difference of the next order is not 0."""
    values = [sigma(Fraction(k)) for k in range(-degree - 1, degree + 2)]
    for _ in range(degree + 1):
        values = [b - a for a, b in pairwise(values)]
    return any(values)
