"""Certificates in scaled coordinates: the model stays as it is, its error is measured by another norm.

Claimed       for D diagonal, ‖X‖_D = ‖D⁻¹ X D‖₂ is submultiplicative, so the corrected recursion and the
              recursion of rounding errors hold with it; a state αᵀE is at most ‖αᵀD‖ ‖E‖_D ‖D⁻¹‖
Why           the products of a triangular automaton grow with their length in every norm that sees all
              entries alike, and hardly in one that weighs the entries off the diagonal less
Rounding      is entrywise, |δX| ≤ γ |X|, and |D⁻¹ X D| = D⁻¹ |X| D: the same γ. What underflows is no
              multiple of an entry: η becomes η ‖D⁻¹‖, with ‖D‖ = 1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce

import flint

from constructions.automata.balancing import scaled_reduction, scalings
from constructions.automata.reduction import Reduction
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.core.matrix import Matrix
from constructions.theorem1 import check_length, depth, span
from verify.bounds.budget import bisection
from verify.bounds.growth import ProductNorms, listed_products
from verify.bounds.saturation import (
    BITS,
    GRID,
    Saturation,
    UniformBounds,
    required_saturation,
    uniform_bounds,
)
from verify.bounds.windows import WindowBounds, window_bounds


@dataclass(frozen=True)
class Coordinates:
    """An automaton in scaled coordinates: D⁻¹AD and αᵀD, ‖D‖ = 1 and ‖D⁻¹‖ = 2^spread."""

    automaton: WFA
    spread: int

    @property
    def inverse(self) -> flint.arb:
        """‖D⁻¹‖."""
        return flint.arb(2) ** self.spread


def grading_steps(length: int) -> list[int]:
    """The values of k to try, D = 2^(-k level): entries off the diagonal shrink by a factor of up to 1/T."""
    layers = depth(length)
    return sorted({(layers + 1) // 2, layers} - {0})


def coordinates(automaton: WFA, length: int) -> Iterator[Coordinates]:
    """The automaton as it is, and in the coordinates worth trying."""
    yield Coordinates(automaton, 0)
    whole = Reduction(automaton, Matrix.identity(automaton.n))
    for powers in scalings(automaton, grading_steps(length)):
        top = max(powers)
        scaled = scaled_reduction(whole, [power - top for power in powers])
        yield Coordinates(scaled.automaton, top - min(powers))


def bounded_coordinates(
    automaton: WFA, length: int, plain: UniformBounds | None
) -> Iterator[tuple[Coordinates, UniformBounds]]:
    """The coordinates with what holds for all words in them; `plain` of the first, where known."""
    for number, own in enumerate(coordinates(automaton, length)):
        known = plain if number == 0 else None
        yield own, known or uniform_bounds(own.automaton, length)


def least_saturation(
    automaton: WFA, length: int, eps: Fraction, plain: UniformBounds | None = None
) -> Saturation:
    """The least C over the coordinates for which states of every word are certainly within ε.

    Examples:
        >>> from constructions.automata.families import counting
        >>> needed = least_saturation(counting(), 64, Fraction(1, 1000))
        >>> bool(needed.constant < required_saturation(counting(), 64, Fraction(1, 1000)).constant)
        True

    """
    check_length(length)
    found = []
    with flint.ctx.workprec(BITS):
        for own, known in bounded_coordinates(automaton, length, plain):
            bounds = replace(known, readout=known.readout * own.inverse)
            if not bounds.closed_form(eps).is_finite():
                continue  # nothing is known in these coordinates
            needed = required_saturation(own.automaton, length, eps, bounds=bounds)
            found.append((needed, own, known))
        if not found:
            expected = f"products of {length} letters that can be bounded"
            raise InputError("weights", "products without a finite bound", expected)
        needed, own, known = min(found, key=lambda option: option[0].constant)
        windows = window_bounds(own.automaton, length, known)
        return _by_windows(needed, windows, own.inverse, eps)


def _by_windows(
    needed: Saturation, windows: WindowBounds, inverse: flint.arb, eps: Fraction
) -> Saturation:
    """A smaller C by the errors of windows, in the same coordinates; a part of the given one."""
    target = ball(eps)

    def error(count: int) -> flint.arb:
        return windows.states(needed.constant * Fraction(count, GRID)) * inverse

    if not error(GRID) < target:
        return needed
    least = bisection(lambda count: bool(error(count) < target), 0, GRID)
    return replace(needed, constant=needed.constant * Fraction(least, GRID), error=error(least))


def soft_errors(
    automaton: WFA, length: int, plain: UniformBounds | None = None
) -> Callable[[Fraction], flint.arb]:
    """The least bound over the coordinates on the error of softmax, for all words, by C."""
    with flint.ctx.workprec(BITS):
        windows = [(window_bounds(own.automaton, length, known), own.inverse)
                   for own, known in bounded_coordinates(automaton, length, plain)]  # fmt: skip

    def error(constant: Fraction) -> flint.arb:
        with flint.ctx.workprec(BITS):
            return reduce(flint.arb.min, (own.states(constant) * by for own, by in windows))

    return error


@dataclass(frozen=True)
class ScaledNorms:
    """Bounds on all products in some coordinates."""

    coordinates: Coordinates
    norms: ProductNorms


def scaled_products(automaton: WFA, length: int) -> list[ScaledNorms]:
    """Bounds on products of all lengths in the scaled coordinates worth trying."""
    _, *others = coordinates(automaton, length)
    return [ScaledNorms(own, listed_products(own.automaton, span(length))) for own in others]
